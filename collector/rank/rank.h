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
    std::optional<std::uint32_t> localRank;  ///< among those of this host
    std::optional<std::uint32_t> worldSize;
    /// An MPI launcher started it: what it runs may initialise MPI once. A second program, or the
    /// same again, ends with an error there (Open MPI: "orte_init failed"). Not in a shell that
    /// Slurm's srun opened (--pty).
    bool startsOnce = false;
};

/// getenv, or a test's own.
using Environment = std::function<std::optional<std::string>(const char*)>;

/// The rank that torchrun, Open MPI, MVAPICH, PMI (MPICH, Intel MPI), PMIx or Slurm's srun gave
/// this process; nullopt outside of all of them. The innermost launcher counts: torchrun under
/// srun. Slurm's variables in a batch script, which is no task of a step, are no rank.
[[nodiscard]] std::optional<Rank> findRank(const Environment& environment = {});

/// Environment variables with which the n-th further run of a rank's program meets those of the
/// other ranks, and not the rest of an earlier run: PyTorch's ranks meet at MASTER_PORT, where a
/// run that begins early would find old keys and wait forever. So each run gets its own port,
/// hosted by its rank 0 and not by torchrun: MASTER_PORT + n, below 32768, where the system does
/// not give it to other connections. Empty without such a port or rank, and for the first run (n is
/// 0).
[[nodiscard]] std::map<std::string, std::string> meetingPlace(unsigned n,
                                                              const Environment& environment = {});

/// This machine's name; empty when it has none.
[[nodiscard]] std::string hostName();

}  // namespace roofscope
