// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rule.h"

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

}  // namespace roofscope
