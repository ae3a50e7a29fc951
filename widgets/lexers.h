// SPDX-License-Identifier: GPL-3.0-or-later
// Lexers of the code pane and how they take their colours from the theme.
#pragma once

#include "widgets/qsci.h"
#include "widgets/theme.h"

namespace ridgeline {

/// C++ with the words CUDA adds: qualifiers and built-in types as second keyword set, built-in
/// variables and device functions as third.
class CudaLexer final : public QsciLexerCPP {
    Q_OBJECT
public:
    explicit CudaLexer(QObject* parent = nullptr);
    const char* language() const override;
    const char* keywords(int set) const override;
};

/// PTX: directives, instructions with their type suffixes, registers, labels, comments.
class PtxLexer final : public QsciLexerCustom {
    Q_OBJECT
public:
    enum Style { Default, Comment, Directive, Instruction, Register, Number, String, Label };

    explicit PtxLexer(QObject* parent = nullptr);
    const char* language() const override;
    QString description(int style) const override;
    void styleText(int start, int end) override;
};

/// The lexer for a bundle language ("cuda", "cpp", "hip", "python", "triton", "pallas", "nki",
/// "markdown", "ptx", "json") or null for plain text. The caller's parent owns it.
QsciLexer* makeLexer(const QString& language, QObject* parent);

/// Language by file name: .cu .cuh .cpp .h .hip .py .md .ptx .json; empty when unknown.
QString languageOfFile(const QString& path);

/// Sets every colour and font of a lexer made by makeLexer.
void applyLexerTheme(QsciLexer& lexer, const ThemeTokens& tokens, const QFont& font);

} // namespace ridgeline
