// SPDX-License-Identifier: Apache-2.0
#include "gui/app/documents.h"

#include <algorithm>
#include <set>
#include <utility>

#include "gui/models/text/file_name.h"
#include "gui/models/text/shown_text.h"

namespace roofscope::gui {

Documents::Documents(QObject* parent) : QObject(parent) {
    connect(&m_loader, &ProfileLoader::progress, this, &Documents::progress);
    connect(&m_loader, &ProfileLoader::loaded, this, &Documents::onLoaded);
    connect(&m_loader, &ProfileLoader::failed, this, &Documents::onFailed);
    connect(&m_loader, &ProfileLoader::cancelled, this, [this](const QString& path) {
        m_background.remove(path);
        m_analysed.remove(path);
        if (indexOf(path) < 0) m_watcher.forget(path);
        Q_EMIT cancelled(path);
    });
    connect(&m_loader, &ProfileLoader::finished, this, &Documents::onFinished);
    connect(&m_comparer, &BaselineComparer::compared, this,
            [this](const std::shared_ptr<const ReportBaseline>& baseline,
                   const std::shared_ptr<const Analysis>& candidate) {
                for (OpenDocument& open : m_documents)
                    if (open.document.analysis == candidate) open.since = baseline;
                Q_EMIT comparisonChanged();
            });
    connect(&m_watcher, &FileWatcher::changed, this, [this](const QString& path) {
        m_background.insert(path);
        m_analysed.remove(path);
        m_loader.load(path);
    });
}

void Documents::open(const QStringList& paths) {
    for (const QString& path : paths) load(absolutePath(path));
}

void Documents::reopen(const OpenFiles& files) {
    QStringList found;
    for (const QString& file : files.files)
        if (fileExists(file)) found << file;
    if (found.isEmpty()) return;
    m_reopened = files;
    open(found);
}

OpenFiles Documents::openFiles() const {
    OpenFiles open{.shown = m_current};
    for (const OpenDocument& each : m_documents) {
        open.files << each.document.path;
        const auto kernel = each.selection.current;
        open.kernels << (kernel ? shownText(each.document.analysis->kernels[*kernel].fullName)
                                : QString());
    }
    return open;
}

void Documents::load(const QString& path) {
    // Watch first: the file may change while it is being read.
    m_watcher.watch(path);
    m_loader.load(path);
}

void Documents::reload() {
    if (const ProfileDocument* shown = document()) load(shown->path);
}

const OpenDocument* Documents::shown() const {
    return m_current < 0 ? nullptr : &m_documents[static_cast<std::size_t>(m_current)];
}

const ProfileDocument* Documents::document() const {
    return m_current < 0 ? nullptr : &shown()->document;
}

int Documents::indexOf(const QString& path) const {
    const auto found = std::ranges::find(
        m_documents, path, [](const OpenDocument& open) { return open.document.path; });
    return found == m_documents.end() ? -1 : static_cast<int>(found - m_documents.begin());
}

void Documents::show(int index, bool keepViewport) {
    m_current = index;
    Q_EMIT shownChanged(keepViewport);
    updateComparison();
}

void Documents::setCurrent(int index) {
    if (index == m_current || index >= int(m_documents.size())) return;
    show(index, false);
}

void Documents::onLoaded(const ProfileDocument& document) {
    const bool background = m_background.remove(document.path);
    Q_EMIT succeeded(document.path);
    if (const int known = indexOf(document.path); known >= 0)
        return replace(known, document, background);
    if (background) return;  // closed while it was being read again
    m_documents.push_back({.document = document, .selection = firstSelection(document)});
    if (!m_first.baseline.isEmpty() && document.path == absolutePath(m_first.baseline))
        m_baseline = document.path;
    m_current = firstShown(document.path);
    Q_EMIT added(int(m_documents.size()) - 1);
    show(m_current, false);
}

KernelSelection Documents::firstSelection(const ProfileDocument& document) const {
    // A file of the last session has its own selected kernel; --kernel applies to all others.
    const qsizetype known = m_reopened.files.indexOf(document.path);
    const QString wanted = known < 0 ? m_first.kernel : m_reopened.kernels.value(known);
    if (!wanted.isEmpty())
        if (const auto named = document.findNamed(wanted)) return KernelSelection::of(named);
    return document.analysis->kernels.empty() ? KernelSelection{} : KernelSelection::of(0);
}

/// Which document to show after a further one was added: the new one, with exceptions.
int Documents::firstShown(const QString& added) const {
    const int last = int(m_documents.size()) - 1;
    // The baseline is only for comparison: keep showing the first profile.
    if (added == m_baseline && last > 0) return 0;
    // When files are reopened, the one that was shown before stays in front.
    if (m_reopened.files.contains(added))
        if (const int front = indexOf(m_reopened.files.value(m_reopened.shown)); front >= 0)
            return front;
    return last;
}

void Documents::onFinished() {
    m_reopened = {};
    Q_EMIT idle();
    // Look only once: the command line's kernel refers to the files opened first.
    if (m_documents.empty() || std::exchange(m_kernelLookedUp, true) || m_first.kernel.isEmpty())
        return;
    const bool found = std::ranges::any_of(m_documents, [this](const OpenDocument& open) {
        return open.document.findNamed(m_first.kernel).has_value();
    });
    if (!found) Q_EMIT kernelUnknown(m_first.kernel);
}

void Documents::replace(int known, const ProfileDocument& document, bool background) {
    OpenDocument& open = at(known);
    const ProfileDocument before = open.document;
    KernelSelection selection;
    const auto same = [&](std::size_t kernel) {
        return document.findSame(before.analysis->kernels[kernel]);
    };
    if (open.selection.current) selection.current = same(*open.selection.current);
    // Several kernels may map to the same new one; the set removes duplicates.
    std::set<std::size_t> all;
    for (const std::size_t kernel : open.selection.all)
        if (const auto found = same(kernel)) all.insert(*found);
    if (selection.current) all.insert(*selection.current);
    selection.all.assign(all.begin(), all.end());
    open = {.document = document, .selection = selection};
    // The other documents were compared with the old contents.
    if (document.path == m_baseline)
        for (OpenDocument& other : m_documents) other.since = nullptr;
    if (known == m_current) {
        show(known, true);
    } else if (background && document.path == m_baseline) {
        Q_EMIT comparisonChanged();
        updateComparison();
    } else if (!background) {
        show(known, false);
    }
    if (!m_analysed.remove(document.path)) Q_EMIT replaced(before, document, !background);
}

void Documents::onFailed(const QString& path, const Error& error) {
    m_background.remove(path);
    QString message = QString::fromStdString(error.message());
    if (const int known = indexOf(path); known >= 0)
        message =
            tr("The file changed but cannot be read; what was loaded at %1 stays open. %2")
                .arg(at(known).document.loadedAt.toString(QStringLiteral("HH:mm:ss")), message);
    else
        m_watcher.forget(path);
    Q_EMIT failed(path, message);
}

void Documents::close(int index) {
    if (index < 0 || index >= int(m_documents.size())) return;
    const QString path = at(index).document.path;
    m_loader.cancel(path);  // it may be read again
    m_watcher.forget(path);
    if (path == m_baseline) {
        m_baseline.clear();
        for (OpenDocument& other : m_documents) other.since = nullptr;
    }
    m_documents.erase(m_documents.begin() + index);
    if (m_current > index || m_current == int(m_documents.size())) --m_current;
    Q_EMIT removed(index);
    show(m_current, false);
}

const KernelSelection& Documents::selection() const {
    static const KernelSelection none;
    return m_current < 0 ? none : shown()->selection;
}

void Documents::select(const KernelSelection& selection) {
    if (m_current < 0) return;
    OpenDocument& open = at(m_current);
    const std::size_t kernels = open.document.analysis->kernels.size();
    if (std::ranges::any_of(selection.all, [&](std::size_t kernel) { return kernel >= kernels; }))
        return;
    if (open.selection == selection) return;
    open.selection = selection;
    open.two = nullptr;
    Q_EMIT selectionChanged();
}

void Documents::setRange(const std::optional<TimeSpan>& range) {
    if (m_current < 0 || at(m_current).range == range) return;
    at(m_current).range = range;
    Q_EMIT rangeChanged();
}

std::optional<TimeSpan> Documents::range() const { return shown() ? shown()->range : std::nullopt; }

void Documents::setBaseline(const QString& path) {
    if (!path.isEmpty() && indexOf(path) < 0) return;
    if (path != m_baseline) {
        m_baseline = path;
        m_comparer.forget();
        for (OpenDocument& open : m_documents) open.since = nullptr;
    }
    if (m_current >= 0) at(m_current).two = nullptr;
    Q_EMIT comparisonChanged();
    updateComparison();
}

void Documents::toggleBaseline() {
    if (m_current >= 0) setBaseline(baselineIsShown() ? QString() : shown()->document.path);
}

bool Documents::baselineIsShown() const {
    return m_current >= 0 && shown()->document.path == m_baseline;
}

std::shared_ptr<const ReportBaseline> Documents::comparison() const {
    return m_current < 0 ? nullptr : shown()->since;
}

void Documents::compareSelected() {
    if (m_current < 0) return;
    OpenDocument& open = at(m_current);
    const KernelSelection& chosen = open.selection;
    if (chosen.all.size() != 2 || !chosen.current) return;
    const std::size_t other =
        chosen.all.front() == *chosen.current ? chosen.all.back() : chosen.all.front();
    open.two = compareKernelPair(open.document.analysis, other, *chosen.current);
    Q_EMIT selectionChanged();
}

void Documents::setConvention(Convention convention) {
    if (m_loader.convention() == convention) return;
    m_loader.setConvention(convention);
    Q_EMIT conventionChanged();
    for (const OpenDocument& open : m_documents) {
        m_background.insert(open.document.path);
        m_analysed.insert(open.document.path);
        m_loader.analyseAgain(open.document);
    }
}

void Documents::updateComparison() {
    m_comparer.forget();
    const int baseline = indexOf(m_baseline);
    if (m_current < 0 || baseline < 0 || baseline == m_current || shown()->since) return;
    Q_EMIT comparisonBegun();
    m_comparer.compare(at(baseline).document.analysis, shown()->document.analysis);
}

}  // namespace roofscope::gui
