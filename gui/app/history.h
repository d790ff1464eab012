// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>
#include <cstddef>
#include <vector>

#include "gui/models/kernels/kernel_selection.h"

namespace roofscope::gui {

class Documents;
class KernelTableView;

/// The history of selections and filters in the shown profile, for Back and Forward. Showing
/// another profile starts a new history.
class History : public QObject {
    Q_OBJECT
public:
    explicit History(Documents& documents);

    /// From now on, records and restores the filters of this table.
    void follow(KernelTableView& table);
    /// Goes to the previous place (-1) or the next one (1), if there is one.
    void go(int step);
    [[nodiscard]] bool canGo(int step) const;

Q_SIGNALS:
    /// The results of canGo() may have changed.
    void changed();

private:
    struct Place {
        KernelSelection selection;
        QString filter;
        bool operator==(const Place&) const = default;
    };
    void begin();
    /// Adds the current place after the one that is shown; drops the places that followed that one.
    void record();
    [[nodiscard]] std::ptrdiff_t target(int step) const { return std::ptrdiff_t(m_at) + step; }

    Documents& m_documents;
    KernelTableView* m_table = nullptr;
    std::vector<Place> m_places;
    std::size_t m_at = 0;
    bool m_going = false;  ///< go() itself is making changes, which must not be recorded
};

}  // namespace roofscope::gui
