// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "profile/codec/json_tree.h"

namespace roofscope::json {

/// Thrown by Cursor and caught at the end of reading. Never leaves profile/.
struct BadValue {
    std::string pointer;  ///< JSON pointer of the place, "/launches/grid_x/3"
    std::string what;
};

/// A place in a JSON tree with typed access; a value of the wrong type is an error that names the
/// JSON pointer. A cursor points to its parent, which must outlive it.
class Cursor {
public:
    explicit Cursor(const Node& root) : m_node(&root) {}

    [[nodiscard]] const Node& node() const { return *m_node; }
    [[nodiscard]] std::string pointer() const {
        if (m_parent == nullptr) return "";
        // "~" and "/" in a key are written as ~0 and ~1 (RFC 6901).
        std::string text = m_parent->pointer() + "/";
        if (m_key.data() == nullptr) return text + std::to_string(m_index);
        for (const char c : m_key.substr(0, 200)) {
            if (c == '~')
                text += "~0";
            else if (c == '/')
                text += "~1";
            else
                text += c;
        }
        return text;
    }
    [[noreturn]] void fail(std::string what) const { throw BadValue{pointer(), std::move(what)}; }
    [[noreturn]] void wrongType(const char* expected) const {
        fail(std::string("must be ") + expected + ", not " + m_node->typeName());
    }

    [[nodiscard]] const Members& members() const {
        const auto* members = m_node->as<Members>();
        if (members == nullptr) wrongType("an object");
        return *members;
    }
    /// The member of that name; nullopt when it is missing or null.
    [[nodiscard]] std::optional<Cursor> find(std::string_view key) const {
        for (const auto& [name, child] : members()) {
            if (name == key) {
                if (child.isNull()) return std::nullopt;
                return Cursor(child, *this, name);
            }
        }
        return std::nullopt;
    }
    [[nodiscard]] Cursor member(const Member& entry) const {
        return Cursor(entry.value, *this, entry.name);
    }
    /// Calls `visit(Cursor)` for every element of an array of any kind.
    template <class Visit>
    void forEach(Visit visit) const {
        if (const auto* numbers = m_node->as<Numbers>(); numbers != nullptr) {
            for (std::size_t i = 0; i < numbers->size(); ++i) {
                const Node number{(*numbers)[i]};
                visit(Cursor(number, *this, i));
            }
            return;
        }
        const auto* items = m_node->as<Items>();
        if (items == nullptr) wrongType("an array");
        for (std::size_t i = 0; i < items->size(); ++i) visit(Cursor((*items)[i], *this, i));
    }

    [[nodiscard]] std::string text() const {
        const auto* text = m_node->as<std::string>();
        if (text == nullptr) wrongType("a text");
        return *text;
    }
    [[nodiscard]] bool boolean() const {
        const auto* value = m_node->as<bool>();
        if (value == nullptr) wrongType("true or false");
        return *value;
    }
    [[nodiscard]] double number() const {
        const auto* value = m_node->as<double>();
        if (value == nullptr || std::isnan(*value)) wrongType("a number");
        return *value;
    }
    template <class Integer>
    [[nodiscard]] Integer integer() const {
        const double value = number();
        if (const auto whole = toInteger<Integer>(value)) return *whole;
        fail(rangeMessage<Integer>());
    }

    /// The value as an integer when it is one, fits, and is exact in a double.
    template <class Integer>
    [[nodiscard]] static std::optional<Integer> toInteger(double value) {
        if (!(value >= lowest<Integer>() && value <= highest<Integer>())) return std::nullopt;
        if (value != std::floor(value)) return std::nullopt;
        return static_cast<Integer>(value);
    }
    template <class Integer>
    [[nodiscard]] static std::string rangeMessage() {
        return "must be a whole number from " +
               std::to_string(static_cast<std::int64_t>(lowest<Integer>())) + " to " +
               std::to_string(static_cast<std::int64_t>(highest<Integer>()));
    }

    // Optional members: the target keeps its value when the member is missing or null.
    void read(std::string_view key, std::string& target) const {
        if (const auto at = find(key)) target = at->text();
    }
    void read(std::string_view key, bool& target) const {
        if (const auto at = find(key)) target = at->boolean();
    }
    void read(std::string_view key, double& target) const {
        if (const auto at = find(key)) target = at->number();
    }
    template <class Integer>
    requires std::is_integral_v<Integer>
    void read(std::string_view key, Integer& target) const {
        if (const auto at = find(key)) target = at->integer<Integer>();
    }
    template <class T>
    void read(std::string_view key, std::optional<T>& target) const {
        T value{};
        if (find(key)) {
            read(key, value);
            target = value;
        }
    }
    void read(std::string_view key, std::vector<std::string>& target) const {
        const auto at = find(key);
        if (!at) return;
        target.clear();
        at->forEach([&](const Cursor& item) { target.push_back(item.text()); });
    }

private:
    static constexpr double kExact = 9007199254740992.0;  // 2^53: beyond, doubles skip integers
    template <class Integer>
    static constexpr double lowest() {
        if (sizeof(Integer) < 8) return static_cast<double>(std::numeric_limits<Integer>::min());
        return std::is_signed_v<Integer> ? -kExact : 0.0;
    }
    template <class Integer>
    static constexpr double highest() {
        if (sizeof(Integer) < 8) return static_cast<double>(std::numeric_limits<Integer>::max());
        return kExact;
    }

    Cursor(const Node& node, const Cursor& parent, std::string_view key)
        : m_node(&node), m_parent(&parent), m_key(key) {}
    Cursor(const Node& node, const Cursor& parent, std::size_t index)
        : m_node(&node), m_parent(&parent), m_index(index) {}

    const Node* m_node;
    const Cursor* m_parent = nullptr;
    std::string_view m_key{};
    std::size_t m_index = 0;
};

}  // namespace roofscope::json
