// SPDX-License-Identifier: GPL-3.0-or-later
// Makes small bundles in a temporary folder: y = 2 x + b, with candidates given as C++ text.
#pragma once

#include "core/bundle/bundle.h"
#include "core/support/json.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

namespace ridgeline::test {

class BundleMaker {
public:
    BundleMaker()
    {
        m_manifest = Json::parse(R"({
            "schema": "kbundle/1", "id": "axpb", "title": "y = 2 x + b", "status": "ready",
            "task_type": "generate", "files": [], "spec": {"file": "files/spec.md", "media": "md"},
            "signature": {"call_style": "c_abi", "entry": "solve", "axes": ["n"], "params": [
                {"name": "x", "dtype": "fp32", "pointer": true, "direction": "in", "shape": ["n"]},
                {"name": "y", "dtype": "fp32", "pointer": true, "direction": "out", "shape": ["n"]},
                {"name": "b", "dtype": "fp32", "value": "3"},
                {"name": "n", "dtype": "int32"}]},
            "reference": {"file": "files/reference.cpp", "entry": "reference", "framework": "cpp"},
            "candidates": [],
            "cases": [{"id": "small", "use": "test", "axes": {"n": 100}, "seeds": [0, 1]},
                      {"id": "odd", "use": "test", "axes": {"n": 777}},
                      {"id": "speed", "use": "bench", "axes": {"n": 4096}}],
            "correctness": {"method": "allclose", "default": {"rtol": 1e-5, "atol": 1e-6}},
            "timing": {"warmup": {"n": 1}, "reps": {"n": 8}},
            "roofline": {"flops_expr": "2*n", "bytes_expr": "8*n", "dtype": "fp32"}
        })");
        write("files/spec.md", "y = 2 x + b\n");
        write("files/reference.cpp",
              "extern \"C\" void reference(const double* x, double* y, double b, int n)\n"
              "{ for (int i = 0; i < n; ++i) y[i] = 2 * x[i] + b; }\n");
        addFile("files/spec.md", "spec");
        addFile("files/reference.cpp", "reference");
    }

    Json& manifest() { return m_manifest; }
    QString dir() const { return m_dir.path() + QStringLiteral("/task.kbundle"); }

    void write(const QString& path, const QByteArray& text)
    {
        const QString full = dir() + QLatin1Char('/') + path;
        QDir().mkpath(QFileInfo(full).absolutePath());
        QFile file(full);
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            qFatal("cannot write the test bundle");
    }
    void write(const char* path, const QByteArray& text) { write(QString::fromLatin1(path), text); }

    /// A candidate whose solve() has this body, in C++ (or CUDA for suffix "cu").
    void candidate(const char* id, const QByteArray& body, const QByteArray& before = {},
                   const char* suffix = "cpp")
    {
        const QString path =
            QStringLiteral("files/%1.%2").arg(QLatin1String(id), QLatin1String(suffix));
        write(path, "#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n" + before +
                        "\nextern \"C\" void solve(const float* x, float* y, float b, int n)\n{\n" +
                        body + "\n}\n");
        addFile(path, "candidate");
        m_manifest["candidates"].push_back(
            {{"id", id}, {"files", {path.toStdString()}}, {"language", "cuda"}});
    }

    Bundle load()
    {
        write("kbundle.json", toJsonBytes(m_manifest));
        auto bundle = loadBundle(dir());
        if (!bundle)
            qFatal("%s", qPrintable(bundle.error().toString()));
        return *bundle;
    }

private:
    void addFile(const QString& path, const char* role)
    {
        m_manifest["files"].push_back({{"path", path.toStdString()}, {"role", role}});
    }
    void addFile(const char* path, const char* role) { addFile(QString::fromLatin1(path), role); }

    QTemporaryDir m_dir;
    Json m_manifest;
};

/// The body every right candidate has.
inline const QByteArray rightBody = "    for (int i = 0; i < n; ++i) y[i] = 2 * x[i] + b;";

} // namespace ridgeline::test
