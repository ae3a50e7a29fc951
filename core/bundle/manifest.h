// SPDX-License-Identifier: GPL-3.0-or-later
// Inside of core/bundle: reading and checking a manifest, one step each.
#pragma once

#include "core/bundle/bundle.h"

namespace ridgeline::manifest {

/// Limits for manifests that come from strangers. The schema states the same numbers.
constexpr int maxFiles = 10000;
constexpr int maxCandidates = 1000;
constexpr int maxCases = 2000;
constexpr int maxParams = 64;
constexpr int maxAxes = 64;
constexpr int maxRank = 8;
constexpr int maxWords = 1000; ///< entries of any list of words
constexpr int maxSeeds = 1000;
constexpr int maxComplaints = 200;
constexpr int maxText = 10000; ///< characters of any text
constexpr qint64 maxManifestBytes = 16 * 1024 * 1024;
constexpr qint64 maxSourceBytes = 16 * 1024 * 1024; ///< spec, reference, candidate, source files
constexpr qint64 maxTensorBytes = qint64(1) << 36;

/// Collects what is wrong with one manifest.
class Complaints {
public:
    explicit Complaints(QString file) : m_file(std::move(file)) {}

    void add(ErrorCode code, const QString& pointer, const QString& message,
             const QString& hint = {});
    /// Something worth saying that is no reason to refuse.
    void warn(const QString& pointer, const QString& message);

    const QVector<Error>& errors() const { return m_errors; }
    const QStringList& warnings() const { return m_warnings; }

private:
    QString m_file;
    QVector<Error> m_errors;
    QStringList m_warnings;
};

/// What the schema can say: types, words, ranges. Entry i of a list in the result is entry i of
/// the list in the manifest, whether or not it was right.
Bundle readManifest(const Json& manifest, Complaints& complaints);

/// What the schema cannot say: ids, references between entries, expressions, tensors of every
/// case. Needs no disk.
void checkMeaning(const Bundle& bundle, Complaints& complaints);

/// Files: there, inside `dir`, regular, not too large, hash as stated.
void checkFiles(const Bundle& bundle, const QString& dir, Complaints& complaints);

/// A bundle without a reference that can be read is a stub, unless its programs judge themselves.
void deriveStatus(Bundle& bundle, const QString& dir, Complaints& complaints);

/// Names in files, in the order of the enumerators.
const QStringList& taskTypeNames();
const QStringList& bundleStatusNames();
const QStringList& callStyleNames();
const QStringList& expectedNames();
const QStringList& caseUseNames();
const QStringList& paramDirectionNames();
const QStringList& roleNames();
const QStringList& toleranceMethods();
const QStringList& generatorNames();

/// A C identifier of at most 64 characters.
bool isIdentifier(const QString& text);

} // namespace ridgeline::manifest
