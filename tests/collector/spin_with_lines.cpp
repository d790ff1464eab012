// SPDX-License-Identifier: Apache-2.0
#define SPIN_NAMESPACE spin_with_lines
#include "tests/collector/spin_functions.inc"
