// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.h"

namespace roofscope::test {

/// A script that stands in for ssh, first in PATH during its lifetime. It writes its arguments to
/// ssh.txt and runs the command in a local shell. The folder is the home of the "other machine",
/// and a roofscope is in its PATH if the test added one.
class FakeSsh {
public:
    explicit FakeSsh(const QString& roofscopeFolder = {}) : m_path(qgetenv("PATH")) {
        write(R"sh(#!/bin/sh
printf '[%s]\n' "$@" >> "$FAKE_SSH_HOME/ssh.txt"
[ "$FAKE_SSH" = down ] && { echo 'ssh: connect to host gpu1 port 22: Connection refused' >&2; exit 255; }
while [ "$1" != -- ]; do shift; done
cd "$FAKE_SSH_HOME" && HOME=$FAKE_SSH_HOME PATH=$FAKE_SSH_PATH exec sh -c "$3"
)sh");
        qputenv("FAKE_SSH_HOME", home().toLocal8Bit());
        qputenv("FAKE_SSH_PATH",
                (roofscopeFolder.isEmpty() ? QByteArray() : roofscopeFolder.toLocal8Bit() + ':') +
                    "/usr/bin:/bin");
        qputenv("PATH", m_folder.path().string().c_str() + (":" + m_path));
        qunsetenv("FAKE_SSH");
    }
    ~FakeSsh() {
        qputenv("PATH", m_path);
        qunsetenv("FAKE_SSH");
    }
    FakeSsh(const FakeSsh&) = delete;
    FakeSsh& operator=(const FakeSsh&) = delete;

    /// From now on the other machine does not answer.
    static void goDown() { qputenv("FAKE_SSH", "down"); }
    /// As with ssh -tt: the command gets its own terminal. Needs python3.
    void giveTerminals() {
        write(R"py(#!/usr/bin/env python3
import os, pty, sys
line = sys.argv[sys.argv.index("--") + 2]
os.chdir(os.environ["FAKE_SSH_HOME"])
os.environ["PATH"] = os.environ["FAKE_SSH_PATH"]
if "-tt" not in sys.argv:
    os.execvp("sh", ["sh", "-c", line])
sys.exit(os.waitstatus_to_exitcode(pty.spawn(["sh", "-c", line])))
)py");
    }
    /// The home folder of the other machine.
    [[nodiscard]] QString home() const { return QString::fromStdString(m_home.path().string()); }
    [[nodiscard]] bool has(const std::string& name) const {
        return std::filesystem::exists(m_home.file(name));
    }
    [[nodiscard]] std::string text(const std::string& name) const {
        return readText(m_home.file(name));
    }

private:
    void write(const char* script) const {
        std::ofstream(m_folder.file("ssh")) << script;
        std::filesystem::permissions(m_folder.file("ssh"), std::filesystem::perms::owner_all);
    }

    QByteArray m_path;
    TemporaryFolder m_folder, m_home;
};

}  // namespace roofscope::test
