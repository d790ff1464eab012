// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/draw_list.h"

namespace roofscope::plot {

// After Okabe and Ito: hues that the common colour-vision deficiencies keep apart, with different
// lightness so that they also differ in grey, darkened (light theme) or lightened (dark theme)
// until text in them has a contrast of at least 4.5 to the background.
const char* colour(Role role, Theme theme) {
    const bool light = theme == Theme::Light;
    switch (role) {
        case Role::Background:
            return light ? "#ffffff" : "#16191d";
        case Role::Axis:
            return light ? "#5c6670" : "#9aa4ae";
        case Role::Grid:
            return light ? "#dfe3e7" : "#31373e";
        case Role::GridMinor:
            return light ? "#f0f2f4" : "#22272c";
        case Role::Text:
            return light ? "#1c2126" : "#e8ecf0";
        case Role::TextMuted:
            return light ? "#5c6670" : "#a3adb7";
        case Role::Dram:
            return light ? "#003f7f" : "#8cc8f5";
        case Role::L2:
            return light ? "#b34700" : "#e8862e";
        case Role::L1:
            return light ? "#00755b" : "#1fae87";
        case Role::Shared:
            return light ? "#8f2f74" : "#e9a8d2";
        case Role::Fp64:
            return light ? "#5b3fa0" : "#b7a3ee";
        case Role::Fp32:
            return light ? "#30363c" : "#d5dae0";
        case Role::Fp16:
            return light ? "#7a5c00" : "#dcbf4a";
        case Role::TensorFp64:
            return light ? "#6b2fb3" : "#c9a0ff";
        case Role::TensorTf32:
            return light ? "#00697d" : "#5cc9d9";
        case Role::TensorBf16:
            return light ? "#b3242b" : "#ff8f8f";
        case Role::TensorFp16:
            return light ? "#1f5fd0" : "#86b0ff";
        case Role::TensorFp8:
            return light ? "#4f6b00" : "#b7d24a";
        case Role::TensorInt8:
            return light ? "#7b3f1d" : "#d9a27f";
        case Role::TensorFp4:
            return light ? "#c2185b" : "#ff8fc0";
        case Role::Selection:
            return light ? "#f0b400" : "#ffd24a";
        case Role::Highlight:
            return light ? "#c4122f" : "#ff7b8a";
    }
    return "#888888";
}

const char* cssVariable(Role role) {
    switch (role) {
        case Role::Background:
            return "--plot-background";
        case Role::Axis:
            return "--plot-axis";
        case Role::Grid:
            return "--plot-grid";
        case Role::GridMinor:
            return "--plot-grid-minor";
        case Role::Text:
            return "--plot-text";
        case Role::TextMuted:
            return "--plot-text-muted";
        case Role::Dram:
            return "--plot-dram";
        case Role::L2:
            return "--plot-l2";
        case Role::L1:
            return "--plot-l1";
        case Role::Shared:
            return "--plot-shared";
        case Role::Fp64:
            return "--plot-fp64";
        case Role::Fp32:
            return "--plot-fp32";
        case Role::Fp16:
            return "--plot-fp16";
        case Role::TensorFp64:
            return "--plot-tensor-fp64";
        case Role::TensorTf32:
            return "--plot-tensor-tf32";
        case Role::TensorBf16:
            return "--plot-tensor-bf16";
        case Role::TensorFp16:
            return "--plot-tensor-fp16";
        case Role::TensorFp8:
            return "--plot-tensor-fp8";
        case Role::TensorInt8:
            return "--plot-tensor-int8";
        case Role::TensorFp4:
            return "--plot-tensor-fp4";
        case Role::Selection:
            return "--plot-selection";
        case Role::Highlight:
            return "--plot-highlight";
    }
    return "--plot-text";
}

}  // namespace roofscope::plot
