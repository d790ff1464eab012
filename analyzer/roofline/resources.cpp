// SPDX-License-Identifier: Apache-2.0
#include "analyzer/roofline/resources.h"

#include <algorithm>

#include "analyzer/roofline/roofline.h"

namespace roofscope {

namespace {

void noteMissing(std::string& list, const std::string& names) {
    if (names.empty() || list.find(names) != std::string::npos) return;
    if (!list.empty()) list += ", ";
    list += names;
}

}  // namespace

bool fp16CanMatter(const Quantities& q) {
    // Constants (HFMA2 used as a move) and conversions are up to a tenth of all instructions. In
    // PyTorch's elementwise kernels they kept the pipe up to 4 % busy (H100, H200); with all issue
    // slots in use it would be 10 %.
    constexpr double kOverFp32 = 2.0, kConstants = 0.10;
    const auto& half = q.flops[Precision::Fp16];
    const auto& single = q.flops[Precision::Fp32];
    const auto& busy = q.pipeUtilisation[Precision::Fp16];
    if (busy.has() && busy->value < kConstants) return false;
    return half.has() && (!single.has() || half->value > kOverFp32 * single->value);
}

namespace {

/// Share of the data stage's wavefronts that shared-memory accesses cause.
double sharedPart(const Quantities& q) {
    if (!q.shared.wavefronts.has()) return 0;
    if (!q.lsuWavefronts.has() || !(*q.lsuWavefronts > 0)) return *q.shared.wavefronts > 0 ? 1 : 0;
    return *q.shared.wavefronts / *q.lsuWavefronts;
}

}  // namespace

const Resource* Resources::find(ResourceId id) const {
    for (const Resource& item : items)
        if (item.id == id || ownerOf(item.id) == id) return &item;
    return nullptr;
}

double Resources::busy(ResourceId id) const {
    const Resource* item = find(id);
    return item ? item->busy : 0.0;
}

const Resource* Resources::busiestMemory() const {
    const Resource* best = nullptr;
    for (const Resource& item : items)
        if (item.memory && (!best || item.busy > best->busy)) best = &item;
    return best;
}

const Resource* Resources::busiestCompute() const {
    const Resource* best = nullptr;
    for (const Resource& item : items)
        if (!item.memory && item.id != ResourceId::Issue && (!best || item.busy > best->busy))
            best = &item;
    // A pipe says more than the issue slots that it takes. An instruction of the special-function
    // unit takes one for eight cycles of the unit: if the slots are busier, others take them.
    const Resource* issue = find(ResourceId::Issue);
    const bool leads =
        issue && issue->busy >= kBusyShare &&
        (!best || best->busy < kBusyShare ||
         (best->id == ResourceId::SpecialFunction && issue->busy >= best->busy + kLead));
    return leads ? issue : best;
}

const Resource* Resources::busiest() const {
    const Resource* best = nullptr;
    for (const Resource& item : items)
        if (!best || item.busy > best->busy) best = &item;
    return best;
}

namespace {

/// The resource whose load an edit takes off together with that of `id`.
ResourceId relievedWith(ResourceId id) {
    switch (id) {
        case ResourceId::L2Tags:
            return ResourceId::L2;
        case ResourceId::LsuRequests:
        case ResourceId::SmTotal:
            return ResourceId::Issue;
        default:
            return ownerOf(id);
    }
}

}  // namespace

double Resources::busiestExcept(std::initializer_list<ResourceId> ids) const {
    double best = 0;
    for (const Resource& item : items)
        if (std::ranges::find(ids, relievedWith(item.id)) == ids.end())
            best = std::max(best, item.busy);
    return std::min(best, 1.0);
}

Resources Resources::without(ResourceId id) const {
    Resources others{.items = {}, .missing = missing};
    for (const Resource& item : items)
        if (item.id != id) others.items.push_back(item);
    return others;
}

std::optional<Level> levelOf(ResourceId id) {
    switch (id) {
        case ResourceId::Dram:
            return Level::Dram;
        case ResourceId::L2:
        case ResourceId::L2Tags:
        case ResourceId::L2Atomics:
            return Level::L2;
        case ResourceId::L1:
        case ResourceId::L1DataPipe:
        case ResourceId::LsuRequests:
            return Level::L1;
        case ResourceId::SharedPipe:
            return Level::Shared;
        default:
            return std::nullopt;
    }
}

namespace {

/// A total of Nsight Compute as a resource of its side (memory or SM): only if something of that
/// side is not known, or the rest would look idle beside a total that is not.
void addTotal(Resources& all, ResourceId id, bool memory, const Derived<Ratio>& total,
              bool lacking) {
    constexpr double kExplains = 0.02;
    if (!total.has()) return;
    double known = 0;
    for (const Resource& item : all.items)
        if (item.memory == memory || item.id == ResourceId::LsuRequests)
            known = std::max(known, item.busy);
    if (total->value <= known + kExplains) return;
    if (lacking || (total->value >= kBusyShare && known < kBusyShare))
        all.items.push_back(
            {.id = id, .memory = memory, .busy = total->value, .ofRoof = total->value});
}

}  // namespace

const Derived<Ratio>& integerUse(const Quantities& q) {
    const auto& products = q.integerProductUtilisation;
    return q.integerUtilisation.has() && products.has() &&
                   products->value > q.integerUtilisation->value
               ? products
               : q.integerUtilisation;
}

Resources resourcesOf(const Quantities& q) {
    Resources all;
    // What a total covers is not busier than it.
    const auto isIdle = [](const Derived<Ratio>& total) {
        return total.has() && total->value < kBusyShare;
    };
    const bool idleMemory = q.memoryThroughputOfAll && isIdle(q.memoryThroughput);
    const bool idleSm = isIdle(q.smThroughput);
    bool memoryLacks = false, smLacks = false;
    const auto add = [&](ResourceId id, bool memory, const Derived<Ratio>& use,
                         double attainable = 1.0, bool measured = false) {
        if (use.has()) {
            all.items.push_back({.id = id,
                                 .memory = memory,
                                 .busy = use->value / attainable,
                                 .ofRoof = use->value,
                                 .measured = measured});
            return;
        }
        (memory ? memoryLacks : smLacks) = true;
        if (!(memory ? idleMemory : idleSm)) noteMissing(all.missing, use.missing);
    };
    // A kernel above the attainable share has shown that more is attainable.
    const Derived<Ratio>& dram = q.utilisation[Level::Dram];
    add(ResourceId::Dram, true, dram,
        q.dramAttainable.has() ? std::max(q.dramAttainable->value, dram.has() ? dram->value : 0.0)
                               : 1.0,
        q.dramAttainable.has() && q.dramAttainableMeasured);
    add(ResourceId::L2, true, q.utilisation[Level::L2]);
    if (q.l2TagUtilisation.has())  // its counter group is recorded on request
        add(ResourceId::L2Tags, true, q.l2TagUtilisation);
    if (q.atomicUnitBusiest.has())  // its counter group is recorded on request
        add(ResourceId::L2Atomics, true, q.atomicUnitBusiest,
            q.atomicUnitReach.has() ? q.atomicUnitReach->value : 1.0);

    const bool mostlyShared = sharedPart(q) >= 0.5;
    if (mostlyShared) {
        add(ResourceId::L1, true, q.utilisation[Level::L1]);
        add(ResourceId::SharedPipe, true, q.sharedPipeUtilisation);
    } else {
        const Derived<Ratio>& l1 = q.sharedPipeUtilisation;
        const auto& bytes = q.utilisation[Level::L1];
        const bool byBytes = l1.has() && bytes.has() && bytes->value > l1->value;
        add(byBytes ? ResourceId::L1 : ResourceId::L1DataPipe, true, byBytes ? bytes : l1);
    }

    if (q.lsuRequests.has()) add(ResourceId::LsuRequests, true, q.lsuRequests);

    add(ResourceId::Fp64, false, q.pipeUtilisation[Precision::Fp64]);
    add(ResourceId::Fp32, false, q.pipeUtilisation[Precision::Fp32]);
    if (fp16CanMatter(q)) add(ResourceId::Fp16, false, q.pipeUtilisation[Precision::Fp16]);
    // Without HFMA2, which runs on the same pipe on some chips but is FP16 work. Up to 2 % remain
    // from constants and conversions; they are no tensor-core work either.
    Derived<Ratio> tensor = q.tensorInstructions.has() ? q.tensorInstructions : q.tensorUtilisation;
    if (tensor.has() && tensor->value < kTensorInUse) tensor = Derived<Ratio>::of({0}, tensor.how);
    add(ResourceId::Tensor, false, tensor);
    // Their counter group is recorded on request.
    if (q.integerUtilisation.has()) add(ResourceId::Integer, false, integerUse(q));
    if (q.specialFunctionUtilisation.has())
        add(ResourceId::SpecialFunction, false, q.specialFunctionUtilisation);
    if (q.issueUtilisation.has())  // only a supplement: nothing depends on it
        add(ResourceId::Issue, false, q.issueUtilisation);
    if (q.blockStartUtilisation.has() && q.blockStartUtilisation->value >= kBlockStartsLimit)
        add(ResourceId::BlockStarts, false, q.blockStartUtilisation);
    addTotal(all, ResourceId::MemoryTotal, true, q.memoryThroughput, memoryLacks);
    addTotal(all, ResourceId::SmTotal, false, q.smThroughput, smLacks);
    return all;
}

}  // namespace roofscope
