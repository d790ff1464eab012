// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/model/window.h"

namespace roofscope {

const char* toString(WindowKind kind) {
    switch (kind) {
        case WindowKind::Chosen:
            return "chosen";
        case WindowKind::Range:
            return "range";
        case WindowKind::Period:
            return "period";
        case WindowKind::Run:
            return "run";
        case WindowKind::Whole:
            break;
    }
    return "whole";
}

std::optional<WindowChoice> parseWindow(std::string_view name) {
    if (name == "auto") return WindowChoice::Auto;
    if (name == "loop") return WindowChoice::Loop;
    if (name == "run") return WindowChoice::Run;
    return std::nullopt;
}

}  // namespace roofscope
