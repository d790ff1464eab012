// SPDX-License-Identifier: Apache-2.0
#include "collector/run/doctor/read_system.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>

#include "collector/run/tools/inject_library.h"

namespace roofscope::doctor {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostText = std::size_t{4} << 20;  ///< the most that is read of one file
constexpr std::size_t kMostHolders = 16;
constexpr std::size_t kMostCuptis = 32;
constexpr int kCapSysAdmin = 21;  // linux/capability.h

/// Programs that hold the counters while they run, by process name (the kernel keeps 15
/// characters).
constexpr std::string_view kProfilers[] = {
    "nv-hostengine",   "dcgm-exporter", "dcgmi",          "ncu", "nsys", "nsys-launcher",
    "nv-nsight-cu-cl", "nvprof",        "dcgmproftester1"};

class Source {
public:
    explicit Source(const SystemSources& sources) : m_sources(sources) {}

    [[nodiscard]] fs::path path(const std::string& absolute) const {
        return m_sources.root / absolute.substr(1);
    }
    [[nodiscard]] std::string text(const std::string& absolute) const {
        std::ifstream stream(path(absolute), std::ios::binary);
        std::string text;
        for (char block[8192]; stream && text.size() < kMostText;) {
            stream.read(block, sizeof block);
            text.append(block, static_cast<std::size_t>(stream.gcount()));
        }
        return text;
    }
    [[nodiscard]] bool exists(const std::string& absolute) const {
        std::error_code error;
        return fs::exists(path(absolute), error);
    }
    [[nodiscard]] std::optional<std::string> variable(const char* name) const {
        if (m_sources.variable) return m_sources.variable(name);
        const char* value = std::getenv(name);
        return value ? std::optional<std::string>(value) : std::nullopt;
    }

private:
    const SystemSources& m_sources;
};

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);)
        if (!part.empty()) parts.push_back(part);
    return parts;
}

/// The entries of a folder, sorted; empty if there is none.
std::vector<fs::path> entries(const fs::path& folder) {
    std::vector<fs::path> result;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        result.push_back(it->path());
    std::ranges::sort(result);
    return result;
}

std::string lineWith(const std::string& text, std::string_view begin) {
    for (const auto& line : split(text, '\n'))
        if (line.starts_with(begin)) return line;
    return {};
}

std::string findProgram(const std::string& name, const std::string& path) {
    for (const auto& folder : split(path, ':')) {
        const fs::path candidate = fs::path(folder) / name;
        std::error_code error;
        if (fs::is_regular_file(candidate, error) && access(candidate.c_str(), X_OK) == 0)
            return candidate.string();
    }
    return {};
}

void readRights(const Source& source, SystemFacts& facts) {
    facts.restriction =
        lineWith(source.text("/proc/driver/nvidia/params"), "RmProfilingAdminOnly:");
    const std::string status = source.text("/proc/self/status");
    if (const auto line = lineWith(status, "CapEff:"); !line.empty()) {
        const auto value = std::strtoull(line.c_str() + std::strlen("CapEff:"), nullptr, 16);
        facts.hasSysAdmin = (value >> kCapSysAdmin & 1) != 0;
    }
    if (const auto line = lineWith(status, "Uid:"); !line.empty()) {
        std::istringstream numbers(line.substr(std::strlen("Uid:")));
        long real = -1, effective = -1;
        numbers >> real >> effective;
        facts.isRoot = effective == 0;
    }
    // The initial user namespace maps all ids; any other maps fewer.
    std::istringstream map(source.text("/proc/self/uid_map"));
    std::uint64_t inside = 0, outside = 0, count = 0;
    if (map >> inside >> outside >> count)
        facts.inUserNamespace = inside != 0 || outside != 0 || count != 4294967295U;
    for (const auto& [tool, command] :
         {std::pair{"update-initramfs", "update-initramfs -u"}, {"dracut", "dracut --force"}})
        if (facts.initramfsTool.empty() && (source.exists(std::string("/usr/sbin/") + tool) ||
                                            source.exists(std::string("/usr/bin/") + tool)))
            facts.initramfsTool = command;
}

std::string containerKind(const Source& source) {
    if (source.variable("KUBERNETES_SERVICE_HOST")) return "kubernetes";
    if (source.variable("APPTAINER_CONTAINER") || source.variable("SINGULARITY_CONTAINER"))
        return "apptainer";
    if (source.exists("/run/.containerenv")) return "podman";
    if (source.exists("/.dockerenv")) return "docker";
    if (const auto kind = source.variable("container"); kind && !kind->empty()) return *kind;
    const std::string groups = source.text("/proc/1/cgroup");
    for (const auto& [mark, kind] : {std::pair{"kubepods", "kubernetes"},
                                     {"docker", "docker"},
                                     {"libpod", "podman"},
                                     {"containerd", "container"},
                                     {"lxc", "lxc"}})
        if (groups.find(mark) != groups.npos) return kind;
    return {};
}

void readTemporaryFolder(const Source& source, SystemFacts& facts) {
    // Use the same folder as `record`, which asks std::filesystem.
    facts.temporaryFolder = "/tmp";
    for (const char* name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"})
        if (const auto value = source.variable(name)) {
            facts.temporaryFolder = *value;
            break;
        }
    facts.temporaryChecked = true;
    std::error_code error;
    if (!fs::is_directory(facts.temporaryFolder, error)) {
        facts.temporaryError = "is not a folder";
        return;
    }
    std::string pattern = (fs::path(facts.temporaryFolder) / "roofscope-XXXXXX").string();
    if (!mkdtemp(pattern.data())) {
        facts.temporaryError = std::strerror(errno);
        return;
    }
    rmdir(pattern.c_str());
    struct statvfs space {};
    if (statvfs(facts.temporaryFolder.c_str(), &space) == 0)
        facts.temporaryFreeBytes = static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize;
}

void addCuptis(const fs::path& folder, const std::string& origin, std::set<std::string>& seen,
               SystemFacts& facts) {
    for (const auto& file : entries(folder)) {
        const std::string name = file.filename().string();
        if (!name.starts_with("libcupti.so") || facts.cuptis.size() >= kMostCuptis) continue;
        std::error_code error;
        const fs::path real = fs::canonical(file, error);
        if (error || !seen.insert(real.string()).second) continue;
        facts.cuptis.push_back({.path = file.string(),
                                .realPath = real.string(),
                                .release = cuptiRelease(real.filename().string()),
                                .origin = origin,
                                .complete = fs::exists(folder / "libnvperf_host.so", error) &&
                                            fs::exists(folder / "libnvperf_target.so", error)});
    }
}

void readCuptis(const Source& source, SystemFacts& facts) {
    std::set<std::string> seen;
    for (const auto& folder : split(source.variable("LD_LIBRARY_PATH").value_or(""), ':'))
        addCuptis(folder, "LD_LIBRARY_PATH", seen, facts);
    std::vector<fs::path> toolkits;
    for (const char* name : {"CUDA_PATH", "CUDA_HOME"})
        if (const auto value = source.variable(name); value && !value->empty())
            toolkits.emplace_back(*value);
    toolkits.push_back(source.path("/usr/local/cuda"));
    for (const auto& entry : entries(source.path("/usr/local")))
        if (entry.filename().string().starts_with("cuda-")) toolkits.push_back(entry);
    for (const auto& toolkit : toolkits)
        for (const char* sub : {"extras/CUPTI/lib64", "lib64", "targets/x86_64-linux/lib",
                                "targets/sbsa-linux/lib", "lib"})
            addCuptis(toolkit / sub, "toolkit", seen, facts);
    std::vector<fs::path> pythons{source.path("/usr/lib"), source.path("/usr/local/lib")};
    for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
        if (const auto value = source.variable(name); value && !value->empty()) {
            pythons.push_back(fs::path(*value) / "lib");
            addCuptis(fs::path(*value) / "lib", "python", seen, facts);
        }
    if (const auto home = source.variable("HOME"); home && !home->empty())
        pythons.push_back(fs::path(*home) / ".local/lib");
    for (const auto& lib : pythons)
        for (const auto& python : entries(lib)) {
            if (!python.filename().string().starts_with("python")) continue;
            for (const char* packages : {"site-packages", "dist-packages"})
                for (const char* wheel : {"cuda_cupti", "cu13", "cu12"})
                    addCuptis(python / packages / "nvidia" / wheel / "lib", "python", seen, facts);
        }
}

void readProcesses(const Source& source, const Reporter& report, SystemFacts& facts) {
    struct Candidate {
        std::int64_t pid;
        std::string name;
    };
    std::vector<Candidate> others;
    for (const auto& entry : entries(source.path("/proc"))) {
        const std::string id = entry.filename().string();
        if (id.empty() || id.size() > 10 ||
            !std::ranges::all_of(id, [](unsigned char c) { return std::isdigit(c); }))
            continue;
        const std::int64_t pid = std::stoll(id);
        std::string name = source.text("/proc/" + id + "/comm");
        while (!name.empty() && name.back() == '\n') name.pop_back();
        if (name.starts_with("nvidia-cuda-mps"))
            facts.mpsServers.push_back(pid);
        else if (std::find(std::begin(kProfilers), std::end(kProfilers), name) !=
                     std::end(kProfilers) &&
                 facts.holders.size() < kMostHolders)
            facts.holders.push_back({pid, name, true});
        else if (pid != getpid() && pid != getppid())
            others.push_back({pid, std::move(name)});
    }
    facts.processesRead = true;
    report.facts(facts);
    // PyTorch maps libcupti into every process; only programs that read counters map this library.
    report.step("reading /proc/*/maps");
    for (const auto& [pid, name] : others)
        if (facts.holders.size() < kMostHolders &&
            source.text(fmt::format("/proc/{}/maps", pid)).find("libnvperf_target.so") !=
                std::string::npos)
            facts.holders.push_back({pid, name, false});
}

}  // namespace

std::string cuptiRelease(const std::string& fileName) {
    constexpr std::string_view kPrefix = "libcupti.so.";
    if (!fileName.starts_with(kPrefix)) return {};
    const std::string release = fileName.substr(kPrefix.size());
    // "13" is the version of the interface, not of the release.
    const bool numbers = release.find_first_not_of("0123456789.") == std::string::npos;
    return numbers && release.find('.') != std::string::npos ? release : std::string();
}

void readSystem(const SystemSources& sources, const std::string& program, const Reporter& report) {
    const Source source(sources);
    SystemFacts facts;
    const auto next = [&](const char* step) {
        report.facts(facts);
        report.step(step);
    };
    next("looking for the collector");
    if (const auto library = findInjectLibrary()) {
        facts.library = library->string();
    } else {
        facts.libraryError = library.error().what;
        facts.libraryAdvice = library.error().advice;
    }
    next("reading the environment");
    const std::string path = source.variable("PATH").value_or("");
    facts.nvcc = findProgram("nvcc", path);
    if (facts.nvcc.empty() && source.exists("/usr/local/cuda/bin/nvcc"))
        facts.nvcc = source.path("/usr/local/cuda/bin/nvcc").string();
    facts.cudaInjection = source.variable("CUDA_INJECTION64_PATH").value_or("");
    facts.nvtxInjection = source.variable("NVTX_INJECTION64_PATH").value_or("");
    facts.visibleDevicesSet = source.variable("CUDA_VISIBLE_DEVICES").has_value();
    facts.visibleDevices = source.variable("CUDA_VISIBLE_DEVICES").value_or("");
    facts.mpsPipe = source.variable("CUDA_MPS_PIPE_DIRECTORY").value_or("");
    readRights(source, facts);
    facts.container = containerKind(source);
    facts.isWsl = source.exists("/dev/dxg") ||
                  source.text("/proc/version").find("microsoft") != std::string::npos;
    facts.moduleVersion = source.text("/sys/module/nvidia/version");
    while (!facts.moduleVersion.empty() &&
           std::isspace(static_cast<unsigned char>(facts.moduleVersion.back())))
        facts.moduleVersion.pop_back();
    next("writing to the temporary folder");
    readTemporaryFolder(source, facts);
    next("looking for copies of libcupti");
    readCuptis(source, facts);
    if (!program.empty()) {
        next("reading the program");
        facts.program = readProgramFile(program, path);
    }
    next("reading /proc");
    readProcesses(source, report, facts);
    report.facts(facts);
}

}  // namespace roofscope::doctor
