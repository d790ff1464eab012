// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "analyzer/program/program.h"

namespace roofscope::program {

/// Copies to a GPU whose contents the program had copied to it before: they need not be made again.
/// Which ones are is known from the run with counters, by line and size; a size says which copies
/// of the timing run they are.
struct RepeatedCopies {
    double copies = 0, repeated = 0;  ///< in the run that read them
    double kept = 0;                  ///< bytes of the different contents among them
    bool same = false;                ///< all of one size from one place carry one content
    Seconds time;  ///< per window, of all copies of these sizes, with staging on the CPU
    Bytes bytes;   ///< per window, of the same
    std::map<std::string, double> places;  ///< with their parts of the repeated bytes, 0–1
};

/// Sizes of which at least half of the copies from a place are repeated, three alike at least, and
/// whose contents take no more than a quarter of the GPU's memory. Empty (no copies) without any.
[[nodiscard]] RepeatedCopies repeatedCopies(const Profile& profile, const Program& program);

}  // namespace roofscope::program
