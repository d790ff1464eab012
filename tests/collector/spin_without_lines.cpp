// SPDX-License-Identifier: Apache-2.0
#define SPIN_NAMESPACE spin_without_lines
#include "tests/collector/spin_functions.inc"
