// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace roofscope {

/// Why something failed, as far as callers treat it differently. `exitCode` maps each to a process
/// exit code.
enum class ErrorCode {
    Usage,         ///< The command line is wrong.
    BadData,       ///< A file was read but is not what it should be.
    NoInput,       ///< A file is missing or cannot be opened.
    Unavailable,   ///< No driver, no GPU, no CUPTI, or a component that was not built.
    Internal,      ///< A defect in roofscope.
    CannotCreate,  ///< An output file cannot be written.
    Io,            ///< Reading or writing failed midway.
    NoPermission,  ///< The system refuses access (performance counters, files).
};

/// One error: what went wrong, where, and what to do about it.
struct Error {
    ErrorCode code = ErrorCode::Internal;
    std::string what;    ///< One sentence without a full stop.
    std::string where;   ///< File and place in it ("a.roofscope.json: /launches/grid/3"), or empty.
    std::string advice;  ///< What the user can do, or empty.

    /// `where: what (advice)` on one line, empty parts left out.
    [[nodiscard]] std::string message() const {
        std::string text = where.empty() ? what : where + ": " + what;
        if (!advice.empty()) text += " (" + advice + ")";
        return text;
    }
};

/// The process exit code of an error, after sysexits(3). Documented in docs/exit-codes.md.
[[nodiscard]] constexpr int exitCode(ErrorCode code) {
    switch (code) {
        case ErrorCode::Usage:
            return 64;
        case ErrorCode::BadData:
            return 65;
        case ErrorCode::NoInput:
            return 66;
        case ErrorCode::Unavailable:
            return 69;
        case ErrorCode::Internal:
            return 70;
        case ErrorCode::CannotCreate:
            return 73;
        case ErrorCode::Io:
            return 74;
        case ErrorCode::NoPermission:
            return 77;
    }
    return 70;
}

/// A value or an Error. Used at library boundaries; exceptions stay inside the libraries.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

    [[nodiscard]] bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }

    /// The value. Throws std::logic_error when there is none: check ok() first.
    [[nodiscard]] T& value() & { return require(), std::get<0>(m_state); }
    [[nodiscard]] const T& value() const& { return require(), std::get<0>(m_state); }
    [[nodiscard]] T&& value() && { return require(), std::get<0>(std::move(m_state)); }
    /// The error; only when !ok().
    [[nodiscard]] const Error& error() const { return std::get<1>(m_state); }

    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }

private:
    void require() const {
        if (!ok()) throw std::logic_error("Result without a value: " + error().message());
    }
    std::variant<T, Error> m_state;
};

/// Success or an Error, for operations without a value.
template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : m_error(std::move(error)) {}
    [[nodiscard]] bool ok() const { return !m_error.has_value(); }
    explicit operator bool() const { return ok(); }
    [[nodiscard]] const Error& error() const { return *m_error; }

private:
    std::optional<Error> m_error;
};

}  // namespace roofscope
