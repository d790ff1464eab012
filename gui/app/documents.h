// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QSet>
#include <QStringList>
#include <memory>
#include <optional>
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
    std::optional<TimeSpan> range = {};                ///< the range selected in the timeline
};

/// The files that were open, and what was selected in them.
struct OpenFiles {
    QStringList files;
    QStringList kernels;  ///< for each file, the full name of the selected kernel, or empty
    int shown = 0;        ///< index of the file that was shown
};

/// The open profiles: which one is shown, what is selected and what it is compared with. Uses no
/// widgets; the window follows the signals.
class Documents : public QObject {
    Q_OBJECT
public:
    explicit Documents(QObject* parent = nullptr);

    /// Opens files. A file that is already open is reloaded and shown.
    void open(const QStringList& paths);
    /// Opens those files that still exist, with their earlier selection.
    void reopen(const OpenFiles& files);
    /// Whether files of reopen() are still being loaded.
    [[nodiscard]] bool reopening() const { return !m_reopened.files.isEmpty(); }
    [[nodiscard]] OpenFiles openFiles() const;
    void reload();
    void close(int index);
    void setCurrent(int index);

    [[nodiscard]] const std::vector<OpenDocument>& all() const { return m_documents; }
    [[nodiscard]] int current() const { return m_current; }
    /// The document that is shown; null when nothing is open.
    [[nodiscard]] const OpenDocument* shown() const;
    [[nodiscard]] const ProfileDocument* document() const;
    [[nodiscard]] int indexOf(const QString& path) const;

    [[nodiscard]] const KernelSelection& selection() const;
    void select(const KernelSelection& selection);
    [[nodiscard]] std::optional<std::size_t> selectedKernel() const { return selection().current; }
    void selectKernel(std::optional<std::size_t> kernel) { select(KernelSelection::of(kernel)); }

    /// Selects a range of the shown document's timeline, or none.
    void setRange(const std::optional<TimeSpan>& range);
    [[nodiscard]] std::optional<TimeSpan> range() const;

    /// Makes an open profile the baseline of the others; an empty path ends the comparison.
    void setBaseline(const QString& path);
    /// Makes the shown profile the baseline; if it already is, ends the comparison.
    void toggleBaseline();
    [[nodiscard]] const QString& baseline() const { return m_baseline; }
    [[nodiscard]] bool baselineIsShown() const;
    /// The shown profile's comparison with the baseline; null until it is done, or without a
    /// baseline.
    [[nodiscard]] std::shared_ptr<const ReportBaseline> comparison() const;
    [[nodiscard]] bool comparing() const { return m_comparer.busy(); }
    /// Compares the two selected kernels: the current one against the other.
    void compareSelected();
    /// Changes how L2 and L1 traffic is counted, and analyses the open profiles again.
    void setConvention(Convention convention);
    [[nodiscard]] Convention convention() const { return m_loader.convention(); }

    [[nodiscard]] ProfileLoader& loader() { return m_loader; }

    /// Applied to every profile that is opened from now on.
    struct InitialSelection {
        QString kernel = {};    ///< select the first kernel with this text in its name or range
        QString baseline = {};  ///< this file becomes the baseline; the first profile stays shown
    };
    void setInitialSelection(const InitialSelection& view) { m_first = view; }

Q_SIGNALS:
    void added(int index);
    void removed(int index);
    /// Another document is shown, or the shown one was replaced by its file's new contents.
    void shownChanged(bool keepViewport);
    void selectionChanged();
    void rangeChanged();
    /// The baseline or its comparison changed; there may be none now.
    void comparisonChanged();
    void comparisonBegun();
    void conventionChanged();
    void progress(const QString& path, roofscope::gui::ProfileLoader::Stage stage, int percent);
    /// Every queued file has been read.
    void idle();
    /// None of the files opened first has a kernel that matches InitialSelection::kernel.
    void kernelUnknown(const QString& kernel);
    /// A file was read, even if an earlier attempt failed.
    void succeeded(const QString& path);
    void failed(const QString& path, const QString& message);
    void cancelled(const QString& path);
    /// An open file was read again. `asked`: the user reloaded it; else it changed on disk.
    void replaced(const roofscope::gui::ProfileDocument& before,
                  const roofscope::gui::ProfileDocument& now, bool asked);

private:
    void load(const QString& path);
    [[nodiscard]] KernelSelection firstSelection(const ProfileDocument& document) const;
    [[nodiscard]] int firstShown(const QString& added) const;
    void onFinished();
    void onLoaded(const ProfileDocument& document);
    void replace(int known, const ProfileDocument& document, bool background);
    void onFailed(const QString& path, const Error& error);
    void show(int index, bool keepViewport);
    /// Starts comparing the shown document with the baseline, unless that is already done.
    void updateComparison();
    [[nodiscard]] OpenDocument& at(int index) {
        return m_documents[static_cast<std::size_t>(index)];
    }

    InitialSelection m_first;
    bool m_kernelLookedUp =
        false;             ///< InitialSelection::kernel was looked up in the first files opened
    OpenFiles m_reopened;  ///< the files that are being reopened
    ProfileLoader m_loader;
    FileWatcher m_watcher;
    std::vector<OpenDocument> m_documents;
    int m_current = -1;
    QString m_baseline;  ///< path; may be empty
    BaselineComparer m_comparer;
    QSet<QString> m_background;  ///< paths whose reload must not change which document is shown
    QSet<QString> m_analysed;    ///< paths that are only analysed again; the file did not change
};

}  // namespace roofscope::gui
