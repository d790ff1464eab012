// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "analyzer/diagnosis/rule.h"
#include "kernels/rung.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope::kernels;

TEST_CASE("every .cu file of a family is a registered rung, and every rung is a file") {
    std::set<std::string> files, rungs;
    const std::filesystem::path root = std::string(ROOFSCOPE_SOURCE_DIR) + "/kernels";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
        // Probes of roofs are not operators: they belong to roofscope-kernels ceilings.
        if (entry.path().extension() == ".cu" &&
            entry.path().parent_path().filename() != "ceilings")
            files.insert(entry.path().parent_path().filename().string() + '/' +
                         entry.path().stem().string());
    for (const Rung* rung : allRungs()) rungs.insert(rung->id());
    CHECK(files == rungs);
    CHECK(rungs.size() == allRungs().size());  // names are unique
    CHECK(rungs.count("lightning_attention_decode/naive") == 1);
    CHECK(rungs.count("patterns/copy_16b") == 1);
}

TEST_CASE("every rung has a row in the table of its family in the documentation") {
    const std::string text = roofscope::test::readText(ROOFSCOPE_SOURCE_DIR "/docs/kernels.md");
    for (const Rung* rung : allRungs()) {
        INFO(rung->id());
        const auto begin = text.find("\n## " + std::string(rung->family) + "\n");
        REQUIRE(begin != text.npos);
        const std::string section = text.substr(begin, text.find("\n## ", begin + 1) - begin);
        std::istringstream lines(section);
        bool found = false;
        for (std::string line; std::getline(lines, line);)
            found |= line.starts_with("| `") &&
                     line.find("`" + std::string(rung->name) + "`") != line.npos;
        CHECK(found);
    }
}

TEST_CASE("rungs come by family and ladder position, and no position is taken twice") {
    const auto all = allRungs();
    for (std::size_t i = 1; i < all.size(); ++i) {
        INFO(all[i]->id());
        CHECK(all[i - 1]->family <= all[i]->family);
        if (all[i - 1]->family == all[i]->family) CHECK(all[i - 1]->order < all[i]->order);
    }
}

TEST_CASE("every rung is complete, and supports its own cases") {
    for (const Rung* rung : allRungs()) {
        INFO(rung->id());
        CHECK_FALSE(rung->summary.empty());
        CHECK(rung->summary.back() != '.');
        CHECK(rung->order >= 1);
        REQUIRE(rung->cases != nullptr);
        REQUIRE(rung->make != nullptr);
        REQUIRE_FALSE(rung->cases().empty());
        REQUIRE_FALSE(rung->verifyCases().empty());
        std::vector<Case> cases = rung->cases();
        const std::vector<Case> more = rung->verifyCases();
        cases.insert(cases.end(), more.begin(), more.end());
        for (const Case& c : cases) {
            INFO(c.id());
            CHECK(rung->refusal(c) == "");
            CHECK(parseCase(c.id()).value() == c);
            CHECK_FALSE(rung->expect(c).empty());
        }
    }
}

TEST_CASE("the faults are identifiers of rules that exist in the catalogue") {
    for (const Rung* rung : allRungs()) {
        INFO(rung->id());
        if (!rung->fault.empty()) CHECK(roofscope::findRule(rung->fault) != nullptr);
    }
}

TEST_CASE("ranges are family/rung/case") {
    const auto all = allRungs();
    const auto naive = std::find_if(all.begin(), all.end(), [](const Rung* rung) {
        return rung->id() == "lightning_attention_decode/naive";
    });
    REQUIRE(naive != all.end());
    CHECK((*naive)->range((*naive)->cases().front()) ==
          "lightning_attention_decode/naive/B=64,H=64,D=96,E=96,bf16");
}
