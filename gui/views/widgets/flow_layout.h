// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLayout>
#include <vector>

namespace roofscope::gui {

/// Places items side by side and continues on the next line. Items wider than the layout are
/// narrowed.
class FlowLayout : public QLayout {
public:
    explicit FlowLayout(int between, QWidget* parent = nullptr);
    ~FlowLayout() override;

    void addItem(QLayoutItem* item) override;
    [[nodiscard]] int count() const override { return int(m_items.size()); }
    [[nodiscard]] QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    [[nodiscard]] Qt::Orientations expandingDirections() const override { return {}; }
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override { return minimumSize(); }
    [[nodiscard]] QSize minimumSize() const override;
    void setGeometry(const QRect& area) override;

private:
    /// Returns the height that the items need at this width; if `place`, also places them.
    int arrange(const QRect& area, bool place) const;

    std::vector<QLayoutItem*> m_items;
    int m_between;
};

}  // namespace roofscope::gui
