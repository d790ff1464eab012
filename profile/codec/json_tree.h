// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "profile/codec/codec.h"
#include "profile/errors/result.h"

/// A small JSON tree that suits profiles: an array of numbers is one std::vector<double>, so that
/// columns of millions of values cost 8 bytes per value. Internal to profile/.
namespace roofscope::json {

struct Node;
struct Member;
using Members = std::vector<Member>;
/// Numbers and nulls only; NaN stands for null. An empty array is one of these.
using Numbers = std::vector<double>;
using Items = std::vector<Node>;

/// One JSON value. Integers are stored as double, exact up to 2^53; beyond that the reader refuses
/// them where an integer is expected.
struct Node {
    std::variant<std::monostate, bool, double, std::string, Numbers, Items, Members> value;

    // Defined below, where Member is complete.
    Node() noexcept;
    template <class T>
    requires(!std::same_as<std::remove_cvref_t<T>, Node>) explicit Node(T&& v);
    Node(Node&&) noexcept;
    Node& operator=(Node&&) noexcept;
    ~Node();

    template <class T>
    [[nodiscard]] const T* as() const {
        return std::get_if<T>(&value);
    }
    [[nodiscard]] bool isNull() const { return value.index() == 0; }
    /// "null", "true or false", "a number", …: for error messages.
    [[nodiscard]] const char* typeName() const;
};

/// A key of an object with its value.
struct Member {
    std::string name;
    Node value;
};

inline Node::Node() noexcept = default;
template <class T>
requires(!std::same_as<std::remove_cvref_t<T>, Node>) Node::Node(T&& v)
    : value(std::forward<T>(v)) {}
inline Node::Node(Node&&) noexcept = default;
inline Node& Node::operator=(Node&&) noexcept = default;
inline Node::~Node() = default;

/// Parses one document while reading it. Stops at the first byte beyond a limit, at too deep
/// nesting, at a duplicate key and at invalid UTF-8. The error's `where` is "byte N" or a JSON
/// pointer.
Result<Node> parse(std::string_view text, const ReadLimits& limits);
/// The same from a stream buffer; the caller limits its size.
Result<Node> parse(std::streambuf& input, const ReadLimits& limits);

}  // namespace roofscope::json
