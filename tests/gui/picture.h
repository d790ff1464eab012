// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <set>

namespace roofscope::test {

/// The number of colours in a part of an image; the part is given in fractions of its size.
inline std::size_t coloursIn(const QImage& image, double x, double y, double w, double h) {
    std::set<QRgb> colours;
    for (int row = int(y * image.height()); row < int((y + h) * image.height()); row += 2)
        for (int column = int(x * image.width()); column < int((x + w) * image.width());
             column += 2)
            colours.insert(image.pixel(column, row));
    return colours.size();
}

}  // namespace roofscope::test
