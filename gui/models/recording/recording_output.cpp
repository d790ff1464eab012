// SPDX-License-Identifier: Apache-2.0
#include "gui/models/recording/recording_output.h"

#include <QCoreApplication>
#include <utility>

#include "gui/models/text/shown_text.h"

namespace roofscope::gui {
namespace {

QString clean(const QByteArray& line) {
    const std::size_t longest = static_cast<std::size_t>(RecordingOutput::kLongestLine);
    return shownText({line.constData(), static_cast<std::size_t>(line.size())}, longest);
}

}  // namespace

void RecordingOutput::add(const QByteArray& bytes) {
    for (const char c : bytes) {
        if (c == '\n') {
            endLine();
            continue;
        }
        // "\r\n" is a line end, but "\r" before other text restarts the line. So decide about "\r"
        // when the next character is known.
        if (std::exchange(m_returned, false)) m_line.clear();
        if (c == '\r') {
            m_returned = true;
        } else {
            m_line.append(c);
            if (m_line.size() >= kLongestLine) endLine();
        }
    }
}

void RecordingOutput::finish() {
    if (!m_line.isEmpty()) endLine();
}

void RecordingOutput::endLine() {
    m_returned = false;
    const QString line = clean(std::exchange(m_line, {}));
    static const QString prefix = QStringLiteral("roofscope: ");
    if (line.startsWith(prefix)) m_lastNote = line.mid(prefix.size());
    if (!line.trimmed().isEmpty()) m_lastLine = line;
    m_waiting << line;
    // Drop half of the lines at once: dropping them one by one would move all others each time.
    if (m_waiting.size() > 2 * kMostWaiting) {
        m_leftOut += kMostWaiting;
        m_waiting.remove(0, kMostWaiting);
    }
}

QStringList RecordingOutput::takeLines() {
    QStringList lines = std::exchange(m_waiting, {});
    if (lines.size() > kMostWaiting) {
        m_leftOut += lines.size() - kMostWaiting;
        lines.remove(0, lines.size() - kMostWaiting);
    }
    if (const qint64 leftOut = std::exchange(m_leftOut, 0); leftOut > 0)
        lines.prepend(QCoreApplication::translate("Recording", "(%1 lines left out)").arg(leftOut));
    return lines;
}

QString RecordingOutput::current() const { return clean(m_line); }

}  // namespace roofscope::gui
