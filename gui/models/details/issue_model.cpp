// SPDX-License-Identifier: Apache-2.0
#include "gui/models/details/issue_model.h"

#include <algorithm>
#include <functional>

#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"

namespace roofscope::gui {

IssueModel::IssueModel(QObject* parent)
    : CellModel({{tr("Severity"), tr("Data loss: numbers are missing or affected"), Texts},
                 {tr("What happened"), tr("The original message"), Texts},
                 {tr("What to do"), tr("What to change for the next recording"), Texts},
                 {tr("Reported by"), tr("Part of roofscope, and the problem's code"), Texts}},
                parent) {}

void IssueModel::setAnalysis(const std::shared_ptr<const Analysis>& analysis) {
    beginResetModel();
    m_issues.clear();
    if (analysis) {
        if (analysis->profile) m_issues = analysis->profile->issues;
        for (const Words& note : analysis->notes)
            m_issues.push_back(Issue{.severity = roofscope::Severity::Info,
                                     .source = "analysis",
                                     .code = "note",
                                     .message = note.in(shownLanguage())});
        std::ranges::stable_sort(m_issues, std::greater(), &Issue::severity);
    }
    endResetModel();
}

QVariant IssueModel::cell(const At& at, int column, int role) const {
    const Issue& issue = m_issues[static_cast<std::size_t>(at.row)];
    if (role == Qt::ToolTipRole) return cell(at, column, Qt::DisplayRole);
    if (role != Qt::DisplayRole) return {};
    switch (column) {
        case Severity:
            switch (issue.severity) {
                case roofscope::Severity::Info:
                    return tr("Info");
                case roofscope::Severity::DataLoss:
                    return tr("Data loss");
                case roofscope::Severity::Error:
                    return tr("Error");
            }
            return {};
        case Message:
            return shownText(issue.message);
        case Advice:
            return shownText(issue.advice);
        case Source:
            return shownText(issue.source + ": " + issue.code);
        default:
            return {};
    }
}

}  // namespace roofscope::gui
