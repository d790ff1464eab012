// SPDX-License-Identifier: Apache-2.0
// A shared library that says that it was loaded: in a file, whatever name it was loaded by.
#include <cstdio>
#include <cstdlib>

[[gnu::constructor]] static void sprung() {
    const char* path = std::getenv("ROOFSCOPE_TRAP_MARK");
    if (!path) return;
    if (FILE* file = std::fopen(path, "a")) {
        std::fputs("a library\n", file);
        std::fclose(file);
    }
}
