// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.h"

namespace roofscope::test {

/// A script that stands in for roofscope. The variable FAKE selects its behaviour. It writes its
/// arguments to args.txt in its working folder; `doctor` prints the doctor.json next to it.
class FakeRoofscope {
public:
    FakeRoofscope() {
        const std::filesystem::path script = m_folder.file("roofscope");
        std::ofstream(script) << R"sh(#!/bin/sh
if [ "$1" = doctor ]; then
    [ -f "$(dirname "$0")/slow" ] && exec sleep 60
    cat "$(dirname "$0")/doctor.json"
    exit 69
fi
printf '%s\n' "$@" > args.txt
for a in "$@"; do [ "$last" = --out ] && out=$a; last=$a; done
case "$FAKE" in
whole) echo "roofscope: timing run 1 of 1" >&2
    printf '\033[31mred\033[0m and \033]0;title\007plain\n'
    printf '10 %%\r50 %%\r100 %%\n'
    cat "$PROFILE" > "$out" ;;
lost) echo "some" > "$out"; exit 90 ;;
nothing) exit 91 ;;
denied) echo "roofscope: --out: its folder does not exist" >&2; exit 73 ;;
fails) echo "some" > "$out"; exit 3 ;;
fault) exit 139 ;;
polite) trap 'echo some > "$out"; exit 130' INT
    touch started; while :; do sleep 0.02; done ;;
stubborn) trap '' INT
    sleep 300 & echo $! > child.txt
    touch started; while :; do sleep 0.02; done ;;
flood) yes 0123456789012345678901234567890123456789 | head -c 30000000
    head -c 3000000 /dev/zero | tr '\0' x
    cat "$PROFILE" > "$out" ;;
esac
)sh";
        std::filesystem::permissions(script, std::filesystem::perms::owner_all);
        doctor(R"({"counters_readable": true, "exit_code": 0, "checks": []})");
    }
    void doctor(const std::string& json) const {
        std::ofstream(m_folder.file("doctor.json")) << json;
    }
    /// From now on doctor does not answer.
    void hang() const { std::ofstream(m_folder.file("slow")) << "1"; }
    [[nodiscard]] QString path() const { return in("roofscope"); }
    [[nodiscard]] QString folder() const {
        return QString::fromStdString(m_folder.path().string());
    }
    [[nodiscard]] QString in(const std::string& name) const {
        return QString::fromStdString(m_folder.file(name).string());
    }
    [[nodiscard]] bool has(const std::string& name) const {
        return std::filesystem::exists(m_folder.file(name));
    }
    [[nodiscard]] std::string text(const std::string& name) const {
        return readText(m_folder.file(name));
    }

private:
    TemporaryFolder m_folder;
};

/// doctor's answer on a machine without a GPU.
inline constexpr const char* kNoGpu = R"({"counters_readable": false, "exit_code": 69, "checks": [
  {"id": "toolkit", "title": "CUDA toolkit", "status": "ok", "detail": "none", "commands": []},
  {"id": "mps", "title": "MPS", "status": "warning", "detail": "runs", "advice": "end it",
   "commands": []},
  {"id": "driver", "title": "NVIDIA driver", "status": "failed", "detail": "no \u001b[31mdriver",
   "advice": "start the container with GPUs", "commands": ["docker run --gpus all IMAGE"]}]})";

/// doctor's answer if counters are reserved for the administrator.
inline constexpr const char* kNotPermitted =
    R"({"counters_readable": false, "exit_code": 77, "checks": [
  {"id": "counter-permission", "title": "Counter permission", "status": "failed",
   "detail": "refused", "advice": "allow it", "commands": ["sudo one", "sudo two"]}]})";

}  // namespace roofscope::test
