#pragma once

#include "views/start/dimensions_form.h"
#include "views/start/start_lists.h"

#include <QMap>
#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;
class QStackedWidget;

namespace nw::views {

class OperatorForm;

// The first page: open a model, a sample or a recent project, or describe one operator. Nothing here is modal, and files
// may be dropped anywhere on it.
class StartView : public QWidget {
    Q_OBJECT
public:
    explicit StartView(QWidget* parent = nullptr);
    void setSamples(const QList<SampleCard>& samples);
    void setRecent(const QList<RecentProject>& projects);
    void setDevice(const QString& text, const QString& state); // "ready", "busy" or "trouble"
    void setProgress(const QString& what);                     // empty: none
    void setProblem(const QString& sentence, const QString& hint);
    void askDimensions(const QString& model, const QList<UnboundDimension>& dimensions);
    // What the page takes when it is dropped: .onnx, .onnxtxt, .nest and folders.
    static bool canOpen(const QString& path);

Q_SIGNALS:
    void openDialogWished();
    void openWished(const QString& path);
    void openBoundWished(const QMap<QString, qint64>& bind);
    void newOperatorWished(const QString& name, const QString& onnxText);
    void cancelWished();
    void removeRecentWished(const QString& path);

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeHead();
    QWidget* makeProblem();
    QWidget* makeProgress();
    void setForm(QWidget* form);
    void applyLook();

    QLabel* m_title;
    QLabel* m_deviceIcon;
    QLabel* m_device;
    QString m_deviceState;
    QPushButton* m_open;
    QPushButton* m_new;
    QWidget* m_problem;
    QLabel* m_problemIcon;
    QLabel* m_sentence;
    QLabel* m_hint;
    QWidget* m_progress;
    QLabel* m_what;
    QStackedWidget* m_stack;
    StartLists* m_lists;
    OperatorForm* m_operator;
    DimensionsForm* m_dimensions;
    bool m_isDropping = false;
};

} // namespace nw::views
