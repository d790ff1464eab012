// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace roofscope::inject {

/// Arms this process if its environment asks for it (arm::kVariable): a thread of ours waits at a
/// socket for a snap request. Until one comes, nothing is loaded, subscribed or counted, and the
/// thread does not wake up. A forked child is not armed; a program that is started or exec()ed arms
/// itself when it initialises CUDA.
///
/// Does nothing if that fails or if the process is already armed.
void armProcess();

/// Whether the environment asks to arm this process.
[[nodiscard]] bool isToBeArmed();

}  // namespace roofscope::inject
