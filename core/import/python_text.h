// SPDX-License-Identifier: GPL-3.0-or-later
// Python source as text: what a person sees at a glance, without a parser. A syntax newer than ours
// (3.12's f-strings) cannot break it, and nothing is executed.
#pragma once

#include "core/support/json.h"

#include <QMap>
#include <QString>
#include <QStringList>
#include <optional>

namespace ridgeline {

class PythonText {
public:
    /// `source` decoded. Scanning is linear in its length.
    explicit PythonText(const QString& source);

    const QString& source() const { return m_source; }
    /// The source with comments and the insides of strings replaced by spaces, same length: regexes
    /// run on it see code only.
    const QString& code() const { return m_code; }
    bool matches(const char* pattern) const; ///< multiline regex on code()

    /// Names of top-level `class`es and `def`s, in order.
    const QStringList& classes() const { return m_classes; }
    const QStringList& functions() const { return m_functions; }
    bool hasClass(const QString& name) const { return m_classes.contains(name); }
    bool hasFunction(const QString& name) const { return m_functions.contains(name); }
    /// Base list of a top-level class, as written, "" when it has none.
    QString basesOf(const QString& className) const { return m_bases.value(className); }
    int lineOf(const QString& topLevelName) const; ///< one-based, 0 = none

    /// The docstring of the module ("") or of a top-level class or def, dedented; empty = none.
    QString docstring(const QString& topLevelName) const;
    /// Source of a top-level class or def, or of `Class.method`; empty = none.
    QString block(const QString& name) const;

    /// Value of `name = literal` at top level, or in a class body with `Class.name`: numbers,
    /// strings, True, False, None, lists, tuples, sets, dicts with string keys, arithmetic on
    /// numbers and on names assigned before. Nothing when it is anything else.
    std::optional<Json> literal(const QString& name) const;

private:
    void mask();
    void index();
    qsizetype blockStart(const QString& name, qsizetype* end) const;

    QString m_source, m_code;
    QStringList m_classes, m_functions;
    QMap<QString, QString> m_bases;
    QMap<QString, qsizetype> m_starts; ///< of the `class` or `def` line
};

/// One Python literal at the start of `text`; `used` says how far it reached. `names` are values
/// of names it may use. At most 64 levels and 20,000 values.
std::optional<Json> pythonLiteral(const QString& text, qsizetype* used = nullptr,
                                  const QMap<QString, Json>& names = {});

/// First `rtol=NUMBER` and `atol=NUMBER` (also `rtol: NUMBER`, `"rtol": NUMBER`) in code.
struct WrittenTolerance {
    std::optional<double> rtol, atol;
};
WrittenTolerance writtenTolerance(const QString& code);

} // namespace ridgeline
