// SPDX-License-Identifier: Apache-2.0
#include "cli/honesty_option.h"

#include <unistd.h>

#include "cli/format_option.h"
#include "cli/language_option.h"
#include "cli/output_file.h"
#include "cli/terminal.h"

namespace roofscope::cli {

void addHonestyOptions(CLI::App& command, HonestyOutput& output) {
    addOutputOptions(command, output.format, output.out, honestyFormats(),
                     "by --out's suffix, else text");
    addLanguageOption(command, output.lang);
}

Result<HonestyWriter> honestyWriter(const HonestyOutput& output, const std::string& what) {
    const auto chosen = chooseFormat(honestyFormats(), output.format, output.out, what);
    if (!chosen) return chosen.error();
    const auto language = chooseLanguage(output.lang);
    if (!language) return language.error();
    return HonestyWriter{.format = *chosen ? *chosen : &honestyFormats().front(),
                         .options = {.colour = isStdout(output.out) && wantsColour(STDOUT_FILENO),
                                     .width = terminalWidth(),
                                     .language = *language}};
}

}  // namespace roofscope::cli
