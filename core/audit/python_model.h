// SPDX-License-Identifier: GPL-3.0-or-later
// What the rules need to know about a Python file. A sketch made from tokens, not a parse.
#pragma once

#include "core/audit/token.h"

#include <QHash>
#include <QSet>
#include <QStringList>

namespace ridgeline::audit {

struct PyFunction {
    QString name;
    QStringList params;
    QStringList decorators; ///< resolved dotted names
    int defToken = 0;
    int begin = 0, end = 0; ///< tokens of the body
    bool kernel = false;    ///< triton.jit, nki.jit …
};

struct PyModel {
    QVector<Token> tokens;
    QVector<PyFunction> functions;
    QHash<QString, QString> aliases; ///< local name → dotted name it was imported from
    QSet<QString> kernels;           ///< names of kernel functions and objects
    QSet<QString> modules;           ///< names bound to built extensions (load_inline …)
    QSet<int> launching;             ///< functions that launch, themselves or through others here
    QSet<QString> launchers;         ///< their names
    QSet<QString> functionNames;
    QSet<QString> state;    ///< "name", "self.name": what functions change and outlives their calls
    QSet<QString> counters; ///< those of them that are incremented

    /// The dotted name that starts at token i, its head resolved; empty when none starts there.
    /// `last` is the index of its last token.
    QString dotted(int i, int& last) const;
    /// "name" or "self.name" at token i as `state` spells it; empty when none starts there.
    QString stateName(int i) const;
    const PyFunction* functionAt(int token) const; ///< innermost
    bool launchAt(int i) const;
    bool launchIn(int begin, int end) const;
    /// End of the block that follows the ":" of a compound statement whose first token is `i`;
    /// `colon` gets that ":". -1 if there is none.
    int blockEnd(int i, int& colon) const;
};

PyModel modelPython(const QString& text);

} // namespace ridgeline::audit
