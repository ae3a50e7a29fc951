// SPDX-License-Identifier: GPL-3.0-or-later
// Deterministic inputs: a value depends on (seed, tensor name, index) and nothing else.
#pragma once

#include "core/bundle/bundle.h"
#include "core/support/cancel.h"

#include <QByteArray>
#include <QVector>
#include <array>

namespace ridgeline {

/// An input tensor: what the kernel gets and what the reference gets are the same numbers.
struct GeneratedTensor {
    QByteArray bytes;       ///< elements of the tensor's type, little-endian, row-major
    QVector<double> values; ///< the same elements decoded (exact but for 64-bit integers over 2^53)
};

/// What a bundle that says nothing about an input means: normal(0, 1) for float types,
/// randint(0, 127) for integers, randint(0, 1) for bool.
InputGen defaultInput(DType type);

/// Whether the generator is known and its parameters make sense for the type: finite numbers,
/// low <= high, std >= 0, integer limits for randint that the type can hold. Error: BadSchema.
Result<void> checkInput(const InputGen& gen, DType type);

/// Makes `count` elements. Every value is rounded to the type before the reference sees it.
/// normal(mean, std) and uniform(low, high) [low, high) before rounding; randint(low, high)
/// inclusive; full(value); arange: 0, 1, 2 … (integers wrap as in C, bool alternates).
/// normal and uniform on integer types round to nearest and saturate.
/// The stream is Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC11)
/// keyed by a hash of the name, with (index, seed) as counter; normals by Box–Muller with our own
/// logarithm and sine, so that results are the same bits on every machine.
/// Errors: BadSchema (see checkInput), TooLarge (count negative, over 2^32, or no memory),
/// Cancelled. Any thread.
Result<GeneratedTensor> generateInput(const InputGen& gen, DType type, qint64 count, quint64 seed,
                                      const QString& name, const CancelToken& cancel = {});

/// Elements [first, first + count) of the same tensor, for tensors that do not fit in memory twice.
/// `bytes` or `values` may be null. `gen` must have passed checkInput.
void generateRange(const InputGen& gen, DType type, quint64 seed, const QString& name, qint64 first,
                   qint64 count, void* bytes, double* values);

/// The bijection under it, ten rounds; public so that published test vectors can check it.
std::array<quint32, 4> philox4x32(std::array<quint32, 4> counter, std::array<quint32, 2> key);

} // namespace ridgeline
