#pragma once

#include "views/start/operator_kinds.h"

#include <QWidget>

class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace nw::views {

// One operator described by its fields instead of a model file, in place; the text that is written stands beside it.
class OperatorForm : public QWidget {
    Q_OBJECT
public:
    explicit OperatorForm(QWidget* parent = nullptr);
    OperatorKind kind() const;
    void setKind(OperatorKind kind);
    void start(); // focus into the first field

Q_SIGNALS:
    void createWished(const QString& name, const QString& onnxText);
    void cancelled();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void makeFields();
    void update();
    OperatorFields fields() const;
    void create();

    QComboBox* m_kind;
    QWidget* m_holder = nullptr;
    QGridLayout* m_grid;
    QList<QWidget*> m_editors; // one a field
    QLineEdit* m_name;
    QLabel* m_problem;
    QPlainTextEdit* m_preview;
    QPushButton* m_create;
    bool m_isNamed = false; // the person gave a name
};

} // namespace nw::views
