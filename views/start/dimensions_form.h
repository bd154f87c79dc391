#pragma once

#include <QList>
#include <QMap>
#include <QString>
#include <QStringList>
#include <QWidget>

class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace nw::views {

struct UnboundDimension {
    QString name;
    qint64 proposal = 1;
    QStringList usedBy; // "image f32[batch, 3, 32, 32]"
};

// Which numbers a model's symbols stand for, asked in place; the proposals are already filled in.
class DimensionsForm : public QWidget {
    Q_OBJECT
public:
    explicit DimensionsForm(QWidget* parent = nullptr);
    void ask(const QString& model, const QList<UnboundDimension>& dimensions);

Q_SIGNALS:
    void answered(const QMap<QString, qint64>& bind);
    void cancelled();

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void check();
    void answer();

    QLabel* m_title;
    QWidget* m_rows = nullptr;
    QList<QLineEdit*> m_fields;
    QStringList m_names;
    QPushButton* m_open;
    QLabel* m_problem;
};

} // namespace nw::views
