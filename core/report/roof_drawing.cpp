// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/roof_drawing.h"

#include "core/report/clean_text.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

namespace ridgeline {

namespace {

constexpr double width = 640;
constexpr double height = 360;
constexpr double left = 74;
constexpr double right = 20;
constexpr double top = 34;
constexpr double bottom = 50;
constexpr double xMinLog = -2; // 0.01 FLOP/byte
constexpr double xMaxLog = 3;  // 1,000 FLOP/byte

struct Shape {
    enum class Kind { Line, Text, Circle, Diamond, Square } kind = Kind::Line;
    double x = 0;
    double y = 0;
    double x2 = 0; // Line: the other end; marks: x2 is the radius
    double y2 = 0;
    QString text;
    int anchor = 0; // Text: -1 starts at x, 0 centred, 1 ends at x
    const char* colour = "#333333";
    double weight = 1; // Line: width; Text: size in pixels
    bool dashed = false;
};

class Drawing {
public:
    explicit Drawing(const RoofPlot& plot) : m_plot(plot)
    {
        m_yMaxLog = std::ceil(std::log10(plot.peakGflops) + 0.1);
        m_yMinLog = std::floor(std::log10(plot.bandwidthGbps) + xMinLog);
        axes();
        roof();
        points();
    }

    QVector<Shape> shapes;

private:
    double x(double intensity) const
    {
        const double t = (std::log10(intensity) - xMinLog) / (xMaxLog - xMinLog);
        return left + std::clamp(t, 0.0, 1.0) * (width - left - right);
    }
    double y(double gflops) const
    {
        const double t = (std::log10(gflops) - m_yMinLog) / (m_yMaxLog - m_yMinLog);
        return height - bottom - std::clamp(t, 0.0, 1.0) * (height - top - bottom);
    }
    void line(double x1, double y1, double x2, double y2, const char* colour, double weight,
              bool dashed = false)
    {
        shapes.push_back({Shape::Kind::Line, x1, y1, x2, y2, {}, 0, colour, weight, dashed});
    }
    void text(double x, double y, const QString& text, int anchor, double size = 12)
    {
        shapes.push_back({Shape::Kind::Text, x, y, 0, 0, text, anchor, "#333333", size});
    }
    void mark(Shape::Kind kind, double x, double y, const char* colour)
    {
        shapes.push_back({kind, x, y, 5, 0, {}, 0, colour});
    }

    void axes()
    {
        for (int decade = int(xMinLog); decade <= int(xMaxLog); ++decade) {
            const double at = x(std::pow(10, decade));
            line(at, top, at, height - bottom, "#dddddd", 1);
            text(at, height - bottom + 16, numberText(std::pow(10, decade)), 0, 11);
        }
        for (int decade = int(m_yMinLog); decade <= int(m_yMaxLog); ++decade) {
            const double at = y(std::pow(10, decade));
            line(left, at, width - right, at, "#dddddd", 1);
            text(left - 6, at + 4, numberText(std::pow(10, decade)), 1, 11);
        }
        text((left + width - right) / 2, height - 12,
             QStringLiteral("FLOP per byte of device memory"), 0);
        text(6, 16, QStringLiteral("GFLOP/s"), -1);
        text(width - right, 16,
             QStringLiteral("%1 %2: %3 GFLOP/s, %4 GB/s")
                 .arg(m_plot.device, m_plot.dtype, numberText(m_plot.peakGflops),
                      numberText(m_plot.bandwidthGbps)),
             1);
    }

    void roof()
    {
        const double ridge = m_plot.peakGflops / m_plot.bandwidthGbps;
        const double start = std::pow(10, xMinLog);
        const double end = std::pow(10, xMaxLog);
        if (ridge > start)
            line(x(start), y(start * m_plot.bandwidthGbps), x(std::min(ridge, end)),
                 y(std::min(ridge, end) * m_plot.bandwidthGbps), "#1f4e8c", 2.5);
        if (ridge < end)
            line(x(std::max(ridge, start)), y(m_plot.peakGflops), x(end), y(m_plot.peakGflops),
                 "#1f4e8c", 2.5);
    }

    void points()
    {
        bool counted = false;
        bool declared = false;
        bool achieved = false;
        for (const RoofPoint& p : m_plot.points) {
            const double bound = std::min(m_plot.peakGflops, p.intensity * m_plot.bandwidthGbps);
            const char* colour = p.counted ? "#b3541e" : "#2c7a4b";
            line(x(p.intensity), height - bottom, x(p.intensity), y(bound), colour, 1, true);
            mark(p.counted ? Shape::Kind::Circle : Shape::Kind::Diamond, x(p.intensity), y(bound),
                 colour);
            (p.counted ? counted : declared) = true;
            if (p.achievedGflops) {
                mark(Shape::Kind::Square, x(p.intensity), y(*p.achievedGflops), "#111111");
                achieved = true;
            }
        }
        double at = height - bottom - 12;
        const auto key = [&](Shape::Kind kind, const char* colour, const QString& what) {
            mark(kind, width - right - 12, at - 4, colour);
            text(width - right - 24, at, what, 1, 11);
            at -= 18;
        };
        if (achieved)
            key(Shape::Kind::Square, "#111111", QStringLiteral("achieved, measured"));
        if (counted)
            key(Shape::Kind::Circle, "#b3541e", QStringLiteral("limit at the counted intensity"));
        if (declared)
            key(Shape::Kind::Diamond, "#2c7a4b", QStringLiteral("limit at the declared intensity"));
    }

    const RoofPlot& m_plot;
    double m_yMinLog = 0;
    double m_yMaxLog = 1;
};

QString fixed(double value)
{
    return QString::number(value, 'f', 1);
}

QString diamondPoints(const Shape& s)
{
    return QStringLiteral("%1,%2 %3,%4 %5,%6 %7,%8")
        .arg(fixed(s.x), fixed(s.y - s.x2), fixed(s.x + s.x2), fixed(s.y), fixed(s.x),
             fixed(s.y + s.x2), fixed(s.x - s.x2), fixed(s.y));
}

QString svgOf(const Shape& s)
{
    const QString colour = QString::fromLatin1(s.colour);
    switch (s.kind) {
    case Shape::Kind::Line:
        return QStringLiteral("<line x1=\"%1\" y1=\"%2\" x2=\"%3\" y2=\"%4\" stroke=\"%5\" "
                              "stroke-width=\"%6\"%7/>")
            .arg(fixed(s.x), fixed(s.y), fixed(s.x2), fixed(s.y2), colour, fixed(s.weight),
                 s.dashed ? QStringLiteral(" stroke-dasharray=\"3 3\"") : QString());
    case Shape::Kind::Text:
        return QStringLiteral("<text x=\"%1\" y=\"%2\" font-size=\"%3\" text-anchor=\"%4\" "
                              "fill=\"%5\">%6</text>")
            .arg(fixed(s.x), fixed(s.y), fixed(s.weight),
                 s.anchor < 0   ? QStringLiteral("start")
                 : s.anchor > 0 ? QStringLiteral("end")
                                : QStringLiteral("middle"),
                 colour, s.text.toHtmlEscaped());
    case Shape::Kind::Circle:
        return QStringLiteral("<circle cx=\"%1\" cy=\"%2\" r=\"%3\" fill=\"none\" stroke=\"%4\" "
                              "stroke-width=\"2\"/>")
            .arg(fixed(s.x), fixed(s.y), fixed(s.x2), colour);
    case Shape::Kind::Diamond:
        return QStringLiteral(
                   "<polygon points=\"%1\" fill=\"none\" stroke=\"%2\" stroke-width=\"2\"/>")
            .arg(diamondPoints(s), colour);
    case Shape::Kind::Square:
        return QStringLiteral("<rect x=\"%1\" y=\"%2\" width=\"%3\" height=\"%3\" fill=\"%4\"/>")
            .arg(fixed(s.x - s.x2), fixed(s.y - s.x2), fixed(2 * s.x2), colour);
    }
    return {};
}

void paint(QPainter& painter, const Shape& s)
{
    const QColor colour{QLatin1String(s.colour)};
    painter.setPen(QPen(colour, s.kind == Shape::Kind::Line ? s.weight : 2,
                        s.dashed ? Qt::DashLine : Qt::SolidLine));
    painter.setBrush(Qt::NoBrush);
    switch (s.kind) {
    case Shape::Kind::Line:
        painter.drawLine(QPointF(s.x, s.y), QPointF(s.x2, s.y2));
        break;
    case Shape::Kind::Text: {
        QFont font(QStringLiteral("DejaVu Sans"));
        font.setPixelSize(int(s.weight));
        painter.setFont(font);
        const double wide = QFontMetricsF(font).horizontalAdvance(s.text);
        painter.drawText(QPointF(s.anchor < 0   ? s.x
                                 : s.anchor > 0 ? s.x - wide
                                                : s.x - wide / 2,
                                 s.y),
                         s.text);
        break;
    }
    case Shape::Kind::Circle:
        painter.drawEllipse(QPointF(s.x, s.y), s.x2, s.x2);
        break;
    case Shape::Kind::Diamond:
        painter.drawPolygon(QPolygonF{QPointF(s.x, s.y - s.x2), QPointF(s.x + s.x2, s.y),
                                      QPointF(s.x, s.y + s.x2), QPointF(s.x - s.x2, s.y)});
        break;
    case Shape::Kind::Square:
        painter.fillRect(QRectF(s.x - s.x2, s.y - s.x2, 2 * s.x2, 2 * s.x2), colour);
        break;
    }
}

} // namespace

QString roofDescription(const RoofPlot& plot)
{
    return QStringLiteral(
               "Roofline of %1, %2: %3 points below a roof of %4 GFLOP/s and %5 GB/s; the table "
               "below has their numbers.")
        .arg(plot.device, plot.dtype, QString::number(plot.points.size()),
             numberText(plot.peakGflops), numberText(plot.bandwidthGbps));
}

QString roofSvg(const RoofPlot& plot)
{
    if (!plot.isDrawable())
        return {};
    QString svg = QStringLiteral("<svg viewBox=\"0 0 %1 %2\" role=\"img\" aria-label=\"%3\" "
                                 "font-family=\"sans-serif\">\n<rect width=\"%1\" height=\"%2\" "
                                 "fill=\"#ffffff\"/>\n")
                      .arg(QString::number(int(width)), QString::number(int(height)),
                           roofDescription(plot).toHtmlEscaped());
    for (const Shape& shape : Drawing(plot).shapes)
        svg += svgOf(shape) + QLatin1Char('\n');
    return svg + QStringLiteral("</svg>\n");
}

QImage roofImage(const RoofPlot& plot)
{
    if (!plot.isDrawable())
        return {};
    constexpr int sharpness = 2;
    QImage image(int(width) * sharpness, int(height) * sharpness, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(sharpness, sharpness);
    for (const Shape& shape : Drawing(plot).shapes)
        paint(painter, shape);
    return image;
}

} // namespace ridgeline
