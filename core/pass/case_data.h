// SPDX-License-Identifier: GPL-3.0-or-later
// One case of a bundle made concrete: shapes, scalars and input tensors for one seed.
#pragma once

#include "core/bundle/bundle.h"
#include "core/numerics/generate.h"

namespace ridgeline {

/// One parameter of the entry, with everything known that does not depend on the seed.
struct CaseParam {
    Param param;
    QVector<qint64> shape;      ///< tensors
    qint64 count = 0;           ///< elements
    qint64 bytes = 0;           ///< on the device
    qint64 referenceBytes = 0;  ///< fp64 for float types
    QByteArray scalar;          ///< bytes of the device's type
    QByteArray referenceScalar; ///< double for float types

    bool isInput() const { return param.pointer && param.direction != ParamDirection::Out; }
    bool isOutput() const { return param.pointer && param.direction != ParamDirection::In; }
};

struct CaseLayout {
    BundleCase source;
    QVector<CaseParam> params; ///< in call order
    qint64 totalBytes = 0;
};

/// Evaluates shapes and scalars of a case. Errors (BadSchema, TooLarge: over 8 GiB together) carry
/// the JSON pointer.
Result<CaseLayout> layoutCase(const Bundle& bundle, const BundleCase& c);

/// Names a case may use in expressions: its axes, then its args.
ExprEnv caseEnv(const BundleCase& c);

/// Input tensors by parameter index; other entries are empty.
Result<QVector<GeneratedTensor>> makeInputs(const CaseLayout& layout, quint64 seed,
                                            const CancelToken& cancel);

/// Raw files for the candidate: writes every input below `dir` with `prefix`, returns the file
/// names by parameter index.
Result<QStringList> writeInputs(const CaseLayout& layout, const QVector<GeneratedTensor>& inputs,
                                const QString& dir, const QString& prefix);

} // namespace ridgeline
