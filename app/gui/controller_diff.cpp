// What changed: the schedule that is shown against the step before it, a branch, or one of the figures.
#include "app/gui/controller.h"

#include "engine/base/line_diff.h"
#include "views/common/format.h"

namespace nw::app {

using views::fromStd;
using views::toStd;

namespace {

const QString kStep = QStringLiteral("step");
const QString kBranch = QStringLiteral("branch:");
const QString kFigure = QStringLiteral("figure:");
const QString kPair = QStringLiteral("pair");

} // namespace

QList<views::DiffChoice> Controller::diffChoices()
{
    QList<views::DiffChoice> choices;
    if (m_pairTask == m_editing->op().taskId) {
        choices.append({kPair, m_pair.title});
    }
    if (m_editing->cursor() > 0) {
        choices.append({kStep, tr("previous step")});
    }
    for (const session::Branch& branch : session::branchesOf(m_revisions, m_head, *m_editing)) {
        if (!branch.current && branch.steps > 0) {
            choices.append({kBranch + fromStd(branch.name), tr("branch %1").arg(fromStd(branch.name))});
        }
    }
    choices.append({kFigure + QStringLiteral("default"), tr("default schedule")});
    if (!figure("hand").script.empty()) {
        choices.append({kFigure + QStringLiteral("hand"), tr("best by hand")});
    }
    if (!figure("auto").script.empty()) {
        choices.append({kFigure + QStringLiteral("auto"), tr("best found")});
    }
    return choices;
}

std::string Controller::scriptOfChoice(const QString& key)
{
    if (key.startsWith(kBranch)) {
        const std::string name = toStd(key.mid(kBranch.size()));
        for (const session::Branch& branch : session::branchesOf(m_revisions, m_head, *m_editing)) {
            if (branch.name == name) {
                return branch.script;
            }
        }
    }
    const QString name = key.mid(kFigure.size());
    return name == QLatin1String("default") ? defaultScript() : figure(toStd(name)).script;
}

QString Controller::pairKey()
{
    return kPair;
}

// Two schedules of one task, neither of them the one that is shown.
bool Controller::showPair()
{
    views::DiffPage* page = m_views.code->diff();
    const session::Operator* op = operatorOfTask(m_pairTask);
    if (op == nullptr) {
        return false;
    }
    std::vector<std::pair<std::string, std::string>> sides; // script and nest
    for (const std::string& script : {m_pair.before, m_pair.after}) {
        const Result<std::unique_ptr<session::Editing>> one = session::Editing::create(*op, schedule::allPrimitives());
        if (!one) {
            page->setEmpty(fromStd(one.error().message), {});
            return true;
        }
        (*one)->setText(script);
        const session::Station& last = (*one)->stations()[static_cast<std::size_t>((*one)->cursor())];
        sides.emplace_back(last.script, schedule::toText((*one)->nest()));
    }
    page->setLines(diffTexts(sides[0].first, sides[1].first), diffTexts(sides[0].second, sides[1].second));
    return true;
}

void Controller::diffAgainst(const QString& key)
{
    m_diffAgainst = key;
    showDiff();
}

void Controller::showDiff()
{
    views::DiffPage* page = m_views.code->diff();
    if (!m_editing) {
        page->setEmpty(tr("No operator is chosen."), tr("Show the operators"));
        return;
    }
    const QList<views::DiffChoice> choices = diffChoices();
    const bool isThere = std::any_of(choices.begin(), choices.end(), [this](const auto& c) { return c.key == m_diffAgainst; });
    const QString against = isThere ? m_diffAgainst : choices.front().key;
    page->setChoices(choices, against);
    if (against == kPair && showPair()) {
        return;
    }
    const session::Station& shown = m_editing->stations()[static_cast<std::size_t>(m_editing->cursor())];
    const std::string nest = schedule::toText(m_editing->nest());
    if (against == kStep) {
        const session::Station& before = m_editing->stations()[static_cast<std::size_t>(m_editing->cursor()) - 1];
        page->setLines(diffTexts(before.script, shown.script),
                       diffTexts(schedule::toText(m_editing->nestAt(m_editing->cursor() - 1)), nest));
        return;
    }
    const Result<std::unique_ptr<session::Editing>> other = session::Editing::create(m_editing->op(), schedule::allPrimitives());
    if (!other) {
        page->setEmpty(fromStd(other.error().message), {});
        return;
    }
    (*other)->setText(scriptOfChoice(against));
    const session::Station& last = (*other)->stations()[static_cast<std::size_t>((*other)->cursor())];
    page->setLines(diffTexts(last.script, shown.script), diffTexts(schedule::toText((*other)->nest()), nest));
}

} // namespace nw::app
