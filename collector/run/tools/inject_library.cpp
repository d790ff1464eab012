// SPDX-License-Identifier: Apache-2.0
#include "collector/run/tools/inject_library.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "profile/files/find_program.h"

namespace roofscope {
namespace {

namespace fs = std::filesystem;

}  // namespace

Result<fs::path> findInjectLibrary() {
    constexpr const char* kName = "libroofscope_inject.so";
    std::vector<fs::path> places;
    if (const char* chosen = std::getenv("ROOFSCOPE_INJECT"); chosen && *chosen) {
        places.emplace_back(chosen);
    } else {
        const fs::path here = executableFolder();
        places = {here / "../lib" / kName, here / "../lib64" / kName, here / kName};
#ifdef ROOFSCOPE_INSTALL_LIBDIR
        places.insert(places.begin() + 1, here / ".." / ROOFSCOPE_INSTALL_LIBDIR / kName);
#endif
    }
    std::string tried;
    for (const auto& place : places) {
        std::error_code error;
        if (fs::is_regular_file(place, error)) return fs::canonical(place, error);
        tried += (tried.empty() ? "" : ", ") + place.lexically_normal().string();
    }
    return Error{.code = ErrorCode::Unavailable,
                 .what = fmt::format("{} was not found (looked at {})", kName, tried),
                 .advice = ROOFSCOPE_HAVE_COLLECTOR
                               ? "reinstall roofscope, or set ROOFSCOPE_INJECT to the file"
                               : "this roofscope was built without the collector: build it with a "
                                 "CUDA toolkit 12.8 or later"};
}

}  // namespace roofscope
