// SPDX-License-Identifier: GPL-3.0-or-later
// The published JSON Schema, applied by a library that knows nothing of core/bundle.
#pragma once

#include "core/support/json.h"

#include <QStringList>
#include <memory>

/// A parsed schema file.
class SchemaCheck {
public:
    explicit SchemaCheck(const QString& schemaFile);
    ~SchemaCheck();

    /// What the schema complains about, one line each; empty = valid.
    QStringList complaints(const ridgeline::Json& document) const;

private:
    struct Parsed;
    std::unique_ptr<Parsed> m_parsed;
};
