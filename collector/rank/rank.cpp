// SPDX-License-Identifier: Apache-2.0
#include "collector/rank/rank.h"

#include <unistd.h>

#include <charconv>
#include <cstdlib>

namespace roofscope {
namespace {

using Number = std::optional<std::uint32_t>;

/// A launcher, given by the environment variables that it sets. nullptr: it sets none for this.
struct Launcher {
    const char *rank, *localRank, *worldSize;
    bool needsWorldSize;  ///< the rank alone does not prove that this launcher started the process
    bool mpi;             ///< MPI is initialised through these variables
};

constexpr Launcher kLaunchers[] = {
    {"RANK", "LOCAL_RANK", "WORLD_SIZE", true, false},  // torchrun
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE", false, true},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_SIZE", false, true},
    {"PMI_RANK", "MPI_LOCALRANKID", "PMI_SIZE", false, true},  // MPICH, Intel MPI; Slurm's pmi2
    // A batch script lacks the step's number of tasks, but has the other two variables.
    {"SLURM_PROCID", "SLURM_LOCALID", "SLURM_STEP_NUM_TASKS", true, false},
    {"PMIX_RANK", nullptr, nullptr, false, true},  // Slurm's pmix, in addition to its own
};

Number number(const Environment& environment, const char* name) {
    if (!name) return {};
    const auto text = environment(name);
    if (!text) return {};
    std::uint32_t value = 0;
    const char* end = text->data() + text->size();
    const auto parsed = std::from_chars(text->data(), end, value);
    if (parsed.ec != std::errc() || parsed.ptr != end || text->empty()) return {};
    return value;
}

std::optional<Rank> rankBy(const Launcher& launcher, const Environment& environment) {
    const Number rank = number(environment, launcher.rank);
    const Number size = number(environment, launcher.worldSize);
    if (!rank || (launcher.needsWorldSize && !size)) return {};
    // A rank that is not below the world size is left over from another program.
    if (size && *rank >= *size) return {};
    Number local = number(environment, launcher.localRank);
    if (local && size && *local >= *size) local.reset();
    return Rank{.rank = *rank, .localRank = local, .worldSize = size};
}

std::optional<std::string> processVariable(const char* name) {
    const char* value = std::getenv(name);
    return value ? std::optional<std::string>(value) : std::nullopt;
}

}  // namespace

std::optional<Rank> findRank(const Environment& given) {
    const Environment environment = given ? given : Environment(processVariable);
    // A shell that srun opened is a task of the step; the programs that it starts are not.
    const bool inSlurmsShell = environment("SLURM_PTY_PORT").has_value();
    std::optional<Rank> innermost;
    for (const Launcher& launcher : kLaunchers) {
        const auto rank = rankBy(launcher, environment);
        if (!rank) continue;
        const bool torchrun = &launcher == &kLaunchers[0];
        if (torchrun) return rank;
        if (!innermost) innermost = rank;
        const bool mayBeSlurms = !rank->localRank;  // mpirun always sets a local rank
        innermost->startsOnce |= launcher.mpi && !(mayBeSlurms && inSlurmsShell);
    }
    return innermost;
}

bool isOneOfRanks() {
    const auto rank = findRank();
    return rank && rank->worldSize.value_or(1) > 1;
}

std::map<std::string, std::string> rendezvousEnvironment(unsigned n, const Environment& given) {
    const Environment environment = given ? given : Environment(processVariable);
    const Number port = number(environment, "MASTER_PORT");
    if (n == 0 || !port || !findRank(environment)) return {};
    constexpr std::uint32_t kPrivileged = 1024, kPorts = 65536;
    if (*port < kPrivileged || *port >= kPorts) return {};
    // From here on the system gives ports to any connection, often those just after torchrun's own.
    constexpr std::uint32_t kEphemeral = 32768, kBelow = kEphemeral / 2;
    const std::uint32_t next = *port + n;
    return {{"MASTER_PORT", std::to_string(next < kEphemeral ? next : kBelow + next % kBelow)},
            {"TORCHELASTIC_USE_AGENT_STORE", "False"}};
}

std::string hostName() {
    char name[256] = {};
    return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

}  // namespace roofscope
