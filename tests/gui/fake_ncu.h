// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temporary_folder.h"

namespace roofscope::test {

/// The raw page of a report, as ncu prints it.
inline const std::filesystem::path kNcuCsv =
    ROOFSCOPE_SOURCE_DIR "/tests/data/ncu_h200_access_patterns.csv";

/// A folder, first in PATH during its lifetime, with a script "ncu".
class FakeNcu {
public:
    explicit FakeNcu(const std::string& script) : m_before(std::getenv("PATH")) {
        std::filesystem::create_directory(m_folder.file("bin"));
        const auto program = m_folder.file("bin/ncu");
        std::ofstream(program) << "#!/bin/sh\n" << script;
        std::filesystem::permissions(program, std::filesystem::perms::owner_all);
        setenv("PATH", (m_folder.file("bin").string() + ":" + m_before).c_str(), 1);
    }
    ~FakeNcu() { setenv("PATH", m_before.c_str(), 1); }
    FakeNcu(const FakeNcu&) = delete;
    FakeNcu& operator=(const FakeNcu&) = delete;
    [[nodiscard]] std::filesystem::path report(const char* name = "it's $HOME.ncu-rep") const {
        std::ofstream(m_folder.file(name)) << "x";
        return m_folder.file(name);
    }
    [[nodiscard]] std::filesystem::path file(const char* name) const { return m_folder.file(name); }

private:
    TemporaryFolder m_folder;
    std::string m_before;
};

/// An ncu that prints nothing and does not end after hang() was called; until then it prints the
/// CSV. It has started another program, as wrapper scripts do.
class HangingNcu : public FakeNcu {
public:
    HangingNcu()
        : FakeNcu(
              "here=\"$(dirname \"$0\")/..\"\n"
              "[ -e \"$here/hang\" ] || exec cat '" +
              kNcuCsv.string() +
              "'\n"
              "sleep 60 &\n"
              "echo $! > \"$here/program\"\n"
              "echo $$ > \"$here/ncu\"\n"
              "wait\n") {}
    void hang() const { std::ofstream(file("hang")) << "1"; }
    /// Whether it has begun to hang.
    [[nodiscard]] bool hangs() const { return !idIn("ncu").empty(); }
    /// Whether it or what it has started still runs.
    [[nodiscard]] bool runs() const { return runs("ncu") || runs("program"); }

private:
    [[nodiscard]] std::string idIn(const char* name) const {
        std::string id;
        std::ifstream(file(name)) >> id;
        return id;
    }
    [[nodiscard]] bool runs(const char* name) const {
        // "PID (name) S …"; a zombie is not running.
        const std::string stat = readText("/proc/" + idIn(name) + "/stat");
        const std::size_t end = stat.rfind(')');
        return end != stat.npos && stat.compare(end, 4, ") Z ") != 0 &&
               stat.compare(end, 4, ") X ") != 0;
    }
};

}  // namespace roofscope::test
