#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;
class QPlainTextEdit;

namespace nw::views {

// Find in one text: marks what is seen of all places, and goes from one to the next.
class FindBar : public QWidget {
    Q_OBJECT
public:
    explicit FindBar(QWidget* parent = nullptr);
    void setEditor(QPlainTextEdit* editor);
    void open(); // takes the selected word
    void closeBar();
    void next(bool backwards);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void searched(bool moves);
    void goTo(int place);
    void mark();

    QPlainTextEdit* m_editor = nullptr;
    QLineEdit* m_field;
    QLabel* m_count;
    QList<int> m_places; // positions of what was found
};

} // namespace nw::views
