// SPDX-License-Identifier: Apache-2.0
#include "profile/boards/board.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "profile/files/embedded_file.h"

namespace roofscope {

namespace boards {
std::span<const EmbeddedFile> files();  // profile/boards/*.json, by cmake/RoofscopeEmbed.cmake
}

namespace {

/// The table is part of this build and a test reads it, so damage is not reported: without a
/// readable table no board is known.
std::vector<Board> readBoards() {
    constexpr double kTera = 1e12;
    std::vector<Board> all;
    for (const EmbeddedFile& file : boards::files()) {
        const auto json = nlohmann::json::parse(file.content, nullptr, /*allow_exceptions=*/false);
        if (!json.is_object() || !json.contains("boards")) continue;
        for (const auto& entry : json["boards"]) {
            Board& board = all.emplace_back();
            for (const auto& name : entry["names"]) board.names.push_back(name);
            board.cutDown = entry.value("cut_down", false);
            for (const auto& [type, rate] : entry["dense_tera_per_s"].items())
                board.rates[type] = rate.get<double>() * kTera;
        }
    }
    return all;
}

}  // namespace

const std::vector<Board>& knownBoards() {
    static const std::vector<Board> kBoards = readBoards();
    return kBoards;
}

const Board* findBoard(std::string_view gpuName) {
    for (const Board& board : knownBoards())
        if (std::ranges::find(board.names, gpuName) != board.names.end()) return &board;
    return nullptr;
}

bool isCutDown(std::string_view gpuName) {
    const Board* const board = findBoard(gpuName.substr(0, gpuName.find(" MIG ")));
    return board && board->cutDown;
}

}  // namespace roofscope
