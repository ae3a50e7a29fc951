// SPDX-License-Identifier: GPL-3.0-or-later
// Private to core/import: what each format's file provides, and what detection offers it.
#pragma once

#include "core/import/draft.h"

#include <QHash>
#include <QSet>
#include <memory>

namespace ridgeline::import {

/// The state of one detection. Formats claim what they recognise; the first claim wins, so the
/// order of importers() is the precedence.
class Scan {
public:
    Scan(const SourceTree& tree, bool forced, const CancelToken& cancel);

    const SourceTree& tree() const { return m_tree; }
    /// The user named the format: weak signs are enough.
    bool forced() const { return m_forced; }
    bool cancelled() const { return m_cancel.isCancelled(); }

    bool isClaimed(const QString& file) const { return m_claimed.contains(file); }
    void claim(const QStringList& files);
    void add(const Detection& detection); ///< and claims its files

    /// Files not claimed that end like this, in the chosen part.
    QStringList free(const char* suffix) const;
    /// Facts of a Python file; null when it is too large or no text.
    const PythonText* python(const QString& file);
    /// Decoded text of a file, at most 16 MiB; empty when it is none.
    QString text(const QString& file);
    /// Whether a file or folder is (part of) what the user named.
    bool inChosen(const QString& path) const;

    QVector<Detection> found;

private:
    const SourceTree& m_tree;
    bool m_forced;
    CancelToken m_cancel;
    QSet<QString> m_claimed;
    QHash<QString, std::shared_ptr<PythonText>> m_python;
};

struct Importer {
    TaskFormat format;
    void (*find)(Scan& scan);
    void (*fill)(Draft& draft);
};

const QVector<Importer>& importers();

// One per file of this folder.
Importer computeEvalImporter();
Importer gpuModeImporter();
Importer kernelBenchHardImporter();
Importer flashInferImporter();
Importer solImporter();
Importer leetGpuImporter();
Importer tensaraImporter();
Importer robustKbenchImporter();
Importer tritonbenchMetaImporter();
Importer backendBenchImporter();
Importer hecbenchImporter();
Importer tritonBenchImporter();
Importer jaxBenchImporter();
Importer nkiImporter();
Importer pallasImporter();
Importer multiKernelBenchImporter();
Importer kernelBenchImporter();
Importer kernelBenchCandidateImporter();
Importer kernelBenchResultsImporter();
Importer popcornResultsImporter();
Importer traceResultsImporter();
Importer ligerImporter();
Importer sakanaImporter();

} // namespace ridgeline::import
