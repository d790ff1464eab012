// SPDX-License-Identifier: Apache-2.0
#include "gui/models/kernels/kernel_filter.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <cmath>
#include <optional>

#include "gui/models/kernels/kernel_column.h"
#include "gui/models/kernels/kernel_facts.h"
#include "gui/models/text/shown_text.h"
#include "gui/models/text/usage_error.h"

namespace roofscope::gui {
namespace {

/// Translation context for the texts of this file.
struct FilterText {
    Q_DECLARE_TR_FUNCTIONS(KernelFilter)
};

enum class Operator { Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual };

Operator parseOperator(const QString& sign) {
    if (sign == QLatin1String("<")) return Operator::Less;
    if (sign == QLatin1String("<=")) return Operator::LessEqual;
    if (sign == QLatin1String(">")) return Operator::Greater;
    if (sign == QLatin1String(">=")) return Operator::GreaterEqual;
    if (sign == QLatin1String("!=")) return Operator::NotEqual;
    return Operator::Equal;
}

bool holds(double left, Operator op, double right) {
    // Typed numbers are rounded, so equality needs a tolerance.
    const bool equal = std::abs(left - right) <= 1e-9 * std::max(std::abs(left), std::abs(right));
    switch (op) {
        case Operator::Less:
            return left < right && !equal;
        case Operator::LessEqual:
            return left < right || equal;
        case Operator::Greater:
            return left > right && !equal;
        case Operator::GreaterEqual:
            return left > right || equal;
        case Operator::Equal:
            return equal;
        case Operator::NotEqual:
            return !equal;
    }
    return false;
}

/// A typed number and its unit, "2TB/s" → 2, "tb/s".
struct Typed {
    double number = 0;
    QString unit;
};

std::optional<Typed> parseNumber(const QString& word) {
    static const QRegularExpression pattern(
        QStringLiteral("^([+-]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][+-]?\\d+)?)([%a-zA-Zµμ/]*)$"));
    const QRegularExpressionMatch match = pattern.match(word);
    if (!match.hasMatch()) return std::nullopt;
    return Typed{match.captured(1).toDouble(), match.captured(2).toLower()};
}

/// 10⁹ for "gb/s"; nullopt if `unit` is not `base` with an optional SI prefix.
std::optional<double> scale(const QString& unit, const QString& base) {
    if (!unit.endsWith(base)) return std::nullopt;
    const QString prefix = unit.chopped(base.size());
    if (prefix.isEmpty()) return 1;
    if (prefix == QLatin1String("n")) return 1e-9;
    if (prefix == QLatin1String("u") || prefix == QStringLiteral("µ") ||
        prefix == QStringLiteral("μ"))
        return 1e-6;
    if (prefix == QLatin1String("m")) return base == QLatin1String("s") ? 1e-3 : 1e6;
    if (prefix == QLatin1String("k")) return 1e3;
    if (prefix == QLatin1String("g")) return 1e9;
    if (prefix == QLatin1String("t")) return 1e12;
    return std::nullopt;
}

using Term = std::function<bool(const KernelAnalysis&)>;

Term compare(ColumnRow::Number value, Operator op, double right) {
    return [value, op, right](const KernelAnalysis& kernel) {
        const std::optional<double> left = value(kernel);
        return left && holds(*left, op, right);
    };
}

/// Advice for an error message: what a column can be compared with.
QString unitAdvice(Operand operand) {
    switch (operand) {
        case Operand::Time:
            return FilterText::tr("use ns, us, ms or s");
        case Operand::Bandwidth:
            return FilterText::tr("use a share such as 60% or a rate such as 2TB/s");
        case Operand::Share:
            return FilterText::tr("use 50% or 0.5");
        default:
            return FilterText::tr("use a plain number");
    }
}

/// `name` is the field name as typed.
Result<Term> comparison(const ColumnRow& column, const QString& name, Operator op,
                        const QString& operand) {
    const std::optional<Typed> typed = parseNumber(operand);
    if (!typed)
        return usageError(
            operand.isEmpty() ? FilterText::tr("\"%1\" needs a value to compare with").arg(name)
                              : FilterText::tr("\"%1\" is not a number").arg(operand),
            {}, FilterText::tr("write for example %1").arg(QString::fromUtf8(column.example)));
    const bool bare = typed->unit.isEmpty();
    const bool percent = typed->unit == QLatin1String("%");
    const Error wrongUnit =
        usageError(FilterText::tr("\"%1\" cannot be compared with \"%2\"").arg(name, operand), {},
                   unitAdvice(column.operand));
    switch (column.operand) {
        case Operand::Time: {
            const std::optional<double> factor = scale(typed->unit, QStringLiteral("s"));
            if (bare || !factor) return wrongUnit;
            return compare(column.number, op, typed->number * *factor);
        }
        case Operand::Bandwidth:
            if (const auto factor = scale(typed->unit, QStringLiteral("b/s")); factor && !bare)
                return compare(column.number, op, typed->number * *factor);
            [[fallthrough]];
        case Operand::Share:
            if (!bare && !percent) return wrongUnit;
            // "occupancy < 50" could mean 50 % or 50 times: ask instead of guessing.
            if (bare && std::abs(typed->number) > 1) return wrongUnit;
            return compare(column.share, op, percent ? typed->number / 100 : typed->number);
        case Operand::Number:
            if (!bare) return wrongUnit;
            return compare(column.number, op, typed->number);
        case Operand::Verdict:
        case Operand::None:
            break;
    }
    return wrongUnit;
}

Term contains(const QString& word);

/// A word, or "-gemm" for its negation. A lone "-" is a word.
Term word(const QString& typed) {
    if (typed.size() < 2 || !typed.startsWith(QLatin1Char('-'))) return contains(typed);
    return
        [within = contains(typed.mid(1))](const KernelAnalysis& kernel) { return !within(kernel); };
}

Term contains(const QString& word) {
    return [word](const KernelAnalysis& kernel) {
        for (const std::string* text :
             {&kernel.name, &kernel.wholeName, &kernel.fullName, &kernel.range}) {
            if (shownText(*text).contains(word, Qt::CaseInsensitive)) return true;
        }
        return false;
    };
}

/// Searches the verdict's identifier ("memory-bound", "near-roof") and the displayed words.
Term verdictContains(const QString& word, bool negated) {
    return [word, negated](const KernelAnalysis& kernel) {
        const bool found =
            verdictText(kernel.verdict).contains(word, Qt::CaseInsensitive) ||
            QString::fromUtf8(toString(kernel.verdict.cls)).contains(word, Qt::CaseInsensitive);
        return found != negated;
    };
}

}  // namespace

QStringList KernelFilter::fieldNames() {
    QStringList names;
    for (const ColumnRow& column : kernelColumns())
        if (column.operand != Operand::None)
            names << QString::fromUtf8(column.words.front().data(),
                                       qsizetype(column.words.front().size()));
    return names;
}

Result<KernelFilter> KernelFilter::parse(const QString& line) {
    // A comparison, a quoted text, or a word. Blanks around the operator are allowed.
    static const QRegularExpression pattern(
        QStringLiteral("\\G\\s*(?:(-?)\"([^\"]*)\"?|([A-Za-z_]+)(\\s*)(<=|>=|==|!=|<|>|=)(\\s*)([^"
                       "\\s]*)|(\\S+))"));
    KernelFilter filter;
    qsizetype at = 0;
    while (at < line.size()) {
        const QRegularExpressionMatch match = pattern.match(line, at);
        if (!match.hasMatch()) break;  // only blanks are left
        at = match.capturedEnd();
        const QString name = match.captured(3), sign = match.captured(5);
        QString operand = match.captured(7);
        if (match.capturedStart(2) >= 0) {
            if (!match.captured(2).isEmpty())
                filter.m_terms.push_back(word(match.captured(1) + match.captured(2)));
        } else if (!name.isEmpty()) {
            const ColumnRow* column = columnByFieldName(name);
            const bool isVerdict = column && column->operand == Operand::Verdict;
            // "2 TB/s": a space before the unit is allowed.
            if (column && !isVerdict && parseNumber(operand) &&
                parseNumber(operand)->unit.isEmpty()) {
                static const QRegularExpression unit(
                    QStringLiteral("\\G\\s+(%|[kKmMgGtT]?[bB]/s|[nuµm]?s)(?=\\s|$)"));
                const QRegularExpressionMatch apart = unit.match(line, at);
                if (apart.hasMatch()) {
                    operand += apart.captured(1);
                    at = apart.capturedEnd();
                }
            }
            if (column && !isVerdict) {
                Result<Term> term = comparison(*column, name, parseOperator(sign), operand);
                if (!term) return term.error();
                filter.m_terms.push_back(*std::move(term));
            } else if (isVerdict) {
                if (operand.isEmpty())
                    return usageError(
                        FilterText::tr("\"%1\" needs a value to compare with").arg(name), {},
                        FilterText::tr("write for example %1")
                            .arg(QString::fromUtf8(column->example)));
                filter.m_terms.push_back(
                    verdictContains(operand, parseOperator(sign) == Operator::NotEqual));
            } else if (!match.captured(4).isEmpty() || !match.captured(6).isEmpty()) {
                return usageError(
                    FilterText::tr("\"%1\" is not a field").arg(name), {},
                    FilterText::tr("fields are %1").arg(fieldNames().join(QStringLiteral(", "))));
            } else {
                // "copy<float": part of a kernel name.
                filter.m_terms.push_back(contains(name + sign + operand));
            }
        } else {
            filter.m_terms.push_back(word(match.captured(8)));
        }
    }
    return filter;
}

KernelFilter::Completion KernelFilter::completion(const QString& line) {
    static const QRegularExpression verdict(QStringLiteral("\\bverdict\\s*(?:==?|!=)\\s*(\\S*)$"),
                                            QRegularExpression::CaseInsensitiveOption);
    const QRegularExpressionMatch behind = verdict.match(line);
    Completion found{.start = behind.hasMatch() ? behind.capturedStart(1)
                                                : line.lastIndexOf(QLatin1Char(' ')) + 1};
    const QString typed = line.mid(found.start);
    const auto offer = [&](const QString& word) {
        if (word.startsWith(typed, Qt::CaseInsensitive) && word.size() > typed.size())
            found.words << word;
    };
    if (behind.hasMatch()) {
        for (int cls = 0; cls <= int(VerdictClass::Unknown); ++cls)
            offer(QString::fromUtf8(toString(static_cast<VerdictClass>(cls))));
    } else if (!typed.isEmpty()) {
        for (const QString& field : fieldNames())
            offer(field + (columnByFieldName(field)->operand == Operand::Verdict
                               ? QLatin1String(" = ")
                               : QLatin1String(" > ")));
    }
    return found;
}

bool KernelFilter::matches(const KernelAnalysis& kernel) const {
    for (const auto& term : m_terms) {
        if (!term(kernel)) return false;
    }
    return true;
}

}  // namespace roofscope::gui
