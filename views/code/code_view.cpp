#include "views/code/code_view.h"

#include "views/code/code_links.h"
#include "views/code/code_page.h"
#include "views/code/diff_page.h"
#include "views/code/find_bar.h"
#include "views/code/listing_text.h"
#include "views/common/fonts.h"
#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/common/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QShortcut>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

namespace nw::views {
namespace {

constexpr std::array kLanguages = {CodeLanguage::Definition, CodeLanguage::Loops, CodeLanguage::Lowered, CodeLanguage::Llvm, CodeLanguage::Assembly};
constexpr std::array kNames = {"Definition", "Loops", "Lowered", "Llvm", "Assembly"};

bool isCompiled(int tab)
{
    return tab >= static_cast<int>(CodeView::Tab::Lowered) && tab <= static_cast<int>(CodeView::Tab::Assembly);
}

} // namespace

CodeView::CodeView(QWidget* parent)
    : QWidget(parent)
    , m_tabs(new QTabBar(this))
    , m_stack(new QStackedWidget(this))
    , m_diff(new DiffPage(this))
    , m_find(new FindBar(this))
    , m_listing(new QLabel(this))
    , m_spillIcon(new QLabel(this))
    , m_listingLine(new QWidget(this))
    , m_busy(new QLabel(this))
    , m_findButton(new QToolButton(this))
    , m_copy(new QToolButton(this))
    , m_banner(new QWidget(this))
    , m_staleIcon(new QLabel(m_banner))
    , m_staleText(new QLabel(m_banner))
{
    for (int i = 0; i < kTabs; ++i) {
        const auto at = static_cast<std::size_t>(i);
        auto* page = new CodePage(kLanguages[at], this);
        m_pages[at] = page;
        page->editor()->setObjectName(QStringLiteral("codeText") + QString::fromLatin1(kNames[at]));
        m_stack->addWidget(page);
        connect(page->editor(), &CodeEditor::loopHovered, this, &CodeView::loopHovered);
        connect(page->editor(), &CodeEditor::loopClicked, this, &CodeView::loopClicked);
        connect(page, &CodePage::actionWished, this, i < static_cast<int>(Tab::Lowered) ? &CodeView::actionWished : &CodeView::buildWished);
    }
    m_stack->addWidget(m_diff);
    connect(m_diff, &DiffPage::actionWished, this, &CodeView::actionWished);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeHead());
    layout->addWidget(makeStale());
    layout->addWidget(m_stack, 1);
    layout->addWidget(m_find);
    // One surface: the texts are on the panel, so is what stands around them.
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    addShortcuts();
    setBusy({});
    setListing({});
    setTexts({});
    applyLook();
    onTab(0);
}

QWidget* CodeView::makeHead()
{
    m_tabs->setObjectName(QStringLiteral("codeTabs"));
    m_tabs->setAccessibleName(tr("Kinds of code"));
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setUsesScrollButtons(true);
    const QString titles[] = {tr("Definition"), tr("Loops"), tr("Lowered"), tr("LLVM IR"), tr("Assembly")};
    for (const QString& title : titles) {
        m_tabs->addTab(title);
        m_pages[static_cast<std::size_t>(m_tabs->count() - 1)]->editor()->setAccessibleName(title);
    }
    m_tabs->addTab(tr("Diff"));
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int index) {
        onTab(index);
        if (tab() == Tab::Diff) {
            Q_EMIT diffShown();
        }
    });
    connect(m_diff, &DiffPage::changed, this, [this] {
        if (tab() == Tab::Diff) {
            onTab(m_tabs->currentIndex());
        }
    });
    m_busy->setObjectName(QStringLiteral("codeBusy"));
    m_busy->setProperty("muted", true);
    m_findButton->setObjectName(QStringLiteral("codeFind"));
    m_findButton->setToolTip(tr("Find (Ctrl+F)"));
    m_findButton->setAccessibleName(tr("Find"));
    m_copy->setObjectName(QStringLiteral("codeCopy"));
    m_copy->setToolTip(tr("Copy the selected text, or all of it"));
    m_copy->setAccessibleName(tr("Copy"));
    connect(m_findButton, &QToolButton::clicked, m_find, &FindBar::open);
    connect(m_copy, &QToolButton::clicked, this, &CodeView::copy);

    auto* head = new QWidget(this);
    auto* row = new QHBoxLayout();
    row->setContentsMargins(6, 0, 12, 0);
    row->setSpacing(6);
    row->addWidget(m_tabs, 1);
    row->addWidget(m_busy);
    for (QToolButton* button : {m_findButton, m_copy}) {
        button->setProperty("flat", true);
        row->addWidget(button);
    }
    m_listing->setObjectName(QStringLiteral("codeListing"));
    m_listing->setWordWrap(true);
    auto* line = new QHBoxLayout(m_listingLine);
    line->setContentsMargins(12, 6, 12, 6);
    line->setSpacing(6);
    line->addWidget(m_spillIcon);
    line->addWidget(m_listing, 1);
    auto* layout = new QVBoxLayout(head);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(row);
    layout->addWidget(m_listingLine);
    return head;
}

QWidget* CodeView::makeStale()
{
    auto* build = new QPushButton(tr("Build"), m_banner);
    build->setObjectName(QStringLiteral("codeBuild"));
    m_staleText->setObjectName(QStringLiteral("codeStale"));
    m_staleText->setWordWrap(true);
    auto* layout = new QHBoxLayout(m_banner);
    layout->setContentsMargins(12, 4, 12, 4);
    layout->setSpacing(8);
    layout->addWidget(m_staleIcon);
    layout->addWidget(m_staleText, 1);
    layout->addWidget(build);
    connect(build, &QPushButton::clicked, this, &CodeView::buildWished);
    return m_banner;
}

void CodeView::addShortcuts()
{
    const auto add = [this](const QKeySequence& keys, auto action) {
        auto* shortcut = new QShortcut(keys, this);
        shortcut->setContext(Qt::WidgetWithChildrenShortcut);
        connect(shortcut, &QShortcut::activated, this, action);
    };
    add(QKeySequence::Find, [this] { m_find->open(); });
    add(QKeySequence(Qt::Key_F3), [this] { m_find->isHidden() ? m_find->open() : m_find->next(false); });
    add(QKeySequence(Qt::SHIFT | Qt::Key_F3), [this] { m_find->isHidden() ? m_find->open() : m_find->next(true); });
}

void CodeView::setTexts(const CodeTexts& texts)
{
    const auto put = [this](Tab tab, const QString& text, CodePage::Linker linker) {
        CodePage* page = m_pages[static_cast<std::size_t>(tab)];
        if (!text.isEmpty()) {
            page->setContent(text, std::move(linker));
        }
        return !text.isEmpty();
    };
    const QString noOperator = tr("No operator is chosen.");
    if (!put(Tab::Definition, texts.definition, [text = texts.definition] { return linkDefinition(toStd(text)); })) {
        m_pages[0]->setEmpty(noOperator, tr("Show the operators"));
    }
    if (!put(Tab::Loops, texts.loops, [text = texts.loops] { return linkIndented(toStd(text)); })) {
        m_pages[1]->setEmpty(noOperator, tr("Show the operators"));
    }
    const QString why = texts.unavailable.isEmpty() ? tr("Not built yet.") : texts.unavailable;
    if (!put(Tab::Lowered, texts.lowered, [text = texts.lowered] { return linkIndented(toStd(text)); })) {
        m_pages[2]->setEmpty(why, tr("Build"));
    }
    if (!put(Tab::Llvm, texts.llvm, [texts] { return linkLlvm(toStd(texts.llvm), toStd(texts.lowered)); })) {
        m_pages[3]->setEmpty(why, tr("Build"));
    }
    if (!put(Tab::Assembly, texts.assembly, [texts] { return linkAssembly(toStd(texts.assembly), toStd(texts.llvm), toStd(texts.lowered)); })) {
        m_pages[4]->setEmpty(why, tr("Build"));
    }
    onTab(m_tabs->currentIndex());
}

void CodeView::setListing(const wire::KernelListing& listing)
{
    m_hasSpills = listing.spills > 0;
    m_listing->setText(listing.symbol.empty() ? QString() : listingText(listing));
    m_listing->setToolTip(accessText(listing));
    m_listingLine->setVisible(!listing.symbol.empty());
    m_spillIcon->setVisible(m_hasSpills);
}

void CodeView::setStale(bool stale, const QString& why)
{
    m_isStale = stale;
    m_staleText->setText(why.isEmpty() ? tr("This code was built from an older script.") : why);
    updateBanner();
}

void CodeView::setBusy(const QString& what)
{
    m_busy->setText(what);
    m_busy->setVisible(!what.isEmpty());
}

void CodeView::highlightLoop(const QStringList& loops)
{
    for (CodePage* page : m_pages) {
        page->highlightLoops(loops);
    }
}

void CodeView::show(Tab tab)
{
    m_tabs->setCurrentIndex(static_cast<int>(tab));
}

CodeView::Tab CodeView::tab() const
{
    return static_cast<Tab>(m_tabs->currentIndex());
}

void CodeView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationFontChange || event->type() == QEvent::FontChange) {
        applyLook();
    }
    QWidget::changeEvent(event);
}

void CodeView::onTab(int index)
{
    if (index == static_cast<int>(Tab::Diff)) {
        m_stack->setCurrentIndex(index);
        m_find->setEditor(m_diff->nestText());
    } else {
        CodePage* page = m_pages[static_cast<std::size_t>(index)];
        page->look();
        m_stack->setCurrentIndex(index);
        m_find->setEditor(page->editor());
        page->editor()->scrollToHighlight();
    }
    m_copy->setEnabled(hasText());
    m_findButton->setEnabled(hasText());
    updateBanner();
}

bool CodeView::hasText() const
{
    return tab() == Tab::Diff ? m_diff->hasText() : m_pages[static_cast<std::size_t>(m_tabs->currentIndex())]->hasText();
}

void CodeView::copy()
{
    if (tab() == Tab::Diff) {
        QApplication::clipboard()->setText(m_diff->text());
        return;
    }
    const CodePage* page = m_pages[static_cast<std::size_t>(m_tabs->currentIndex())];
    if (page->editor()->textCursor().hasSelection()) {
        page->editor()->copy();
    } else {
        QApplication::clipboard()->setText(page->text());
    }
}

void CodeView::updateBanner()
{
    const int index = m_tabs->currentIndex();
    m_banner->setVisible(m_isStale && isCompiled(index) && hasText());
}

void CodeView::applyLook()
{
    const Theme theme = Theme::of(palette());
    const int size = QFontMetrics(contentFont()).height();
    m_staleIcon->setPixmap(icon(QStringLiteral("unproven"), theme.unproven).pixmap(size, size));
    m_spillIcon->setPixmap(icon(QStringLiteral("warning"), theme.unproven).pixmap(size, size));
    m_findButton->setIcon(icon(QStringLiteral("search"), theme.text));
    m_copy->setIcon(icon(QStringLiteral("copy"), theme.text));
    m_busy->setFont(noteFont());
    m_listing->setFont(noteFont());
}

} // namespace nw::views
