// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>
#include <functional>
#include <vector>

namespace roofscope::gui {

/// Shortens names of a list to the width that there is, so that they still differ. A name is cut at
/// its end, as usual; only if another name would read the same then, its middle is cut, and what
/// differs stays: "sm90_xmma_wgr…_tilesize64x64x32_…_off".
class NamesApart {
public:
    /// How wide a text is, in the unit of the width: pixels, or characters.
    using WidthOf = std::function<int(const QString&)>;

    explicit NamesApart(QStringList names = {});

    /// `name` itself if it fits. A name that is not in the list is cut at the end.
    [[nodiscard]] QString shortened(const QString& name, int width, const WidthOf& widthOf) const;

private:
    /// Where other names begin to differ from this one, ascending: positions after `from`.
    [[nodiscard]] std::vector<qsizetype> branches(const QString& name, qsizetype from) const;

    QStringList m_names;              ///< sorted, each once
    std::vector<qsizetype> m_common;  ///< letters that a name has in common with the next one
};

}  // namespace roofscope::gui
