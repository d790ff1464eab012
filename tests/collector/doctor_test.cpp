// SPDX-License-Identifier: Apache-2.0
// How doctor judges machines that are not at hand: facts in, checks out.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "collector/run/doctor/error_codes.h"
#include "collector/run/doctor/judge_parts.h"
#include "collector/run/doctor/probe_process.h"
#include "collector/run/doctor/read_system.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::doctor;

namespace {

Answer yes() { return {true, 0, ""}; }
Answer no(int code) { return {true, code, "CUPTI_ERROR (" + std::to_string(code) + ")"}; }

/// A machine where everything works.
Facts healthy() {
    Facts f;
    f.system.library = "/opt/lib/libroofscope_inject.so";
    f.system.restriction = "RmProfilingAdminOnly: 0";
    f.system.temporaryFolder = "/tmp";
    f.system.temporaryChecked = true;
    f.system.temporaryFreeBytes = std::uint64_t{1} << 40;
    f.system.processesRead = true;
    f.gpu.driverVersion = 13000;
    f.gpu.init = yes();
    f.gpu.cuptiTried = true;
    f.gpu.cuptiPath = f.gpu.cuptiRealPath = "/usr/local/cuda/lib64/libcupti.so.13";
    f.gpu.cuptiComplete = true;
    f.gpu.cuptiVersion = 130001;
    f.gpu.host = f.gpu.subscribe = yes();
    f.gpu.chips = 30;
    GpuFacts gpu;
    gpu.name = "NVIDIA H200";
    gpu.computeMajor = 9;
    gpu.smCount = 132;
    gpu.chip = "GH100";
    gpu.tableVerified = true;
    gpu.initialize = gpu.chipName = gpu.context = gpu.availability = gpu.enable = gpu.start = yes();
    f.gpu.gpus = {gpu};
    return f;
}

/// The same machine, but CUPTI refuses counters with `code`.
Facts refusing(int code) {
    Facts f = healthy();
    f.gpu.gpus[0].enable = no(code);
    f.gpu.gpus[0].start = {};
    return f;
}

const Check* find(const Diagnosis& d, const std::string& id) {
    const auto it = std::find_if(d.checks.begin(), d.checks.end(),
                                 [&](const Check& check) { return check.id == id; });
    return it == d.checks.end() ? nullptr : &*it;
}

Check get(const Diagnosis& d, const std::string& id) {
    const Check* check = find(d, id);
    INFO(id);
    REQUIRE(check);
    return *check;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

bool commands(const Check& check, const std::string& part) {
    return std::any_of(check.commands.begin(), check.commands.end(),
                       [&](const std::string& command) { return has(command, part); });
}

/// Holds for every diagnosis: a fault has an explanation and a command, and ids are unique.
void checkForm(const Diagnosis& d) {
    std::vector<std::string> ids;
    for (const Check& check : d.checks) {
        INFO(check.id << ": " << check.detail);
        ids.push_back(check.id);
        CHECK_FALSE(check.title.empty());
        if (check.status == CheckStatus::Ok) {
            CHECK(check.cause.empty());
            CHECK(check.commands.empty());
        }
        if (check.status == CheckStatus::Failed) {
            CHECK_FALSE(check.advice.empty());
            CHECK_FALSE(check.cause.empty());
            CHECK((!check.commands.empty() || check.cause == "unknown-chip"));
        }
    }
    std::sort(ids.begin(), ids.end());
    CHECK(std::adjacent_find(ids.begin(), ids.end()) == ids.end());
}

std::vector<std::string> complaints(const Diagnosis& d) {
    std::vector<std::string> ids;
    for (const Check& check : d.checks)
        if (check.status != CheckStatus::Ok) ids.push_back(check.id);
    return ids;
}

}  // namespace

TEST_CASE("doctor: a healthy machine is told so, without a single warning") {
    Facts f = healthy();
    // Normal facts are not faults: DCGM that lets us read, several libcupti, a container with
    // rights, a setting for MPS without a server, a newer driver.
    f.system.holders = {{12, "nv-hostengine", true}};
    f.system.cuptis = {
        {"/a/libcupti.so.13", "/a/libcupti.so.2025.3.1", "2025.3.1", "toolkit", true},
        {"/b/libcupti.so.12", "/b/libcupti.so.12", "", "python", true}};
    f.system.container = "docker";
    f.system.hasSysAdmin = true;
    f.system.mpsPipe = "/tmp/nvidia-mps";
    f.gpu.driverVersion = 14000;
    f.gpu.cuptiComplete = false;  // though the loader found its helpers
    const Diagnosis d = judge(f);
    checkForm(d);
    CHECK(d.exitCode == 0);
    CHECK(complaints(d).empty());
    CHECK(has(get(d, "other-profilers").detail, "nv-hostengine (pid 12)"));
    CHECK(has(get(d, "cupti-copies").detail, "2 found"));
}

TEST_CASE("doctor: reserved counters, on the bare machine and in containers") {
    Facts f = refusing(CuptiError::InsufficientPrivileges);
    f.system.restriction = "RmProfilingAdminOnly: 1";
    f.system.initramfsTool = "update-initramfs -u";
    Diagnosis d = judge(f);
    checkForm(d);
    CHECK(d.exitCode == 77);
    Check check = get(d, "counter-permission");
    CHECK(check.cause == "not-permitted");
    CHECK(has(check.detail, "RmProfilingAdminOnly: 1"));
    CHECK(commands(check, "NVreg_RestrictProfilingToAdminUsers=0"));
    CHECK(commands(check, "sudo update-initramfs -u"));
    CHECK(check.commands.back() == "sudo reboot");

    f.system.container = "docker";
    check = get(judge(f), "counter-permission");
    CHECK(check.commands ==
          std::vector<std::string>{"docker run --gpus all --cap-add SYS_ADMIN IMAGE"});
    f.system.container = "podman";
    f.system.inUserNamespace = true;
    check = get(judge(f), "counter-permission");
    CHECK(commands(check, "sudo podman run"));
    f.system.container = "kubernetes";
    CHECK(commands(get(judge(f), "counter-permission"), "SYS_ADMIN"));
    f.system.container = "apptainer";
    CHECK(commands(get(judge(f), "counter-permission"), "sudo reboot"));
}

TEST_CASE("doctor: without a GPU to try, the module's setting is a warning only") {
    Facts f = healthy();
    f.gpu.gpus.clear();
    f.gpu.init = {true, CudaError::NoDevice, "no CUDA-capable device is detected (100)"};
    f.system.restriction = "RmProfilingAdminOnly: 1";
    Diagnosis d = judge(f);
    checkForm(d);
    CHECK(d.exitCode == 69);
    CHECK(get(d, "counter-restriction").status == CheckStatus::Warning);
    CHECK(get(d, "counter-permission").status == CheckStatus::Skipped);
    f.system.hasSysAdmin = true;
    CHECK_FALSE(find(judge(f), "counter-restriction"));
    f.system.visibleDevicesSet = true;
    CHECK(get(judge(f), "driver").commands ==
          std::vector<std::string>{"unset CUDA_VISIBLE_DEVICES"});
}

TEST_CASE("doctor: busy counters name who holds them") {
    Facts f = refusing(CuptiError::HardwareBusy);
    f.system.holders = {{12, "nv-hostengine", true}, {40, "python3", false}};
    Diagnosis d = judge(f);
    checkForm(d);
    CHECK(d.exitCode == 75);
    Check check = get(d, "counter-permission");
    CHECK(check.cause == "busy");
    CHECK(has(check.detail, "nv-hostengine (pid 12), python3 (pid 40)"));
    CHECK(check.commands == std::vector<std::string>{"dcgmi profile --pause"});
    CHECK_FALSE(find(d, "other-profilers"));

    f.system.holders = {{7, "ncu", true}};
    check = get(judge(f), "counter-permission");
    CHECK(commands(check, "kill 7"));
    CHECK_FALSE(commands(check, "dcgmi"));

    f.system.holders.clear();
    f.system.container = "docker";
    check = get(judge(f), "counter-permission");
    CHECK(has(check.advice, "outside of this container"));

    // The refusal may come only at the start.
    f = healthy();
    f.gpu.gpus[0].start = no(CuptiError::HardwareBusy);
    CHECK(judge(f).exitCode == 75);
}

TEST_CASE("doctor: every refusal of CUPTI has a cause and a remedy of its own") {
    const struct {
        int code;
        const char* cause;
        const char* command;
        int exitCode;
    } kCases[] = {
        {CuptiError::NotInitialized, "cupti-driver", "cupti", 69},
        {CuptiError::VirtualizedDeviceNotSupported, "vgpu", "enable_profiling", 69},
        {CuptiError::VirtualizedDeviceInsufficientPrivileges, "vgpu", "enable_profiling", 69},
        {CuptiError::MultipleSubscribersNotSupported, "subscriber", "LD_PRELOAD", 69},
        {CuptiError::ConfidentialComputingNotSupported, "confidential-compute", "conf-compute", 69},
        {CuptiError::CmpDeviceNotSupported, "cmp", "CUDA_VISIBLE_DEVICES", 69},
        {CuptiError::MigDeviceNotSupported, "mig", "nvidia-smi -i 0 -mig 0", 69},
        {CuptiError::SliDeviceNotSupported, "sli", "--sli=Off", 69},
        {CuptiError::WslDeviceNotSupported, "wsl", "wsl.exe", 77},
        {CuptiError::InvalidChipName, "unknown-chip", "--upgrade", 69},
        {999, "other", "nvidia-smi", 69}};
    for (const auto& expected : kCases) {
        INFO(expected.code);
        const Diagnosis d = judge(refusing(expected.code));
        checkForm(d);
        const Check check = get(d, "counter-permission");
        CHECK(check.cause == expected.cause);
        CHECK(commands(check, expected.command));
        CHECK(d.exitCode == expected.exitCode);
    }
    // A general refusal is explained by what the device reports about itself.
    Facts f = refusing(999);
    f.gpu.gpus[0].unsupported = {"confidential-compute"};
    CHECK(get(judge(f), "counter-permission").cause == "confidential-compute");
    f.gpu.gpus[0].unsupported = {"architecture"};
    CHECK(has(get(judge(f), "counter-permission").advice, "7.5"));
    // Without a refusal that is not a fault.
    f = healthy();
    f.gpu.gpus[0].unsupported = {"vgpu"};
    CHECK(judge(f).exitCode == 0);
    // Under WSL it is a Windows setting, not the kernel module's.
    f = refusing(CuptiError::InsufficientPrivileges);
    f.system.isWsl = true;
    CHECK(get(judge(f), "counter-permission").cause == "wsl");
}

TEST_CASE("doctor: the second of two GPUs is judged like the first") {
    Facts f = healthy();
    f.gpu.gpus.push_back(f.gpu.gpus[0]);
    f.gpu.gpus[1].enable = no(CuptiError::MigDeviceNotSupported);
    f.gpu.gpus[1].start = {};
    const Diagnosis d = judge(f);
    checkForm(d);
    CHECK(get(d, "counter-permission").status == CheckStatus::Ok);
    CHECK(commands(get(d, "counter-permission-1"), "-i 1 -mig 0"));
    CHECK(d.exitCode == 69);
}

TEST_CASE("doctor: shared GPUs work with a warning") {
    Facts f = healthy();
    f.gpu.gpus[0].name = "NVIDIA A100-SXM4-40GB MIG 1g.5gb";
    f.system.mpsServers = {77};
    const Diagnosis d = judge(f);
    checkForm(d);
    CHECK(d.exitCode == 0);
    CHECK(get(d, "mig").status == CheckStatus::Warning);
    CHECK(get(d, "mps").status == CheckStatus::Warning);
    CHECK(commands(get(d, "mps"), "echo quit | nvidia-cuda-mps-control"));
}

TEST_CASE("doctor: drivers that are missing, hidden or too old") {
    Facts f = healthy();
    f.gpu.gpus.clear();
    f.gpu.init = {};
    f.gpu.driverError = "libcuda.so.1 could not be loaded";
    f.gpu.driverVersion = 0;
    checkForm(judge(f));
    CHECK(commands(get(judge(f), "driver"), "apt-get install"));
    f.system.container = "docker";
    CHECK(commands(get(judge(f), "driver"), "docker run --gpus all"));

    f = refusing(CuptiError::NotInitialized);
    f.gpu.driverVersion = 12080;
    const Diagnosis d = judge(f);
    checkForm(d);
    CHECK(get(d, "driver-age").status == CheckStatus::Failed);
    CHECK(has(get(d, "driver-age").detail, "CUDA 12.8, CUPTI for CUDA 13.0"));
    // It works with the compatibility package: only a remark.
    f = healthy();
    f.gpu.driverVersion = 12080;
    CHECK(get(judge(f), "driver-age").status == CheckStatus::Warning);
    CHECK(judge(f).exitCode == 0);
    // CUPTI before 13 does not say which CUDA version it belongs to, so nothing is claimed.
    f.gpu.cuptiVersion = 26;
    CHECK_FALSE(find(judge(f), "driver-age"));
}

TEST_CASE("doctor: libcupti that is missing, incomplete, old or taken") {
    Facts f = healthy();
    f.gpu.cuptiPath = f.gpu.cuptiRealPath = "";
    f.gpu.cuptiError = "libcupti could not be loaded";
    f.gpu.host = f.gpu.subscribe = {};
    f.gpu.gpus[0] = {.name = "NVIDIA H200"};
    Diagnosis d = judge(f);
    checkForm(d);
    CHECK(d.exitCode == 69);
    CHECK(commands(get(d, "cupti"), "pip install"));
    f.system.cuptis = {{"/b/libcupti.so.13", "/b/libcupti.so.13", "", "python", true}};
    CHECK(get(judge(f), "cupti").commands ==
          std::vector<std::string>{"export ROOFSCOPE_CUPTI=/b/libcupti.so.13"});

    f = refusing(CuptiError::NotInitialized);
    f.gpu.cuptiComplete = false;
    f.system.cuptis = {{"/b/libcupti.so.13", "/b/libcupti.so.13", "", "python", true}};
    d = judge(f);
    checkForm(d);
    CHECK(get(d, "nvperf").cause == "no-nvperf");
    CHECK(commands(get(d, "nvperf"), "ROOFSCOPE_CUPTI=/b/"));
    CHECK(commands(get(d, "counter-permission"), "ROOFSCOPE_CUPTI=/b/"));

    f = healthy();
    f.system.cuptis = {
        {"/o/libcupti.so", "/o/libcupti.so.2023.1.1", "2023.1.1", "LD_LIBRARY_PATH", true},
        {"/a/libcupti.so", "/a/libcupti.so.2025.3.1", "2025.3.1", "toolkit", true}};
    CHECK(get(judge(f), "cupti-copies").cause == "old-cupti-first");
    CHECK(judge(f).exitCode == 0);
    f.system.cuptis[0].origin = "toolkit";
    CHECK(get(judge(f), "cupti-copies").status == CheckStatus::Ok);

    f = healthy();
    f.gpu.subscribe = no(CuptiError::MultipleSubscribersNotSupported);
    f.gpu.subscriber = "Nsight";
    d = judge(f);
    checkForm(d);
    CHECK(has(get(d, "cupti-subscriber").detail, "held by Nsight"));
    CHECK(d.exitCode == 69);
}

TEST_CASE("doctor: the environment of the recording") {
    Facts f = healthy();
    f.system.temporaryError = "Permission denied";
    f.system.cudaInjection = "/opt/other.so";
    f.system.nvtxInjection = f.system.library;
    Diagnosis d = judge(f);
    checkForm(d);
    CHECK(get(d, "temporary-folder").status == CheckStatus::Failed);
    CHECK(commands(get(d, "temporary-folder"), "export TMPDIR"));
    CHECK(d.exitCode == 69);
    CHECK(get(d, "cuda-injection").commands ==
          std::vector<std::string>{"unset CUDA_INJECTION64_PATH"});
    CHECK_FALSE(find(d, "nvtx-injection"));  // our own injection

    f = healthy();
    f.system.temporaryFreeBytes = 1 << 20;
    CHECK(get(judge(f), "temporary-folder").status == CheckStatus::Warning);
    f.system.library.clear();
    f.system.libraryError = "was not found";
    CHECK(judge(f).exitCode == 69);
}

TEST_CASE("doctor: programs that cannot be profiled as they are") {
    Facts f = healthy();
    const auto cause = [&] {
        const Diagnosis d = judge(f);
        checkForm(d);
        CHECK(d.exitCode == 0);
        return get(d, "program").cause;
    };
    f.system.program = {.asked = true, .name = "app", .path = "/x/app", .kind = "elf"};
    CHECK(cause().empty());
    f.system.program.isDynamic = false;
    CHECK(cause() == "program-static");
    f.system.program.is64Bit = false;
    CHECK(cause() == "program-32-bit");
    f.system.program.privileged = true;
    CHECK(cause() == "program-privileged");
    f.system.program.path.clear();
    CHECK(cause() == "program-not-found");
    f.system.program = {.asked = true, .name = "./", .kind = "folder"};
    CHECK(cause() == "program-is-folder");
    CHECK(doctor::readProgramFile("./", "").kind == "folder");
    CHECK(doctor::readProgramFile("/no/such/", "").kind.empty());
    f.system.program = {
        .asked = true, .path = "/x/run", .kind = "script", .interpreter = "/bin/sh"};
    CHECK(cause().empty());
}

TEST_CASE("doctor: a driver that hangs or crashes is a finding, and what was found before counts") {
    Facts f = healthy();
    f.gpu.gpus[0].availability = f.gpu.gpus[0].enable = f.gpu.gpus[0].start = {};
    f.gpuEnding = {.timedOut = true, .seconds = 60, .step = "cuInit"};
    Diagnosis d = judge(f);
    checkForm(d);
    CHECK(d.exitCode == 69);
    CHECK(has(get(d, "driver-answer").detail, "within 60 s (cuInit)"));
    CHECK(get(d, "driver").status == CheckStatus::Ok);
    f.gpuEnding = {.signal = SIGSEGV, .step = "cuptiRangeProfilerEnable"};
    d = judge(f);
    checkForm(d);
    CHECK(get(d, "driver-answer").cause == "crashed");
    CHECK(has(get(d, "driver-answer").detail, "cuptiRangeProfilerEnable"));

    // Neither probe said anything.
    Facts silent;
    silent.gpuEnding.started = silent.systemEnding.started = false;
    checkForm(judge(silent));
    CHECK(judge(silent).exitCode == 69);
    CHECK(judge(Facts{}).exitCode == 69);
}

TEST_CASE("doctor: a child is cut off when it is silent, and its crash is told") {
    const auto started = std::chrono::steady_clock::now();
    const ProbeResult hung = runProbe(
        [](const Reporter& report) {
            report.facts({{"a", 1}});
            report.step("waiting");
            for (;;) pause();
        },
        1);
    CHECK(std::chrono::steady_clock::now() - started < std::chrono::seconds(10));
    CHECK(hung.ending.timedOut);
    CHECK(hung.ending.step == "waiting");
    CHECK(hung.facts.at("a") == 1);

    const ProbeResult crashed = runProbe(
        [](const Reporter& report) {
            report.step("crashing");
            signal(SIGSEGV, SIG_DFL);
            raise(SIGSEGV);
        },
        10);
    CHECK(crashed.ending.signal == SIGSEGV);
    CHECK(crashed.ending.step == "crashing");
    CHECK_FALSE(crashed.ending.timedOut);

    const ProbeResult fine = runProbe(
        [](const Reporter& report) {
            report.facts({{"name", "\xff\xfe"}});
        },
        10);
    CHECK(fine.ending.inOrder());
    CHECK(fine.facts.contains("name"));
    CHECK(runProbe([](const Reporter&) { throw 1; }, 10).facts.is_null());
}

TEST_CASE("doctor: the facts of a machine are read from its files") {
    const test::TemporaryFolder folder;
    const auto write = [&](const std::string& path, const std::string& text) {
        std::filesystem::create_directories(folder.file(path).parent_path());
        std::ofstream(folder.file(path)) << text;
    };
    write("proc/driver/nvidia/params", "ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: 1\n");
    write("proc/self/status", "Name:\tx\nUid:\t0\t0\t0\t0\nCapEff:\t0000000000200000\n");
    write("proc/self/uid_map", "         0     100000      65536\n");
    write("proc/version", "Linux version 5.15.90.1-microsoft-standard-WSL2");
    write("proc/12/comm", "nv-hostengine\n");
    write("proc/13/comm", "nvidia-cuda-mps\n");
    write("proc/14/comm", "python3\n");
    write("proc/14/maps", "7f r-xp 00 08:01 1 /x/libnvperf_target.so\n");
    write("proc/15/comm", "python3\n");
    write("proc/15/maps", "7f r-xp 00 08:01 1 /x/libcupti.so.13\n");
    write("proc/999999999999999999999/comm", "ncu\n");
    write("run/.containerenv", "");
    write("usr/sbin/dracut", "");
    write("usr/local/cuda-12.4/lib64/libcupti.so.2024.1.1", "");
    write("usr/local/cuda-12.4/lib64/libnvperf_host.so", "");
    write("usr/local/cuda-12.4/lib64/libnvperf_target.so", "");
    std::filesystem::create_symlink("libcupti.so.2024.1.1",
                                    folder.file("usr/local/cuda-12.4/lib64/libcupti.so.12"));
    SystemSources sources{.root = folder.path(), .variable = [&](const char* name) {
                              return std::string(name) == "TMPDIR"
                                         ? std::optional(folder.file("absent").string())
                                         : std::nullopt;
                          }};
    const ProbeResult read =
        runProbe([&](const Reporter& report) { readSystem(sources, "", report); }, 10);
    REQUIRE(read.ending.inOrder());
    const auto facts = read.facts.get<SystemFacts>();
    CHECK(facts.restriction == "RmProfilingAdminOnly: 1");
    CHECK(facts.hasSysAdmin);
    CHECK(facts.isRoot);
    CHECK(facts.inUserNamespace);
    CHECK(facts.isWsl);
    CHECK(facts.container == "podman");
    CHECK(facts.initramfsTool == "dracut --force");
    CHECK(facts.temporaryError == "is not a folder");
    CHECK(facts.mpsServers == std::vector<std::int64_t>{13});
    REQUIRE(facts.holders.size() == 2);
    CHECK(facts.holders[0].name == "nv-hostengine");
    CHECK(facts.holders[1].pid == 14);
    CHECK_FALSE(facts.holders[1].certain);
    REQUIRE(facts.cuptis.size() == 1);
    CHECK(facts.cuptis[0].release == "2024.1.1");
    CHECK(facts.cuptis[0].complete);
    CHECK(isTooOld(facts.cuptis[0]));
}

TEST_CASE("doctor: program files") {
    const test::TemporaryFolder folder;
    const auto write = [&](const std::string& name, const std::string& text) {
        std::ofstream(folder.file(name), std::ios::binary) << text;
        return folder.file(name).string();
    };
    const auto self = readProgramFile("/proc/self/exe", "");
    CHECK(self.kind == "elf");
    CHECK(self.is64Bit);
    const auto script = readProgramFile(write("s", "#! /usr/bin/env python3\nx"), "");
    CHECK(script.kind == "script");
    CHECK(script.interpreter == "/usr/bin/env python3");
    CHECK(readProgramFile(write("e", ""), "").kind == "other");
    CHECK(readProgramFile(write("t",
                                "\x7f"
                                "ELF"),
                          "")
              .kind == "other");
    std::string header(64, '\0');
    header.replace(0, 6,
                   std::string("\x7f"
                               "ELF\x02\x01",
                               6));
    header[54] = 56;  // e_phentsize, no program headers
    CHECK_FALSE(readProgramFile(write("static", header), "").isDynamic);
    header[4] = 1;
    CHECK_FALSE(readProgramFile(write("small", header), "").is64Bit);
    CHECK(readProgramFile("no-such-program-anywhere", "/usr/bin").path.empty());
    CHECK(readProgramFile(folder.path().string(), "").path.empty());
    CHECK_FALSE(readProgramFile("sh", "/nowhere:/bin").path.empty());
    CHECK(cuptiRelease("libcupti.so.2025.3.1") == "2025.3.1");
    CHECK(cuptiRelease("libcupti.so.13").empty());
    CHECK(cuptiRelease("libcupti.so.x.y").empty());
}
