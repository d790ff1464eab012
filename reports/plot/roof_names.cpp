// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/roof_names.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "reports/language/say.h"

namespace roofscope::plot {

namespace {

/// A theoretical and a measured roof closer than this many pixels share a name.
constexpr double kOneName = 60;

/// The words of a name, and the roofs that it names: the higher and the lower one (which may be the
/// same).
struct Words {
    std::string text;
    Role role = Role::Dram;
    std::size_t upper = 0, lower = 0;
    bool overDots = true;    ///< may hide dots as a last resort
    std::string brief = {};  ///< if the full text would hide dots; empty: none
    std::string name = {};   ///< "DRAM", for when there is hardly any room

    [[nodiscard]] std::size_t roofs() const { return upper == lower ? 1 : 2; }
};

/// Pixels between parallel lines; infinite for an empty segment.
double distance(const Segment& a, const Segment& b) {
    const double dx = a.to.x - a.from.x, dy = a.to.y - a.from.y, length = std::hypot(dx, dy);
    if (!(length > 0)) return std::numeric_limits<double>::infinity();
    return std::abs((b.from.x - a.from.x) * dy - (b.from.y - a.from.y) * dx) / length;
}

/// "DRAM 4.81 TB/s, 4.71 measured". An equal unit is written once.
std::string bothRates(const RoofLine& theoretical, const RoofLine& measured, Language language) {
    const auto unit = [](const std::string& rate) { return rate.substr(rate.find(' ') + 1); };
    std::string rate = measured.rate;
    if (unit(rate) == unit(theoretical.rate)) rate.resize(rate.find(' '));
    return say(language, "{}, {} measured", theoretical.label, rate);
}

class Naming {
public:
    Naming(LabelPlacement& labels, std::span<const ShownRoof> roofs, double size, bool crowd,
           bool brief, Language language)
        : m_labels(labels),
          m_roofs(roofs),
          m_size(size),
          m_crowd(crowd),
          m_brief(brief),
          m_language(language),
          m_before(labels.boxes()) {}

    /// Each name takes the best remaining place, possibly the only one of a later roof. So if a
    /// name finds no room, or only over dots, try the reverse order, too.
    std::vector<RoofName> run() {
        auto words = this->words();
        Attempt best = attempt(words);
        if (!best.perfect(m_roofs.size())) {
            std::ranges::reverse(words);
            Attempt other = attempt(words);
            if (other.betterThan(best)) best = std::move(other);
        }
        m_labels.keepBoxes(m_before);
        for (const RoofName& name : best.names) m_labels.addBox(name.box);
        return std::move(best.names);
    }

private:
    struct Attempt {
        std::vector<RoofName> names;
        std::size_t named = 0;     ///< roofs that have a name
        std::size_t overDots = 0;  ///< names that hide distinguishable dots

        [[nodiscard]] bool perfect(std::size_t roofs) const {
            return named == roofs && overDots == 0;
        }
        [[nodiscard]] bool betterThan(const Attempt& other) const {
            return named != other.named ? named > other.named : overDots < other.overDots;
        }
    };

    [[nodiscard]] std::vector<Words> words() const {
        std::vector<Words> all;
        std::vector<bool> done(m_roofs.size());
        for (std::size_t i = 0; i < m_roofs.size(); ++i) {
            if (done[i]) continue;
            std::size_t partner = i + 1;
            while (partner < m_roofs.size() && (done[partner] || !sideBySide(i, partner)))
                ++partner;
            if (partner == m_roofs.size()) {
                all.push_back(alone(i));
                continue;
            }
            done[partner] = true;
            const bool measured = m_roofs[i].line->roof->measured;
            const RoofLine &a = *m_roofs[i].line, &b = *m_roofs[partner].line;
            const bool higher = a.roof->rate >= b.roof->rate;
            all.push_back(
                {.text = measured ? bothRates(b, a, m_language) : bothRates(a, b, m_language),
                 .role = a.role,
                 .upper = higher ? i : partner,
                 .lower = higher ? partner : i,
                 .brief = (measured ? b : a).label,
                 .name = a.name});
        }
        if (m_brief)
            for (Words& each : all) {
                each.text = each.name;
                each.brief.clear();
            }
        return all;
    }

    [[nodiscard]] Words alone(std::size_t roof) const {
        const RoofLine& line = *m_roofs[roof].line;
        return {.text = line.label,
                .role = line.role,
                .upper = roof,
                .lower = roof,
                .overDots = !line.roof->measured || !hasTheoretical(line.roof->kind),
                .name = line.name};
    }

    [[nodiscard]] bool hasTheoretical(Roof::Kind kind) const {
        return std::ranges::any_of(m_roofs, [kind](const ShownRoof& roof) {
            return roof.line->roof->kind == kind && !roof.line->roof->measured;
        });
    }

    /// Whether these are the theoretical and the measured line of one roof, too close for a name in
    /// between.
    [[nodiscard]] bool sideBySide(std::size_t a, std::size_t b) const {
        const RoofLine &x = *m_roofs[a].line, &y = *m_roofs[b].line;
        return x.name == y.name && x.roof->kind == y.roof->kind &&
               x.roof->measured != y.roof->measured &&
               distance(m_roofs[a].part, m_roofs[b].part) < kOneName;
    }

    Attempt attempt(const std::vector<Words>& words) {
        Attempt attempt;
        m_labels.keepBoxes(m_before);
        const auto take = [&](std::optional<RoofName> name, std::size_t roofs) {
            if (!name) return;
            m_labels.addBox(name->box);
            attempt.named += roofs;
            attempt.overDots += name->overDots && !m_crowd ? 1 : 0;
            attempt.names.push_back(std::move(*name));
        };
        for (const Words& w : words) {
            auto name = place(w);
            if (name || w.roofs() == 1) {
                take(std::move(name), w.roofs());
            } else {  // no room for a joint name: try one for each
                take(place(alone(w.upper)), 1);
                take(place(alone(w.lower)), 1);
            }
        }
        return attempt;
    }

    [[nodiscard]] double height() const { return m_size + 3; }

    /// The best place for a name along its lines: above them if possible, else below.
    [[nodiscard]] std::optional<RoofName> place(const Words& words) const {
        std::optional<RoofName> best;
        double least = std::numeric_limits<double>::infinity();
        // A visible roof should have a name. So first try without covering anything, then shorter,
        // then over dots, then over lines.
        const std::string& shorter = words.brief.empty() ? words.text : words.brief;
        struct Pass {
            const std::string& text;
            bool dotsToo, linesToo;
        };
        for (const auto& [text, dotsToo, linesToo] :
             {Pass{words.text, false, false}, Pass{words.brief, false, false},
              Pass{shorter, true, false}, Pass{shorter, true, true}, Pass{words.name, false, false},
              Pass{words.name, true, true}}) {
            if (text.empty()) continue;
            const double width = textWidth(text, m_size) + 6;
            for (const double above : {1.0, -1.0}) {
                if (best && linesToo) break;
                if (dotsToo && !linesToo && !m_crowd && !words.overDots) continue;
                const std::size_t beside = above > 0 ? words.upper : words.lower;
                const Segment& part = m_roofs[beside].part;
                const double dx = part.to.x - part.from.x, dy = part.to.y - part.from.y;
                const double length = std::hypot(dx, dy), angle = std::atan2(dy, dx);
                if (length < width * (linesToo ? 0.3 : 0.6)) continue;
                for (const double place : placesAlong(*m_roofs[beside].line)) {
                    if (best && (!dotsToo || m_crowd || !best->overDots)) continue;
                    const double along = width / 2 + place * std::max(0.0, length - width);
                    const double off = above * (height() / 2 + 2.5);
                    const TurnedBox box{
                        .centre = {part.from.x + std::cos(angle) * along + std::sin(angle) * off,
                                   part.from.y + std::sin(angle) * along - std::cos(angle) * off},
                        .halfWidth = width / 2,
                        .halfHeight = height() / 2,
                        .angle = angle};
                    if (!m_labels.isFree(box, beside, dotsToo, linesToo)) continue;
                    const double covered = dotsToo && !m_crowd ? m_labels.covered(box) : 0;
                    if (covered >= least) continue;
                    best = {.text = text,
                            .role = words.role,
                            .box = box,
                            .overDots = dotsToo,
                            .overLines = linesToo,
                            .roof = words.name};
                    least = covered;
                }
            }
        }
        return best;
    }

    /// Flats are named at their open end, slopes near their start, where fewest kernels are.
    static std::span<const double> placesAlong(const RoofLine& line) {
        static constexpr double kFlat[] = {1.0, 0.8, 0.6, 0.4, 0.2, 0.0};
        static constexpr double kSlope[] = {0.12, 0.3, 0.5, 0.02, 0.7, 0.9, 0.2, 0.4, 0.6, 0.8};
        if (line.roof->kind == Roof::Kind::Compute) return kFlat;
        return kSlope;
    }

    LabelPlacement& m_labels;
    std::span<const ShownRoof> m_roofs;
    double m_size;
    bool m_crowd;
    bool m_brief;
    Language m_language;
    std::size_t m_before;
};

}  // namespace

std::vector<RoofName> nameRoofs(LabelPlacement& labels, std::span<const ShownRoof> roofs,
                                double size, bool crowd, bool brief, Language language) {
    return Naming(labels, roofs, size, crowd, brief, language).run();
}

}  // namespace roofscope::plot
