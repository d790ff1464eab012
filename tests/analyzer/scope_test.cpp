// SPDX-License-Identifier: Apache-2.0
// What is left out where nobody looks at it changes nothing of the rest.
#include "analyzer/quantities/catalog.h"
#include "analyzer/quantities/device_formulas.h"
#include "analyzer/quantities/quantities.h"
#include "tests/support/catch.h"
#include "tests/support/samples.h"

using namespace roofscope;

TEST_CASE("Compared quantities are the same when no others are derived", "[quantities]") {
    std::size_t values = 0;
    for (const char* name : {"h200_bundled", "h200_tensor", "h200_atomics", "h200_torch_ranges",
                             "h200_triton_source"}) {
        const Analysis& analysis = test::recorded(name);
        const Profile& profile = *analysis.profile;
        const ProfileFormulas formulas(profile);
        for (const KernelAnalysis& kernel : analysis.kernels) {
            const LaunchGroup& group = kernel.group;
            for (const bool single : {false, true}) {
                LaunchGroup part = group;
                if (single) part.launches.resize(1);
                const DeviceFormulas& ofDevice = formulas.of(group.device);
                const Quantities all = deriveQuantities(profile, part, ofDevice);
                const Quantities few = deriveQuantities(profile, part, ofDevice, Scope::Compared);
                for (const QuantityEntry& entry : catalog()) {
                    if (!entry.uses.compared) continue;
                    INFO(name << ": " << kernel.name << ": " << entry.key);
                    const Kernel& function = profile.kernels[group.kernel];
                    const auto expected = entry.get({function, part, all}).value;
                    CHECK(entry.get({function, part, few}).value == expected);
                    values += expected.has_value();
                }
            }
        }
    }
    CHECK(values > 5000);
}

TEST_CASE("What comparisons leave out takes no memory", "[analyze]") {
    const Analysis& explained = test::recorded("h200_bundled");
    const Analysis lean = analyze(explained.profile, {.explained = false});
    REQUIRE(lean.kernels.size() == explained.kernels.size());
    std::size_t ruledOut = 0, evidence = 0;
    for (std::size_t i = 0; i < lean.kernels.size(); ++i) {
        const KernelAnalysis &all = explained.kernels[i], &few = lean.kernels[i];
        CHECK(few.ruledOut.capacity() + few.undecided.capacity() + few.points.capacity() == 0);
        CHECK(&*few.quantities.intensity == &*lean.kernels[0].quantities.intensity);  // none
        CHECK(&*few.quantities.flopRate == &*lean.kernels[0].quantities.flopRate);
        CHECK(&*all.quantities.intensity != &*few.quantities.intensity);
        REQUIRE(few.findings.size() == all.findings.size());
        for (std::size_t f = 0; f < few.findings.size(); ++f) {
            const Finding& finding = few.findings[f];
            CHECK(finding.ruleId == all.findings[f].ruleId);
            CHECK(finding.args.capacity() + finding.evidence.capacity() +
                      finding.relief.capacity() + finding.places.capacity() ==
                  0);
            evidence += all.findings[f].evidence.size();
        }
        ruledOut += all.ruledOut.size();
    }
    CHECK(ruledOut > 100);
    CHECK(evidence > 50);
}

TEST_CASE("Faults that are ruled out are the same where an analysis does not hold them",
          "[analyze]") {
    std::size_t compared = 0;
    for (const char* name : {"h200_bundled", "h200_tensor", "h200_torch_ranges"}) {
        const Analysis& held = test::recorded(name);
        const Analysis shown = analyze(held.profile, {.ruledOut = false});
        REQUIRE(shown.kernels.size() == held.kernels.size());
        for (std::size_t i = 0; i < shown.kernels.size(); ++i) {
            INFO(name << ": " << shown.kernels[i].name);
            CHECK(shown.kernels[i].ruledOut.capacity() == 0);
            CHECK(shown.kernels[i].undecided.size() == held.kernels[i].undecided.size());
            const auto again = ruledOutOf(shown, shown.kernels[i]),
                       kept = ruledOutOf(held, held.kernels[i]);
            REQUIRE(again.size() == kept.size());
            for (std::size_t r = 0; r < kept.size(); ++r) {
                CHECK(again[r].ruleId == kept[r].ruleId);
                CHECK(again[r].cost == kept[r].cost);
                REQUIRE(again[r].args.size() == kept[r].args.size());
                for (std::size_t a = 0; a < kept[r].args.size(); ++a) {
                    CHECK(again[r].args[a].value == kept[r].args[a].value);
                    CHECK(again[r].args[a].text == kept[r].args[a].text);
                }
                ++compared;
            }
        }
        // What another way of counting shows decides nothing: there they are held.
        const Analysis ncu =
            analyze(held.profile, {.convention = Convention::Ncu, .ruledOut = false});
        CHECK(ruledOutOf(ncu, ncu.kernels[0]).size() == ruledOutOf(held, held.kernels[0]).size());
    }
    CHECK(compared > 300);
}
