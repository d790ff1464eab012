// SPDX-License-Identifier: Apache-2.0
#include "reports/language/wording.h"

namespace roofscope {

const Wording& wordingOf(Language language) {
    switch (language) {
        case Language::En:
            return englishWording();
        case Language::Zh:
            return chineseWording();
    }
    return englishWording();
}

}  // namespace roofscope
