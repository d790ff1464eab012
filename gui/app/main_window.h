// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMainWindow>
#include <memory>
#include <optional>
#include <vector>

#include "gui/app/documents.h"
#include "gui/app/export.h"
#include "gui/app/place_history.h"
#include "gui/app/session.h"
#include "gui/app/translation.h"
#include "gui/app/workspace.h"
#include "gui/views/widgets/theme.h"

namespace roofscope::gui {

class MainMenu;
class RecordDialog;
class StatusArea;
struct RecordingRequest;

/// The main window. Shows one of the open Documents in a Workspace, alone or compared with the
/// baseline, and carries out the actions of the MainMenu.
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

    void open(const QStringList& paths) { m_documents.open(paths); }
    /// Opens what was open when the last window was closed.
    void openLastSession();
    void reload() { m_documents.reload(); }
    void closeDocument(int index) { m_documents.close(index); }
    void closeShown() { closeDocument(m_documents.current()); }
    /// The document that is shown; nullptr when nothing is open.
    [[nodiscard]] const ProfileDocument* document() const { return m_documents.document(); }
    [[nodiscard]] std::optional<std::size_t> selectedKernel() const { return selection().current; }
    void selectKernel(std::optional<std::size_t> kernel) { select(KernelSelection::of(kernel)); }
    void select(const KernelSelection& selection) { m_documents.select(selection); }
    [[nodiscard]] const KernelSelection& selection() const { return m_documents.selection(); }
    /// Goes back (-1) or forward (1) to another selection and filter.
    void goThroughHistory(int step);
    /// Makes an open profile the baseline of the others; an empty path ends the comparison.
    void setBaseline(const QString& path) { m_documents.setBaseline(path); }
    void toggleBaseline();
    [[nodiscard]] const QString& baseline() const { return m_documents.baseline(); }
    /// The shown profile's comparison with the baseline; null until it is done, or without a
    /// baseline.
    [[nodiscard]] std::shared_ptr<const ReportBaseline> comparison() const;
    /// Compares the two kernels that are selected: the current one against the other.
    void compareSelected() { m_documents.compareSelected(); }
    [[nodiscard]] bool comparing() const { return m_documents.comparing(); }
    /// Changes how L2 and L1 traffic is counted, and analyses the open profiles again.
    void setConvention(Convention convention);
    void setTheme(ThemeChoice choice);
    /// Makes text and plots larger or smaller; 1 is the system's size.
    void setScale(double scale);
    /// Makes text and plots larger (positive) or smaller (negative) by some steps.
    void changeScale(int steps);
    [[nodiscard]] double scale() const { return m_scale; }
    /// Changes the language of the program and remembers the choice.
    void setLanguage(LanguageChoice choice);
    [[nodiscard]] LanguageChoice languageChoice() const { return m_languageChoice; }
    /// The language that was chosen in an earlier window.
    [[nodiscard]] static LanguageChoice storedLanguage();
    /// Shows a line in the source of the selected kernel; without a file the hottest line.
    void showSource(const QString& file, int line);
    /// Shows a source line that launches kernels.
    void showLaunchSite(const QString& file, int line);
    /// Shows the overview of the program, or (false) its kernels.
    void showOverview(bool overview);
    /// Maximises the focused part, or restores all parts.
    void maximiseFocused();

    [[nodiscard]] Result<void> exportTo(const QString& path) const;
    /// Writes a picture of the selected kernel. The file extension gives the format.
    [[nodiscard]] Result<void> exportPicture(Picture picture, const QString& path) const;

    void showOpenDialog();
    void showRecordDialog();
    /// Shows the dialog with the form filled in.
    void showRecordDialog(const RecordingRequest& request);
    /// Asks for a file name, then exports in this format ("svg", "csv", …).
    void exportDialog(const QString& suffix);
    void exportPictureDialog(Picture picture);
    void forgetRecent();
    void showAbout();
    void showHelp();

    [[nodiscard]] ProfileLoader& loader() { return m_documents.loader(); }
    [[nodiscard]] OverviewView& overview() { return m_views->overview(); }
    [[nodiscard]] RooflineView& roofline() { return m_views->roofline(); }
    [[nodiscard]] KernelTableView& kernels() { return m_views->kernels(); }
    [[nodiscard]] HintsView& hints() { return m_views->hints(); }
    [[nodiscard]] RooflinePage& plotSearch() { return m_views->rooflinePage(); }
    [[nodiscard]] DetailsView& details() { return m_views->details(); }
    [[nodiscard]] MessageBar& messageBar() { return m_views->messageBar(); }
    [[nodiscard]] StatusArea& status() { return *m_status; }
    [[nodiscard]] Workspace& workspace() { return *m_views; }

protected:
    void changeEvent(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void build();
    void connectViews();
    void connectDocuments();
    void rebuild();
    [[nodiscard]] QVariantMap viewState() const;
    void setViewState(const QVariantMap& state);
    void restore();
    void storeOpen();
    void addTab(const ProfileDocument& document);
    void showDocument(bool keepViewport);
    void showDevices();
    void showProgram();
    void showSelection();
    void showComparison();
    void showBaselineChoice();
    void showState();
    void showRecent();
    void applyFilter();
    void selectBoxed(const std::vector<std::size_t>& kernels, bool add);
    void recordHistory();
    void tellUnknownKernel();
    void tellReplaced(const ProfileDocument& before, const ProfileDocument& now, bool asked);
    void showError(const QString& message);
    void say(const QString& message);
    void sayWrote(const QString& path);
    void tell(const Result<void>& result, const QString& path);
    void makeRecordDialog();
    void renewRecordDialog();
    void offerComparison(const ProfileDocument& added);
    void showOffer();

    Setup m_setup;
    Session m_session;
    Documents m_documents;
    bool m_kernelSought = false;  ///< Setup::kernel was looked up in the first files opened
    Session::Open m_reopening;    ///< the last session, while its files are being opened
    ThemeChoice m_themeChoice = ThemeChoice::System;
    LanguageChoice m_languageChoice;
    Language m_builtIn;  ///< the language of the existing widgets
    double m_scale = 1;
    double m_fontSize = 0;  ///< in points, at scale 1
    PlaceHistory m_history;
    bool m_goingBack = false;
    /// A file that the record dialog wrote, and the profile that was shown before it.
    struct Recorded {
        QString path, before;
    };
    Recorded m_recorded;            ///< while the file is being opened
    Recorded m_offered;             ///< the comparison offered in the message bar
    bool m_overviewWanted = false;  ///< show the overview, if there is one, instead of the kernels

    Workspace* m_views = nullptr;
    MainMenu* m_menu = nullptr;
    StatusArea* m_status = nullptr;
    RecordDialog* m_recordDialog = nullptr;  ///< created on first use
};

}  // namespace roofscope::gui
