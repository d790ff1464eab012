// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "analyzer/program/model/program.h"

namespace roofscope::program {

/// Copies to a GPU whose contents the program had copied to it before, so that they are
/// unnecessary. The run with counters shows which ones, by line and size; the size shows which
/// copies of the timing run they are.
struct RepeatedCopies {
    double copies = 0, repeated = 0;  ///< in the run that read them; `sampled`: only those it read
    bool sampled = false;  ///< of some place only some copies were read, and stand for all
    double kept = 0;       ///< bytes of the distinct contents among them
    /// Bytes of a few contents that take turns (HostCopies::inTurn), as of two buffers that hold
    /// test data. Not among the others: a program that makes its data may do the same.
    double turning = 0;
    Bytes turningSent;      ///< per window, of copies of these sizes
    bool same = false;      ///< one size from one place, always with the same content
    bool versions = false;  ///< some place copies one content and then another
    double perWindow = 0;   ///< copies of these sizes in the timing run
    Seconds time;           ///< per window, of all copies of these sizes, with staging on the CPU
    Bytes bytes;            ///< per window, of the same
    std::map<std::string, double> places;  ///< with their shares of the repeated bytes, 0–1
};

/// Looks for sizes of which at least half of the copies from a place are repeated (nine of ten if
/// only a part was read), at least three are alike, and the contents take no more than a quarter of
/// the GPU's memory. No copies if there are none.
[[nodiscard]] RepeatedCopies repeatedCopies(const Profile& profile, const Program& program);

}  // namespace roofscope::program
