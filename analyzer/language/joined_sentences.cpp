// SPDX-License-Identifier: Apache-2.0
#include "analyzer/language/joined_sentences.h"

namespace roofscope {

Words joinedSentences(const Words& first, const Words& second) {
    if (first.empty()) return second;
    if (second.empty()) return first;
    return Words::inEach([first, second](Language language) {
        return first.in(language) + std::string(marksOf(language).gap) + second.in(language);
    });
}

}  // namespace roofscope
