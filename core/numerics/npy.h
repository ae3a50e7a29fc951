// SPDX-License-Identifier: GPL-3.0-or-later
// NumPy's .npy files, versions 1 to 3 (format: numpy.lib.format in NumPy's documentation).
#pragma once

#include "core/support/dtype.h"
#include "core/support/result.h"

#include <QByteArray>
#include <QVector>
#include <optional>

namespace ridgeline {

/// An array in memory: elements little-endian, row-major whatever the file's order was.
struct NpyArray {
    DType dtype = DType::Fp32;
    QVector<qint64> shape; ///< empty = one element
    QByteArray data;
    bool fortranOrder = false; ///< as the file had it
    bool operator==(const NpyArray&) const = default;

    qint64 count() const { return data.size() / dtypeSize(dtype); }
};

/// Limits for files that come from strangers.
struct NpyLimits {
    qint64 maxBytes = qint64(8) << 30; ///< of the data
    int maxHeaderBytes = 64 * 1024;
    int maxDimensions = 64;
};

/// Reads from bytes. `as` gives the element type where the file cannot name it: bf16 and fp8 are
/// written by ml_dtypes as "|V2" and "|V1"; it must have the file's element size. Refused, with
/// file and reason: another magic or version, a header that is not the dictionary NumPy writes,
/// big-endian, complex, structured, string and object types, sizes that overflow or do not agree
/// with the bytes there are.
Result<NpyArray> parseNpy(const QByteArray& bytes, const QString& file,
                          std::optional<DType> as = {}, const NpyLimits& limits = {});

/// Reads a regular file; see parseNpy. Only the header is read before its size is checked.
Result<NpyArray> readNpy(const QString& path, std::optional<DType> as = {},
                         const NpyLimits& limits = {});

/// The file's bytes: version 1.0, or 2.0 where the header is long; bf16 as "|V2", fp8 as "|V1".
/// `fortranOrder` of the array is written, and the data in that order.
QByteArray npyBytes(const NpyArray& array);

/// npyBytes, written atomically.
Result<void> writeNpy(const QString& path, const NpyArray& array);

} // namespace ridgeline
