// SPDX-License-Identifier: Apache-2.0
#include "analyzer/language/sentence.h"

namespace roofscope {

std::string fillSentence(std::string_view sentence, fmt::format_args gaps) {
    return fmt::vformat(fmt::string_view(sentence.data(), sentence.size()), gaps);
}

}  // namespace roofscope
