// SPDX-License-Identifier: GPL-3.0-or-later
// Private to core/import: tasks that are a torch module with functions that make its inputs, the
// shape KernelBench introduced and several collections share.
#pragma once

#include "core/import/importer.h"

namespace ridgeline::import {

/// Fills signature, reference, generator, cases and spec from a file with `class Model`,
/// `get_inputs` (or `inputsEntry`) and `get_init_inputs`. False: the file is no text, and the
/// bundle is a stub.
bool fillModule(Draft& draft, const QString& file, const char* inputsEntry = "get_inputs");

/// KernelBench's rule by element type of the output, as correctness.default and per_dtype.
void kernelBenchTolerance(Draft& draft);

/// Files of a folder that define ModelNew and no Model.
QStringList moduleCandidates(Scan& scan, const QString& folder);

/// A record of kind imported: one candidate per row. Times in nanoseconds, raw values beside them.
struct ImportedRow {
    QString candidate;
    std::optional<bool> compiled;
    std::optional<bool> correct;
    QString message;
    std::optional<double> ns; ///< as claimed
    double rawValue = 0;
    QString rawUnit;
    QString statistic; ///< mean, median …
    QString caseId;
    Json more = Json::object(); ///< what else the row says, kept
};
Json importedRecord(const QVector<ImportedRow>& rows, const QString& source,
                    const Json& environment = Json::object());

} // namespace ridgeline::import
