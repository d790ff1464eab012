// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "profile/errors/result.h"

namespace roofscope {

/// Finds libroofscope_inject.so: $ROOFSCOPE_INJECT, ../lib beside this executable (build tree and
/// installation), the executable's own folder.
Result<std::filesystem::path> findInjectLibrary();

}  // namespace roofscope
