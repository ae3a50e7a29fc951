// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/compile.h"
#include "core/support/paths.h"

#include <QDir>

#include <cstdlib>

namespace ridgeline {

ScratchDir::ScratchDir()
{
    const QString parent = cacheDir() + QStringLiteral("/scratch");
    if (!QDir().mkpath(parent))
        return;
    QByteArray pattern = (parent + QStringLiteral("/r-XXXXXX")).toUtf8();
    if (::mkdtemp(pattern.data()) != nullptr)
        m_path = QString::fromUtf8(pattern);
}

ScratchDir::~ScratchDir()
{
    if (!m_path.isEmpty())
        QDir(m_path).removeRecursively();
}

} // namespace ridgeline
