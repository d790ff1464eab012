// SPDX-License-Identifier: Apache-2.0
#include "collector/run/tools/libc_variants.h"

#include <dlfcn.h>

#include "tests/support/catch.h"

using namespace roofscope;

TEST_CASE("a variant of libc's memset is named, and no other place") {
    const void* function = dlsym(RTLD_DEFAULT, "memset");
    Dl_info info{};
    REQUIRE(function);
    REQUIRE(dladdr(function, &info) != 0);
    const auto offset = static_cast<std::uint64_t>(static_cast<const char*>(function) -
                                                   static_cast<const char*>(info.dli_fbase));
    CHECK(libcVariant(info.dli_fname, offset) == "memset");
    CHECK(libcVariant(info.dli_fname, offset + 1).empty());
    CHECK(libcVariant("/no/such/libc.so.6", offset).empty());
}
