// SPDX-License-Identifier: Apache-2.0
#include "gui/models/text/number_text.h"

#include <QCoreApplication>
#include <QLocale>
#include <cmath>

#include "gui/models/text/shown_text.h"
#include "reports/language/number_format.h"

namespace roofscope::gui {
namespace {

/// Translation context for the texts of this file.
struct NumberText {
    Q_DECLARE_TR_FUNCTIONS(NumberText)
};

/// Replaces spaces by non-breaking spaces.
QString unbroken(const std::string& words) {
    return QString::fromStdString(words).replace(QLatin1Char(' '), QChar(QChar::Nbsp));
}

QString grouped(double whole) {
    return QLocale(QLocale::English, QLocale::UnitedStates).toString(whole, 'f', 0);
}

}  // namespace

QString missingText() { return QStringLiteral("–"); }

QString text(double value, Unit unit) { return unbroken(formatNumber(value, unit)); }
QString text(Seconds time) { return text(time.value, Unit::Seconds); }
QString text(Bytes bytes) { return text(bytes.value, Unit::Bytes); }
QString text(BytesPerSecond rate) { return text(rate.value, Unit::BytesPerSecond); }
QString text(FlopsPerSecond rate) { return text(rate.value, Unit::FlopsPerSecond); }
QString text(Hertz frequency) { return text(frequency.value, Unit::Hertz); }
QString text(Ratio share) { return text(share.value, Unit::Share); }
QString text(Flops operations) { return unbroken(formatSi(operations.value, "FLOP")); }
QString text(FlopsPerByte intensity) { return unbroken(formatIntensity(intensity.value)); }

QString text(Flops operations, const Arithmetic& arithmetic) {
    return unbroken(formatOperations(operations.value, arithmetic));
}
QString text(FlopsPerSecond rate, const Arithmetic& arithmetic) {
    return unbroken(formatRate(rate.value, arithmetic));
}
QString text(FlopsPerByte intensity, const Arithmetic& arithmetic) {
    return unbroken(formatIntensity(intensity.value, arithmetic));
}

QString text(double number) {
    if (!std::isfinite(number)) return missingText();
    if (std::abs(number) < 9.0e15 && number == std::floor(number)) return grouped(number);
    if (std::abs(number) >= 1e6 && std::abs(number) < 9.0e15)
        return QLocale(QLocale::English, QLocale::UnitedStates).toString(number, 'f', 1);
    if (std::abs(number) >= 1000)
        return QLocale(QLocale::English, QLocale::UnitedStates).toString(number, 'f', 2);
    return QString::number(number, 'g', 5);
}

QString countText(const std::optional<double>& count) {
    return count && std::isfinite(*count) ? text(*count, Unit::Count) : missingText();
}

QString text(const Dim3& extents) { return QString::fromStdString(formatDim(extents)); }

QString sizeText(std::uint64_t bytes) {
    const QString exact =
        grouped(static_cast<double>(bytes)) + QChar(QChar::Nbsp) + QLatin1Char('B');
    if (bytes < 1024) return exact;
    return QStringLiteral("%1 (%2%3KiB)")
        .arg(exact, QString::fromStdString(formatPlain(static_cast<double>(bytes) / 1024)),
             QString(QChar(QChar::Nbsp)));
}

QString counted(std::uint64_t number, const QString& one, const QString& many) {
    return (number == 1 ? one : many).arg(grouped(static_cast<double>(number)));
}

QString howText(bool has, const std::string& how, const std::string& missing) {
    if (has) return shownText(how);
    if (!missing.empty())
        return NumberText::tr("not measured, missing: %1").arg(shownText(missing));
    return how.empty() ? NumberText::tr("not applicable")
                       : NumberText::tr("not applicable (%1)").arg(shownText(how));
}

}  // namespace roofscope::gui
