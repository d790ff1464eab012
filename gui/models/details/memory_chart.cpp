// SPDX-License-Identifier: Apache-2.0
#include "gui/models/details/memory_chart.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "analyzer/quantities/cache_traffic.h"
#include "analyzer/roofline/resources.h"
#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
#include "profile/chips/chip.h"
#include "reports/language/term_words.h"

namespace roofscope::gui {
namespace {

/// Translation context for the texts of this file.
struct MemoryChartText {
    Q_DECLARE_TR_FUNCTIONS(MemoryChart)
};

QString levelName(Level level) {
    return level == Level::Shared ? MemoryChartText::tr("Shared memory")
                                  : QString::fromUtf8(toString(level));
}

class ChartBuilder {
    Q_DECLARE_TR_FUNCTIONS(MemoryChart)
public:
    ChartBuilder(const Analysis& analysis, const KernelAnalysis& kernel)
        : m_kernel(kernel), m_q(kernel.quantities) {
        const Profile& profile = *analysis.profile;
        if (kernel.group.device < profile.devices.size()) {
            const Device& device = profile.devices[kernel.group.device];
            m_sms = device.smCount;
            if (auto table = chipTable(device)) m_chip = *std::move(table);
        }
        m_traffic = cacheTraffic(profile, kernel.group, m_chip ? &*m_chip : nullptr);
    }

    MemoryChart build() {
        m_chart.kernel = shownText(m_kernel.name);
        boxes();
        sharedLink();
        l1Link();
        l2Link();
        dramLink();
        QStringList shares;
        for (const Level level : kLevels)
            shares << tr("%1: %2").arg(levelName(level), m_chart.links[level].share);
        m_chart.description =
            tr("Memory traffic of one launch. %1").arg(shares.join(QStringLiteral("; ")));
        return std::move(m_chart);
    }

private:
    /// How a number was obtained. If it is missing: the command that would measure it.
    template <class T>
    QString tipOf(const QString& name, const Derived<T>& derived) const {
        QString tip = QStringLiteral("%1: %2").arg(name, text(derived));
        const QString how = howText(derived);
        if (!how.isEmpty()) tip += QLatin1Char('\n') + how;
        if (derived.has() || derived.missing.empty() || !m_chip) return tip;
        QStringList groups;
        for (const std::string& group : counterGroupsWith(*m_chip, derived.missing.str()))
            groups << QString::fromStdString(group);
        if (groups.isEmpty()) return tip;
        if (!groups.contains(QStringLiteral("default"))) groups.prepend(QStringLiteral("default"));
        return tip + QLatin1Char('\n') +
               tr("To measure it: roofscope record --groups %1 -- PROGRAM")
                   .arg(groups.join(QLatin1Char(',')));
    }

    template <class T>
    static QString amount(const Derived<T>& derived) {
        return text(derived);
    }
    static QString amount(const Derived<double>& derived) { return countText(derived.value); }

    template <class T>
    ChartRow row(const QString& name, const QString& readName, const Derived<T>& read,
                 const QString& writeName, const Derived<T>& write) const {
        return {.name = name,
                .read = amount(read),
                .write = amount(write),
                .tip = tipOf(readName, read) + QStringLiteral("\n\n") + tipOf(writeName, write)};
    }

    template <class T>
    static bool moves(const Derived<T>& derived) {
        if constexpr (std::is_same_v<T, double>)
            return derived.has() && *derived > 0;
        else
            return derived.has() && derived->value > 0;
    }

    /// The chart's link of a level with everything filled in except its rows.
    ChartLink& link(Level level, const QString& readName, const QString& writeName) {
        const Derived<Ratio>& share = m_q.utilisation[level];
        ChartLink& link = m_chart.links[level];
        link.readName = readName;
        link.writeName = writeName;
        if (m_q.bytes[level].has() || m_q.bandwidth[level].has())
            link.amount = tr("%1 at %2").arg(text(m_q.bytes[level]), text(m_q.bandwidth[level]));
        link.share = share.has() ? tr("%1 of peak").arg(text(share)) : missingText();
        if (share.has() && std::isfinite(share->value))
            link.level = std::clamp(share->value, 0.0, 1.0);
        const QString name = levelName(level);
        link.tip =
            tipOf(tr("%1, share of the theoretical peak").arg(name), share) +
            QStringLiteral("\n\n") + tipOf(tr("%1 bandwidth").arg(name), m_q.bandwidth[level]) +
            QStringLiteral("\n\n") + tipOf(tr("%1 bytes per launch").arg(name), m_q.bytes[level]);
        return link;
    }

    ChartBox hitRate(const QString& title, const Derived<Ratio>& rate) const {
        return {.title = title,
                .label = tr("hit rate"),
                .value = text(rate),
                .tip = tipOf(tr("%1 hit rate").arg(title), rate),
                .measured = rate.has() || rate.notApplicable()};
    }

    void boxes() {
        m_chart.sm = {.title = tr("Kernel"),
                      .label = m_sms > 0 ? tr("%1 SMs").arg(m_sms) : QString(),
                      .value = m_q.duration.count > 0 ? text(m_q.duration.median) : missingText(),
                      .tip = tr("Duration per launch, median over %1 launches")
                                 .arg(text(double(m_kernel.group.launches.size()))),
                      .measured = m_q.duration.count > 0};
        m_chart.l1 = hitRate(QStringLiteral("L1/TEX"), m_traffic.l1HitRate);
        m_chart.l1.tip += QStringLiteral("\n\n") +
                          tipOf(tr("Hit rate of global loads"), m_traffic.l1LoadHitRate) +
                          QStringLiteral("\n\n") +
                          tipOf(tr("Hit rate of global stores"), m_traffic.l1StoreHitRate);
        m_chart.l2 = hitRate(QStringLiteral("L2"), m_traffic.l2HitRate);
        const Derived<Ratio>& excess = m_q.shared.excessCertain;
        m_chart.shared = {.title = tr("Shared"),
                          .label = tr("conflicts"),
                          .value = text(excess),
                          .tip = tipOf(tr("Wavefronts that are certainly excess"), excess),
                          .measured = excess.has() || excess.notApplicable()};
        const Derived<Ratio>& attainable = m_q.dramAttainable;
        m_chart.dram = {.title = QStringLiteral("DRAM"),
                        .label = tr("attainable"),
                        .value = text(attainable),
                        .tip = tipOf(tr("Share of the theoretical peak that this mix of reads and "
                                        "writes can reach"),
                                     attainable),
                        .measured = attainable.has() || attainable.notApplicable()};
    }

    void sharedLink() {
        ChartLink& to = link(Level::Shared, tr("loads"), tr("stores"));
        to.rows = {
            row(tr("requests"), tr("Shared loads, warp instructions"), m_q.sharedLoads.instructions,
                tr("Shared stores, warp instructions"), m_q.sharedStores.instructions),
            row(tr("wavefronts"), tr("Wavefronts of shared loads"), m_q.sharedLoads.wavefronts,
                tr("Wavefronts of shared stores"), m_q.sharedStores.wavefronts)};
        to.reads = moves(m_q.sharedLoads.wavefronts);
        to.writes = moves(m_q.sharedStores.wavefronts);
    }

    void l1Link() {
        ChartLink& to = link(Level::L1, tr("loads"), tr("stores"));
        to.rows = {row(tr("requests"), tr("Global loads, warp instructions"), m_q.loads.requests,
                       tr("Global stores, warp instructions"), m_q.stores.requests),
                   row(tr("sectors"), tr("Sectors of global loads"), m_q.loads.sectors,
                       tr("Sectors of global stores"), m_q.stores.sectors),
                   row(tr("requested"), tr("Bytes that global loads ask for"), m_q.loads.requested,
                       tr("Bytes that global stores ask for"), m_q.stores.requested)};
        // Local memory (spills) gets a row only if there is such traffic.
        if (moves(m_q.localSectors))
            to.rows.push_back({.name = tr("local"),
                               .read = amount(m_q.localSectors),
                               .tip = tipOf(tr("Sectors of local memory"), m_q.localSectors)});
        to.reads = moves(m_q.loads.sectors) || moves(m_q.localSectors);
        to.writes = moves(m_q.stores.sectors) || moves(m_q.localSectors);
    }

    void l2Link() {
        ChartLink& to = link(Level::L2, tr("reads"), tr("writes"));
        to.rows = {row(tr("bytes"), tr("Bytes that the L2 returned"), m_traffic.l2Read,
                       tr("Bytes written to the L2"), m_traffic.l2Write),
                   row(tr("sectors"), tr("Sectors looked up to read"), m_traffic.l2ReadSectors,
                       tr("Sectors looked up to write"), m_traffic.l2WriteSectors)};
        if (m_traffic.bulkRead.has() || m_traffic.bulkWrite.has())
            to.rows.push_back(row(tr("bulk copies"), tr("Bytes read by bulk copies (TMA)"),
                                  m_traffic.bulkRead, tr("Bytes written by bulk copies (TMA)"),
                                  m_traffic.bulkWrite));
        to.reads = moves(m_traffic.l2Read);
        to.writes = moves(m_traffic.l2Write);
    }

    void dramLink() {
        ChartLink& to = link(Level::Dram, tr("reads"), tr("writes"));
        to.rows = {
            row(tr("bytes"), tr("Bytes read"), m_q.dramRead, tr("Bytes written"), m_q.dramWrite)};
        to.reads = moves(m_q.dramRead);
        to.writes = moves(m_q.dramWrite);
    }

    const KernelAnalysis& m_kernel;
    const Quantities& m_q;
    std::optional<ChipTable> m_chip;
    std::uint32_t m_sms = 0;
    CacheTraffic m_traffic;
    MemoryChart m_chart;
};

/// Marks the resource that the verdict names as the limiter, as on the roofline's ruler.
void markLimit(MemoryChart& chart, const KernelAnalysis& kernel) {
    const Resources resources = resourcesOf(kernel.quantities);
    const Resource* limiter =
        kernel.verdict.limiter ? resources.find(*kernel.verdict.limiter) : nullptr;
    if (!limiter) return;
    chart.limit = MemoryChartText::tr("limits: %1 %2")
                      .arg(shownText(resourceWords(limiter->id, shownLanguage())),
                           text(Ratio{limiter->busy}));
    chart.limited = levelOf(limiter->id);
}

}  // namespace

std::optional<MemoryChart> memoryChart(const Analysis& analysis, std::size_t kernel) {
    if (!analysis.profile || kernel >= analysis.kernels.size()) return std::nullopt;
    MemoryChart chart = ChartBuilder(analysis, analysis.kernels[kernel]).build();
    markLimit(chart, analysis.kernels[kernel]);
    return chart;
}

}  // namespace roofscope::gui
