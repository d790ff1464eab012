// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/python/python_hooks.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collector/configuration/run_configuration.h"
#include "collector/inject/frameworks/frameworks.h"
#include "collector/inject/python/operators.h"
#include "collector/inject/python/python_lines.h"
#include "collector/inject/ranges/nvtx_stack.h"
#include "profile/files/embedded_file.h"

namespace roofscope::python_files {
std::span<const EmbeddedFile> files();
}  // namespace roofscope::python_files

namespace roofscope::inject {
namespace {

/// Differs from the program's domains, which are addresses.
constexpr std::uintptr_t kDomain = 1;

// Functions of Python's stable ABI, the same in all versions from 3.2 on. They are looked up in the
// program's interpreter, without linking or headers.
using Object = void;
using Method = Object* (*)(Object* self, Object* args);
struct MethodDef {
    const char* name;
    Method function;
    int flags;
    const char* doc;
};
constexpr int kArguments = 0x0001;    // METH_VARARGS
constexpr int kNoArguments = 0x0004;  // METH_NOARGS
constexpr int kFileInput = 257;       // Py_file_input

struct PythonApi {
    int (*IsInitialized)();
    int (*AddPendingCall)(int (*)(void*), void*);
    Object* (*DictNew)();
    int (*DictSetItemString)(Object*, const char*, Object*);
    Object* (*AddModule)(const char*);  ///< borrowed
    Object* (*ModuleGetDict)(Object*);
    Object* (*FunctionNew)(MethodDef*, Object*, Object*);
    Object* (*CompileString)(const char*, const char*, int);
    Object* (*EvalCode)(Object*, Object*, Object*);
    Object* (*BuildValue)(const char*, ...);
    int (*ParseTuple)(Object*, const char*, ...);
    void (*IncRef)(Object*);
    void (*DecRef)(Object*);
    Object* (*CallObject)(Object*, Object*);
    void (*ErrClear)();
    void* (*ThisThreadState)();

    /// Empty if the process has no Python.
    static std::optional<PythonApi> find() {
        PythonApi api{};
        bool all = true;
        const auto look = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
                dlsym(RTLD_DEFAULT, name));
            all = all && function != nullptr;
        };
        look(api.IsInitialized, "Py_IsInitialized");
        look(api.AddPendingCall, "Py_AddPendingCall");
        look(api.DictNew, "PyDict_New");
        look(api.DictSetItemString, "PyDict_SetItemString");
        look(api.AddModule, "PyImport_AddModule");
        look(api.ModuleGetDict, "PyModule_GetDict");
        look(api.FunctionNew, "PyCFunction_NewEx");
        look(api.CompileString, "Py_CompileString");
        look(api.EvalCode, "PyEval_EvalCode");
        look(api.BuildValue, "Py_BuildValue");
        look(api.ParseTuple, "PyArg_ParseTuple");
        look(api.IncRef, "Py_IncRef");
        look(api.DecRef, "Py_DecRef");
        look(api.CallObject, "PyObject_CallObject");
        look(api.ErrClear, "PyErr_Clear");
        look(api.ThisThreadState, "PyGILState_GetThisThreadState");
        return all ? std::optional(api) : std::nullopt;
    }
};

PythonApi g_python{};

Object* begin(Object*, Object*) {
    NvtxStack::perThread().push(kDomain, kAutotuningRange);
    return g_python.BuildValue("");
}
Object* end(Object*, Object*) {
    NvtxStack::perThread().pop(kDomain);
    return g_python.BuildValue("");
}
/// How many compilers are running.
std::atomic<int> g_compilers{0};

Object* beginCompiler(Object* self, Object* arguments) {
    ++g_compilers;
    return begin(self, arguments);
}
Object* endCompiler(Object* self, Object* arguments) {
    --g_compilers;
    return end(self, arguments);
}
PythonRun g_run;

/// Whether XLA should launch its kernels one by one. If so, reports an issue.
Object* commandBuffersOff(Object*, Object*) {
    if (g_run.counting && g_run.report)
        for (const Framework& framework : frameworks())
            if (framework.oneByOneWhileCounted) g_run.report(*framework.oneByOneWhileCounted);
    return g_python.BuildValue("i", g_run.counting ? 1 : 0);
}
/// tuning() → the folder and whether an earlier run filled it
Object* tuning(Object*, Object*) {
    return g_python.BuildValue("si", g_run.tuningFolder.c_str(), g_run.tuned ? 1 : 0);
}
/// code(file, function) → its number
Object* code(Object*, Object* arguments) {
    const char *file = nullptr, *function = nullptr;
    if (!g_python.ParseTuple(arguments, "ss", &file, &function)) return nullptr;
    return g_python.BuildValue("I", python_lines::code(file, function));
}
/// at(number, line) → whether to go on following the function
Object* at(Object*, Object* arguments) {
    unsigned number = 0, line = 0;
    if (!g_python.ParseTuple(arguments, "II", &number, &line)) return nullptr;
    return g_python.BuildValue("i", python_lines::at(number, line) ? 1 : 0);
}

/// hides_callee()
Object* hidesCallee(Object*, Object*) {
    python_lines::hidesCallee();
    return g_python.BuildValue("");
}

/// follow(on)
Object* follow(Object*, Object* arguments) {
    int on = 0;
    if (!g_python.ParseTuple(arguments, "p", &on)) return nullptr;
    operators::follow(on != 0);
    return g_python.BuildValue("");
}
/// Functions of the scripts that stop following call sites; never released.
std::vector<Object*> g_leaving;
/// The script function that switches off PyTorch's profiler. If that happened inside an open range,
/// PyTorch would print a warning with a backtrace at the range's end.
Object* g_leavingOperators = nullptr;
enum class Leaving { NotAsked, Asked, Done };
std::atomic<Leaving> g_left{Leaving::NotAsked};
/// How many attempts to leave found a range open. If a range encloses the whole program, give up
/// waiting for its end: the profiler then stays on.
int g_openRanges = 0;
constexpr int kMostOpenRanges = 2000;

Object* functionIn(Object* arguments) {
    Object* function = nullptr;
    if (!g_python.ParseTuple(arguments, "O", &function)) return nullptr;
    g_python.IncRef(function);
    return function;
}

/// when_left(function)
Object* whenLeft(Object*, Object* arguments) {
    Object* function = functionIn(arguments);
    if (!function) return nullptr;
    g_leaving.push_back(function);
    return g_python.BuildValue("");
}

/// when_left(function) of operators.py
Object* whenOperatorsLeft(Object*, Object* arguments) {
    g_leavingOperators = functionIn(arguments);
    return g_leavingOperators ? g_python.BuildValue("") : nullptr;
}

void call(Object* function) {
    if (Object* result = g_python.CallObject(function, nullptr))
        g_python.DecRef(result);
    else
        g_python.ErrClear();
}

Object* seen(Object*, Object*) { return g_python.BuildValue("i", operators::seen() ? 1 : 0); }

/// Prepended to each script.
constexpr std::string_view kWhenLoaded = "loaded.py";
/// A file of python/ and the functions that it may call.
struct Script {
    std::string_view file;
    std::vector<MethodDef> functions;
};
/// Follows the program's own lines.
constexpr std::string_view kCallSites = "call_sites.py";
Script g_scripts[] = {{"autotuners.py",
                       {{"begin", begin, kNoArguments, nullptr},
                        {"end", end, kNoArguments, nullptr},
                        {"begin_compiler", beginCompiler, kNoArguments, nullptr},
                        {"end_compiler", endCompiler, kNoArguments, nullptr},
                        {"command_buffers_off", commandBuffersOff, kNoArguments, nullptr},
                        {"tuning", tuning, kNoArguments, nullptr}}},
                      {kCallSites,
                       {{"code", code, kArguments, nullptr},
                        {"at", at, kArguments, nullptr},
                        {"hides_callee", hidesCallee, kArguments, nullptr},
                        {"when_left", whenLeft, kArguments, nullptr}}},
                      {"operators.py",
                       {{"follow", follow, kArguments, nullptr},
                        {"seen", seen, kNoArguments, nullptr},
                        {"when_left", whenOperatorsLeft, kArguments, nullptr}}}};

std::string sourceOf(std::string_view name) {
    for (const EmbeddedFile& file : python_files::files())
        if (file.name == name) return std::string(file.content);
    return {};
}

/// Called by the interpreter. Exceptions that the script does not catch (Ctrl-C) continue in the
/// program; failures to run the script are ignored.
int runScript(void* given) {
    auto& script = *static_cast<Script*>(given);
    const PythonApi& py = g_python;
    Object* globals = py.DictNew();
    // The builtins and the import function of the current frame may be restricted, so use the
    // originals.
    Object* builtins = globals ? py.AddModule("builtins") : nullptr;
    bool ok =
        builtins && py.DictSetItemString(globals, "__builtins__", py.ModuleGetDict(builtins)) == 0;
    for (MethodDef& method : script.functions) {
        Object* function = ok ? py.FunctionNew(&method, nullptr, nullptr) : nullptr;
        ok = function && py.DictSetItemString(globals, method.name, function) == 0;
        if (function) py.DecRef(function);
    }
    const std::string source = sourceOf(kWhenLoaded) + sourceOf(script.file);
    Object* compiled = ok ? py.CompileString(source.c_str(), "<roofscope>", kFileInput) : nullptr;
    if (!compiled) py.ErrClear();
    Object* result = compiled ? py.EvalCode(compiled, globals, globals) : nullptr;
    const bool raised = compiled && !result;
    for (Object* object : {compiled, result, globals})
        if (object) py.DecRef(object);
    return raised ? -1 : 0;
}

}  // namespace

void hookIntoPython(PythonRun run) {
    const auto found = PythonApi::find();
    if (!found || !found->IsInitialized()) return;
    g_python = *found;
    g_run = std::move(run);
    const auto named = [](std::span<const std::string_view> names, std::string_view file) {
        return std::ranges::find(names, file) != names.end();
    };
    for (Script& script : g_scripts) {
        const auto needs = [&](const Framework& framework) {
            return named(framework.tuningScripts, script.file) ||
                   (g_run.callSites && named(framework.operatorScripts, script.file));
        };
        if ((g_run.callSites && script.file == kCallSites) ||
            std::ranges::any_of(frameworks(), needs))
            g_python.AddPendingCall(runScript, &script);
    }
}

bool runsPython() { return g_python.AddPendingCall != nullptr; }

bool followsPython() {
    return g_python.AddPendingCall && g_run.callSites && g_left != Leaving::Done;
}

namespace {

void askToLeave();

/// Called by the interpreter's main thread.
int leave(void*) {
    const bool open = g_leavingOperators && operators::whenClosed(askToLeave);
    if (open && ++g_openRanges < kMostOpenRanges) {
        g_left = Leaving::NotAsked;  // the next launch or the end of the range asks again
        return 0;
    }
    for (Object* function : g_leaving) call(function);
    if (open)
        operators::ignore();
    else if (g_leavingOperators)
        call(g_leavingOperators);
    g_left = Leaving::Done;
    return 0;
}

void askToLeave() {
    auto now = Leaving::NotAsked;
    // The queue may be full for a moment.
    if (g_left.compare_exchange_strong(now, Leaving::Asked) &&
        g_python.AddPendingCall(leave, nullptr) != 0)
        g_left = Leaving::NotAsked;
}

}  // namespace

bool leavePython() {
    if (!g_python.AddPendingCall || !g_run.callSites) return true;
    askToLeave();
    return g_left == Leaving::Done;
}

bool compilerRuns() { return g_compilers > 0; }

CompilersLaunch::CompilersLaunch() {
    // Work that the program dispatched earlier may run at the same time, but its threads are known
    // to Python.
    if (g_compilers == 0 || g_python.ThisThreadState()) return;
    NvtxStack::perThread().push(kDomain, kAutotuningRange);
    m_marked = true;
}

CompilersLaunch::~CompilersLaunch() {
    if (m_marked) NvtxStack::perThread().pop(kDomain);
}

}  // namespace roofscope::inject
