#include "views/start/start_view.h"

#include "views/common/fonts.h"
#include "views/common/icons.h"
#include "views/common/theme.h"
#include "views/start/operator_form.h"

#include <QDragEnterEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMimeData>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

namespace nw::views {
namespace {

QString firstFileOf(const QMimeData* data)
{
    const QList<QUrl> urls = data->urls();
    for (const QUrl& url : urls) {
        if (url.isLocalFile() && StartView::canOpen(url.toLocalFile())) {
            return url.toLocalFile();
        }
    }
    return {};
}

} // namespace

StartView::StartView(QWidget* parent)
    : QWidget(parent)
    , m_title(new QLabel(QStringLiteral("Nestwright"), this))
    , m_deviceIcon(new QLabel(this))
    , m_device(new QLabel(this))
    , m_open(new QPushButton(tr("Open model..."), this))
    , m_new(new QPushButton(tr("New operator..."), this))
    , m_problem(new QWidget(this))
    , m_problemIcon(new QLabel(m_problem))
    , m_sentence(new QLabel(m_problem))
    , m_hint(new QLabel(m_problem))
    , m_progress(new QWidget(this))
    , m_what(new QLabel(m_progress))
    , m_stack(new QStackedWidget(this))
    , m_lists(new StartLists(this))
    , m_operator(new OperatorForm(this))
    , m_dimensions(new DimensionsForm(this))
{
    setAcceptDrops(true);
    auto* page = new QWidget(this);
    page->setObjectName(QStringLiteral("startPage"));
    auto* column = new QWidget(page);
    column->setMaximumWidth(1080);
    auto* inside = new QVBoxLayout(column);
    inside->setContentsMargins(24, 32, 24, 24);
    inside->setSpacing(16);
    inside->addWidget(makeHead());
    inside->addWidget(makeProblem());
    inside->addWidget(makeProgress());
    for (QWidget* each : {static_cast<QWidget*>(m_lists), static_cast<QWidget*>(m_operator), static_cast<QWidget*>(m_dimensions)}) {
        m_stack->addWidget(each);
    }
    inside->addWidget(m_stack);
    inside->addStretch(1);
    auto* centre = new QHBoxLayout(page);
    centre->setContentsMargins(0, 0, 0, 0);
    centre->addStretch(1);
    centre->addWidget(column, 100);
    centre->addStretch(1);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(page);
    // The view paints the page, also its tint while something is dragged over it.
    scroll->setStyleSheet(QStringLiteral("QScrollArea, QWidget#startPage { background: transparent; }"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 4, 4, 4);
    layout->addWidget(scroll);

    connect(m_lists, &StartLists::openWished, this, &StartView::openWished);
    connect(m_lists, &StartLists::removeRecentWished, this, &StartView::removeRecentWished);
    connect(m_operator, &OperatorForm::createWished, this, &StartView::newOperatorWished);
    connect(m_operator, &OperatorForm::cancelled, this, [this] { setForm(m_lists); });
    connect(m_dimensions, &DimensionsForm::answered, this, &StartView::openBoundWished);
    connect(m_dimensions, &DimensionsForm::cancelled, this, [this] {
        setForm(m_lists);
        Q_EMIT cancelWished();
    });
    setProblem({}, {});
    setProgress({});
    setDevice({}, {});
    setForm(m_lists);
    applyLook();
    m_open->setFocus();
}

QWidget* StartView::makeHead()
{
    auto* head = new QWidget(this);
    m_open->setObjectName(QStringLiteral("openModel"));
    m_open->setProperty("primary", true);
    m_open->setDefault(true);
    m_open->setAutoDefault(true);
    m_new->setObjectName(QStringLiteral("newOperator"));
    m_new->setAutoDefault(true);
    auto* drop = new QLabel(tr("or drop an .onnx, .onnxtxt or .nest file, or a folder, anywhere here"), head);
    drop->setProperty("muted", true);
    drop->setWordWrap(true);
    m_device->setObjectName(QStringLiteral("startDevice"));
    auto* top = new QHBoxLayout;
    top->setSpacing(6);
    top->addWidget(m_title, 1);
    top->addWidget(m_deviceIcon);
    top->addWidget(m_device);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    buttons->addWidget(m_open);
    buttons->addWidget(m_new);
    buttons->addSpacing(8);
    buttons->addWidget(drop, 1);
    auto* layout = new QVBoxLayout(head);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(16);
    layout->addLayout(top);
    layout->addLayout(buttons);
    connect(m_open, &QPushButton::clicked, this, &StartView::openDialogWished);
    connect(m_new, &QPushButton::clicked, this, [this] {
        setForm(m_operator);
        m_operator->start();
    });
    return head;
}

QWidget* StartView::makeProblem()
{
    m_problem->setObjectName(QStringLiteral("startProblem"));
    m_problem->setAttribute(Qt::WA_StyledBackground);
    m_sentence->setObjectName(QStringLiteral("startProblemSentence"));
    m_sentence->setWordWrap(true);
    m_hint->setObjectName(QStringLiteral("startProblemHint"));
    m_hint->setWordWrap(true);
    m_hint->setProperty("muted", true);
    auto* dismiss = new QToolButton(m_problem);
    dismiss->setObjectName(QStringLiteral("startDismiss"));
    dismiss->setText(QStringLiteral("\u2715"));
    dismiss->setProperty("flat", true);
    dismiss->setMinimumSize(28, 28);
    dismiss->setToolTip(tr("Dismiss"));
    dismiss->setAccessibleName(tr("Dismiss"));
    auto* words = new QVBoxLayout;
    words->setSpacing(4);
    words->addWidget(m_sentence);
    words->addWidget(m_hint);
    auto* layout = new QHBoxLayout(m_problem);
    layout->setContentsMargins(12, 8, 8, 8);
    layout->setSpacing(12);
    layout->addWidget(m_problemIcon, 0, Qt::AlignTop);
    layout->addLayout(words, 1);
    layout->addWidget(dismiss, 0, Qt::AlignTop);
    connect(dismiss, &QToolButton::clicked, this, [this] { setProblem({}, {}); });
    return m_problem;
}

QWidget* StartView::makeProgress()
{
    m_progress->setObjectName(QStringLiteral("startProgress"));
    auto* bar = new QProgressBar(m_progress);
    bar->setRange(0, 0);
    bar->setTextVisible(false);
    bar->setFixedHeight(4);
    auto* cancel = new QPushButton(tr("Cancel"), m_progress);
    cancel->setObjectName(QStringLiteral("startCancel"));
    auto* row = new QHBoxLayout;
    row->addWidget(m_what, 1);
    row->addWidget(cancel);
    auto* layout = new QVBoxLayout(m_progress);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addLayout(row);
    layout->addWidget(bar);
    connect(cancel, &QPushButton::clicked, this, &StartView::cancelWished);
    return m_progress;
}

void StartView::setSamples(const QList<SampleCard>& samples)
{
    m_lists->setSamples(samples);
}

void StartView::setRecent(const QList<RecentProject>& projects)
{
    m_lists->setRecent(projects);
}

void StartView::setDevice(const QString& text, const QString& state)
{
    m_deviceState = state;
    const QString word = state == QLatin1String("busy") ? tr("busy") : state == QLatin1String("trouble") ? tr("trouble") : tr("ready");
    m_device->setText(text.isEmpty() ? QString() : QString(text % QStringLiteral(" \u00b7 ") % word));
    m_device->setVisible(!text.isEmpty());
    m_deviceIcon->setVisible(!text.isEmpty());
    applyLook();
}

void StartView::setProgress(const QString& what)
{
    m_what->setText(what);
    m_progress->setVisible(!what.isEmpty());
    m_open->setEnabled(what.isEmpty());
    m_new->setEnabled(what.isEmpty());
    m_stack->setEnabled(what.isEmpty());
}

void StartView::setProblem(const QString& sentence, const QString& hint)
{
    m_sentence->setText(sentence);
    m_hint->setText(hint);
    m_hint->setVisible(!hint.isEmpty());
    m_problem->setVisible(!sentence.isEmpty());
}

void StartView::askDimensions(const QString& model, const QList<UnboundDimension>& dimensions)
{
    setProgress({});
    setForm(m_dimensions);
    m_dimensions->ask(model, dimensions);
}

bool StartView::canOpen(const QString& path)
{
    const QFileInfo info(path);
    const QStringList endings{QStringLiteral("onnx"), QStringLiteral("onnxtxt"), QStringLiteral("nest")};
    return info.isDir() || endings.contains(info.suffix().toLower());
}

void StartView::setForm(QWidget* form)
{
    // A hidden page of the stack would still ask for its height.
    for (int i = 0; i < m_stack->count(); ++i) {
        m_stack->widget(i)->setSizePolicy(QSizePolicy::Preferred, m_stack->widget(i) == form ? QSizePolicy::Preferred : QSizePolicy::Ignored);
    }
    m_stack->setCurrentWidget(form);
    if (form == m_lists) {
        m_open->setFocus();
    }
}

void StartView::dragEnterEvent(QDragEnterEvent* event)
{
    if (!firstFileOf(event->mimeData()).isEmpty()) {
        m_isDropping = true;
        event->acceptProposedAction();
        update();
    }
}

void StartView::dragLeaveEvent(QDragLeaveEvent*)
{
    m_isDropping = false;
    update();
}

void StartView::dropEvent(QDropEvent* event)
{
    m_isDropping = false;
    update();
    if (const QString file = firstFileOf(event->mimeData()); !file.isEmpty()) {
        event->acceptProposedAction();
        Q_EMIT openWished(file);
    }
}

void StartView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme theme = Theme::of(palette());
    painter.fillRect(rect(), m_isDropping ? theme.selectedRow : theme.window);
    if (m_isDropping) {
        painter.setPen(QPen(theme.accent, 2, Qt::DashLine));
        painter.drawRect(rect().adjusted(2, 2, -3, -3));
    }
}

void StartView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        applyLook();
    }
    QWidget::changeEvent(event);
}

void StartView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_stack->currentWidget() == m_lists) {
        m_open->setFocus();
    }
}

void StartView::applyLook()
{
    const Theme theme = Theme::of(palette());
    QFont large = nameFont();
    large.setPointSizeF(large.pointSizeF() * 1.6);
    m_title->setFont(large);
    const int size = QFontMetrics(contentFont()).height();
    const bool isTrouble = m_deviceState == QLatin1String("trouble");
    const bool isBusy = m_deviceState == QLatin1String("busy");
    m_deviceIcon->setPixmap(icon(isTrouble ? QStringLiteral("warning") : isBusy ? QStringLiteral("measure") : QStringLiteral("legal"),
        isTrouble ? theme.unproven : isBusy ? theme.muted : theme.legal).pixmap(size, size));
    m_problemIcon->setPixmap(icon(QStringLiteral("warning"), theme.illegal).pixmap(size, size));
    m_sentence->setFont(nameFont());
    m_problem->setStyleSheet(QStringLiteral("QWidget#startProblem { background: %1; border: 1px solid %2; border-radius: 5px; }").arg(theme.panel.name(), theme.illegal.name()));
}

} // namespace nw::views
