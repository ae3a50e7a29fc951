// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/help.h"

#include "app/window/actions.h"
#include "widgets/safe_browser.h"

#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QVBoxLayout>

namespace ridgeline {

namespace {

QString introduction()
{
    return QCoreApplication::translate(
        "ridgeline::Help",
        "<h2>Ridgeline</h2>"
        "<p>For people who review accelerator kernel tasks. The three questions, in order: is it "
        "right, is it fair, what do I write.</p>"
        "<p><b>Read.</b> Spec, reference and candidate stand side by side. Scrolling one column "
        "scrolls all of them while the lock is on; release it, align by hand, lock again, and the "
        "offset stays. The spec is rendered; the button in its header shows the source. Pictures "
        "and "
        "links of a bundle are never fetched.</p>"
        "<p><b>Run.</b> Passes run in the background in child processes with limits. Results are "
        "written to the bundle's results folder as each run ends. Without a GPU the emulated "
        "device "
        "runs what nvcc compiled and counts operations and bytes; its time is the emulator's own "
        "clock and is never shown as GPU performance.</p>"
        "<p><b>Judge.</b> A finding is a fact with evidence. Confirm or dismiss it; a dismissal "
        "needs a reason. Digits score the current criterion and go on to the next one while no "
        "text "
        "field has the keyboard; Esc leaves a text field. Everything is written to disk as you "
        "do it, and the rubric says when.</p>"
        "<p><b>Bundles.</b> A folder with a kbundle.json. Drop one on the window, or open it. "
        "Delete in the queue takes a bundle off the list and leaves its files alone.</p>");
}

} // namespace

void showHelpDialog(const Actions& actions, QWidget* parent)
{
    auto* dialog = new QDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(QCoreApplication::translate("ridgeline::Help", "Help"));
    dialog->resize(760, 680);
    QString html = introduction();
    html += QCoreApplication::translate("ridgeline::Help", "<h3>Keys</h3>");
    html += QStringLiteral("<table cellpadding='3' cellspacing='0'>");
    for (const QAction* action : actions.all()) {
        if (action->shortcuts().isEmpty())
            continue;
        QStringList keys;
        for (const QKeySequence& key : action->shortcuts())
            keys.append(key.toString(QKeySequence::NativeText).toHtmlEscaped());
        QString text = action->text();
        text.remove(QLatin1Char('&'));
        html +=
            QStringLiteral("<tr><td><b>%1</b>&nbsp;&nbsp;&nbsp;</td><td>%2</td><td>%3</td></tr>")
                .arg(keys.join(QStringLiteral(", ")), text.toHtmlEscaped(),
                     action->statusTip().toHtmlEscaped());
    }
    html += QStringLiteral("</table>");
    auto* page = new SafeBrowser(dialog);
    page->setAccessibleName(QCoreApplication::translate("ridgeline::Help", "Help text"));
    page->showTrustedHtml(html);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
    auto* column = new QVBoxLayout(dialog);
    column->addWidget(page);
    column->addWidget(buttons);
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    dialog->show();
}

} // namespace ridgeline
