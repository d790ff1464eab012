// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QScrollArea>

#include "gui/models/kernels/kernel_answer_text.h"
#include "reports/plot/draw_list.h"

class QToolButton;
class QVBoxLayout;

namespace roofscope::gui {

/// A section with a title that shows or hides its content.
class Fold : public QWidget {
    Q_OBJECT
public:
    Fold(const QString& title, QWidget* content, bool open = false);
    [[nodiscard]] bool isOpen() const;
    void setOpen(bool open);
    [[nodiscard]] QToolButton* button() const { return m_button; }

private:
    QToolButton* m_button = nullptr;
    QWidget* m_content = nullptr;
};

/// The answer to "what limits this kernel, and what do I edit?": the verdict, the headroom, a bar
/// per resource, then a card per fix. Facts about the measurement are in folded sections at the
/// end.
class AnswerView : public QScrollArea {
    Q_OBJECT
public:
    explicit AnswerView(QWidget* parent = nullptr);

    void setAnswer(const std::optional<KernelAnswerText>& answer);
    [[nodiscard]] const std::optional<KernelAnswerText>& answer() const { return m_answer; }
    void setTheme(plot::Theme theme);

Q_SIGNALS:
    /// The edit of a fix was copied.
    void copied(const QString& title);
    void sourceRequested(const QString& file, int line);
    /// The user wants to record what is missing, with this filled-in form.
    void recordRequested(const roofscope::gui::RecordingRequest& request);

private:
    void render();
    void addVerdict();
    void addBars();
    void addStalls();
    /// A table of names, bars and values. What limits the kernel has bold text and a red bar.
    [[nodiscard]] QWidget* barTable(const std::vector<KernelAnswerText::Bar>& bars) const;
    void addFix(const KernelAnswerText::Fix& fix, std::size_t number);
    void addRecord();
    void addRest();

    std::optional<KernelAnswerText> m_answer;
    plot::Theme m_theme = plot::Theme::Light;
    QVBoxLayout* m_layout = nullptr;
};

}  // namespace roofscope::gui
