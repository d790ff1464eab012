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

/// The lines of the program that launch kernels and call CUDA, each in its file, where that is on
/// this machine or the user finds it.
class LaunchSitesPage : public QWidget {
    Q_OBJECT
public:
    explicit LaunchSitesPage(QWidget* parent = nullptr);

    void setAnalysis(const std::shared_ptr<const Analysis>& analysis);
    /// Where the search for a file begins.
    void setFolder(const QString& folder) { m_folder = folder; }
    /// Shows a line of a file; of a file that is not here, what is known of it.
    void goTo(const QString& file, int line);
    /// Takes the text of the present file from a copy; says whether that can be read.
    bool locate(const QString& path);
    [[nodiscard]] QPlainTextEdit& code() const { return *m_code; }
    [[nodiscard]] QString note() const;

Q_SIGNALS:
    void said(const QString& message);

private:
    void markPlace();
    void askForFile();

    std::vector<LaunchSite> m_sites;
    CodeFiles m_files;
    QString m_folder;
    QString m_file;   ///< as recorded
    QString m_shown;  ///< where its text was read; empty: nowhere
    int m_line = 0;
    QComboBox* m_choice = nullptr;
    QPushButton* m_find = nullptr;
    QLabel* m_note = nullptr;
    QPlainTextEdit* m_code = nullptr;
};

}  // namespace roofscope::gui
