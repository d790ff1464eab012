// SPDX-License-Identifier: Apache-2.0
// A folder to run `roofscope record` in without a GPU: a shell script acts as the profiled program
// and writes the spool that the injected library would.
#pragma once

#include "tests/cli/run_roofscope.h"

namespace roofscope::test {

/// A folder with the program "app" and a fake injected library.
struct RecordSandbox {
    TemporaryFolder folder;

    explicit RecordSandbox(const std::string& more = "", const std::string& counting = "") {
        std::ofstream(folder.file("library.so")) << "not loaded by anybody";
        std::ofstream(folder.file("app")) << R"(touch ran
f="$ROOFSCOPE_SPOOL_DIR/7-1.spool"
say() { printf '%s\n' "$@" >> "$f"; }
l='"k":0,"d":0,"s":0,"g":[1320,1,1],"b":[256,1,1],"o":8'
say '{"t":"process","pid":7}' '{"t":"device","id":0,"name":"GPU","chip":"GH100","major":9,"minor":0,"sms":132}'
say '{"t":"kernel","id":0,"name":"copy","symbol":"copy","registers":32}'
if grep -q -e '"mode":"timing"' -e '"mode":"count-first"' "$ROOFSCOPE_SPOOL_DIR/configuration.json"; then
say '{"t":"launch","n":0,'"$l"',"corr":5}' '{"t":"time","c":5,"b":1000,"e":2001000}'
else
say '{"t":"launch","n":0,'"$l"'}'
)" << counting << "\nfi\nsay '{\"t\":\"end\"}'\n"
                                          << more << "\n";
    }
    [[nodiscard]] Outcome roofscope(const std::string& arguments) const {
        const auto out = folder.file("out.txt"), err = folder.file("err.txt");
        const std::string command = "cd '" + folder.path().string() +
                                    "' && ROOFSCOPE_INJECT=\"$PWD/library.so\" '" ROOFSCOPE_PROGRAM
                                    "' " +
                                    arguments + " >out.txt 2>err.txt </dev/null";
        const int status = std::system(command.c_str());
        return {.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                .out = readText(out),
                .err = readText(err)};
    }
    [[nodiscard]] bool ran() const { return std::filesystem::exists(folder.file("ran")); }
};

}  // namespace roofscope::test
