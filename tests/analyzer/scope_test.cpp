// SPDX-License-Identifier: Apache-2.0
// What is left out where nobody looks at it changes nothing of the rest.
#include "analyzer/catalog.h"
#include "analyzer/device_formulas.h"
#include "analyzer/quantities.h"
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
