// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <string>

#include "tests/cli/run_roofscope.h"

namespace roofscope::test {

/// Puts the program "NAME" and a fake injected library into folder(). The program is a shell script
/// that writes the spool that the library would, and then runs `more`.
inline void makeProgram(const std::string& name, const std::string& more = "") {
    std::ofstream(folder().file("library.so")) << "not loaded by anybody";
    std::ofstream(folder().file(name)) << R"(f="$ROOFSCOPE_SPOOL_DIR/7-1.spool"
say() { printf '%s\n' "$@" >> "$f"; }
say '{"t":"process","pid":7}' '{"t":"device","id":0,"name":"GPU","chip":"GH100","major":9,"minor":0,"sms":132}'
say '{"t":"kernel","id":0,"name":"copy","symbol":"copy","registers":32}'
say '{"t":"launch","n":0,"k":0,"d":0,"s":0,"g":[1320,1,1],"b":[256,1,1],"o":8,"corr":5}' '{"t":"time","c":5,"b":1000,"e":2001000}'
)" << more << "\nsay '{\"t\":\"end\"}'\n";
}

/// A recording of 65 kernels.
inline const std::string kSample =
    ROOFSCOPE_SOURCE_DIR "/profile/samples/h200_bundled.roofscope.json.gz";

/// The environment setting that selects the fake library.
inline constexpr const char* kInjected = "ROOFSCOPE_INJECT=\"$PWD/library.so\" ";
/// The options to record the program "app" quickly.
inline constexpr const char* kRecord = "record --timing-only ";

/// Whether folder() has an entry with this name.
inline bool exists(const std::string& name) {
    return std::filesystem::exists(std::filesystem::symlink_status(folder().file(name)));
}
/// The number of entries in `where` whose names start with `begin`.
inline int countOf(const std::filesystem::path& where, const std::string& begin) {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(where))
        count += entry.path().filename().string().starts_with(begin);
    return count;
}

}  // namespace roofscope::test
