// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

/// Which process of a parallel program this is, from its launcher's environment variables.
namespace roofscope {

/// Fields that the launcher does not set stay empty.
struct Rank {
    std::uint32_t rank = 0;
    std::optional<std::uint32_t> localRank;  ///< among the processes of this host
    std::optional<std::uint32_t> worldSize;
    /// An MPI launcher started this process. MPI can then be initialised only once: a second
    /// program, or the same one again, ends with an error (Open MPI: "orte_init failed"). False in
    /// a shell that Slurm's srun opened (--pty).
    bool startsOnce = false;
};

/// Reads an environment variable: getenv, or a function of a test.
using Environment = std::function<std::optional<std::string>(const char*)>;

/// The rank that torchrun, Open MPI, MVAPICH, PMI (MPICH, Intel MPI), PMIx or Slurm's srun gave
/// this process; nullopt if none of them started it. The innermost launcher counts (torchrun, if it
/// runs under srun). Slurm's variables in a batch script do not count: the script is not a task of
/// a step.
[[nodiscard]] std::optional<Rank> findRank(const Environment& environment = {});

/// Whether this process is one of several ranks, which may wait for each other.
[[nodiscard]] bool isOneOfRanks();

/// Environment variables for the n-th further run of a rank's program, so that it meets the same
/// run of the other ranks. PyTorch's ranks meet at MASTER_PORT. A run that begins early would find
/// the keys of an earlier run there and wait forever. So each run gets its own port MASTER_PORT +
/// n, which its rank 0 hosts instead of torchrun. The port is below 32768, where the system does
/// not use ports for other connections. Empty without such a port or rank, and for the first run (n
/// is 0).
[[nodiscard]] std::map<std::string, std::string> rendezvousEnvironment(
    unsigned n, const Environment& environment = {});

/// This machine's name; empty if it has none.
[[nodiscard]] std::string hostName();

}  // namespace roofscope
