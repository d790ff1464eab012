// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>

#include "reports/plot/draw_list.h"

namespace roofscope::plot {

namespace {

struct RoleStyle {
    Role role;
    const char* light;
    const char* dark;
    const char* variable;
};

// Based on Okabe and Ito: hues that stay distinct with common colour-vision deficiencies, with
// different lightness so that they also differ in grey. Darkened (light theme) or lightened (dark
// theme) until text in them has a contrast of at least 4.5 to the background.
constexpr std::array kRoleStyles{
    RoleStyle{Role::Background, "#ffffff", "#16191d", "--plot-background"},
    RoleStyle{Role::Axis, "#5c6670", "#9aa4ae", "--plot-axis"},
    RoleStyle{Role::Grid, "#dfe3e7", "#31373e", "--plot-grid"},
    RoleStyle{Role::GridMinor, "#f0f2f4", "#22272c", "--plot-grid-minor"},
    RoleStyle{Role::Text, "#1c2126", "#e8ecf0", "--plot-text"},
    RoleStyle{Role::TextMuted, "#5c6670", "#a3adb7", "--plot-text-muted"},
    RoleStyle{Role::Dram, "#003f7f", "#8cc8f5", "--plot-dram"},
    RoleStyle{Role::L2, "#b34700", "#e8862e", "--plot-l2"},
    RoleStyle{Role::L1, "#00755b", "#1fae87", "--plot-l1"},
    RoleStyle{Role::Shared, "#8f2f74", "#e9a8d2", "--plot-shared"},
    RoleStyle{Role::Fp64, "#5b3fa0", "#b7a3ee", "--plot-fp64"},
    RoleStyle{Role::Fp32, "#30363c", "#d5dae0", "--plot-fp32"},
    RoleStyle{Role::Fp16, "#7a5c00", "#dcbf4a", "--plot-fp16"},
    RoleStyle{Role::TensorFp64, "#6b2fb3", "#c9a0ff", "--plot-tensor-fp64"},
    RoleStyle{Role::TensorTf32, "#00697d", "#5cc9d9", "--plot-tensor-tf32"},
    RoleStyle{Role::TensorBf16, "#b3242b", "#ff8f8f", "--plot-tensor-bf16"},
    RoleStyle{Role::TensorFp16, "#1f5fd0", "#86b0ff", "--plot-tensor-fp16"},
    RoleStyle{Role::TensorFp8, "#4f6b00", "#b7d24a", "--plot-tensor-fp8"},
    RoleStyle{Role::TensorInt8, "#7b3f1d", "#d9a27f", "--plot-tensor-int8"},
    RoleStyle{Role::TensorFp4, "#c2185b", "#ff8fc0", "--plot-tensor-fp4"},
    RoleStyle{Role::Selection, "#f0b400", "#ffd24a", "--plot-selection"},
    RoleStyle{Role::Highlight, "#c4122f", "#ff7b8a", "--plot-highlight"},
};
// One entry per role, in order.
static_assert(kRoleStyles.size() == static_cast<std::size_t>(kLastRole) + 1 &&
              std::ranges::is_sorted(kRoleStyles, std::ranges::less_equal(), &RoleStyle::role));

const RoleStyle& roleStyle(Role role) { return kRoleStyles[static_cast<std::size_t>(role)]; }

}  // namespace

const char* colour(Role role, Theme theme) {
    return theme == Theme::Light ? roleStyle(role).light : roleStyle(role).dark;
}

const char* cssVariable(Role role) { return roleStyle(role).variable; }

}  // namespace roofscope::plot
