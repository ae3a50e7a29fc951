// SPDX-License-Identifier: GPL-3.0-or-later
// JSON as Ridgeline uses it: key order kept, sizes and depth limited, errors with a place.
#pragma once

#include "core/support/result.h"

#include <QByteArray>
#include <QStringList>
#include <nlohmann/json.hpp>

namespace ridgeline {

/// Key order is kept, so that a file we load and save changes only where it was edited.
using Json = nlohmann::ordered_json;

/// Limits for text that comes from strangers.
struct JsonLimits {
    qint64 maxBytes = 64 * 1024 * 1024;
    int maxDepth = 128;
    qint64 maxValues = 4'000'000; ///< objects, lists, texts, numbers: each costs memory
};

/// Parses UTF-8 JSON (a byte-order mark is accepted). Refuses text over the limits, duplicate
/// keys, invalid UTF-8 and trailing text. `file` is only used in errors, which carry line and
/// column (the end of the key for a duplicate).
Result<Json> parseJson(const QByteArray& utf8, const QString& file, const JsonLimits& limits = {});

/// Reads and parses a file; see parseJson.
Result<Json> readJsonFile(const QString& path, const JsonLimits& limits = {});

/// Two-space indented UTF-8 with a final newline; invalid UTF-8 inside strings is replaced.
QByteArray toJsonBytes(const Json& json);

/// One line, no newline at the end.
QByteArray toJsonLine(const Json& json);

/// Writes beside the target and renames over it, after fsync: a reader sees the old or the new
/// file, never half of one. A full disk leaves the old file.
Result<void> writeFileAtomically(const QString& path, const QByteArray& bytes);

/// nlohmann strings are std::string; these keep call sites short.
inline QString qstr(const std::string& s)
{
    return QString::fromUtf8(s.data(), qsizetype(s.size()));
}
inline std::string sstr(const QString& s)
{
    return s.toStdString();
}

/// Value of `key` when it is present and a string, else `fallback`. Never throws.
QString jsonString(const Json& object, const char* key, const QString& fallback = {});
/// Value of `key` when it is present and a number, else `fallback`. Never throws.
double jsonNumber(const Json& object, const char* key, double fallback = 0);
/// Value of `key` when it is an integer that fits, else `fallback`. Never throws.
qint64 jsonInt(const Json& object, const char* key, qint64 fallback = 0);
/// Value of `key` when it is present and a bool, else `fallback`. Never throws.
bool jsonBool(const Json& object, const char* key, bool fallback = false);
/// The strings of an array; anything else is left out.
QStringList jsonStrings(const Json& object, const char* key);
/// A reference to the member, or to a shared null when absent or `object` is no object.
const Json& jsonMember(const Json& object, const char* key);

/// One step of an RFC 6901 pointer, escaped ("~" → "~0", "/" → "~1").
QString pointerStep(const QString& key);

} // namespace ridgeline
