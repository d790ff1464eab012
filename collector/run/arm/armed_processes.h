// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "collector/arm/connection.h"
#include "collector/arm/messages.h"
#include "profile/errors/result.h"

namespace roofscope {

/// A process that waits for a snap.
struct ArmedProcess {
    std::int64_t pid = 0;
    std::filesystem::path socket;
    std::optional<arm::State> state;  ///< absent: it does not answer (stopped, or busy)
};

/// The armed processes that the caller may ask, sorted by id; `folder` as for
/// arm::foldersToSearch(). Removes sockets at which nobody listens any more.
[[nodiscard]] std::vector<ArmedProcess> armedProcesses(const std::string& folder);

/// The armed process of this id. Errors: NoInput if there is none, Unavailable if it does not
/// answer.
[[nodiscard]] Result<ArmedProcess> armedProcess(std::int64_t pid, const std::string& folder);

/// Connects to an armed process and checks that the listener is the owner of the folder.
[[nodiscard]] Result<arm::Connection> connectTo(const ArmedProcess& process);

/// Disarms the process: it stops waiting for snaps. Only a restart arms it again.
[[nodiscard]] Result<void> disarm(const ArmedProcess& process);

}  // namespace roofscope
