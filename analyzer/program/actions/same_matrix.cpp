// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/actions/same_matrix.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/chains/buffer_access.h"
#include "analyzer/names/library_product.h"
#include "analyzer/program/actions/action_finder.h"

namespace roofscope::program {
namespace {

/// An allocation, and the offset of a pointer into it.
using MemoryPlace = std::pair<std::uint32_t, std::uint64_t>;

MemoryPlace memoryPlaceOf(const Buffer& buffer) { return {buffer.allocation, buffer.offsetBytes}; }

bool isVectorProduct(const KernelAnalysis& kernel) {
    // The batched form has tables of pointers in place of its operands.
    const std::string_view name = kernel.fullName;
    const auto product = libraryProduct(name);
    return product && product->kind == LibraryProduct::Kind::Vector &&
           name.find("cublasGemvTensorBatched") == name.npos;
}

/// Follows the work of a GPU in its order, and counts products whose vectors are independent.
class ProductCounter {
public:
    struct Counts {
        std::size_t all = 0;      ///< launches
        std::size_t same = 0;     ///< that multiply the same matrix as an earlier one
        std::size_t assumed = 0;  ///< of `same`: without known buffers
        std::set<MemoryPlace> matrices;
    };

    explicit ProductCounter(const Analysis& analysis) : m_profile(*analysis.profile) {
        for (const KernelAnalysis& kernel : analysis.kernels) {
            m_products.push_back(isVectorProduct(kernel));
            m_any = m_any || m_products.back();
        }
    }

    [[nodiscard]] bool any() const { return m_any; }
    [[nodiscard]] const std::map<std::uint32_t, Counts>& counts() const { return m_counts; }

    void add(const Transfer& transfer) {
        ++m_now;
        if (transfer.kind == TransferKind::HostToDevice) {
            m_fromHost = m_now;
            if (const auto back = m_back.find(transfer.bytes); back != m_back.end())
                m_roundTrip = std::max(m_roundTrip, back->second);
        } else if (transfer.kind == TransferKind::DeviceToHost) {
            m_back[transfer.bytes] = m_now;
        } else if (transfer.kind != TransferKind::Memset) {
            m_onDevice = m_now;
        }
    }

    void add(const Launch& launch, std::uint32_t kernel) {
        ++m_now;
        const bool product = m_products[kernel];
        if (product) ++m_counts[kernel].all;
        if (!launch.arguments) {
            if (product) countUnknown(kernel);
            m_unknown = m_now;
            return;
        }
        const auto arguments = m_profile.argumentLists[*launch.arguments];
        if (product && arguments.size() >= kOperands) {
            countKnown(m_counts[kernel], arguments[0].buffer, arguments[1].buffer);
            const std::array operands{arguments[0].buffer, arguments[1].buffer};
            const std::array results{arguments.back().buffer};
            follow(operands, results, true);
        } else {
            followKernel(launch.kernel, arguments);
        }
    }

private:
    /// A matrix, a vector and the result, which some kernels get twice.
    static constexpr std::size_t kOperands = 3;

    struct Last {
        std::size_t time = 0;
        std::uint32_t matrix = 0, vector = 0;  ///< buffers
        std::uint32_t newest = 0;              ///< the last buffer that was new by then
    };

    [[nodiscard]] const Buffer& buffer(std::uint32_t number) const {
        return m_profile.buffers[number];
    }
    [[nodiscard]] std::size_t writtenAt(const Buffer& of) const {
        const auto found = m_written.find(memoryPlaceOf(of));
        return found == m_written.end() ? 0 : found->second;
    }

    void countUnknown(std::uint32_t kernel) {
        const auto [last, isNew] = m_lastUnknown.try_emplace(kernel);
        const std::size_t before = std::exchange(last->second, m_now);
        if (isNew || m_fromHost + 1 != m_now || m_onDevice > before || m_roundTrip > before) return;
        ++m_counts[kernel].same;
        ++m_counts[kernel].assumed;
    }

    void countKnown(Counts& counts, std::uint32_t matrix, std::uint32_t vector) {
        const MemoryPlace place = memoryPlaceOf(buffer(matrix));
        counts.matrices.insert(place);
        const auto [found, isNew] = m_last.try_emplace(place);
        Last& last = found->second;
        if (!isNew && last.matrix == matrix && writtenAt(buffer(matrix)) <= last.time &&
            isIndependent(last, vector))
            ++counts.same;
        m_vectors.insert(memoryPlaceOf(buffer(vector)));
        m_newest = std::max({m_newest, matrix, vector});
        last = {.time = m_now, .matrix = matrix, .vector = vector, .newest = m_newest};
    }

    /// Whether this is another vector than the last one, and not made from its product.
    [[nodiscard]] bool isIndependent(const Last& last, std::uint32_t vector) const {
        if (std::max({m_unknown, m_onDevice, m_roundTrip}) > last.time) return false;
        const Buffer& of = buffer(vector);
        const bool written = writtenAt(of) > last.time;
        if (vector == last.vector && !written) return false;  // the same again, in a benchmark
        if (!m_ofResults.contains(of.allocation)) return true;
        // A pool of memory holds results, too. A number that is new at an old place shows a copy.
        return m_fromHost > last.time && !written && vector > last.newest &&
               m_vectors.contains(memoryPlaceOf(of));
    }

    void followKernel(std::uint32_t kernel, std::span<const BufferArgument> arguments) {
        const auto parsed = m_parsed.find(kernel);
        const KernelBuffers& buffers =
            parsed != m_parsed.end()
                ? parsed->second
                : m_parsed.emplace(kernel, KernelBuffers(m_profile.kernels[kernel].name))
                      .first->second;
        BufferAccess access = buffers.access(arguments);
        if (!access.known) {
            access = {};
            for (const BufferArgument& argument : arguments)
                access.mutables.push_back(argument.buffer);
        }
        follow(access.reads, access.mutables, false);
    }

    void follow(std::span<const std::uint32_t> reads, std::span<const std::uint32_t> mutables,
                bool ofProduct) {
        const auto isOfResult = [this](std::uint32_t number) {
            return m_ofResults.contains(buffer(number).allocation);
        };
        const bool ofResult = ofProduct || std::ranges::any_of(reads, isOfResult) ||
                              std::ranges::any_of(mutables, isOfResult);
        for (const std::uint32_t number : reads) m_newest = std::max(m_newest, number);
        for (const std::uint32_t number : mutables) {
            m_newest = std::max(m_newest, number);
            m_written[memoryPlaceOf(buffer(number))] = m_now;
            if (ofResult) m_ofResults.insert(buffer(number).allocation);
        }
    }

    const Profile& m_profile;
    std::vector<bool> m_products;  ///< by index into Analysis::kernels
    bool m_any = false;            ///< one of them
    std::map<std::uint32_t, Counts> m_counts;
    std::map<std::uint32_t, KernelBuffers> m_parsed;  ///< by kernel of the profile
    std::size_t m_now = 0;                            ///< counts the work; 0 below: never
    std::size_t m_fromHost = 0, m_onDevice = 0;       ///< the last such copy
    std::size_t m_unknown = 0;                        ///< the last launch without known buffers
    /// The last copy back whose size was then sent to the GPU.
    std::size_t m_roundTrip = 0;
    std::map<std::uint64_t, std::size_t> m_back;   ///< the last copy back of each size
    std::map<MemoryPlace, std::size_t> m_written;  ///< when a launch last may have written there
    std::set<std::uint32_t> m_ofResults;  ///< allocations that may hold what came from a product
    std::set<MemoryPlace> m_vectors;      ///< of earlier products
    std::uint32_t m_newest = 0;
    std::map<MemoryPlace, Last> m_last;                  ///< by matrix
    std::map<std::uint32_t, std::size_t> m_lastUnknown;  ///< by kernel
};

}  // namespace

SameMatrix sameMatrixProducts(const Analysis& analysis, const LaneActivity& lane,
                              const FoundWindow& window) {
    constexpr std::size_t kLeastVectors = 4;
    constexpr double kNearlyAll = 0.9;
    SameMatrix found;
    if (window.spans.empty() || !lane.recorded.copies || lane.processes.size() != 1) return found;
    ProductCounter counter(analysis);
    if (!counter.any()) return found;
    const Profile& profile = *analysis.profile;
    const std::vector<std::uint32_t> kernelOf = kernelOfLaunches(analysis);
    for (const Activity& activity : lane.activities) {
        if (activity.time.start < window.spans.front().start) continue;
        if (activity.time.start >= window.spans.back().end) break;
        if (activity.kind == Activity::Kind::Transfer)
            counter.add(profile.timeline.transfers[activity.row]);
        else
            counter.add(profile.launches[activity.row], kernelOf[activity.row]);
    }
    for (const auto& [kernel, counts] : counter.counts()) {
        // The first product with each matrix has none before it.
        const std::size_t matrices = std::max<std::size_t>(counts.matrices.size(), 1);
        const std::size_t vectors = counts.same / matrices + 1;
        if (vectors < kLeastVectors || static_cast<double>(counts.same + matrices) <
                                           kNearlyAll * static_cast<double>(counts.all))
            continue;
        found.vectors.emplace(kernel, vectors);
        found.assumed = found.assumed || counts.assumed > 0;
    }
    return found;
}

void ActionFinder::sameMatrix() {
    constexpr double kLeast = 0.1;         // of the window
    constexpr Seconds kLeastLaunch{5e-6};  // shorter ones wait for launches
    constexpr std::size_t kMostVectors = 64;
    const SameMatrix& same = m_order.sameMatrix;
    const KernelsPerWindow found =
        kernelsThat(m_analysis, m_program, [&](const KernelAnalysis& kernel) {
            return same.vectors.contains(indexOf(m_analysis, kernel));
        });
    if (found.kernels.empty() || found.time < m_program.window.seconds * kLeast ||
        found.time < kLeastLaunch * found.launches)
        return;
    Seconds saved;
    std::size_t vectors = 0;
    for (const std::uint32_t k : found.kernels) {
        const std::size_t seen = same.vectors.at(k);
        vectors = std::max(vectors, seen);
        // What stays: the matrix is read once for all, and the operations at their roof.
        double stays = 1.0 / static_cast<double>(std::min(seen, kMostVectors));
        for (const Precision precision : kPrecisions)
            if (const auto& use = m_analysis.kernels[k].quantities.computeUtilisation[precision];
                use.has())
                stays = std::max(stays, use->value);
        saved += m_program.kernels[k].time * std::max(0.0, 1 - stays);
    }
    addInPlace(
        {.rule = "same-matrix-products",
         .alwaysExplained = true,
         .kernels = found.kernels,
         .bound = saved,
         .sites = launchSites(found.kernels),
         .title = Words("A matrix times one vector after another"),
         .sentence =
             same.assumed
                 ? Words("Matrix-vector products of one shape take {time} of {all} in kernels: "
                         "{count} were seen, each after a copy of its vector to the GPU. If the "
                         "matrix is the same, each reads all of it again.")
                 : Words("Matrix-vector products with the same matrix take {time} of {all} in "
                         "kernels: {count} were seen, each of which reads the whole matrix again. "
                         "On the GPU, no vector is made from the result before it."),
         .edit = m_frameworks.torch
                     ? Words("Collect the vectors of many repeats as columns and multiply once "
                             "(torch.matmul of two matrices), as far as no vector depends on an "
                             "earlier result. Then reduce all results at once along one dimension, "
                             "and copy back once.")
                 : m_frameworks.cupy
                     ? Words("Collect the vectors of many repeats as columns and multiply once "
                             "(cupy.matmul of two matrices), as far as no vector depends on an "
                             "earlier result. Then reduce all results at once along one axis, and "
                             "copy back once.")
                     : Words("Collect the vectors of many repeats as columns and multiply once "
                             "(cublasSgemm for cublasSgemv), as far as no vector depends on an "
                             "earlier result. Then reduce all results in one kernel, and copy back "
                             "once."),
         .args = {number("time", found.time.value, Unit::Seconds),
                  number("all", m_account.time[TimeClass::Kernels].value, Unit::Seconds),
                  number("count", static_cast<double>(vectors), Unit::Count)}});
}

}  // namespace roofscope::program
