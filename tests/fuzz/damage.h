// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <span>
#include <string>

/// What the fuzz targets do to their own samples when they run as tests.
namespace roofscope::fuzz {

struct Damage {
    std::size_t mostChanges = 4;
    std::size_t longest = 12;   ///< bytes that a change cuts out, doubles or exchanges, less one
    bool oftenInserts = false;  ///< three of four pieces are put in without taking anything out
};

/// One to `mostChanges` changes: bytes, stretches cut out or doubled, or exchanged for one of
/// `pieces`, something nasty.
inline std::string damaged(std::string text, std::span<const std::string> pieces,
                           std::mt19937_64& random, const Damage& damage) {
    for (auto changes = 1 + random() % damage.mostChanges; changes > 0 && !text.empty();
         --changes) {
        const std::size_t at = random() % text.size();
        const std::size_t length =
            std::min<std::size_t>(random() % damage.longest, text.size() - at);
        switch (random() % 4) {
            case 0:
                text[at] = static_cast<char>(random());
                break;
            case 1:
                text.erase(at, length);
                break;
            case 2:
                text.insert(at, text.substr(random() % text.size(), length));
                break;
            default: {
                const bool insert = damage.oftenInserts && random() % 4 != 0;
                text.replace(at, insert ? 0 : length, pieces[random() % pieces.size()]);
            }
        }
    }
    return text;
}

}  // namespace roofscope::fuzz
