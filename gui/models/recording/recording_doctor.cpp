// SPDX-License-Identifier: Apache-2.0
#include "gui/models/recording/recording_doctor.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSignalBlocker>
#include <algorithm>
#include <array>

#include "gui/models/text/shown_text.h"
#include "gui/models/text/translated_texts.h"

namespace roofscope::gui {
namespace {

/// Sanitises a text: doctor's facts come from files and environment variables of the machine.
QString clean(const QJsonValue& value) {
    constexpr std::size_t kLongest = 2000;
    return shownText(value.toString(), kLongest);
}

}  // namespace

std::optional<DoctorReport> parseDoctor(const QByteArray& json) {
    const QJsonObject root = QJsonDocument::fromJson(json).object();
    if (!root[QLatin1String("counters_readable")].isBool() ||
        !root[QLatin1String("checks")].isArray())
        return std::nullopt;
    DoctorReport report;
    report.countersReadable = root[QLatin1String("counters_readable")].toBool();
    for (const QJsonValue& value : root[QLatin1String("checks")].toArray()) {
        const QJsonObject object = value.toObject();
        const QString status = object[QLatin1String("status")].toString();
        const bool failed = status == QLatin1String("failed");
        if (!failed && status != QLatin1String("warning")) continue;
        DoctorReport::Check check{.id = clean(object[QLatin1String("id")]),
                                  .title = clean(object[QLatin1String("title")]),
                                  .detail = clean(object[QLatin1String("detail")]),
                                  .advice = clean(object[QLatin1String("advice")]),
                                  .failed = failed};
        for (const QJsonValue& command : object[QLatin1String("commands")].toArray())
            check.commands << clean(command);
        report.checks.push_back(std::move(check));
    }
    std::stable_partition(report.checks.begin(), report.checks.end(),
                          [](const DoctorReport::Check& check) { return check.failed; });
    return report;
}

QString DoctorReport::obstacle() const {
    // Without permission to read counters, durations can still be recorded. Without these, nothing.
    static constexpr std::array kNeeded{"driver", "gpu", "inject-library", "cupti",
                                        "temporary-folder"};
    for (const Check& check : checks)
        if (check.failed && std::ranges::find(kNeeded, check.id) != kNeeded.end())
            return check.detail.isEmpty()
                       ? check.title
                       : RecordingText::tr("%1: %2").arg(check.title, check.detail);
    return {};
}

QString DoctorReport::text() const {
    QStringList lines;
    for (const Check& check : checks) {
        lines << (check.failed ? RecordingText::tr("failed: %1: %2")
                               : RecordingText::tr("warning: %1: %2"))
                     .arg(check.title, check.detail);
        if (!check.advice.isEmpty()) lines << QStringLiteral("   → ") + check.advice;
        for (const QString& command : check.commands) lines << QStringLiteral("   $ ") + command;
    }
    return lines.join(QLatin1Char('\n'));
}

RecordingDoctor::RecordingDoctor(QObject* parent, std::chrono::milliseconds patience)
    : QObject(parent) {
    m_timer.setSingleShot(true);
    m_timer.setInterval(patience);
    m_process.setStandardInputFile(QProcess::nullDevice());
    connect(&m_timer, &QTimer::timeout, &m_process, &QProcess::kill);
    // A valid answer has a few kilobytes. Stop a program that writes without end.
    connect(&m_process, &QProcess::readyReadStandardOutput, this, [this] {
        constexpr qint64 kLargest = 4 << 20;
        if (m_process.bytesAvailable() > kLargest) m_process.kill();
    });
    connect(&m_process, &QProcess::readyReadStandardError, this, [this] {
        constexpr qsizetype kLongest = 4000;
        m_complaint = (m_complaint + m_process.readAllStandardError()).right(kLongest);
    });
    connect(&m_process, &QProcess::finished, this, [this] {
        m_timer.stop();
        Q_EMIT checked(parseDoctor(m_process.readAllStandardOutput()));
    });
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;
        m_timer.stop();
        Q_EMIT checked(std::nullopt);
    });
}

RecordingDoctor::~RecordingDoctor() {
    m_process.disconnect(this);
    m_process.kill();
    m_process.waitForFinished(1000);
}

void RecordingDoctor::start(const QString& program, const QStringList& arguments) {
    if (busy()) {
        const QSignalBlocker unheard(m_process);
        m_process.kill();
        m_process.waitForFinished(1000);
        m_process.readAllStandardOutput();
    }
    m_complaint.clear();
    m_timer.start();
    m_process.start(program, arguments, QIODevice::ReadOnly);
}

QString RecordingDoctor::complaint() const {
    const QList<QByteArray> lines = m_complaint.trimmed().split('\n');
    return shownText(QString::fromUtf8(lines.back().trimmed()));
}

}  // namespace roofscope::gui
