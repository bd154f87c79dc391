#include "views/tuner/start_form.h"

#include "engine/tune/settings.h"
#include "views/common/fonts.h"
#include "views/common/format.h"
#include "views/tuner/tuner_text.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpressionValidator>
#include <QScrollArea>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

namespace nw::views {
namespace {

constexpr int kDefaultMinutes = 10;

QSpinBox* number(QWidget* parent, const char* name, int most, int step, int value, const QString& unit, const QString& none)
{
    auto* box = new QSpinBox(parent);
    box->setObjectName(QString::fromLatin1(name));
    box->setRange(0, most);
    box->setSingleStep(step);
    box->setValue(value);
    box->setSuffix(unit);
    box->setSpecialValueText(none);
    box->setAlignment(Qt::AlignRight);
    box->setButtonSymbols(QAbstractSpinBox::NoButtons); // arrows and wheel
    return box;
}

} // namespace

StartForm::StartForm(QWidget* parent)
    : QWidget(parent)
    , m_scope(new QComboBox)
    , m_search(new QComboBox)
    , m_from(new QComboBox)
    , m_fix(new QCheckBox)
    , m_words(new QLabel)
    , m_start(new QPushButton(tr("Start")))
    , m_back(new QPushButton(tr("Back to the charts")))
    , m_fields(new QWidget)
    , m_scroll(new QScrollArea(this))
{
    const tune::Settings usual;
    m_trials = number(m_fields, "tunerTrialsLimit", 1000000, 100, usual.trials, tr(" trials"), tr("no limit"));
    m_minutes = number(m_fields, "tunerMinutesLimit", 100000, 5, kDefaultMinutes, tr(" min"), tr("no limit"));
    m_plateau = number(m_fields, "tunerPlateauLimit", 100000, 50, usual.plateau, tr(" trials"), tr("never"));
    m_plateau->setToolTip(tr("An operator is done after so many of its trials without a gain of 0.5 %"));
    m_seed = new QLineEdit(QString::number(usual.seed), m_fields);
    m_seed->setObjectName(QStringLiteral("tunerSeed"));
    m_seed->setValidator(new QRegularExpressionValidator(QRegularExpression(QStringLiteral("[0-9]{1,20}")), m_seed));
    m_seed->setAlignment(Qt::AlignRight);
    // Twenty digits may be more than 64 bits hold: then it is the largest there is, and says so.
    connect(m_seed, &QLineEdit::editingFinished, this, [this] { showSeed(seed()); });
    m_seed->setToolTip(tr("Of the search's random choices: the same number on the same records tries the same schedules"));
    m_scope->setObjectName(QStringLiteral("tunerScope"));
    m_search->setObjectName(QStringLiteral("tunerSearch"));
    m_from->setObjectName(QStringLiteral("tunerFrom"));
    m_fix->setObjectName(QStringLiteral("tunerFix"));
    m_start->setObjectName(QStringLiteral("tunerFormStart"));
    m_start->setProperty("primary", true);
    m_back->setObjectName(QStringLiteral("tunerBack"));
    m_back->setProperty("link", true);
    m_back->hide();
    m_words->setObjectName(QStringLiteral("tunerFormWords"));
    m_words->setWordWrap(true);
    m_words->setProperty("muted", true);
    m_words->setText(tr("The tuner tries schedules, measures each one checked against the oracle, and learns where to look. "
                        "It goes on when this window is closed."));
    for (const char* search : {"evolutionary", "annealing", "random"}) {
        m_search->addItem(searchText(QString::fromLatin1(search)), QString::fromLatin1(search));
    }
    for (const char* from : {"all", "template", "sketch", "mine"}) {
        m_from->addItem(startFromText(QString::fromLatin1(from)), QString::fromLatin1(from));
    }
    m_from->setToolTip(tr("All of these: the template, sketches where none fits or it leaves few choices, and your own schedule"));
    m_scope->addItem({}, true);
    m_scope->addItem(tr("the whole model"), false);
    auto* both = new QWidget(m_fields);
    auto* side = new QHBoxLayout(both);
    side->setContentsMargins(0, 0, 0, 0);
    side->setSpacing(4);
    side->addWidget(m_search, 1);
    side->addWidget(m_seed);
    both->setFocusProxy(m_search);
    m_search->setAccessibleName(tr("Search"));
    m_seed->setAccessibleName(tr("Seed"));
    m_rows = {{new QLabel(tr("Tune")), m_scope},           {new QLabel(tr("Start from")), m_from},
              {new QLabel(tr("At most")), m_trials},       {new QLabel(tr("Search, seed")), both},
              {new QLabel(tr("For at most")), m_minutes},  {new QLabel(tr("Stop without a gain for")), m_plateau}};
    auto* grid = new QGridLayout(m_fields);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(6);
    for (const Row& row : m_rows) {
        row.label->setBuddy(row.field);
        row.field->setAccessibleName(row.label->text());
    }
    auto* page = new QWidget;
    auto* inside = new QVBoxLayout(page);
    inside->setContentsMargins(12, 6, 12, 4);
    inside->setSpacing(8);
    inside->addWidget(m_words);
    inside->addWidget(m_fields);
    inside->addStretch(1);
    page->setBackgroundRole(QPalette::Base);
    page->setAutoFillBackground(true);
    page->installEventFilter(this); // its height follows its fonts and columns
    m_scroll->setWidget(page);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* buttons = new QHBoxLayout;
    buttons->setContentsMargins(12, 4, 12, 8);
    buttons->setSpacing(12);
    buttons->addWidget(m_start);
    buttons->addWidget(m_fix);
    buttons->addStretch(1);
    buttons->addWidget(m_back);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_scroll, 1);
    layout->addLayout(buttons);
    layout->addStretch(0);
    setFocusProxy(m_scope);
    place(2);
    connect(m_start, &QPushButton::clicked, this, &StartForm::startWished);
    connect(m_back, &QPushButton::clicked, this, &StartForm::backWished);
    connect(m_scope, &QComboBox::currentIndexChanged, this, &StartForm::say);
    connect(m_from, &QComboBox::currentIndexChanged, this, &StartForm::say);
    dress();
    say();
}

// Pairs of label and field side by side, where there is room two in a row.
void StartForm::place(int columns)
{
    if (columns == m_columns) {
        return;
    }
    m_columns = columns;
    auto* grid = static_cast<QGridLayout*>(m_fields->layout());
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const int row = static_cast<int>(i) / columns;
        const int column = static_cast<int>(i) % columns * 3;
        grid->addWidget(m_rows[i].label, row, column);
        grid->addWidget(m_rows[i].field, row, column + 1);
    }
    grid->setColumnMinimumWidth(2, columns == 2 ? 16 : 0);
    grid->setColumnStretch(5, columns == 2 ? 1 : 0);
    grid->setColumnStretch(2, columns == 1 ? 1 : 0);
}

void StartForm::setOperator(const QString& name)
{
    m_operator = name;
    m_scope->setItemText(0, name.isEmpty() ? tr("the operator shown") : name);
    say();
}

void StartForm::setSelection(const QStringList& loops)
{
    m_loops = loops;
    say();
}

void StartForm::setHasCharts(bool has)
{
    m_back->setVisible(has);
}

void StartForm::setBudget(const TunerBudget& budget)
{
    m_trials->setValue(budget.trials);
    m_minutes->setValue(static_cast<int>(budget.seconds / 60 + 0.5));
    m_plateau->setValue(budget.plateau);
    showSeed(budget.seed);
    m_search->setCurrentIndex(std::max(0, m_search->findData(budget.search)));
    m_from->setCurrentIndex(std::max(0, m_from->findData(budget.from)));
}

TuneRequest StartForm::request() const
{
    TuneRequest made;
    if (m_scope->currentData().toBool() && !m_operator.isEmpty()) {
        made.groups = {m_operator};
    }
    made.trials = m_trials->value();
    made.minutes = m_minutes->value();
    made.plateau = m_plateau->value();
    made.seed = seed();
    made.search = m_search->currentData().toString();
    made.from = m_from->currentData().toString();
    if (m_fix->isChecked() && m_fix->isEnabled()) {
        made.fix = m_loops;
    }
    return made;
}

quint64 StartForm::seed() const
{
    bool fits = false;
    const quint64 value = m_seed->text().toULongLong(&fits);
    return m_seed->text().isEmpty() ? tune::Settings().seed : fits ? value : std::numeric_limits<quint64>::max();
}

// A long one is seen from its first digit.
void StartForm::showSeed(quint64 seed)
{
    m_seed->setText(QString::number(seed));
    m_seed->setCursorPosition(0);
}

void StartForm::chooseMine(bool fixSelected)
{
    m_scope->setCurrentIndex(0);
    m_from->setCurrentIndex(m_from->findData(QStringLiteral("mine")));
    m_fix->setChecked(fixSelected && m_fix->isEnabled());
}

void StartForm::say()
{
    // Fixed loops are those of the person's own schedule of this operator.
    const QString from = m_from->currentData().toString();
    const bool own = (from == QLatin1String("mine") || from == QLatin1String("all")) && m_scope->currentData().toBool();
    m_fix->setVisible(own);
    m_fix->setEnabled(own && !m_loops.isEmpty());
    m_fix->setText(m_loops.isEmpty() ? tr("Keep the loops that are selected in the nest (none is)")
                                     : tr("Keep %1 as it is").arg(m_loops.join(QStringLiteral(", "))));
}

void StartForm::dress()
{
    m_words->setFont(noteFont());
    m_seed->setFixedWidth(QFontMetrics(contentFont()).horizontalAdvance(QStringLiteral("00000000")) + 16);
    int least = QFontMetrics(contentFont()).horizontalAdvance(QStringLiteral("the expert's template")) + 48;
    for (const Row& row : m_rows) {
        least = std::max(least, row.field->sizeHint().width()); // all end at one line
    }
    for (const Row& row : m_rows) {
        row.field->setMinimumWidth(least);
        row.field->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    }
}

// As high as its fields, at most: the buttons follow them.
void StartForm::fit()
{
    const QLayout* const inside = m_scroll->widget()->layout();
    const int height = inside->hasHeightForWidth() ? inside->totalHeightForWidth(width()) : inside->totalSizeHint().height();
    m_scroll->setMaximumHeight(height);
}

bool StartForm::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::LayoutRequest) {
        fit();
    }
    return QWidget::eventFilter(watched, event);
}

void StartForm::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) {
        dress();
    }
}

void StartForm::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    place(width() > QFontMetrics(contentFont()).averageCharWidth() * 90 ? 2 : 1);
    fit();
}

} // namespace nw::views
