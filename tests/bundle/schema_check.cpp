// SPDX-License-Identifier: GPL-3.0-or-later
#include "schema_check.h"

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include <cstdint>
#include <stdexcept>

namespace {

/// The library reads every integer as a signed one of 64 bits, so that 2^64 - 1 would be -1.
void largeIntegersAsDoubles(nlohmann::json& node)
{
    if (node.is_number_unsigned() && node.get<std::uint64_t>() > std::uint64_t(INT64_MAX))
        node = node.get<double>();
    if (node.is_structured()) {
        for (auto& entry : node)
            largeIntegersAsDoubles(entry);
    }
}

} // namespace

struct SchemaCheck::Parsed {
    nlohmann::json text;
    valijson::Schema schema;
};

SchemaCheck::SchemaCheck(const QString& schemaFile) : m_parsed(std::make_unique<Parsed>())
{
    const auto read = ridgeline::readJsonFile(schemaFile);
    if (!read)
        throw std::runtime_error(read.error().toString().toStdString());
    // The library's adapter is written for nlohmann's unordered type.
    m_parsed->text = nlohmann::json::parse(read->dump());
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(m_parsed->text),
                          m_parsed->schema);
}

SchemaCheck::~SchemaCheck() = default;

QStringList SchemaCheck::complaints(const ridgeline::Json& document) const
{
    nlohmann::json copy = nlohmann::json::parse(document.dump());
    largeIntegersAsDoubles(copy);
    valijson::Validator validator(valijson::Validator::kStrongTypes);
    valijson::ValidationResults results;
    QStringList lines;
    if (validator.validate(m_parsed->schema, valijson::adapters::NlohmannJsonAdapter(copy),
                           &results))
        return lines;
    valijson::ValidationResults::Error error;
    while (results.popError(error)) {
        QString where;
        for (const std::string& step : error.context)
            where += QString::fromStdString(step);
        lines << where + QStringLiteral(": ") + QString::fromStdString(error.description);
    }
    return lines;
}
