// SPDX-License-Identifier: Apache-2.0
#include "gui/app/documents.h"

#include <algorithm>
#include <set>
#include <utility>

#include "gui/models/text/file_name.h"

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
    connect(&m_loader, &ProfileLoader::finished, this, &Documents::idle);
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
    OpenDocument open{.document = document};
    if (!document.analysis->kernels.empty()) open.selection = KernelSelection::of(0);
    if (!m_first.kernel.isEmpty())
        if (const auto named = document.findNamed(m_first.kernel))
            open.selection = KernelSelection::of(named);
    m_documents.push_back(std::move(open));
    m_current = int(m_documents.size()) - 1;
    if (!m_first.baseline.isEmpty() && document.path == absolutePath(m_first.baseline)) {
        m_baseline = document.path;
        // The baseline is only for comparison: keep showing the first profile.
        if (m_documents.size() > 1) m_current = 0;
    }
    Q_EMIT added(int(m_documents.size()) - 1);
    show(m_current, false);
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

void Documents::compareSelected() {
    if (m_current < 0) return;
    OpenDocument& open = at(m_current);
    const KernelSelection& chosen = open.selection;
    if (chosen.all.size() != 2 || !chosen.current) return;
    const std::size_t other =
        chosen.all.front() == *chosen.current ? chosen.all.back() : chosen.all.front();
    open.two = compareTwo(open.document.analysis, other, *chosen.current);
    Q_EMIT selectionChanged();
}

void Documents::setConvention(Convention convention) {
    if (m_loader.convention() == convention) return;
    m_loader.setConvention(convention);
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
