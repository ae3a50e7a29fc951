// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/icons.h"

#include "core/support/paths.h"

#include <QApplication>
#include <QCoreApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>
#include <QSvgRenderer>
#include <cmath>

namespace ridgeline {

namespace {

QString word(const char* text)
{
    return QCoreApplication::translate("ridgeline::Look", text);
}

/// Paints into a square; both engines share the pixmap path.
class PaintedIconEngine : public QIconEngine {
public:
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect(QPoint(0, 0), size), mode, state);
        return pixmap;
    }
};

QRectF squareIn(const QRect& rect)
{
    const qreal side = std::min(rect.width(), rect.height());
    return QRectF(rect.x() + (rect.width() - side) / 2.0, rect.y() + (rect.height() - side) / 2.0,
                  side, side);
}

QPolygonF octagon()
{
    QPolygonF polygon;
    for (int i = 0; i < 8; ++i) {
        const double angle = M_PI / 8 + i * M_PI / 4;
        polygon << QPointF(8 + 7 * std::cos(angle), 8 + 7 * std::sin(angle));
    }
    return polygon;
}

class ShapeIconEngine final : public PaintedIconEngine {
public:
    ShapeIconEngine(Shape shape, Meaning meaning) : m_shape(shape), m_meaning(meaning) {}

    QIconEngine* clone() const override { return new ShapeIconEngine(m_shape, m_meaning); }

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override
    {
        const ThemeTokens& tokens = ThemeTokens::of(QApplication::palette());
        const QColor ink = mode == QIcon::Disabled ? tokens.muted : tokens.colour(m_meaning);
        const QColor hole = tokens.base;
        const QRectF square = squareIn(rect);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->translate(square.topLeft());
        painter->scale(square.width() / 16.0, square.height() / 16.0);
        draw(*painter, ink, hole);
        painter->restore();
    }

private:
    void draw(QPainter& p, const QColor& ink, const QColor& hole) const
    {
        const QPen line(ink, 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
        const QPen cut(hole, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
        p.setPen(Qt::NoPen);
        p.setBrush(ink);
        switch (m_shape) {
        case Shape::Check:
            p.drawEllipse(QPointF(8, 8), 7, 7);
            p.setPen(cut);
            p.setBrush(Qt::NoBrush);
            p.drawPolyline(QPolygonF{{4.8, 8.3}, {7.1, 10.6}, {11.3, 5.7}});
            break;
        case Shape::Cross:
            p.drawPolygon(octagon());
            p.setPen(cut);
            p.drawLine(QPointF(5.6, 5.6), QPointF(10.4, 10.4));
            p.drawLine(QPointF(10.4, 5.6), QPointF(5.6, 10.4));
            break;
        case Shape::Triangle:
            p.setPen(line);
            p.drawPolygon(QPolygonF{{8, 1.8}, {14.8, 13.8}, {1.2, 13.8}});
            p.setPen(cut);
            p.drawLine(QPointF(8, 6), QPointF(8, 9.4));
            p.drawPoint(QPointF(8, 12));
            break;
        case Shape::Question: {
            p.setPen(line);
            p.setBrush(Qt::NoBrush);
            p.drawEllipse(QPointF(8, 8), 6.4, 6.4);
            QPainterPath hook(QPointF(5.9, 6.2));
            hook.cubicTo(6, 3.4, 10.3, 3.6, 10.1, 6.3);
            hook.cubicTo(10, 7.9, 8, 7.7, 8, 9.5);
            p.drawPath(hook);
            p.drawPoint(QPointF(8, 11.9));
            break;
        }
        case Shape::Ring:
            p.setPen(line);
            p.setBrush(Qt::NoBrush);
            p.drawEllipse(QPointF(8, 8), 6, 6);
            break;
        case Shape::Play:
            p.setPen(line);
            p.drawPolygon(QPolygonF{{4, 2.4}, {13.4, 8}, {4, 13.6}});
            break;
        case Shape::Dash:
            p.setPen(line);
            p.setBrush(Qt::NoBrush);
            p.drawEllipse(QPointF(8, 8), 6.4, 6.4);
            p.drawLine(QPointF(5, 8), QPointF(11, 8));
            break;
        case Shape::Square:
            p.drawRect(QRectF(2.5, 2.5, 11, 11));
            break;
        case Shape::Clock:
            p.setPen(line);
            p.setBrush(Qt::NoBrush);
            p.drawEllipse(QPointF(8, 8), 6.4, 6.4);
            p.drawPolyline(QPolygonF{{8, 4.2}, {8, 8}, {11, 9.6}});
            break;
        case Shape::Diamond:
            p.drawPolygon(QPolygonF{{8, 1}, {15, 8}, {8, 15}, {1, 8}});
            break;
        case Shape::Bar:
            p.drawRoundedRect(QRectF(2, 6.4, 12, 3.2), 1.6, 1.6);
            break;
        }
    }

    Shape m_shape;
    Meaning m_meaning;
};

class SvgIconEngine final : public PaintedIconEngine {
public:
    explicit SvgIconEngine(QByteArray svg) : m_svg(std::move(svg)) {}

    QIconEngine* clone() const override { return new SvgIconEngine(m_svg); }

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override
    {
        const ThemeTokens& tokens = ThemeTokens::of(QApplication::palette());
        QByteArray svg = m_svg;
        QColor ink = mode == QIcon::Disabled
                         ? QApplication::palette().color(QPalette::Disabled, QPalette::ButtonText)
                         : tokens.text;
        svg.replace("currentColor", ink.name().toLatin1());
        QSvgRenderer renderer(svg);
        renderer.render(painter, squareIn(rect));
    }

private:
    QByteArray m_svg;
};

} // namespace

Look lookOf(PassState state)
{
    switch (state) {
    case PassState::Pending:
        return {Shape::Ring, Meaning::Muted, word("waiting")};
    case PassState::Running:
        return {Shape::Play, Meaning::Running, word("running")};
    case PassState::Passed:
        return {Shape::Check, Meaning::Good, word("passed")};
    case PassState::Failed:
        return {Shape::Cross, Meaning::Bad, word("failed")};
    case PassState::Error:
        return {Shape::Triangle, Meaning::Warning, word("error")};
    case PassState::Skipped:
        return {Shape::Dash, Meaning::Muted, word("skipped")};
    case PassState::Cancelled:
        return {Shape::Square, Meaning::Muted, word("cancelled")};
    case PassState::Timeout:
        return {Shape::Clock, Meaning::Bad, word("timeout")};
    }
    return {};
}

Look lookOf(CandidateVerdict verdict)
{
    switch (verdict) {
    case CandidateVerdict::Pass:
        return {Shape::Check, Meaning::Good, word("pass")};
    case CandidateVerdict::Fail:
        return {Shape::Cross, Meaning::Bad, word("fail")};
    case CandidateVerdict::Suspect:
        return {Shape::Triangle, Meaning::Warning, word("suspect")};
    case CandidateVerdict::Unknown:
        return {Shape::Question, Meaning::Muted, word("unknown")};
    }
    return {};
}

Look lookOf(Severity severity)
{
    switch (severity) {
    case Severity::High:
        return {Shape::Cross, Meaning::Bad, word("high")};
    case Severity::Medium:
        return {Shape::Triangle, Meaning::Warning, word("medium")};
    case Severity::Low:
        return {Shape::Diamond, Meaning::Info, word("low")};
    case Severity::Info:
        return {Shape::Bar, Meaning::Muted, word("info")};
    }
    return {};
}

Look lookOf(FindingState state)
{
    switch (state) {
    case FindingState::Open:
        return {Shape::Ring, Meaning::Neutral, word("open")};
    case FindingState::Confirmed:
        return {Shape::Check, Meaning::Bad, word("confirmed")};
    case FindingState::Dismissed:
        return {Shape::Dash, Meaning::Muted, word("dismissed")};
    }
    return {};
}

QIcon shapeIcon(Shape shape, Meaning meaning)
{
    return QIcon(new ShapeIconEngine(shape, meaning));
}

QIcon lookIcon(const Look& look)
{
    return shapeIcon(look.shape, look.meaning);
}

QIcon themedIcon(const QString& name)
{
    const auto svg =
        readFile(resourceDir() + QStringLiteral("/icons/") + name + QStringLiteral(".svg"), 65536);
    return svg ? QIcon(new SvgIconEngine(*svg)) : QIcon();
}

} // namespace ridgeline
