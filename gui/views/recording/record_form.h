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
    /// Shows the default output path, used if the field is empty.
    void proposeOutput(const QString& path);
    void focusFirst();

Q_SIGNALS:
    void changed();
    /// The machine that records has changed.
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
    std::vector<QPushButton*> m_local;  ///< Browse buttons that are only useful on this machine
    QString m_chosenHost;
};

}  // namespace roofscope::gui
