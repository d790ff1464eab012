// SPDX-License-Identifier: Apache-2.0
#include "kernels/selection.h"

#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::kernels;

namespace {

constexpr const char* kNaive = "lightning_attention_decode/naive";

std::vector<std::string> ids(const std::vector<std::string>& names) {
    const Result<std::vector<const Rung*>> rungs = selectRungs(names);
    REQUIRE(rungs.ok());
    std::vector<std::string> list;
    for (const Rung* rung : *rungs) list.push_back(rung->id());
    return list;
}

std::vector<const Rung*> only(const char* name) { return selectRungs({name}).value(); }

}  // namespace

TEST_CASE("rungs are selected by full name, rung, family and pattern, each once") {
    const std::vector<std::string> naive{"lightning_attention_decode/naive"};
    CHECK(ids({"lightning_attention_decode/naive"}) == naive);
    CHECK(ids({"lightning*/naive", "lightning_attention_decode/naive", "lightning*/nai?e"}) ==
          naive);
    // A rung's bare name means that rung in every family.
    CHECK(ids({"naive"}) == std::vector<std::string>{naive.front(), "matmul/naive"});
    CHECK(ids({"naive", "*/naive"}) == ids({"naive"}));
    CHECK(ids({"*/copy_*"}) == ids({"copy_*"}));
    for (const char* rung : {"patterns/copy_1b", "patterns/copy_16b"})
        CHECK(std::ranges::count(ids({"copy_*"}), rung) == 1);
    for (const std::string& id : ids({"copy_*"})) CHECK(id.starts_with("patterns/copy_"));
    CHECK(ids({"lightning_attention_decode"}).size() >= 6);
    CHECK(ids({}).size() == allRungs().size());
}

TEST_CASE("rungs come in ladder order, whatever the order of the names") {
    CHECK(ids({"coalesced", "lightning*/naive"}) ==
          std::vector<std::string>{"lightning_attention_decode/naive",
                                   "lightning_attention_decode/"
                                   "coalesced"});
}

TEST_CASE("an unknown name is an error that names the nearest") {
    for (const auto& [wrong, right] : {std::pair{"naiv", "lightning_attention_decode/naive"},
                                       {"colesced", "lightning_attention_decode/coalesced"},
                                       {"patterns/copy16b", "patterns/copy_16b"},
                                       {"transpose", "patterns/transpose_padded"}}) {
        const Result<std::vector<const Rung*>> rungs = selectRungs({"ffma", wrong});
        REQUIRE_FALSE(rungs.ok());
        CHECK(rungs.error().code == ErrorCode::Usage);
        CHECK(rungs.error().message().find(right) != std::string::npos);
    }
    CHECK_FALSE(selectRungs({""}).ok());
}

TEST_CASE("options replace parts of the default case") {
    const Result<std::vector<Job>> jobs =
        planJobs(only(kNaive), {.shape = Shape{{"B", 4}}, .dtype = DType::F32});
    REQUIRE(jobs.ok());
    REQUIRE(jobs->size() == 1);
    CHECK(jobs->front().c.id() == "B=4,H=64,D=96,E=96,f32");
}

TEST_CASE("all shapes are all cases, without repeating equal ones") {
    const std::size_t cases = only(kNaive).front()->cases().size();
    CHECK(planJobs(only(kNaive), {.allShapes = true})->size() == cases);
    CHECK(planJobs(only(kNaive), {.dtype = DType::F32, .allShapes = true})->size() == cases / 2);
}

TEST_CASE("unsupported cases are refused with the rung, the reason and the default") {
    const auto refusal = [](const char* rung, CaseOptions options) {
        const Result<std::vector<Job>> jobs = planJobs(only(rung), options);
        REQUIRE_FALSE(jobs.ok());
        CHECK(jobs.error().code == ErrorCode::Usage);
        return jobs.error().message();
    };
    const std::string wide = refusal(kNaive, {.shape = Shape{{"D", 129}}});
    CHECK(wide.find("lightning_attention_decode/naive") != std::string::npos);
    CHECK(wide.find("129 is more than 128") != std::string::npos);
    CHECK(refusal(kNaive, {.shape = Shape{{"B", 0}}}).find("B must be") != std::string::npos);
    CHECK(refusal(kNaive, {.dtype = DType::F16}).find("f16") != std::string::npos);
    CHECK(refusal(kNaive, {.shape = Shape{{"rows", 1}}}).find("rows") != std::string::npos);
    CHECK(refusal("bank_conflict", {.shape = Shape{{"ways", 3}}}).find("power of two") !=
          std::string::npos);
    CHECK(refusal("copy_16b", {.shape = Shape{{"bytes", 17}}}).find("multiple of 16") !=
          std::string::npos);
    CHECK(refusal("ffma", {.shape = Shape{{"threads", 1025}}}).find("1024") != std::string::npos);
    // Sizes whose product overflows are refused.
    CHECK_FALSE(planJobs(only(kNaive), {.shape = Shape{{"B", std::int64_t{1} << 40},
                                                       {"H", std::int64_t{1} << 40}}})
                    .ok());
    CHECK_FALSE(planJobs(only("strided_copy"),
                         {.shape = Shape{{"n", std::int64_t{1} << 30}, {"stride", 1 << 16}}})
                    .ok());
}
