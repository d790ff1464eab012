// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

namespace roofscope::gui {

/// Turns what a program writes into clean lines of text, in bounded memory however much it is.
/// Terminal codes are removed; a carriage return begins the line anew, as progress bars want it.
class RecordingOutput {
public:
    /// Longest line, in bytes as written; what is longer is broken.
    static constexpr qsizetype kLongestLine = 4000;
    /// Lines that wait for takeLines(); of more the oldest are left out, and that is said.
    static constexpr qsizetype kMostWaiting = 2000;

    void add(const QByteArray& bytes);
    /// The last line needs no end.
    void finish();

    /// Lines that are complete since the last call.
    [[nodiscard]] QStringList takeLines();
    /// The beginning of the line that is not complete yet.
    [[nodiscard]] QString current() const;
    /// The last thing that roofscope itself said, without "roofscope: "; may be empty.
    [[nodiscard]] const QString& lastNote() const { return m_lastNote; }
    /// The last line that says anything, whoever wrote it; may be empty.
    [[nodiscard]] const QString& lastLine() const { return m_lastLine; }

private:
    void endLine();

    QByteArray m_line;
    bool m_returned = false;  ///< a carriage return came last
    QStringList m_waiting;
    qint64 m_leftOut = 0;
    QString m_lastNote, m_lastLine;
};

}  // namespace roofscope::gui
