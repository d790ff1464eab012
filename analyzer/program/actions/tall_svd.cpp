// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/actions/tall_svd.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/program/account/sites.h"
#include "analyzer/program/actions/action_finder.h"
#include "analyzer/program/operators/operator_flops.h"

namespace roofscope::program {
namespace {

bool isSvd(const CallSite& site) {
    return site.op == "aten::_linalg_svd" || site.op == "aten::linalg_svd";
}

/// The operand: one matrix, or a batch of them.
struct Matrices {
    std::uint64_t rows = 0, columns = 0;
    double elements = 0;  ///< of all

    [[nodiscard]] bool areTall() const {
        constexpr std::uint64_t kTimes = 8, kLeast = 2, kMost = 1024;
        const auto [small, large] = std::minmax(rows, columns);
        return small >= kLeast && small <= kMost && large / small >= kTimes;
    }
};

/// Absent if its size is not known, or differs.
std::optional<Matrices> operandOf(const CallSite& site) {
    const auto sizes = parseSizes(site.sizes);
    if (!sizes || sizes->empty() || sizes->front().size() < 2) return std::nullopt;
    const auto& size = sizes->front();
    Matrices found{.rows = size[size.size() - 2], .columns = size.back(), .elements = 1};
    for (const std::uint64_t extent : size) found.elements *= static_cast<double>(extent);
    return found;
}

/// The lines at which all matrices of a known size are tall. Of some kernels, the size at such a
/// line is not known.
class TallLines {
public:
    explicit TallLines(const Profile& profile) {
        std::set<std::string> others;
        for (const CallSite& site : profile.callSites) {
            if (!site.kernel || !isSvd(site)) continue;
            const auto matrices = operandOf(site);
            if (matrices) (matrices->areTall() ? m_tall : others).insert(placeText(site));
        }
        m_any = !m_tall.empty();
        for (const std::string& place : others) m_tall.erase(place);
    }
    [[nodiscard]] bool include(const CallSite& site) const {
        if (!isSvd(site)) return false;
        if (const auto matrices = operandOf(site)) return matrices->areTall();
        return m_tall.contains(placeText(site));
    }
    /// Whether any matrix is tall, also beside others at its line.
    [[nodiscard]] bool any() const { return m_any; }

private:
    std::set<std::string> m_tall;
    bool m_any = false;
};

/// Bytes of an element, by the type in the kernels' names; the least where they do not tell.
double elementBytes(const Analysis& analysis, const std::vector<std::uint32_t>& kernels) {
    const auto isIn = [&](std::string_view type) {
        return std::ranges::any_of(kernels, [&](std::uint32_t k) {
            return analysis.kernels[k].fullName.find(type) != std::string::npos;
        });
    };
    if (isIn("<double2")) return 16;
    return isIn("<double") || isIn("<float2") ? 8 : 4;
}

/// Bytes per second; infinite if not known.
double dramRate(const Analysis& analysis, std::uint32_t device) {
    double rate = 0;
    for (const Roof& roof : analysis.roofs)
        if (roof.kind == Roof::Kind::Bandwidth && roof.level == Level::Dram &&
            roof.device == device)
            rate = std::max(rate, roof.rate);
    return rate > 0 ? rate : std::numeric_limits<double>::infinity();
}

}  // namespace

TallSvd tallSvd(const Analysis& analysis, const Program& program) {
    constexpr double kLeast = 0.2;  // of the window
    // One product reads the matrix for A^H A, and one for what is made of it.
    constexpr double kReads = 2;
    const Profile& profile = *analysis.profile;
    const TallLines lines(profile);
    if (!lines.any()) return {};
    std::map<std::string, std::pair<std::uint64_t, Matrices>> operands;  // by operator: calls
    TallSvd found{kernelsThat(analysis, program, [&](const KernelAnalysis& kernel) {
        const auto sites = launchSitesOf(profile, kernel);
        if (sites.empty() ||
            !std::ranges::all_of(sites, [&](const CallSite* site) { return lines.include(*site); }))
            return false;
        for (const CallSite* site : sites)
            if (const auto matrices = operandOf(*site)) {
                auto& [calls, operand] = operands[operatorText(*site)];
                calls += site->count;
                operand = *matrices;
            }
        return true;
    })};
    if (operands.empty() || found.time < program.window.seconds * kLeast) return {};
    const auto& [op, most] = *std::ranges::max_element(
        operands, {}, [](const auto& entry) { return entry.second.first; });
    found.op = op;
    found.rows = most.second.rows;
    found.columns = most.second.columns;
    double elements = most.second.elements, calls = found.launches;
    for (const auto& [text, operand] : operands)
        elements = std::min(elements, operand.second.elements);
    // Each call launches each of its kernels at least once.
    for (const std::uint32_t k : found.kernels)
        calls = std::min(calls, program.kernels[k].perWindow);
    const std::uint32_t device = analysis.kernels[found.kernels.front()].group.device;
    const Seconds reads{kReads * calls * elements * elementBytes(analysis, found.kernels) /
                        dramRate(analysis, device)};
    found.gain = std::max(Seconds{}, found.time - reads);
    return found;
}

void ActionFinder::tallMatrices() {
    if (m_tallSvd.kernels.empty()) return;
    const bool wide = m_tallSvd.columns > m_tallSvd.rows;
    addInPlace(
        {.rule = "tall-svd",
         .alwaysExplained = true,
         .kernels = m_tallSvd.kernels,
         .bound = m_tallSvd.gain,
         .sites = launchSites(m_tallSvd.kernels),
         .title = wide ? Words("SVD of a wide matrix") : Words("SVD of a tall matrix"),
         .sentence = Words("{operator} takes {time} of {all} in kernels ({launches} "
                           "{launches?launch:launches})."),
         // Reports have room for 260 letters.
         .edit = wide ? Words("The matrix is {rows} × {columns}: take the SVD of the small R of "
                              "torch.linalg.qr(A^H), or the eigenvalues of A A^H "
                              "(torch.linalg.eigh), which is faster, but loses singular values "
                              "below a thousandth of the largest (FP32).")
                      : Words("The matrix is {rows} × {columns}: take the SVD of the small R of "
                              "torch.linalg.qr(A), or the eigenvalues of A^H A "
                              "(torch.linalg.eigh), which is faster, but loses singular values "
                              "below a thousandth of the largest (FP32)."),
         .args = {words("operator", Words::same(m_tallSvd.op)),
                  number("time", m_tallSvd.time.value, Unit::Seconds),
                  number("all", m_account.time[TimeClass::Kernels].value, Unit::Seconds),
                  number("launches", m_tallSvd.launches, Unit::Count),
                  number("rows", static_cast<double>(m_tallSvd.rows), Unit::Count),
                  number("columns", static_cast<double>(m_tallSvd.columns), Unit::Count)}});
}

}  // namespace roofscope::program
