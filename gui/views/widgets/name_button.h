// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPushButton>
#include <memory>

#include "gui/models/text/names_apart.h"

namespace roofscope::gui {

/// A kernel's name as a flat button that never widens its window. A name that does not fit is cut
/// so that it still differs from the other `names` of the list.
class NameButton : public QPushButton {
    Q_OBJECT
public:
    explicit NameButton(const QString& name, std::shared_ptr<const NamesApart> names = nullptr,
                        QWidget* parent = nullptr);
    /// The name as it is drawn.
    [[nodiscard]] QString shown() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_name;
    std::shared_ptr<const NamesApart> m_names;
};

}  // namespace roofscope::gui
