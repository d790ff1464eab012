// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "analyzer/model/analysis.h"
#include "gui/models/source/code_files.h"
#include "gui/models/source/launch_sites.h"

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace roofscope::gui {

/// The source lines that launch kernels or call CUDA. Shows each in its file, if that is found on
/// this machine.
class LaunchSitesPage : public QWidget {
    Q_OBJECT
public:
    explicit LaunchSitesPage(QWidget* parent = nullptr);

    void setAnalysis(const std::shared_ptr<const Analysis>& analysis);
    /// Where the file dialog starts.
    void setFolder(const QString& folder) { m_folder = folder; }
    /// Shows a line of a file. If the file is not on this machine, shows only its path and calls.
    void goTo(const QString& file, int line);
    /// Uses `path` as a copy of the current file; returns whether it can be read.
    bool locate(const QString& path);
    [[nodiscard]] QPlainTextEdit& code() const { return *m_code; }
    [[nodiscard]] QString note() const;

Q_SIGNALS:
    void said(const QString& message);

private:
    void goTo(const LaunchSite& site);
    void markPlace();
    void askForFile();

    std::vector<LaunchSite> m_sites;
    CodeFiles m_files;
    QString m_folder;
    QString m_file;   ///< path as recorded
    QString m_shown;  ///< path of the displayed copy; empty: none
    int m_line = 0;
    QComboBox* m_choice = nullptr;
    QPushButton* m_find = nullptr;
    QLabel* m_note = nullptr;
    QPlainTextEdit* m_code = nullptr;
    QLabel* m_empty = nullptr;  ///< shown instead of the others if there are no sites
};

}  // namespace roofscope::gui
