// SPDX-License-Identifier: Apache-2.0
#include "profile/text/sha256.h"

#include <bit>

namespace roofscope {

namespace {

/// The first 32 bits of the fractional part of the `root`-th root (2 or 3) of a prime, computed
/// with integers: floor(prime^(1/root) × 2^32) modulo 2^32.
constexpr std::uint32_t rootFraction(std::uint32_t prime, int root) {
    // Bisection for the largest scaled root x with x^root ≤ prime × 2^(32·root). Products of three
    // 36-bit numbers need 108 bits.
    __extension__ typedef unsigned __int128 Wide;
    std::uint64_t low = 0, high = std::uint64_t{1} << 37;
    const Wide bound = Wide{prime} << (root == 2 ? 64 : 96);
    while (high - low > 1) {
        const std::uint64_t middle = low + (high - low) / 2;
        const Wide square = Wide{middle} * middle;
        const bool fits = root == 2 ? square <= bound : square <= bound / middle;
        (fits ? low : high) = middle;
    }
    return static_cast<std::uint32_t>(low);
}

constexpr std::array<std::uint32_t, 64> primes() {
    std::array<std::uint32_t, 64> found{};
    std::size_t count = 0;
    for (std::uint32_t candidate = 2; count < found.size(); ++candidate) {
        bool prime = true;
        for (std::size_t i = 0; i < count && prime; ++i) prime = candidate % found[i] != 0;
        if (prime) found[count++] = candidate;
    }
    return found;
}

struct Constants {
    std::array<std::uint32_t, 64> rounds{};
    std::array<std::uint32_t, 8> start{};
};

constexpr Constants constants() {
    Constants result;
    constexpr auto kPrimes = primes();
    for (std::size_t i = 0; i < 64; ++i) result.rounds[i] = rootFraction(kPrimes[i], 3);
    for (std::size_t i = 0; i < 8; ++i) result.start[i] = rootFraction(kPrimes[i], 2);
    return result;
}

constexpr Constants kConstants = constants();

void mixBlock(std::array<std::uint32_t, 8>& state, const std::array<std::uint8_t, 64>& block) {
    std::array<std::uint32_t, 64> words{};
    for (std::size_t i = 0; i < 16; ++i)
        for (std::size_t b = 0; b < 4; ++b) words[i] = words[i] << 8 | block[4 * i + b];
    for (std::size_t i = 16; i < 64; ++i) {
        const std::uint32_t a = words[i - 15], b = words[i - 2];
        words[i] = words[i - 16] + words[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) +
                   (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t i = 0; i < 64; ++i) {
        const std::uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                    ((e & f) ^ (~e & g)) + kConstants.rounds[i] + words[i];
        const std::uint32_t second =
            (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + first;
        d = c;
        c = b;
        b = a;
        a = first + second;
    }
    const std::array<std::uint32_t, 8> mixed{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state[i] += mixed[i];
}

}  // namespace

std::array<std::uint8_t, 32> sha256(std::string_view bytes) {
    std::array<std::uint32_t, 8> state = kConstants.start;
    std::array<std::uint8_t, 64> block{};
    std::size_t used = 0;
    const auto put = [&](std::uint8_t byte) {
        block[used++] = byte;
        if (used < block.size()) return;
        mixBlock(state, block);
        used = 0;
    };
    for (const char c : bytes) put(static_cast<std::uint8_t>(c));
    put(0x80);
    while (used != 56) put(0);
    const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
    for (int shift = 56; shift >= 0; shift -= 8) put(static_cast<std::uint8_t>(bits >> shift));
    std::array<std::uint8_t, 32> digest{};
    for (std::size_t i = 0; i < digest.size(); ++i)
        digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
    return digest;
}

std::string sha256Hex(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const std::uint8_t byte : sha256(bytes)) {
        text += kDigits[byte >> 4];
        text += kDigits[byte & 15];
    }
    return text;
}

std::string sha256Base64(std::string_view bytes) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const auto digest = sha256(bytes);
    std::string text;
    for (std::size_t i = 0; i < digest.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t j = i; j < i + 3; ++j) group = group << 8 | (j < 32 ? digest[j] : 0u);
        for (std::size_t j = 0; j < 4; ++j)
            text += i + j > 32 ? '=' : kDigits[group >> (18 - 6 * j) & 63];
    }
    return text;
}

}  // namespace roofscope
