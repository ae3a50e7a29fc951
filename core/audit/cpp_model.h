// SPDX-License-Identifier: GPL-3.0-or-later
// What the rules need to know about a C++/CUDA file: its functions, its mutable state, its
// launches. A sketch made from tokens, not a parse: unknown constructs are skipped.
#pragma once

#include "core/audit/token.h"

#include <QHash>
#include <QSet>
#include <QStringList>

namespace ridgeline::audit {

struct CppParam {
    QString name;
    QString type; ///< the other tokens, joined by blanks
    bool pointer = false;
    bool constPointee = false;
};

struct CppFunction {
    QString name;
    QVector<CppParam> params;
    int nameToken = 0;
    int begin = 0, end = 0; ///< tokens of the body, braces included
    bool kernel = false;    ///< __global__
    bool device = false;    ///< __device__ without __host__
    bool host() const { return !kernel && !device; }
    const CppParam* param(const QString& wanted) const;
};

/// A variable that outlives a call: at namespace scope, or static in a host function.
struct CppState {
    QString name;
    int token = 0;     ///< of its name
    int function = -1; ///< index of the function it is static in; -1 = namespace scope
    bool pointer = false;
};

struct CppModel {
    QVector<Token> tokens;
    QVector<CppFunction> functions;
    QHash<QString, int> byName; ///< first function of a name
    QVector<CppState> state;
    QVector<int> launches; ///< tokens "<<<", and names of cuLaunchKernel and the like
    QHash<QString, qint64>
        constants;       ///< integer constexpr, const and #define of one literal or expression
    QSet<int> launching; ///< functions that launch, themselves or through others of the file

    const CppFunction* functionAt(int token) const;
    int functionIndex(const QString& name) const;
    bool launchIn(int begin, int end) const; ///< a launch, or a call of a launching function
    /// Value of tokens [begin, end) made of integers, known constants, + - * / % and parentheses.
    bool evaluate(int begin, int end, qint64& value) const;
};

CppModel modelCpp(const QString& text);

} // namespace ridgeline::audit
