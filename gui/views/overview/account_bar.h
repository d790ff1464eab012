// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "gui/models/overview/overview.h"
#include "reports/plot/draw_list.h"

namespace roofscope::gui {

/// Where the time of a window goes, as a stacked bar: one piece per time class, with its share as
/// text if there is room. Tooltip and accessible name give names and numbers.
class AccountBar : public QWidget {
    Q_OBJECT
public:
    AccountBar(Overview::Account account, plot::Theme theme, QWidget* parent = nullptr);

    [[nodiscard]] QSize sizeHint() const override { return {240, fontMetrics().height() + 8}; }
    /// The piece at a pixel, as an index into Overview::Account::shares.
    [[nodiscard]] std::optional<std::size_t> shareAt(int x) const;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    /// The edges of the pieces in pixels, one more than there are shares.
    [[nodiscard]] std::vector<double> edges() const;

    Overview::Account m_account;
    plot::Theme m_theme;
};

}  // namespace roofscope::gui
