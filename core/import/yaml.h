// SPDX-License-Identifier: GPL-3.0-or-later
// YAML that comes from strangers, as JSON.
#pragma once

#include "core/support/json.h"

namespace ridgeline {

struct YamlLimits {
    qint64 maxBytes = 4 * 1024 * 1024;
    int maxDepth = 64;
    qint64 maxValues = 200'000; ///< after aliases are expanded
};

/// Parses one YAML document. Plain scalars become null, booleans, integers and numbers by
/// YAML 1.2's core schema, everything else text; keys become text. An alias is replaced by a copy
/// of what its anchor names, and counts in full; one inside its own anchor is refused. Errors
/// (BadSyntax, TooLarge) carry line and column.
Result<Json> parseYaml(const QByteArray& utf8, const QString& file, const YamlLimits& limits = {});

} // namespace ridgeline
