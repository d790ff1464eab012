// SPDX-License-Identifier: Apache-2.0
// Runs roofscope as a shell does, for tests of what users see.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace roofscope::test {

struct Outcome {
    int code = -1;
    std::string out, err;
};

/// The folder in which all commands run.
inline const TemporaryFolder& folder() {
    static const TemporaryFolder theFolder;
    return theFolder;
}

/// Runs roofscope in that folder with arguments quoted for the shell.
inline Outcome roofscopeRun(const std::string& arguments, const std::string& prefix = "") {
    const auto out = folder().file("out").string(), err = folder().file("err").string();
    const std::string command = "cd '" + folder().path().string() + "' && " + prefix +
                                " '" ROOFSCOPE_PROGRAM "' " + arguments + " >" + out + " 2>" + err +
                                " </dev/null";
    const int status = std::system(command.c_str());
    return {.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            .out = readText(out),
            .err = readText(err)};
}

/// Runs a line of bash in that folder.
inline Outcome inBash(const std::string& line) {
    const auto script = folder().file("script");
    std::ofstream(script) << line << "\n";
    const auto out = folder().file("out").string(), err = folder().file("err").string();
    const std::string command = "cd '" + folder().path().string() + "' && bash script >" + out +
                                " 2>" + err + " </dev/null";
    const int status = std::system(command.c_str());
    return {.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            .out = readText(out),
            .err = readText(err)};
}

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// The formats of a report as listed by its help: "--format {markdown,text,…}".
inline const std::vector<std::string>& formats() {
    static const std::vector<std::string> all = [] {
        const std::string help = roofscopeRun("report --help").out, mark = "--format {";
        const auto from = help.find(mark);
        std::vector<std::string> names;
        if (from == std::string::npos) return names;
        std::istringstream list(
            help.substr(from + mark.size(), help.find('}', from) - from - mark.size()));
        for (std::string name; std::getline(list, name, ',');) names.push_back(name);
        return names;
    }();
    return all;
}

}  // namespace roofscope::test
