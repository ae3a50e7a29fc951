// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/lexers.h"

#include <QFileInfo>
#include <QHash>

namespace ridgeline {

CudaLexer::CudaLexer(QObject* parent) : QsciLexerCPP(parent)
{
    setFoldComments(true);
    setFoldPreprocessor(true);
    setHighlightHashQuotedStrings(false);
    setStylePreprocessor(false);
}

const char* CudaLexer::language() const
{
    return "CUDA";
}

const char* CudaLexer::keywords(int set) const
{
    if (set == 1) {
        return "alignas alignof and asm auto bool break case catch char class const consteval "
               "constexpr constinit const_cast continue co_await co_return co_yield decltype "
               "default "
               "delete do double dynamic_cast else enum explicit export extern false float for "
               "friend "
               "goto if inline int long mutable namespace new noexcept nullptr operator or "
               "override "
               "private protected public register reinterpret_cast requires return short signed "
               "sizeof static static_assert static_cast struct switch template this thread_local "
               "throw true try typedef typeid typename union unsigned using virtual void volatile "
               "while concept final";
    }
    if (set == 2) {
        return "__global__ __device__ __host__ __shared__ __constant__ __managed__ __restrict__ "
               "__forceinline__ __noinline__ __launch_bounds__ __grid_constant__ __cluster_dims__ "
               "dim3 uint3 int2 int3 int4 uint2 uint4 float2 float3 float4 double2 half half2 "
               "__half "
               "__half2 __nv_bfloat16 __nv_bfloat162 __nv_fp8_e4m3 __nv_fp8_e5m2 cudaStream_t "
               "cudaEvent_t cudaError_t cudaDeviceProp size_t int8_t int16_t int32_t int64_t "
               "uint8_t "
               "uint16_t uint32_t uint64_t";
    }
    // The fourth set (styled as "global classes") takes what the device gives without a
    // declaration.
    if (set == 4) {
        return "threadIdx blockIdx blockDim gridDim warpSize __syncthreads __syncthreads_count "
               "__syncthreads_and __syncthreads_or __syncwarp __threadfence __threadfence_block "
               "__threadfence_system __shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync "
               "__ballot_sync __any_sync __all_sync __activemask __match_any_sync __match_all_sync "
               "__reduce_add_sync __ldg __ldcg __ldcs __stcg __stcs __popc __popcll __clz __clzll "
               "__ffs __brev __fmaf_rn __fmul_rn __fadd_rn __expf __logf __sinf __cosf __powf "
               "__fdividef __frcp_rn __frsqrt_rn __saturatef __half2float __float2half "
               "__bfloat162float __float2bfloat16 __hadd __hmul __hfma expf exp2f logf log2f sqrtf "
               "rsqrtf fmaxf fminf fabsf tanhf erff powf atomicAdd atomicSub atomicMax atomicMin "
               "atomicExch atomicCAS atomicAnd atomicOr atomicXor cudaMalloc cudaFree cudaMemcpy "
               "cudaMemcpyAsync cudaMemset cudaMemsetAsync cudaDeviceSynchronize cudaGetLastError "
               "cudaStreamSynchronize cudaFuncSetAttribute cudaGetErrorString";
    }
    return QsciLexerCPP::keywords(set);
}

namespace {

constexpr struct {
    const char* language;
    const char* suffixes;
} languages[] = {{"cuda", "cu cuh"},      {"cpp", "cpp cc cxx c h hpp hh"}, {"hip", "hip"},
                 {"python", "py"},        {"markdown", "md markdown"},      {"ptx", "ptx"},
                 {"json", "json kresult"}};

QColor cppColour(int style, const ThemeTokens& t)
{
    switch (style) {
    case QsciLexerCPP::Comment:
    case QsciLexerCPP::CommentLine:
    case QsciLexerCPP::CommentDoc:
    case QsciLexerCPP::CommentLineDoc:
    case QsciLexerCPP::CommentDocKeyword:
        return t.comment;
    case QsciLexerCPP::Keyword:
        return t.keyword;
    case QsciLexerCPP::KeywordSet2:
        return t.type;
    case QsciLexerCPP::GlobalClass:
        return t.builtin;
    case QsciLexerCPP::Number:
    case QsciLexerCPP::UserLiteral:
        return t.number;
    case QsciLexerCPP::DoubleQuotedString:
    case QsciLexerCPP::SingleQuotedString:
    case QsciLexerCPP::RawString:
    case QsciLexerCPP::UnclosedString:
        return t.string;
    case QsciLexerCPP::PreProcessor:
        return t.preprocessor;
    default:
        break;
    }
    return t.text;
}

QColor pythonColour(int style, const ThemeTokens& t)
{
    switch (style) {
    case QsciLexerPython::Comment:
    case QsciLexerPython::CommentBlock:
        return t.comment;
    case QsciLexerPython::Keyword:
        return t.keyword;
    case QsciLexerPython::ClassName:
        return t.type;
    case QsciLexerPython::FunctionMethodName:
    case QsciLexerPython::HighlightedIdentifier:
        return t.builtin;
    case QsciLexerPython::Decorator:
        return t.preprocessor;
    case QsciLexerPython::Number:
        return t.number;
    case QsciLexerPython::DoubleQuotedString:
    case QsciLexerPython::SingleQuotedString:
    case QsciLexerPython::TripleSingleQuotedString:
    case QsciLexerPython::TripleDoubleQuotedString:
    case QsciLexerPython::UnclosedString:
        return t.string;
    default:
        break;
    }
    return t.text;
}

QColor markdownColour(int style, const ThemeTokens& t)
{
    switch (style) {
    case QsciLexerMarkdown::Header1:
    case QsciLexerMarkdown::Header2:
    case QsciLexerMarkdown::Header3:
    case QsciLexerMarkdown::Header4:
    case QsciLexerMarkdown::Header5:
    case QsciLexerMarkdown::Header6:
        return t.keyword;
    case QsciLexerMarkdown::CodeBackticks:
    case QsciLexerMarkdown::CodeDoubleBackticks:
    case QsciLexerMarkdown::CodeBlock:
        return t.builtin;
    case QsciLexerMarkdown::BlockQuote:
        return t.comment;
    case QsciLexerMarkdown::Link:
        return t.accent;
    case QsciLexerMarkdown::UnorderedListItem:
    case QsciLexerMarkdown::OrderedListItem:
        return t.number;
    default:
        break;
    }
    return t.text;
}

QColor ptxColour(int style, const ThemeTokens& t)
{
    switch (style) {
    case PtxLexer::Comment:
        return t.comment;
    case PtxLexer::Directive:
        return t.preprocessor;
    case PtxLexer::Instruction:
        return t.keyword;
    case PtxLexer::Register:
        return t.builtin;
    case PtxLexer::Number:
        return t.number;
    case PtxLexer::String:
        return t.string;
    case PtxLexer::Label:
        return t.type;
    default:
        break;
    }
    return t.text;
}

QColor jsonColour(int style, const ThemeTokens& t)
{
    switch (style) {
    case QsciLexerJSON::Property:
        return t.type;
    case QsciLexerJSON::String:
        return t.string;
    case QsciLexerJSON::Number:
        return t.number;
    case QsciLexerJSON::Keyword:
        return t.keyword;
    case QsciLexerJSON::CommentLine:
    case QsciLexerJSON::CommentBlock:
        return t.comment;
    case QsciLexerJSON::Error:
        return t.bad;
    default:
        break;
    }
    return t.text;
}

} // namespace

QsciLexer* makeLexer(const QString& language, QObject* parent)
{
    if (language == QLatin1String("cuda") || language == QLatin1String("cpp") ||
        language == QLatin1String("c") || language == QLatin1String("hip"))
        return new CudaLexer(parent);
    if (language == QLatin1String("python") || language == QLatin1String("triton") ||
        language == QLatin1String("pallas") || language == QLatin1String("nki"))
        return new QsciLexerPython(parent);
    if (language == QLatin1String("markdown"))
        return new QsciLexerMarkdown(parent);
    if (language == QLatin1String("ptx"))
        return new PtxLexer(parent);
    if (language == QLatin1String("json"))
        return new QsciLexerJSON(parent);
    return nullptr;
}

QString languageOfFile(const QString& path)
{
    const QString suffix = QFileInfo(path).suffix().toLower();
    if (suffix.isEmpty())
        return {};
    for (const auto& entry : languages) {
        if (QString::fromLatin1(entry.suffixes).split(QLatin1Char(' ')).contains(suffix))
            return QString::fromLatin1(entry.language);
    }
    return {};
}

void applyLexerTheme(QsciLexer& lexer, const ThemeTokens& tokens, const QFont& font)
{
    lexer.setDefaultFont(font);
    lexer.setDefaultColor(tokens.text);
    lexer.setDefaultPaper(tokens.base);
    lexer.setFont(font, -1);
    lexer.setPaper(tokens.base, -1);
    // Styles 0 to 127 are the lexer's; 64 and up are the greyed copies of inactive code.
    for (int style = 0; style < 128; ++style) {
        QColor colour = tokens.text;
        if (qobject_cast<QsciLexerCPP*>(&lexer))
            colour = style >= 64 ? tokens.comment : cppColour(style, tokens);
        else if (qobject_cast<QsciLexerPython*>(&lexer))
            colour = pythonColour(style, tokens);
        else if (qobject_cast<QsciLexerMarkdown*>(&lexer))
            colour = markdownColour(style, tokens);
        else if (qobject_cast<PtxLexer*>(&lexer))
            colour = ptxColour(style, tokens);
        else if (qobject_cast<QsciLexerJSON*>(&lexer))
            colour = jsonColour(style, tokens);
        lexer.setColor(colour, style);
    }
}

PtxLexer::PtxLexer(QObject* parent) : QsciLexerCustom(parent) {}

const char* PtxLexer::language() const
{
    return "PTX";
}

QString PtxLexer::description(int style) const
{
    switch (style) {
    case Default:
        return tr("Default");
    case Comment:
        return tr("Comment");
    case Directive:
        return tr("Directive");
    case Instruction:
        return tr("Instruction");
    case Register:
        return tr("Register");
    case Number:
        return tr("Number");
    case String:
        return tr("String");
    case Label:
        return tr("Label");
    default:
        return {};
    }
}

void PtxLexer::styleText(int start, int end)
{
    QsciScintilla* view = editor();
    if (!view || end <= start)
        return;
    // Whole lines, so that a word is never cut; block comments are followed from the line's state.
    const int firstLine = int(view->SendScintilla(QsciScintilla::SCI_LINEFROMPOSITION, start));
    start = int(view->SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, firstLine));
    bool inBlock =
        firstLine > 0 && view->SendScintilla(QsciScintilla::SCI_GETLINESTATE, firstLine - 1) == 1;
    QByteArray text(end - start + 1, '\0');
    view->SendScintilla(QsciScintilla::SCI_GETTEXTRANGE, start, end, text.data());
    text.chop(1);

    startStyling(start);
    const auto isWord = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '$' || c == '.' || c == '%';
    };
    int line = firstLine;
    int i = 0;
    const int n = int(text.size());
    while (i < n) {
        const char c = text[i];
        int j = i + 1;
        int style = Default;
        if (inBlock || (c == '/' && j < n && text[j] == '*')) {
            style = Comment;
            const int stop = int(text.indexOf('\n', i));
            const int close = int(text.indexOf("*/", inBlock ? i : i + 2));
            const bool closes = close >= 0 && (stop < 0 || close < stop);
            j = closes ? close + 2 : (stop < 0 ? n : std::max(stop, i + 1));
            inBlock = !closes;
            if (c == '\n')
                j = i + 1;
        } else if (c == '/' && j < n && text[j] == '/') {
            style = Comment;
            const int stop = int(text.indexOf('\n', i));
            j = stop < 0 ? n : stop;
        } else if (c == '"') {
            style = String;
            while (j < n && text[j] != '"' && text[j] != '\n')
                ++j;
            if (j < n && text[j] == '"')
                ++j;
        } else if (isWord(c)) {
            while (j < n && isWord(text[j]))
                ++j;
            if (c == '.')
                style = Directive;
            else if (c == '%')
                style = Register;
            else if (c >= '0' && c <= '9')
                style = Number;
            else if (j < n && text[j] == ':')
                style = Label;
            else if (c == '$')
                style = Label;
            else if (c >= 'a' && c <= 'z')
                style = Instruction;
        }
        if (c == '\n') {
            view->SendScintilla(QsciScintilla::SCI_SETLINESTATE, line, inBlock ? 1 : 0);
            ++line;
        }
        setStyling(j - i, style);
        i = j;
    }
}

} // namespace ridgeline
