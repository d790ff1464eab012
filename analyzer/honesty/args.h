// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyzer/model/finding.h"

/// Makes the arguments of the sentences in this folder.
namespace roofscope::honesty {

inline Arg bytesArg(const char* name, double value) {
    return {.name = name, .value = value, .unit = Unit::Bytes};
}
inline Arg secondsArg(const char* name, double value) {
    return {.name = name, .value = value, .unit = Unit::Seconds};
}
inline Arg shareArg(const char* name, double value) {
    return {.name = name, .value = value, .unit = Unit::Share};
}
inline Arg countArg(const char* name, double value) { return {.name = name, .value = value}; }
inline Arg nameArg(const char* name, const std::string& text) {
    return {.name = name, .text = Words::same(text)};
}

}  // namespace roofscope::honesty
