// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/roofline/roofline.h"
#include "widgets/plot_style.h"
#include "widgets/result_values.h"

#include <QPointF>
#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;
class QStackedWidget;
class QTableView;
class QCPGraph;
class QCPItemText;
class QCustomPlot;

namespace ridgeline {

class ValueTable;

/// A point as it is drawn: placed on the chosen device.
struct RooflineMark {
    QString candidate;
    RooflinePoint point;
    bool onHost = false; ///< a host timing, drawn against the host's own roof
    bool drawable = false;
    QString note; ///< why it is not drawn, or where the edge of the frame holds it
    double x = 0; ///< FLOP per byte
    double y = 0; ///< GFLOP/s: achieved when measured, else what the roof allows
};

/// Log-log roofline. The frame depends on the device only, so that two runs on one device can be
/// laid over each other. A point without a measured time stands on the roof at its intensity, with
/// a line up to it: it is a bound, not a speed. Emulated time is never plotted.
class RooflineView final : public QWidget {
    Q_OBJECT
public:
    explicit RooflineView(QWidget* parent = nullptr);
    ~RooflineView() override;

    void setHardware(const HardwareTable& hardware);
    void setRun(const RooflineRun& run);
    /// Draws a candidate's points stronger than the others'.
    void setCandidate(const QString& candidate);
    void setDevice(const QString& id);
    QString device() const;

    const QVector<RooflineMark>& marks() const { return m_marks; }
    int currentMark() const { return m_current; }
    /// Arrow keys in the plot and rows of the table both end here. -1 = none.
    void setCurrentMark(int index);
    QCustomPlot* plot() const { return m_plot; }
    QTableView* table() const { return m_table; }
    QLabel* details() const { return m_details; }
    /// The plot as a file's bytes, in the light theme.
    QByteArray render(PlotFormat format);
    /// Where a mark is in the plot widget, in its pixels.
    QPointF pixelOf(int mark) const;

Q_SIGNALS:
    void deviceChosen(const QString& id);
    void exported(const QString& message);

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void rebuild();
    void placeMarks(const HardwareDevice& device);
    void draw(const HardwareDevice& device, const ThemeTokens& tokens);
    void drawRoof(const HardwareDevice& device, const ThemeTokens& tokens);
    void drawHostRoof(const ThemeTokens& tokens);
    void drawMarks(const ThemeTokens& tokens);
    void drawFocus(const ThemeTokens& tokens);
    void turnLabels();
    void fillTable();
    QString describe(const RooflineMark& mark) const;
    void exportFile();

    HardwareTable m_hardware;
    RooflineRun m_run;
    QString m_candidate;
    QVector<RooflineMark> m_marks;
    int m_current = -1;
    struct SlopeLabel {
        QCPItemText* item = nullptr;
        double bandwidth = 0;
    };
    QVector<SlopeLabel> m_slopeLabels;
    struct CeilingLabel {
        QCPItemText* item = nullptr;
        bool strong = false; ///< of the ceiling the points are compared with
    };
    QVector<CeilingLabel> m_ceilingLabels;
    QCPGraph* m_focusRing = nullptr;

    QComboBox* m_deviceBox;
    QLabel* m_legend;
    QPushButton* m_export;
    QStackedWidget* m_stack;
    QLabel* m_emptyTitle = nullptr;
    QLabel* m_emptyText = nullptr;
    QCustomPlot* m_plot;
    QTableView* m_table;
    ValueTable* m_model;
    QLabel* m_details;
};

/// Frame of a device's plot: intensity (FLOP/byte) and GFLOP/s, both ranges in whole decades around
/// its ridge points. Depends on nothing else.
struct RooflineFrame {
    double xMin = 0.01, xMax = 1000, yMin = 1, yMax = 1e6;
    bool operator==(const RooflineFrame&) const = default;
};
RooflineFrame frameOf(const HardwareDevice& device);

} // namespace ridgeline
