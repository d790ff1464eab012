// SPDX-License-Identifier: Apache-2.0
// A shared library that records in a file that it was loaded, under whatever name.
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
