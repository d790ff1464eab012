// SPDX-License-Identifier: Apache-2.0
#include "cli/text_checks.h"

namespace roofscope::cli {

CLI::Validator fileName() {
    const auto problem = [](std::string& name) {
        return name.empty() ? std::string("the name is empty") : std::string();
    };
    return CLI::Validator(problem, "", "fileName");
}

CLI::Option* addListOption(CLI::App& command, const std::string& name,
                           std::vector<std::string>& values, const std::string& description) {
    const auto problem = [](std::string& text) {
        return text.find_first_not_of(',') == std::string::npos
                   ? "\"" + text + "\" contains no name"
                   : std::string();
    };
    const auto split = [&values](const std::vector<std::string>& given) {
        values.clear();
        for (const std::string& text : given)
            for (std::string& value : CLI::detail::split(text, ','))
                if (!value.empty()) values.push_back(std::move(value));
    };
    return command.add_option_function<std::vector<std::string>>(name, split, description)
        ->check(CLI::Validator(problem, "", "namesSomething"));
}

}  // namespace roofscope::cli
