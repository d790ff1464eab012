// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/python_autotuners.h"

#include <dlfcn.h>

#include <optional>
#include <span>
#include <string>

#include "collector/configuration/run_configuration.h"
#include "collector/inject/nvtx_stack.h"
#include "profile/embedded_file.h"

namespace roofscope::python_files {
std::span<const EmbeddedFile> files();
}  // namespace roofscope::python_files

namespace roofscope::inject {
namespace {

/// No domain of the program's: these are addresses.
constexpr std::uintptr_t kDomain = 1;

// Of Python's stable ABI, the same in all versions from 3.2 on. The interpreter is the program's:
// nothing is linked, and there are no headers to agree with.
using Object = void;
using Method = Object* (*)(Object* self, Object* args);
struct MethodDef {
    const char* name;
    Method function;
    int flags;
    const char* doc;
};
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
    void (*DecRef)(Object*);
    void (*ErrClear)();

    /// Empty where the process has no Python.
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
        look(api.DecRef, "Py_DecRef");
        look(api.ErrClear, "PyErr_Clear");
        return all ? std::optional(api) : std::nullopt;
    }
};

PythonApi g_python{};

Object* begin(Object*, Object*) {
    NvtxStack::ofThread().push(kDomain, kAutotuningRange);
    return g_python.BuildValue("");
}
Object* end(Object*, Object*) {
    NvtxStack::ofThread().pop(kDomain);
    return g_python.BuildValue("");
}
MethodDef g_begin{"begin", begin, kNoArguments, nullptr};
MethodDef g_end{"end", end, kNoArguments, nullptr};

/// Called by the interpreter. What the script lets through (Ctrl-C; all else is caught in it) goes
/// on in the program, where it belongs; that it cannot be run is nobody's business.
int runScript(void*) {
    const PythonApi& py = g_python;
    Object* globals = py.DictNew();
    // Not those of the frame that happens to run, nor its import: it may have restricted them.
    Object* builtins = globals ? py.AddModule("builtins") : nullptr;
    bool ok =
        builtins && py.DictSetItemString(globals, "__builtins__", py.ModuleGetDict(builtins)) == 0;
    for (MethodDef* method : {&g_begin, &g_end}) {
        Object* function = ok ? py.FunctionNew(method, nullptr, nullptr) : nullptr;
        ok = function && py.DictSetItemString(globals, method->name, function) == 0;
        if (function) py.DecRef(function);
    }
    const std::string source(python_files::files().front().content);
    Object* code = ok ? py.CompileString(source.c_str(), "<roofscope>", kFileInput) : nullptr;
    if (!code) py.ErrClear();
    Object* result = code ? py.EvalCode(code, globals, globals) : nullptr;
    const bool raised = code && !result;
    for (Object* object : {code, result, globals})
        if (object) py.DecRef(object);
    return raised ? -1 : 0;
}

}  // namespace

void markPythonAutotuners() {
    const auto found = PythonApi::find();
    if (!found || !found->IsInitialized()) return;
    g_python = *found;
    g_python.AddPendingCall(runScript, nullptr);
}

}  // namespace roofscope::inject
