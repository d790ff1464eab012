// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/operators/pipe_roof.h"

#include <vector>

#include "analyzer/roofline/measured_roofs.h"
#include "analyzer/roofline/roofline.h"
#include "profile/chips/chip.h"

namespace roofscope::program {

std::optional<Roof> pipeRoof(const Analysis& analysis, std::uint32_t device, Arithmetic type) {
    const Profile& profile = *analysis.profile;
    PerTensorType<bool> wanted;
    if (const TensorType* tensor = type.tensor()) wanted[*tensor] = true;
    const auto chip = chipTable(profile.devices[device]);
    std::vector<Roof> roofs = measuredRoofs(profile, device, wanted);
    for (Roof& roof : theoreticalRoofs(profile, device, chip ? &*chip : nullptr, wanted))
        roofs.push_back(std::move(roof));
    for (const Roof& roof : roofs)
        if (roof.kind == Roof::Kind::Compute && roof.precision == type && roof.rate > 0)
            return roof;
    return std::nullopt;
}

}  // namespace roofscope::program
