// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMainWindow>
#include <optional>

#include "gui/app/contents.h"
#include "gui/app/documents.h"
#include "gui/app/file_actions.h"
#include "gui/app/history.h"
#include "gui/app/look.h"
#include "gui/app/messages.h"
#include "gui/app/recordings.h"
#include "gui/app/session.h"
#include "gui/app/workspace.h"

namespace roofscope::gui {

class MainMenu;
class StatusArea;

/// The main window: creates and connects its parts. Rebuilds Workspace and MainMenu when the
/// language changes.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    struct Setup {
        bool persistent = true;  ///< remembers layout, theme, files (Session)
        std::optional<ThemeChoice> theme;
        LanguageChoice language = {};  ///< the choice passed to useLanguage(), checked in the menu
        QString kernel;                ///< part of a kernel's name; selected in every profile
        QString baseline = {};         ///< path of the profile to use as the baseline
        QString details = {};          ///< first tab of the details, see DetailsView::showTab
        double scale = 0;              ///< size of text and plots; 0: as in the last session
    };
    explicit MainWindow(const Setup& setup);
    ~MainWindow() override;

    /// The initial size of a window, before any user resized it, on a screen with this space.
    [[nodiscard]] static QSize firstSize(const QSize& available);
    /// Opens what was open when the last window was closed.
    void openLastSession();

    /// What is open, what is selected, and the baseline.
    [[nodiscard]] Documents& documents() { return m_documents; }
    [[nodiscard]] History& history() { return m_history; }
    [[nodiscard]] Recordings& recordings() { return m_recordings; }
    [[nodiscard]] FileActions& files() { return m_files; }
    [[nodiscard]] Look& look() { return m_look; }
    [[nodiscard]] Session& session() { return m_session; }
    /// The widgets. A language change replaces them.
    [[nodiscard]] Workspace& views() { return *m_views; }
    [[nodiscard]] StatusArea& status() { return *m_status; }
    /// Shows a message in the status line.
    void say(const QString& text) { m_messages.say(text); }

protected:
    void changeEvent(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void build();
    void rebuild();
    void restore();
    [[nodiscard]] QVariantMap viewState() const;
    void setViewState(const QVariantMap& state);

    Setup m_setup;
    Session m_session;
    Documents m_documents;
    Messages m_messages;
    Look m_look;
    Contents m_contents;
    History m_history;  ///< after the contents, whose first state is the first place
    Recordings m_recordings;
    FileActions m_files;
    Language m_widgetLanguage;  ///< of the existing widgets

    Workspace* m_views = nullptr;
    MainMenu* m_menu = nullptr;
    StatusArea* m_status = nullptr;
};

}  // namespace roofscope::gui
