// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QSet>
#include <QStringList>
#include <memory>
#include <vector>

#include "gui/models/files/baseline_comparer.h"
#include "gui/models/files/file_watcher.h"
#include "gui/models/files/profile_loader.h"
#include "gui/models/kernels/kernel_selection.h"

namespace roofscope::gui {

/// A profile that is open, and what is selected in it.
struct OpenDocument {
    ProfileDocument document;
    KernelSelection selection = {};
    std::shared_ptr<const ReportBaseline> since = {};  ///< the baseline, once compared
    std::shared_ptr<const ReportBaseline> two = {};    ///< the two selected kernels, if compared
};

/// What is open, which of it is shown, what is selected, and what it is compared with. Knows no
/// widget: the window shows what the signals tell.
class Documents : public QObject {
    Q_OBJECT
public:
    explicit Documents(QObject* parent = nullptr);

    /// Opens files, or shows those that are open.
    void open(const QStringList& paths);
    void reload();
    void close(int index);
    /// Shows another one.
    void setCurrent(int index);

    [[nodiscard]] const std::vector<OpenDocument>& all() const { return m_documents; }
    [[nodiscard]] int current() const { return m_current; }
    /// The one that is shown; null when nothing is open.
    [[nodiscard]] const OpenDocument* shown() const;
    [[nodiscard]] const ProfileDocument* document() const;
    [[nodiscard]] int indexOf(const QString& path) const;

    [[nodiscard]] const KernelSelection& selection() const;
    void select(const KernelSelection& selection);

    /// Makes an open profile the baseline of the others; an empty path ends the comparison.
    void setBaseline(const QString& path);
    [[nodiscard]] const QString& baseline() const { return m_baseline; }
    [[nodiscard]] bool comparing() const { return m_comparer.busy(); }
    /// Compares the two selected kernels: the current one against the other.
    void compareSelected();
    /// Counts L2 and L1 in another way; open profiles are analysed again.
    void setConvention(Convention convention);

    [[nodiscard]] ProfileLoader& loader() { return m_loader; }

    /// What is to be selected in profiles that open from now on.
    struct FirstView {
        QString kernel = {};  ///< the first one with this text in its name or range
        QString baseline =
            {};  ///< this file becomes the baseline and the one before it stays shown
    };
    void setFirstView(const FirstView& view) { m_first = view; }

Q_SIGNALS:
    void added(int index);
    void removed(int index);
    /// Another document is shown, or the shown one was replaced by its file's new contents.
    void shownChanged(bool keepViewport);
    void selectionChanged();
    /// There is something else to compare with, or nothing any more.
    void comparisonChanged();
    void comparisonBegun();
    void progress(const QString& path, roofscope::gui::ProfileLoader::Stage stage);
    /// Nothing is being read any more.
    void idle();
    /// A file was read, whatever came of it before.
    void succeeded(const QString& path);
    void failed(const QString& path, const QString& message);
    void cancelled(const QString& path);
    /// An open file was read again; `asked`: because the user wanted it.
    void replaced(const roofscope::gui::ProfileDocument& before,
                  const roofscope::gui::ProfileDocument& now, bool asked);

private:
    void load(const QString& path);
    void onLoaded(const ProfileDocument& document);
    void replace(int known, const ProfileDocument& document, bool background);
    void onFailed(const QString& path, const Error& error);
    void show(int index, bool keepViewport);
    /// Begins to compare what is shown with the baseline, unless that is done.
    void updateComparison();
    [[nodiscard]] OpenDocument& at(int index) {
        return m_documents[static_cast<std::size_t>(index)];
    }

    FirstView m_first;
    ProfileLoader m_loader;
    FileWatcher m_watcher;
    std::vector<OpenDocument> m_documents;
    int m_current = -1;
    QString m_baseline;  ///< path; may be empty
    BaselineComparer m_comparer;
    QSet<QString> m_background;  ///< paths whose load must not change what is shown
    QSet<QString> m_analysed;    ///< of them, those whose file did not change
};

}  // namespace roofscope::gui
