// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diagnosis/rule.h"

#include <algorithm>

namespace roofscope {

const char* toString(EditPlace place) {
    switch (place) {
        case EditPlace::Kernel:
            return "kernel";
        case EditPlace::Caller:
            return "caller";
        case EditPlace::Program:
            return "program";
    }
    return "";
}

bool Rule::isAboutCode() const {
    return std::ranges::any_of(needs, [](CounterGroup group) {
        return group == CounterGroup::Stalls || group == CounterGroup::Source ||
               group == CounterGroup::OverTime;
    });
}

}  // namespace roofscope
