// SPDX-License-Identifier: Apache-2.0
#include "collector/rank/rank.h"

#include <map>
#include <set>

#include "profile/names/launchers.h"
#include "tests/support/catch.h"

using namespace roofscope;

namespace {

std::optional<Rank> rankOf(const std::map<std::string, std::string>& variables) {
    return findRank([&](const char* name) -> std::optional<std::string> {
        const auto it = variables.find(name);
        if (it == variables.end()) return {};
        return it->second;
    });
}

void checkRank(const std::optional<Rank>& got, std::uint32_t rank,
               std::optional<std::uint32_t> local, std::optional<std::uint32_t> size) {
    REQUIRE(got);
    CHECK(got->rank == rank);
    CHECK(got->localRank == local);
    CHECK(got->worldSize == size);
}

}  // namespace

TEST_CASE("each further run of a PyTorch rank meets the others at a port of its own") {
    const auto place = [](unsigned n, const std::map<std::string, std::string>& variables) {
        return rendezvousEnvironment(n, [&](const char* name) -> std::optional<std::string> {
            const auto it = variables.find(name);
            if (it == variables.end()) return {};
            return it->second;
        });
    };
    std::map<std::string, std::string> rank{
        {"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_PORT", "29500"}};
    CHECK(place(0, rank).empty());
    CHECK(place(2, rank) ==
          std::map<std::string, std::string>{{"MASTER_PORT", "29502"},
                                             {"TORCHELASTIC_USE_AGENT_STORE", "False"}});
    // torchrun --standalone uses a port given by the system, next to which others are soon taken.
    rank["MASTER_PORT"] = "44061";
    CHECK(place(2, rank).at("MASTER_PORT") == "27679");
    CHECK(place(3, rank).at("MASTER_PORT") == "27680");
    for (const char* port : {"1024", "32767", "32768", "49150", "49151", "65535"}) {
        INFO(port);
        rank["MASTER_PORT"] = port;
        std::set<int> different;
        for (unsigned n = 1; n <= 64; ++n) {
            different.insert(std::stoi(place(n, rank).at("MASTER_PORT")));
        }
        CHECK(different.size() == 64);
        CHECK(*different.begin() > 1024);
        CHECK(*different.rbegin() < 32768);
    }
    for (const char* port : {"", "80", "65536", "x"}) {
        rank["MASTER_PORT"] = port;
        CHECK(place(1, rank).empty());
    }
    CHECK(place(1, {{"MASTER_PORT", "29500"}}).empty());  // no rank: a launcher, or unrelated
    CHECK(place(1, {{"MASTER_PORT", "29500"},             // as set in Slurm batch scripts
                    {"SLURM_PROCID", "1"},
                    {"SLURM_STEP_NUM_TASKS", "2"}})
              .at("MASTER_PORT") == "29501");
}

TEST_CASE("ranks of every launcher") {
    checkRank(rankOf({{"RANK", "5"}, {"LOCAL_RANK", "1"}, {"WORLD_SIZE", "8"}}), 5, 1U, 8U);
    checkRank(rankOf({{"OMPI_COMM_WORLD_RANK", "3"},
                      {"OMPI_COMM_WORLD_LOCAL_RANK", "3"},
                      {"OMPI_COMM_WORLD_SIZE", "4"}}),
              3, 3U, 4U);
    checkRank(rankOf({{"MV2_COMM_WORLD_RANK", "1"}, {"MV2_COMM_WORLD_SIZE", "2"}}), 1, {}, 2U);
    checkRank(rankOf({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "0"}}), 0, 0U, 2U);
    checkRank(
        rankOf({{"SLURM_PROCID", "7"}, {"SLURM_LOCALID", "3"}, {"SLURM_STEP_NUM_TASKS", "8"}}), 7,
        3U, 8U);
    checkRank(rankOf({{"PMIX_RANK", "2"}}), 2, {}, {});
}

TEST_CASE("the innermost launcher counts") {
    checkRank(rankOf({{"RANK", "5"},
                      {"WORLD_SIZE", "8"},
                      {"SLURM_PROCID", "1"},
                      {"SLURM_STEP_NUM_TASKS", "2"}}),
              5, {}, 8U);
    checkRank(rankOf({{"OMPI_COMM_WORLD_RANK", "3"},
                      {"OMPI_COMM_WORLD_SIZE", "4"},
                      {"SLURM_PROCID", "0"},
                      {"SLURM_STEP_NUM_TASKS", "1"}}),
              3, {}, 4U);
}

TEST_CASE("ranks of MPI launchers start once, those of other launchers any number of times") {
    CHECK(rankOf({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}})->startsOnce);
    CHECK(rankOf({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}})->startsOnce);
    CHECK(rankOf({{"PMIX_RANK", "2"}})->startsOnce);
    std::map<std::string, std::string> slurm{{"SLURM_PROCID", "7"}, {"SLURM_STEP_NUM_TASKS", "8"}};
    CHECK_FALSE(rankOf(slurm)->startsOnce);
    slurm["PMIX_RANK"] = "7";  // srun --mpi=pmix
    CHECK(rankOf(slurm)->startsOnce);
    CHECK(rankOf(slurm)->rank == 7);
    slurm["SLURM_PTY_PORT"] = "40001";  // srun --pty bash
    CHECK_FALSE(rankOf(slurm)->startsOnce);
    slurm["OMPI_COMM_WORLD_RANK"] = "1";  // mpirun inside it
    slurm["OMPI_COMM_WORLD_LOCAL_RANK"] = "1";
    slurm["OMPI_COMM_WORLD_SIZE"] = "2";
    CHECK(rankOf(slurm)->startsOnce);
    CHECK_FALSE(rankOf({{"SLURM_PROCID", "0"},
                        {"SLURM_STEP_NUM_TASKS", "1"},
                        {"OMPI_COMM_WORLD_RANK", "3"},  // left over from mpirun
                        {"OMPI_COMM_WORLD_SIZE", "2"}})
                    ->startsOnce);
    CHECK_FALSE(rankOf({{"RANK", "1"}, {"WORLD_SIZE", "2"}})->startsOnce);
    CHECK_FALSE(rankOf({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"PMIX_RANK", "1"}})->startsOnce);
}

TEST_CASE("programs that start ranks") {
    for (const char* name : {"mpirun", "/usr/bin/mpirun", "mpirun.openmpi", "mpiexec.hydra", "srun",
                             "/opt/venv/bin/torchrun"})
        CHECK(isLauncher(name));
    for (const char* name : {"app", "./mpirun/app", "/srun/app", "my-srun", ""})
        CHECK_FALSE(isLauncher(name));
}

TEST_CASE("variables that are not a rank's are ignored") {
    CHECK_FALSE(rankOf({}));
    CHECK_FALSE(rankOf({{"RANK", "3"}}));                                  // anyone may set it
    CHECK_FALSE(rankOf({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "64"}}));  // a batch script
    for (const char* text : {"", "x", "-1", "1x", " 1", "99999999999", "4"}) {
        INFO(text);
        CHECK_FALSE(rankOf({{"RANK", text}, {"WORLD_SIZE", "4"}}));
    }
    // An impossible local rank is ignored; the rank is kept.
    checkRank(rankOf({{"RANK", "1"}, {"LOCAL_RANK", "9"}, {"WORLD_SIZE", "2"}}), 1, {}, 2U);
}
