// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/python_autotuners.h"

#include <dlfcn.h>

#include <optional>
#include <span>
#include <string>

#include "collector/inject/nvtx_stack.h"
#include "collector/orders/run_orders.h"
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
    Object* (*GetBuiltins)();
    Object* (*FunctionNew)(MethodDef*, Object*, Object*);
    Object* (*CompileString)(const char*, const char*, int);
    Object* (*EvalCode)(Object*, Object*, Object*);
    Object* (*BuildValue)(const char*, ...);
    void (*DecRef)(Object*);

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
        look(api.GetBuiltins, "PyEval_GetBuiltins");
        look(api.FunctionNew, "PyCFunction_NewEx");
        look(api.CompileString, "Py_CompileString");
        look(api.EvalCode, "PyEval_EvalCode");
        look(api.BuildValue, "Py_BuildValue");
        look(api.DecRef, "Py_DecRef");
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

/// Called by the interpreter. What is raised here (Ctrl-C; all else is caught in Python) goes on in
/// the program, where it belongs.
int runScript(void*) {
    const PythonApi& py = g_python;
    Object* globals = py.DictNew();
    if (!globals) return -1;
    bool ok = py.DictSetItemString(globals, "__builtins__", py.GetBuiltins()) == 0;
    for (MethodDef* method : {&g_begin, &g_end}) {
        Object* function = py.FunctionNew(method, nullptr, nullptr);
        ok = ok && function && py.DictSetItemString(globals, method->name, function) == 0;
        if (function) py.DecRef(function);
    }
    const std::string source(python_files::files().front().content);
    Object* code = ok ? py.CompileString(source.c_str(), "<roofscope>", kFileInput) : nullptr;
    Object* result = code ? py.EvalCode(code, globals, globals) : nullptr;
    for (Object* object : {code, result, globals})
        if (object) py.DecRef(object);
    return result ? 0 : -1;
}

}  // namespace

void markPythonAutotuners() {
    const auto found = PythonApi::find();
    if (!found || !found->IsInitialized()) return;
    g_python = *found;
    g_python.AddPendingCall(runScript, nullptr);
}

}  // namespace roofscope::inject
