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

RuleText Rule::text(Language language) const {
    RuleText text = en;
    if (language == Language::En) return text;
    for (std::string_view RuleText::*field :
         {&RuleText::title, &RuleText::firesWhen, &RuleText::sentence, &RuleText::mechanism,
          &RuleText::edit, &RuleText::ruledOut, &RuleText::gain, &RuleText::editInGeneral,
          &RuleText::editInTriton, &RuleText::editInNumba})
        text.*field = translated(language, text.*field);
    return text;
}

bool Rule::isAboutCode() const {
    return std::ranges::any_of(needs, [](CounterGroup group) {
        return group == CounterGroup::Stalls || group == CounterGroup::Source ||
               group == CounterGroup::OverTime;
    });
}

}  // namespace roofscope
