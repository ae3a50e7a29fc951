// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/audit/python_model.h"

namespace ridgeline::audit {

namespace {

class Builder {
public:
    explicit Builder(const QString& text) { m.tokens = tokenizePython(text); }

    PyModel build()
    {
        imports();
        functions();
        bindings();
        callers();
        states();
        return std::move(m);
    }

private:
    int size() const { return int(m.tokens.size()); }
    const Token& at(int i) const
    {
        static const Token none;
        return i >= 0 && i < size() ? m.tokens[i] : none;
    }
    bool startsStatement(int i) const
    {
        return i == 0 || at(i - 1).kind == TokenKind::Newline ||
               at(i - 1).kind == TokenKind::Indent || at(i - 1).kind == TokenKind::Dedent ||
               at(i - 1).is(";") || at(i - 1).is(":");
    }

    QString plainDotted(int& i) const
    {
        QString name = at(i).text;
        while (at(i + 1).is(".") && at(i + 2).identifier()) {
            name += QLatin1Char('.') + at(i + 2).text;
            i += 2;
        }
        return name;
    }

    void imports()
    {
        for (int i = 0; i < size(); ++i) {
            if (!startsStatement(i))
                continue;
            if (at(i).is("import")) {
                int k = i + 1;
                while (at(k).identifier()) {
                    const QString name = plainDotted(k);
                    if (at(k + 1).is("as")) {
                        m.aliases.insert(at(k + 2).text, name);
                        k += 2;
                    } else {
                        m.aliases.insert(name.section(QLatin1Char('.'), 0, 0),
                                         name.section(QLatin1Char('.'), 0, 0));
                    }
                    if (!at(k + 1).is(","))
                        break;
                    k += 2;
                }
            } else if (at(i).is("from") && at(i + 1).identifier()) {
                int k = i + 1;
                const QString from = plainDotted(k);
                if (!at(k + 1).is("import"))
                    continue;
                k += at(k + 2).is("(") ? 3 : 2;
                while (at(k).identifier()) {
                    const QString name = at(k).text;
                    QString local = name;
                    if (at(k + 1).is("as")) {
                        local = at(k + 2).text;
                        k += 2;
                    }
                    m.aliases.insert(local, from + QLatin1Char('.') + name);
                    if (!at(k + 1).is(","))
                        break;
                    k += 2;
                }
            }
        }
    }

    void functions()
    {
        QStringList decorators;
        for (int i = 0; i < size(); ++i) {
            if (at(i).is("@") && startsStatement(i)) {
                int last = i + 1;
                decorators << m.dotted(i + 1, last);
                while (i < size() && at(i).kind != TokenKind::Newline)
                    ++i;
                continue;
            }
            if (at(i).is("class") && startsStatement(i))
                decorators.clear();
            if (!at(i).is("def") || !at(i + 1).identifier())
                continue;
            PyFunction f;
            f.name = at(i + 1).text;
            f.defToken = i;
            f.decorators = decorators;
            decorators.clear();
            const int open = i + 2;
            const int close = at(open).is("(") ? matching(m.tokens, open) : -1;
            for (int k = open + 1, depth = 0; k < close; ++k) {
                if (at(k).is("(") || at(k).is("[") || at(k).is("{"))
                    ++depth;
                else if (at(k).is(")") || at(k).is("]") || at(k).is("}"))
                    --depth;
                else if (depth == 0 && at(k).identifier() &&
                         (at(k - 1).is("(") || at(k - 1).is(",") || at(k - 1).is("*") ||
                          at(k - 1).is("**")))
                    f.params << at(k).text;
            }
            int colon = 0;
            f.end = m.blockEnd(i, colon);
            f.begin = colon + 1;
            if (f.end < 0)
                continue;
            for (const QString& d : f.decorators) {
                if (d.endsWith(QLatin1String(".jit")) || d == QLatin1String("jit")) {
                    // jax.jit compiles host code; triton.jit and nki.jit make kernels.
                    f.kernel = f.kernel || !d.startsWith(QLatin1String("jax"));
                }
            }
            if (f.kernel)
                m.kernels.insert(f.name);
            m.functionNames.insert(f.name);
            m.functions.push_back(f);
        }
    }

    // name = load_inline(…), name = cupy.RawKernel(…), name = triton.autotune(…)(kernel)
    void bindings()
    {
        for (int i = 0; i + 2 < size(); ++i) {
            if (!at(i).identifier() || !at(i + 1).is("="))
                continue;
            int last = 0;
            const QString value = m.dotted(i + 2, last);
            const QString call = value.section(QLatin1Char('.'), -1);
            if (call == QLatin1String("load_inline") || call == QLatin1String("RawModule") ||
                value == QLatin1String("torch.utils.cpp_extension.load"))
                m.modules.insert(at(i).text);
            else if (call == QLatin1String("RawKernel") || call == QLatin1String("get_function") ||
                     call == QLatin1String("pallas_call") ||
                     call == QLatin1String("ElementwiseKernel"))
                m.kernels.insert(at(i).text);
        }
    }

    void callers()
    {
        QHash<QString, int> byName;
        for (int f = 0; f < int(m.functions.size()); ++f) {
            byName.insert(m.functions[f].name, f);
            if (!m.functions[f].kernel && m.launchIn(m.functions[f].begin, m.functions[f].end))
                m.launching.insert(f);
        }
        bool grew = true;
        for (int round = 0; grew && round < 16; ++round) {
            grew = false;
            for (int f = 0; f < int(m.functions.size()); ++f) {
                if (m.functions[f].kernel || m.launching.contains(f))
                    continue;
                for (int i = m.functions[f].begin; i + 1 < m.functions[f].end; ++i) {
                    const int callee =
                        at(i).identifier() && at(i + 1).is("(") ? byName.value(at(i).text, -1) : -1;
                    if (callee >= 0 && m.launching.contains(callee)) {
                        m.launching.insert(f);
                        grew = true;
                        break;
                    }
                }
            }
        }
        for (const int f : m.launching)
            m.launchers.insert(m.functions[f].name);
    }

    // Names a function changes that live on: globals, attributes set outside __init__, function
    // attributes, containers of the module.
    void states()
    {
        QSet<QString> module;
        for (int i = 0, depth = 0; i < size(); ++i) {
            if (at(i).kind == TokenKind::Indent)
                ++depth;
            else if (at(i).kind == TokenKind::Dedent)
                --depth;
            else if (depth == 0 && startsStatement(i) && at(i).identifier() &&
                     (at(i + 1).is("=") || at(i + 1).is(":")))
                module.insert(at(i).text);
        }
        for (const PyFunction& f : m.functions) {
            if (f.kernel)
                continue;
            QSet<QString> globals;
            for (int i = f.begin; i < f.end; ++i) {
                if (at(i).is("global") || at(i).is("nonlocal")) {
                    for (++i; i < f.end && at(i).kind != TokenKind::Newline; ++i)
                        globals.insert(at(i).text);
                    continue;
                }
                const QString name = m.stateName(i);
                if (name.isEmpty())
                    continue;
                const int next = i + (name.contains(QLatin1Char('.')) ? 3 : 1);
                const bool attribute = name.contains(QLatin1Char('.'));
                const bool mine = attribute || globals.contains(name) || module.contains(name) ||
                                  f.params.contains(name + QLatin1Char('='));
                if (!mine || (attribute && f.name == QLatin1String("__init__")))
                    continue;
                const bool rebinds = (at(next).is("=") && (attribute || globals.contains(name)));
                const bool increments = at(next).is("+=") || at(next).is("-=");
                bool fills =
                    at(next).is(".") && (at(next + 1).is("append") || at(next + 1).is("update") ||
                                         at(next + 1).is("setdefault") || at(next + 1).is("add") ||
                                         at(next + 1).is("insert"));
                if (at(next).is("[")) {
                    const int close = matching(m.tokens, next);
                    fills = close > 0 && (at(close + 1).is("=") || at(close + 1).is("+="));
                }
                if (rebinds || fills || (increments && (attribute || globals.contains(name))))
                    m.state.insert(name);
                if (increments && (attribute || globals.contains(name)))
                    m.counters.insert(name);
            }
        }
    }

    PyModel m;
};

} // namespace

QString PyModel::dotted(int i, int& last) const
{
    last = i;
    if (i < 0 || i >= tokens.size() || !tokens[i].identifier() || (i > 0 && tokens[i - 1].is(".")))
        return {};
    QString name = aliases.value(tokens[i].text, tokens[i].text);
    while (last + 2 < tokens.size() && tokens[last + 1].is(".") && tokens[last + 2].identifier()) {
        name += QLatin1Char('.') + tokens[last + 2].text;
        last += 2;
    }
    return name;
}

QString PyModel::stateName(int i) const
{
    if (!tokens[i].identifier() || (i > 0 && tokens[i - 1].is(".")))
        return {};
    if (i + 2 < tokens.size() && tokens[i + 1].is(".") && tokens[i + 2].identifier()) {
        const bool owner = tokens[i].is("self") || tokens[i].is("cls");
        if (owner || functionNames.contains(tokens[i].text))
            return tokens[i].text + QLatin1Char('.') + tokens[i + 2].text;
    }
    return tokens[i].text;
}

const PyFunction* PyModel::functionAt(int token) const
{
    const PyFunction* best = nullptr;
    for (const PyFunction& f : functions) {
        if (token >= f.defToken && token < f.end)
            best = &f; // later ones are nested deeper
    }
    return best;
}

bool PyModel::launchAt(int i) const
{
    const Token& t = tokens[i];
    if (!t.identifier() || i + 1 >= tokens.size())
        return false;
    if (tokens[i + 1].is("[") && !(i > 0 && tokens[i - 1].is("def"))) {
        const int close = matching(tokens, i + 1);
        if (close > 0 && close + 1 < tokens.size() && tokens[close + 1].is("("))
            return kernels.contains(t.text) ||
                   t.text.contains(QLatin1String("kernel"), Qt::CaseInsensitive);
    }
    const bool method = i > 1 && tokens[i - 1].is(".");
    if (tokens[i + 1].is("(") && !(i > 0 && tokens[i - 1].is("def"))) {
        if (kernels.contains(t.text) || t.is("pallas_call"))
            return true;
        if (method && modules.contains(tokens[i - 2].text))
            return true;
        return launchers.contains(t.text);
    }
    return false;
}

bool PyModel::launchIn(int begin, int end) const
{
    for (int i = begin; i < end; ++i) {
        if (launchAt(i))
            return true;
    }
    return false;
}

int PyModel::blockEnd(int i, int& colon) const
{
    int depth = 0;
    for (; i < tokens.size(); ++i) {
        const Token& t = tokens[i];
        if (t.is("(") || t.is("[") || t.is("{"))
            ++depth;
        else if (t.is(")") || t.is("]") || t.is("}"))
            --depth;
        else if (depth <= 0 && t.kind == TokenKind::Newline)
            return -1;
        else if (depth == 0 && t.is(":"))
            break;
        else if (depth == 0 && t.is("lambda"))
            --depth; // its own colon
        if (depth == -1 && t.is(":"))
            depth = 0;
    }
    if (i >= tokens.size())
        return -1;
    colon = i;
    ++i;
    if (i < tokens.size() && tokens[i].kind != TokenKind::Newline) {
        while (i < tokens.size() && tokens[i].kind != TokenKind::Newline)
            ++i;
        return i;
    }
    ++i;
    if (i >= tokens.size() || tokens[i].kind != TokenKind::Indent)
        return i;
    int level = 0;
    for (; i < tokens.size(); ++i) {
        if (tokens[i].kind == TokenKind::Indent)
            ++level;
        else if (tokens[i].kind == TokenKind::Dedent && --level == 0)
            return i;
    }
    return int(tokens.size());
}

PyModel modelPython(const QString& text)
{
    return Builder(text).build();
}

} // namespace ridgeline::audit
