#pragma once

#include "engine/wire/messages.h"

#include <QStringList>
#include <QWidget>

#include <array>

class QLabel;
class QPushButton;
class QStackedWidget;
class QTabBar;
class QToolButton;

namespace nw::views {

class CodePage;
class DiffPage;
class FindBar;

struct CodeTexts {
    QString definition, loops, lowered, llvm, assembly;
    QString unavailable; // why lowered, llvm and assembly are not there yet
};

// One operator as text, from what it computes to what the processor runs; loops lead from one to the other.
class CodeView : public QWidget {
    Q_OBJECT
public:
    enum class Tab { Definition, Loops, Lowered, Llvm, Assembly, Diff };
    explicit CodeView(QWidget* parent = nullptr);

    void setTexts(const CodeTexts& texts);
    void setListing(const wire::KernelListing& listing); // one without a symbol takes the line away
    void setStale(bool stale, const QString& why);
    void setBusy(const QString& what); // empty: not busy
    DiffPage* diff() const { return m_diff; } // of the tab behind the texts
    void highlightLoop(const QStringList& loops);
    using QWidget::show;
    void show(Tab tab);
    Tab tab() const;

Q_SIGNALS:
    void loopHovered(const QString& loop); // empty: none any more
    void loopClicked(const QString& loop);
    void buildWished();
    void actionWished(); // no operator is chosen: lead to one
    void diffShown();    // its tab came to the front

protected:
    void changeEvent(QEvent* event) override;

private:
    static constexpr int kTabs = 5; // of one text each
    QWidget* makeHead();
    QWidget* makeStale();
    void addShortcuts();
    void onTab(int index);
    bool hasText() const; // of the tab in front
    void copy();
    void updateBanner();
    void applyLook();

    QTabBar* m_tabs;
    QStackedWidget* m_stack;
    std::array<CodePage*, kTabs> m_pages{};
    DiffPage* m_diff;
    FindBar* m_find;
    QLabel* m_listing;
    QLabel* m_spillIcon;
    QWidget* m_listingLine;
    QLabel* m_busy;
    QToolButton* m_findButton;
    QToolButton* m_copy;
    QWidget* m_banner;
    QLabel* m_staleIcon;
    QLabel* m_staleText;
    bool m_isStale = false;
    bool m_hasSpills = false;
};

} // namespace nw::views
