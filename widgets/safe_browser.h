// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTextBrowser>

namespace ridgeline {

/// Shows a stranger's Markdown: raw HTML stays text, images and style sheets are never loaded from
/// anywhere, links are not followed but shown in the tool tip and can be copied.
class SafeBrowser final : public QTextBrowser {
    Q_OBJECT
public:
    explicit SafeBrowser(QWidget* parent = nullptr);
    void showMarkdown(const QString& markdown);
    /// For our own help page and generated text only.
    void showTrustedHtml(const QString& html);

protected:
    QVariant loadResource(int type, const QUrl& name) override;

private:
    void styleDocument();
};

} // namespace ridgeline
