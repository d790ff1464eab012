// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace roofscope::inject {

/// Arms this process if its environment asks for that (arm::kVariable): a thread of our own waits
/// at a socket for somebody who wants a snap. Until then nothing is loaded, subscribed or counted,
/// and the thread does not wake up. A forked child is not armed; a program that is exec()ed, or
/// started, arms itself when it initialises CUDA.
///
/// Does nothing if that is not possible, or if the process is armed already.
void armProcess();

/// Whether the environment asks for it.
[[nodiscard]] bool isToBeArmed();

}  // namespace roofscope::inject
