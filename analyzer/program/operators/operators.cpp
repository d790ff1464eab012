// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/operators/operators.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "analyzer/names/multiplied_type.h"
#include "analyzer/program/account/sites.h"
#include "analyzer/program/operators/backward_flops.h"
#include "analyzer/program/operators/kernel_role.h"
#include "analyzer/program/operators/pipe_roof.h"
#include "analyzer/program/operators/site_coverage.h"
#include "analyzer/quantities/impossible_shares.h"
#include "analyzer/roofline/roofline.h"

namespace roofscope::program {
namespace {

/// FLOPs must be known for this share of the products' time to say something about the window.
constexpr double kMostProducts = 0.9;

/// A function on a GPU, in all launch shapes, as far as it runs in the window.
struct FunctionInWindow {
    std::vector<std::uint32_t> shapes;  ///< indices into Analysis::kernels
    double launches = 0;                ///< per window
    Seconds time;
    double sites = 0;           ///< launches whose site was noted
    std::size_t operators = 0;  ///< that launch it, each place apart; without an operator: one
    Multiplies product = Multiplies::No;
    /// Whether the launches whose sites were recorded are whole windows. Then a site's share of
    /// them is also its share of the window's launches.
    bool covered = false;
    std::optional<MultipliedType> type;
};

/// Whether the first half of the launches took as long as the last half.
bool sameTimes(const Profile& profile, std::span<const std::uint32_t> rows) {
    constexpr double kSameTime = 1.1;
    const auto timeOf = [&](std::span<const std::uint32_t> some) {
        Seconds time;
        for (const std::uint32_t row : some)
            time += profile.launches[row].duration.value_or(Seconds{});
        return time;
    };
    const std::size_t half = rows.size() / 2;
    const Seconds before = timeOf(rows.first(half)), after = timeOf(rows.last(half));
    return std::max(before, after) <= std::min(before, after) * kSameTime;
}

/// An operator at one place, before its row is made.
struct GatheredOperator {
    OperatorKind kind = OperatorKind::NoProduct;
    std::string innermost, backward;
    std::vector<const CallSite*> sites;
};

class OperatorGatherer {
public:
    OperatorGatherer(const Analysis& analysis, const Program& program)
        : m_analysis(analysis), m_program(program), m_profile(*analysis.profile) {}

    OperatorTable table() {
        OperatorTable table;
        if (std::ranges::none_of(m_profile.callSites, [](const CallSite& site) {
                return site.kernel && !site.op.empty();
            }))
            return table;
        gatherFunctions();
        gatherOperators();
        for (const auto& [of, function] : m_functions) table.kernels += function.time;
        for (const auto& [key, gathered] : m_operators)
            table.rows.push_back(rowOf(key.first, key.second, gathered));
        std::ranges::stable_sort(table.rows, std::greater{}, [](const OperatorWork& row) {
            return std::pair(row.least.value, row.most.value);
        });
        table.withOperator = m_withOperator;
        table.flops = modelFlops();
        return table;
    }

private:
    void gatherFunctions() {
        for (std::uint32_t k = 0; k < m_analysis.kernels.size(); ++k) {
            const Program::KernelCounts& counts = m_program.kernels[k];
            if (!(counts.time.value > 0) || !(counts.perWindow > 0)) continue;
            const KernelAnalysis& kernel = m_analysis.kernels[k];
            FunctionInWindow& function = m_functions[kernel.group.kernel];
            function.shapes.push_back(k);
            function.launches += counts.perWindow;
            function.time += counts.time;
            if (const Multiplies product = multiplies(kernel);
                function.shapes.size() == 1 || product == Multiplies::Yes)
                function.product = product;
        }
        for (auto& [of, function] : m_functions) function.type = typeOf(function);
    }

    /// By counted operations, otherwise by the name.
    std::optional<MultipliedType> typeOf(const FunctionInWindow& function) const {
        std::set<TensorType> counted;
        for (const std::uint32_t k : function.shapes)
            for (const TensorWork* work : tensorWork(m_analysis.kernels[k].quantities))
                if (!work->byBusyCycles) counted.insert(work->type);
        if (counted.size() == 1) return MultipliedType{*counted.begin()};
        if (counted.size() > 1) return std::nullopt;
        return multipliedType(m_analysis.kernels[function.shapes.front()].fullName);
    }

    void gatherOperators() {
        std::map<std::uint32_t, std::set<std::pair<std::string, std::string>>> launchers;
        for (const CallSite& site : m_profile.callSites) {
            if (!site.kernel) continue;
            const auto found = m_functions.find(*site.kernel);
            if (found == m_functions.end()) continue;
            found->second.sites += static_cast<double>(site.count);
            std::pair key{nameOf(site), placeText(site)};
            launchers[*site.kernel].insert(key);
            if (site.op.empty()) continue;
            GatheredOperator& gathered = m_operators[std::move(key)];
            gathered.innermost = site.op;
            gathered.backward = site.backward;
            gathered.kind = operatorKind(site.op);
            gathered.sites.push_back(&site);
        }
        for (const auto& [kernel, by] : launchers) {
            FunctionInWindow& function = m_functions.at(kernel);
            function.operators = by.size();
            // All of PyTorch's own operators that multiply are known, so its others multiply
            // nothing.
            const auto knownNot = [&](const auto& key) {
                const auto found = m_operators.find(key);
                return found != m_operators.end() &&
                       found->second.kind == OperatorKind::NoProduct &&
                       found->second.innermost.starts_with("aten::");
            };
            if (function.product == Multiplies::Unknown && std::ranges::all_of(by, knownNot))
                function.product = Multiplies::No;
        }
        // NVTX ranges do not matter: a shape is the same in all of them.
        std::map<std::tuple<Dim3, Dim3, std::uint64_t>, std::uint32_t> numbers;
        std::vector<std::uint32_t> shapeOf;  // by index of Analysis::kernels
        std::map<std::uint32_t, std::vector<LaunchInShape>> launches;
        for (const KernelAnalysis& kernel : m_analysis.kernels) {
            const LaunchGroup& group = kernel.group;
            shapeOf.push_back(numbers
                                  .try_emplace({group.grid, group.block, group.dynamicSharedBytes},
                                               static_cast<std::uint32_t>(numbers.size()))
                                  .first->second);
            for (const std::uint32_t row : group.launches)
                launches[group.kernel].push_back({.row = row,
                                                  .shape = shapeOf.back(),
                                                  .process = m_profile.launches[row].process});
        }
        for (auto& [kernel, function] : m_functions) {
            std::vector<ShapePerWindow> shapes;
            for (const std::uint32_t k : function.shapes)
                shapes.push_back({.shape = shapeOf[k], .launches = m_program.kernels[k].perWindow});
            std::ranges::sort(launches[kernel], {}, &LaunchInShape::row);
            function.covered = sitesCover(launches[kernel], shapes, function.sites);
        }
    }

    static std::string nameOf(const CallSite& site) {
        CallSite unsized = site;
        unsized.sizes.clear();
        return operatorText(unsized);
    }

    /// Whether it is known how many of the function's launches an operator makes.
    static bool isShareKnown(const FunctionInWindow& function) {
        return function.covered || function.operators == 1;
    }

    /// Launches per window of the site, if its function is covered.
    [[nodiscard]] double launchesOf(const CallSite& site) const {
        const FunctionInWindow& function = m_functions.at(*site.kernel);
        return function.launches * static_cast<double>(site.count) / function.sites;
    }

    OperatorWork rowOf(const std::string& op, const std::string& place,
                       const GatheredOperator& gathered) {
        OperatorWork row{.op = op, .place = place};
        std::map<std::uint32_t, double> launches;  // by function
        std::map<std::string, double> sizes;
        bool allSized = true;
        for (const CallSite* site : gathered.sites) {
            const double each = launchesOf(*site);
            launches[*site->kernel] += each;
            if (site->sizes.empty())
                allSized = false;
            else
                sizes[site->sizes] += each;
        }
        row.launches = 0;
        for (const auto& [of, count] : launches)
            if (row.launches && isShareKnown(m_functions.at(of)))
                *row.launches += count;
            else
                row.launches.reset();
        if (allSized) row.sizes = mostFrequent(sizes);
        addTimes(launches, row);
        addFlops(gathered, launches, row);
        return row;
    }

    static std::vector<std::string> mostFrequent(const std::map<std::string, double>& counts) {
        std::vector<std::pair<double, std::string>> order;
        for (const auto& [text, count] : counts) order.emplace_back(-count, text);
        std::ranges::sort(order);
        std::vector<std::string> texts;
        for (auto& [count, text] : order) texts.push_back(std::move(text));
        return texts;
    }

    void addTimes(const std::map<std::uint32_t, double>& launches, OperatorWork& row) {
        std::optional<Bytes> bytes = Bytes{0};
        for (const auto& [of, count] : launches) {
            const FunctionInWindow& function = m_functions.at(of);
            if (isShareKnown(function)) {
                row.least += timeOf(function, count, std::less{});
                row.most += timeOf(function, count, std::greater{});
            } else {
                row.most += function.time;
            }
            m_withOperator += function.time * (count / function.launches);
            row.kernels.insert(row.kernels.end(), function.shapes.begin(), function.shapes.end());
            const auto moved = function.operators == 1 ? bytesOf(function) : std::nullopt;
            if (moved && bytes)
                *bytes += *moved;
            else
                bytes.reset();
        }
        row.dramBytes = bytes;
        std::ranges::stable_sort(row.kernels, std::greater{},
                                 [&](std::uint32_t k) { return m_program.kernels[k].time.value; });
    }

    /// The time of `count` launches; `order`: the shortest or the longest first.
    template <class Order>
    Seconds timeOf(const FunctionInWindow& function, double count, Order order) const {
        std::vector<std::uint32_t> shapes = function.shapes;
        std::ranges::stable_sort(shapes, order, [&](std::uint32_t k) {
            return m_program.kernels[k].time.value / m_program.kernels[k].perWindow;
        });
        Seconds time;
        for (const std::uint32_t k : shapes) {
            if (!(count > 0)) break;
            const Program::KernelCounts& shape = m_program.kernels[k];
            time += shape.time * std::min(1.0, count / shape.perWindow);
            count -= shape.perWindow;
        }
        return time;
    }

    std::optional<Bytes> bytesOf(const FunctionInWindow& function) const {
        Bytes all;
        for (const std::uint32_t k : function.shapes) {
            const auto& bytes = m_analysis.kernels[k].quantities.bytes[Level::Dram];
            if (!bytes.has()) return std::nullopt;
            all += *bytes * m_program.kernels[k].perWindow;
        }
        return all;
    }

    [[nodiscard]] KernelRole roleOf(const CallSite& site) const {
        return roleIn(operatorKind(site.op), m_profile.kernels[*site.kernel].name);
    }

    void addFlops(const GatheredOperator& gathered, const std::map<std::uint32_t, double>& launches,
                  OperatorWork& row) {
        row.type = pipeOf(gathered, launches);
        SiteFlops bySite;
        row.lack = lackOf(gathered, row, bySite);
        if (row.flops && cannotBe(row)) {
            row.flops.reset();
            bySite.clear();
            row.lack = FlopsLack::Sizes;
        }
        // FLOPs of each site belong to the pipe of its function; if only their sum is known, it
        // must be one pipe.
        const bool assigned = row.flops && (row.type || !bySite.empty());
        for (const auto& [site, flops] : bySite)
            if (const auto& type = m_functions.at(*site->kernel).type)
                m_pipes.emplace_back(*type, flops);
        if (row.flops && bySite.empty() && row.type)
            m_pipes.emplace_back(*m_functions.at(*firstProduct(gathered)->kernel).type, *row.flops);
        for (const auto& [of, count] : launches) {
            const FunctionInWindow& function = m_functions.at(of);
            if (roleIn(gathered.kind, m_profile.kernels[of].name) == KernelRole::Product)
                m_parts.push_back({.function = of,
                                   .launches = count,
                                   .known = assigned && function.type.has_value()});
        }
    }

    /// Whether no GPU can do this many FLOPs in the operator's time. Then its sizes are not those
    /// of the tensors that were multiplied.
    [[nodiscard]] bool cannotBe(const OperatorWork& row) const {
        if (!std::isfinite(row.flops->least) || !std::isfinite(row.flops->most)) return true;
        if (!row.type || m_program.lanes.empty()) return false;
        const auto roof = pipeRoof(m_analysis, m_program.lanes.front().device, *row.type);
        return roof && row.flops->least > kMostOfRoof * roof->rate * row.most.value;
    }

    [[nodiscard]] const CallSite* firstProduct(const GatheredOperator& gathered) const {
        const auto at = std::ranges::find_if(gathered.sites, [&](const CallSite* site) {
            return roleOf(*site) == KernelRole::Product;
        });
        return at == gathered.sites.end() ? nullptr : *at;
    }

    /// The pipe of all products of the operator; absent if they differ or are not known.
    [[nodiscard]] std::optional<Arithmetic> pipeOf(
        const GatheredOperator& gathered, const std::map<std::uint32_t, double>& launches) const {
        std::optional<Arithmetic> pipe;
        for (const auto& [of, count] : launches) {
            if (roleIn(gathered.kind, m_profile.kernels[of].name) != KernelRole::Product) continue;
            const auto& type = m_functions.at(of).type;
            if (!type || (pipe && *pipe != type->type)) return std::nullopt;
            pipe = type->type;
        }
        return pipe;
    }

    using SiteFlops = std::vector<std::pair<const CallSite*, FlopRange>>;  ///< per window

    /// Sets the row's FLOPs, or says why they are not known.
    FlopsLack lackOf(const GatheredOperator& gathered, OperatorWork& row, SiteFlops& bySite) const {
        switch (gathered.kind) {
            case OperatorKind::NoProduct:
                return std::ranges::any_of(gathered.sites,
                                           [&](const CallSite* site) {
                                               return m_functions.at(*site->kernel).product !=
                                                      Multiplies::No;
                                           })
                           ? FlopsLack::Operator
                           : FlopsLack::NoProduct;
            case OperatorKind::OtherProduct:
                return FlopsLack::Operator;
            case OperatorKind::Convolution:
                return FlopsLack::Convolution;
            case OperatorKind::Matrices:
            case OperatorKind::Attention:
                break;
        }
        double products = 0;
        bool sized = true;
        for (const CallSite* site : gathered.sites) {
            const KernelRole role = roleOf(*site);
            if (role == KernelRole::Helper) continue;
            if (role == KernelRole::Unclear || !isSteady(*site)) return FlopsLack::Calls;
            products += launchesOf(*site);
            const auto each = site->sizes.empty() ? std::nullopt : flopsOf(site->op, site->sizes);
            if (each)
                bySite.emplace_back(site, *each * launchesOf(*site));
            else
                sized = false;
        }
        if (!(products > 0)) return FlopsLack::Calls;
        if (sized) {
            row.flops.emplace();
            for (const auto& [site, flops] : bySite) *row.flops += flops;
            return FlopsLack::None;
        }
        bySite.clear();
        row.flops = flopsOfBackward(gathered, products);
        return row.flops ? FlopsLack::None : FlopsLack::Sizes;
    }

    /// Whether the launches whose sites were recorded stand for those of the window. Attention over
    /// a growing text keeps its launch shape, so its times must be the same, too.
    [[nodiscard]] bool isSteady(const CallSite& site) const {
        const FunctionInWindow& function = m_functions.at(*site.kernel);
        if (!function.covered) return false;
        if (operatorKind(site.op) != OperatorKind::Attention) return true;
        return std::ranges::all_of(function.shapes, [&](std::uint32_t k) {
            const auto& rows = m_analysis.kernels[k].group.launches;
            return sameTimes(m_profile, rows);
        });
    }

    [[nodiscard]] std::optional<FlopRange> flopsOfBackward(const GatheredOperator& gathered,
                                                           double products) const {
        const auto of = backwardProduct(gathered.backward, gathered.innermost);
        const CallSite* const first = firstProduct(gathered);
        if (!of || !first || first->forward.file.empty()) return std::nullopt;
        std::vector<ForwardCalls> calls;
        for (const std::string_view op : of->forward) {
            const auto forward = m_operators.find({std::string(op), placeText(*first)});
            if (forward == m_operators.end()) continue;
            for (const CallSite* site : forward->second.sites) {
                const KernelRole role = roleOf(*site);
                if (role == KernelRole::Helper) continue;
                const auto each =
                    site->sizes.empty() ? std::nullopt : flopsOf(site->op, site->sizes);
                if (role == KernelRole::Unclear || !isSteady(*site) || !each) return std::nullopt;
                calls.push_back({.calls = launchesOf(*site), .each = *each});
            }
        }
        return backwardFlops(std::move(calls), products, *of);
    }

    [[nodiscard]] std::optional<ModelFlops> modelFlops() const {
        const double window = m_program.window.seconds.value;
        if (!(window > 0) || !sameGpus()) return std::nullopt;
        ModelFlops model{.pipes = pipesWithRoof()};
        const auto hasRoof = [&](const MultipliedType& type) {
            return std::ranges::find(model.pipes, pipeOf(type), &PipeWork::type) !=
                   model.pipes.end();
        };
        Seconds all, known;
        for (const auto& [of, function] : m_functions)
            if (function.product != Multiplies::No) all += function.time;
        for (const ProductPart& part : m_parts) {
            const FunctionInWindow& function = m_functions.at(part.function);
            if (part.known && hasRoof(*function.type))
                known += function.time * (part.launches / function.launches);
        }
        if (!(all.value > 0)) return std::nullopt;
        model.products = {all.value / window};
        model.known = {std::min(1.0, known / all)};
        if (model.known.value < kMostProducts) return std::nullopt;
        for (PipeWork& pipe : model.pipes) {
            model.least.value += pipe.flops.least / pipe.roof->rate / window;
            model.most.value += pipe.flops.most / pipe.roof->rate / window;
            pipe.inUse = inUse(pipe.type);
        }
        return model;
    }

    /// If the name may mean either 16-bit type, it is bf16 if other products use that.
    [[nodiscard]] Arithmetic pipeOf(const MultipliedType& type) const {
        const bool bf16 = std::ranges::any_of(m_pipes, [](const auto& part) {
            return part.first.type == Arithmetic(TensorType::Bf16);
        });
        return type.maybeBf16 && bf16 ? Arithmetic(TensorType::Bf16) : type.type;
    }

    /// Most FLOPs first.
    [[nodiscard]] std::vector<PipeWork> pipesWithRoof() const {
        std::vector<PipeWork> pipes;
        for (const auto& [type, flops] : m_pipes) {
            const Arithmetic pipe = pipeOf(type);
            const auto at = std::ranges::find(pipes, pipe, &PipeWork::type);
            (at == pipes.end() ? pipes.emplace_back(PipeWork{.type = pipe}) : *at).flops += flops;
        }
        for (PipeWork& pipe : pipes)
            pipe.roof = pipeRoof(m_analysis, m_program.lanes.front().device, pipe.type);
        std::erase_if(pipes, [](const PipeWork& pipe) { return !pipe.roof; });
        std::ranges::stable_sort(pipes, std::greater{},
                                 [](const PipeWork& pipe) { return pipe.flops.most; });
        return pipes;
    }

    /// Share of the window in which products use the pipe.
    [[nodiscard]] std::optional<Ratio> inUse(const Arithmetic& pipe) const {
        Seconds all, counted, used;
        for (const auto& [of, function] : m_functions) {
            if (function.product == Multiplies::No) continue;
            all += function.time;
            for (const std::uint32_t k : function.shapes) {
                const Quantities& q = m_analysis.kernels[k].quantities;
                const auto& use =
                    pipe.tensor() ? q.tensorInstructions : q.pipeUtilisation[*pipe.precision()];
                if (!use.has()) continue;
                counted += m_program.kernels[k].time;
                used += m_program.kernels[k].time * use->value;
            }
        }
        if (counted < all * kMostProducts) return std::nullopt;
        return Ratio{used / m_program.window.seconds};
    }

    /// Whether there are GPUs with times, all of one model. Only then do shares of a roof hold for
    /// all of them.
    [[nodiscard]] bool sameGpus() const {
        const auto nameOfGpu = [&](const Lane& lane) -> const std::string& {
            return m_profile.devices[lane.device].name;
        };
        return !m_program.lanes.empty() &&
               std::ranges::all_of(m_program.lanes, [&](const Lane& lane) {
                   return nameOfGpu(lane) == nameOfGpu(m_program.lanes.front());
               });
    }

    /// The launches of a function by an operator that multiplies.
    struct ProductPart {
        std::uint32_t function = 0;
        double launches = 0;
        bool known = false;
    };

    const Analysis& m_analysis;
    const Program& m_program;
    const Profile& m_profile;
    std::map<std::uint32_t, FunctionInWindow> m_functions;  // by index of Profile::kernels
    std::map<std::pair<std::string, std::string>, GatheredOperator> m_operators;
    std::vector<ProductPart> m_parts;
    std::vector<std::pair<MultipliedType, FlopRange>> m_pipes;
    Seconds m_withOperator;
};

}  // namespace

const char* toString(FlopsLack lack) {
    switch (lack) {
        case FlopsLack::NoProduct:
            return "no-product";
        case FlopsLack::Sizes:
            return "sizes";
        case FlopsLack::Convolution:
            return "convolution";
        case FlopsLack::Calls:
            return "calls";
        case FlopsLack::Operator:
            return "operator";
        case FlopsLack::None:
            break;
    }
    return "none";
}

OperatorTable operatorsOf(const Analysis& analysis, const Program& program) {
    if (!analysis.profile || program.kernels.size() != analysis.kernels.size()) return {};
    return OperatorGatherer(analysis, program).table();
}

}  // namespace roofscope::program
