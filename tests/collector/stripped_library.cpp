// SPDX-License-Identifier: Apache-2.0
// A library whose symbols are stripped but for the exported one: native_lines_test.cpp.
extern "C" [[gnu::visibility("default"), gnu::noinline]] int shown(int x) { return x + 1; }

namespace {
// In a section of its own, which the linker puts behind that of the exported function.
[[gnu::noinline, gnu::section(".text.hidden")]] int hidden(int x) { return x * x + 1; }
}  // namespace

extern "C" [[gnu::visibility("default")]] int (*const hiddenFunction)(int) = hidden;
