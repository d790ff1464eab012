// SPDX-License-Identifier: Apache-2.0
#include "gui/models/issue_model.h"

#include <algorithm>

#include "gui/models/plain_tip.h"
#include "gui/models/shown_language.h"
#include "gui/models/shown_text.h"

namespace roofscope::gui {

void IssueModel::setAnalysis(const std::shared_ptr<const Analysis>& analysis) {
    beginResetModel();
    m_issues.clear();
    if (analysis) {
        if (analysis->profile) m_issues = analysis->profile->issues;
        for (const Words& note : analysis->notes)
            m_issues.push_back(Issue{.severity = roofscope::Severity::Info,
                                     .source = "analysis",
                                     .code = "note",
                                     .message = note.in(shownLanguage()),
                                     .advice = {}});
        std::stable_sort(m_issues.begin(), m_issues.end(),
                         [](const Issue& a, const Issue& b) { return a.severity > b.severity; });
    }
    endResetModel();
}

int IssueModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_issues.size());
}

int IssueModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant IssueModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const Issue& issue = m_issues[static_cast<std::size_t>(index.row())];
    if (role == SeverityRole) return int(issue.severity);
    if (role == Qt::ToolTipRole) return plainTip(index.data().toString());
    if (role != Qt::DisplayRole) return {};
    switch (index.column()) {
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

QVariant IssueModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return int(Qt::AlignLeft | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Severity:
            return tr("Severity");
        case Message:
            return tr("What happened");
        case Advice:
            return tr("What to do");
        case Source:
            return tr("Reported by");
        default:
            return {};
    }
}

}  // namespace roofscope::gui
