// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

/// Which of the processes of one parallel program this is, by what its launcher says.
namespace roofscope {

/// A launcher that does not say leaves a field empty: nothing is guessed.
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

/// What the environment of a rank's program must say so that its n-th further run meets those of
/// the other ranks, and not what is left of an earlier run: PyTorch's ranks meet at MASTER_PORT,
/// where a run that began early would find the keys of the one before, and wait for ever. Each run
/// gets a port of its own, hosted by its rank 0 and not by torchrun: MASTER_PORT + n, moved below
/// 32768, where connections of others do not take it meanwhile. Empty where there is no such port
/// or no rank, and for the first run (n is 0).
[[nodiscard]] std::map<std::string, std::string> meetingPlace(unsigned n,
                                                              const Environment& environment = {});

/// This machine's name; empty when it has none.
[[nodiscard]] std::string hostName();

}  // namespace roofscope
