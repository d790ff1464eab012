// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

namespace roofscope::gui {

/// Turns the output of a program into clean lines of text. Uses bounded memory, however much is
/// written. Removes terminal codes; a carriage return restarts the line, for progress bars.
class RecordingOutput {
public:
    /// Longest line, in bytes of the raw output; longer lines are broken.
    static constexpr qsizetype kLongestLine = 4000;
    /// Most lines kept for takeLines(). If there are more, the oldest are replaced by a note.
    static constexpr qsizetype kMostWaiting = 2000;

    void add(const QByteArray& bytes);
    /// The output has ended: completes a last line without line end.
    void finish();

    /// The lines completed since the last call.
    [[nodiscard]] QStringList takeLines();
    /// The text so far of the line that is not complete yet.
    [[nodiscard]] QString current() const;
    /// The last message of roofscope itself, without "roofscope: "; may be empty.
    [[nodiscard]] const QString& lastNote() const { return m_lastNote; }
    /// The last line that is not blank, whoever wrote it; may be empty.
    [[nodiscard]] const QString& lastLine() const { return m_lastLine; }

private:
    void endLine();

    QByteArray m_line;
    bool m_returned = false;  ///< the last character was a carriage return
    QStringList m_waiting;
    qint64 m_leftOut = 0;
    QString m_lastNote, m_lastLine;
};

}  // namespace roofscope::gui
