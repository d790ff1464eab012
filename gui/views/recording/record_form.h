// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <vector>

#include "gui/models/recording/recording_request.h"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;

namespace roofscope::gui {

/// The fields of the Record dialog.
class RecordForm : public QWidget {
    Q_OBJECT
public:
    explicit RecordForm(QWidget* parent = nullptr);

    [[nodiscard]] RecordingRequest request() const;
    void setRequest(const RecordingRequest& request);
    /// Where the profile goes when nothing else is written there.
    void proposeOutput(const QString& path);
    void focusFirst();

Q_SIGNALS:
    void changed();
    /// Another machine was named, or this one again.
    void hostChosen();

private:
    QLineEdit* line(const QString& name, const QString& hint);
    QSpinBox* number(const QString& name, int most, const QString& tip);
    void addProgram(QFormLayout& to);
    void addMeasurement(QFormLayout& to);
    void addBrowsed(QFormLayout& to, const QString& name, QLineEdit* edit, bool folder);
    [[nodiscard]] QWidget* groupTable();
    void browse(QLineEdit* line, const QString& title, bool folder);
    void hostEdited();

    QLabel* m_purpose = nullptr;
    QLineEdit *m_host = nullptr, *m_program = nullptr, *m_arguments = nullptr, *m_folder = nullptr;
    QPlainTextEdit* m_environment = nullptr;
    std::vector<QCheckBox*> m_groups;
    QComboBox* m_effort = nullptr;
    QLineEdit *m_kernel = nullptr, *m_options = nullptr, *m_output = nullptr;
    QSpinBox *m_source = nullptr, *m_timing = nullptr;
    std::vector<QPushButton*> m_local;  ///< look for what is on this machine
    QString m_chosenHost;
};

}  // namespace roofscope::gui
