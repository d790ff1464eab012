// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "analyzer/analysis.h"
#include "profile/result.h"
#include "reports/plot/draw_list.h"

class QLabel;
class QPushButton;
class QTextBrowser;

namespace roofscope::gui {

/// The hint report of the selected kernel, rendered, and the buttons that hand it on.
class HintsView : public QWidget {
    Q_OBJECT
public:
    explicit HintsView(QWidget* parent = nullptr);

    void setKernel(std::shared_ptr<const Analysis> analysis, std::optional<std::size_t> kernel,
                   const QString& profilePath);
    void setTheme(plot::Theme theme);
    [[nodiscard]] bool hasReport() const { return !m_markdown.isEmpty(); }
    /// The report as markdown: what is shown, copied and saved.
    [[nodiscard]] const QString& markdown() const { return m_markdown; }

    void copyForAssistant();
    void copyJson();
    void save();
    /// Writes the report to a file.
    [[nodiscard]] Result<void> saveTo(const QString& path) const;

Q_SIGNALS:
    /// Something was done ("Copied …"), for the status bar.
    void done(const QString& message);
    void failed(const roofscope::Error& error);

private:
    void render();

    std::shared_ptr<const Analysis> m_analysis;
    std::optional<std::size_t> m_kernel;
    QString m_profilePath, m_markdown;
    plot::Theme m_theme = plot::Theme::Light;
    QTextBrowser* m_browser = nullptr;
    QPushButton* m_copy = nullptr;
    QPushButton* m_json = nullptr;
    QPushButton* m_save = nullptr;
};

}  // namespace roofscope::gui
