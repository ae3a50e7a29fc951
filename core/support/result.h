// SPDX-License-Identifier: GPL-3.0-or-later
// Result<T> and Error: how every fallible function of core answers.
#pragma once

#include <QString>
#include <optional>
#include <utility>
#include <variant>

namespace ridgeline {

/// What kind of failure this is; the command line maps it to an exit code.
enum class ErrorCode {
    BadUsage,    ///< wrong arguments of a command or call (exit 2)
    NotFound,    ///< a file or entry that was named does not exist (exit 2)
    Unreadable,  ///< exists, but could not be read or written (exit 2)
    BadSyntax,   ///< not well-formed JSON, PTX, NPY … (exit 2)
    BadSchema,   ///< well-formed, but not what the schema asks for (exit 2)
    UnsafePath,  ///< absolute, or leaves the bundle, or a link out of it (exit 2)
    TooLarge,    ///< over a stated limit (exit 2)
    Environment, ///< this machine cannot do it: tool or device missing (exit 3)
    Cancelled,   ///< the user stopped it
    Internal,    ///< a defect of Ridgeline
};

/// A place in a file. Lines and columns are one-based, 0 = unknown.
struct Location {
    QString file;
    int line = 0;
    int column = 0;
    QString pointer; ///< RFC 6901 JSON pointer, empty = whole document or not JSON

    bool operator==(const Location&) const = default;
    /// "file:line:column", "file#/json/pointer" or just "file"; empty when nothing is known.
    QString toString() const;
};

/// A failure a person can act on: what, where, why, and what to do.
struct Error {
    ErrorCode code = ErrorCode::Internal;
    QString message; ///< what is wrong and why, one sentence, no trailing newline
    Location where;
    QString hint; ///< what to do about it; may be empty

    bool operator==(const Error&) const = default;
    /// "where: message (hint)".
    QString toString() const;
};

/// Exit code of the batch tool for an error: 2 bad input, 3 environment, 1 otherwise.
int exitCodeFor(ErrorCode code);

/// Either a value or an Error. Never empty. Not thread-safe, like any value.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

    bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }

    const T& value() const& { return std::get<0>(m_state); }
    T& value() & { return std::get<0>(m_state); }
    T&& value() && { return std::get<0>(std::move(m_state)); }
    const T& operator*() const& { return value(); }
    T& operator*() & { return value(); }
    T&& operator*() && { return std::get<0>(std::move(m_state)); }
    const T* operator->() const { return &value(); }
    T* operator->() { return &value(); }

    const Error& error() const { return std::get<1>(m_state); }

private:
    std::variant<T, Error> m_state;
};

/// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : m_error(std::move(error)) {}

    bool ok() const { return !m_error.has_value(); }
    explicit operator bool() const { return ok(); }
    const Error& error() const { return *m_error; }

private:
    std::optional<Error> m_error;
};

} // namespace ridgeline
