// Figures: what was measured of the steps and what stands beside each other.
#include "app/gui/controller.h"

#include "engine/base/text.h"
#include "engine/compute/definition_text.h"
#include "views/common/format.h"
#include "views/history/station_text.h"

#include <algorithm>
#include <cmath>

namespace nw::app {

using views::fromStd;
using views::toStd;

std::string Controller::defaultScript() const
{
    const session::Operator& op = m_editing->op();
    return schedule::defaultScript(m_editing->nestAt(0), {&op.task.target}, op.task.threads);
}

// The station shown measures itself: quickly at once, confirmed when nothing else is to be done.
void Controller::measureStation(bool again)
{
    if (!m_editing) {
        return;
    }
    const session::Station& station = m_editing->stations()[static_cast<std::size_t>(m_editing->cursor())];
    m_workbench.cancelMeasuring();
    if (again || !station.best()) {
        m_workbench.measure(m_editing->op(), station.script, record::Origin::Edit, Workbench::Protocol::Quick, false);
    }
    if (again || !station.confirmed) {
        m_workbench.measure(m_editing->op(), station.script, record::Origin::Edit, Workbench::Protocol::Confirm, true);
    }
}

bool Controller::needsOperator()
{
    if (!m_editing) {
        Q_EMIT message(tr("Open a model and choose an operator first."), true);
    }
    return m_editing != nullptr;
}

void Controller::measureCurrent()
{
    if (!needsOperator()) {
        return;
    }
    measureStation(true);
}

void Controller::stopMeasuring()
{
    m_workbench.leaveOperator();
    m_workbench.cancelLong();
}

session::Figure& Controller::figure(const session::Operator& op, const std::string& name)
{
    session::Comparison& comparison = m_comparisons[op.name];
    if (comparison.figures.empty()) {
        comparison.group = op.name;
        comparison.taskId = op.taskId;
        comparison.device = "local";
        comparison.threads = op.task.threads;
        for (const char* each : {"default", "hand", "auto", "library", "bound"}) {
            session::Figure made;
            made.name = each;
            comparison.figures.push_back(made);
        }
    }
    return *std::find_if(comparison.figures.begin(), comparison.figures.end(), [&](const auto& f) { return f.name == name; });
}

// A confirmed measurement becomes the figure of its origin when it is the best of it, or the same script again.
void Controller::takeFigure(const session::Operator& op, record::Origin origin, const std::string& script, const session::Timing& timing)
{
    const bool isHand = origin == record::Origin::Edit;
    session::Figure& f = figure(op, origin == record::Origin::Default ? "default" : isHand ? "hand" : "auto");
    if (isHand && script.empty()) {
        return; // the plain nest is nobody's work
    }
    if (timing.ok() && !timing.unproven && (!f.present || f.script == script || timing.ns < f.ns)) {
        f.present = true;
        f.missing.clear();
        f.outcome = "ok";
        f.ns = timing.ns;
        f.spread = timing.spread;
        f.n = timing.n;
        f.noisy = timing.noisy;
        f.shareOfPeak = timing.shareOfPeak;
        f.shareOfBound = timing.shareOfBound;
        f.script = script;
        m_comparisons[op.name].together = false;
    } else if (!timing.ok() && !f.present) {
        f.outcome = timing.outcome;
        f.message = timing.message;
        f.missing = timing.message;
    }
}

void Controller::onMeasured(const QString& op, const QString& script, record::Origin origin, const session::Timing& timing)
{
    if (op != operatorName()) {
        return;
    }
    if (origin == record::Origin::Edit) {
        m_editing->addTiming(toStd(script), timing);
    }
    const QString time = timing.spread > 0 ? views::formatTime(timing.ns) % QStringLiteral(" ±") % views::formatShare(timing.spread)
                                           : views::formatTime(timing.ns);
    if (!timing.ok()) {
        Q_EMIT message(fromStd(timing.message), true);
        Q_EMIT lastMeasurement(tr("last: %1").arg(fromStd(timing.outcome)));
    } else {
        Q_EMIT lastMeasurement(tr("last: %1, n %2, %3, correct")
                                   .arg(time, QString::number(timing.n),
                                        timing.noisy                    ? tr("noisy")
                                        : timing.protocol == "confirm" ? tr("confirmed")
                                                                       : tr("quick")));
    }
    if (timing.protocol == "confirm") {
        takeFigure(m_editing->op(), origin, toStd(script), timing);
        showComparison();
        fillOperators();
    }
    showSteps();
    showRoofline();
}

void Controller::showComparison()
{
    if (!m_editing) {
        return;
    }
    const session::Operator& op = m_editing->op();
    session::Figure& bound = figure("bound");
    if (m_roofs) {
        const measure::Bound known = measure::boundOf(op.work, *m_roofs, op.task.threads);
        bound = session::boundFigure(known);
        session::Comparison& comparison = m_comparisons[op.name];
        comparison.boundNs = known.ns;
        comparison.boundBy = known.by;
    } else {
        bound.missing = toStd(tr("the roofs of this computer are being measured"));
    }
    for (const char* name : {"default", "hand", "auto", "library"}) {
        session::Figure& f = figure(name);
        if (!f.present && f.outcome == "ok") {
            const bool hand = f.name == "hand";
            f.missing = toStd(hand ? tr("no confirmed step yet") : f.name == "auto" ? tr("none yet") : tr("not measured yet"));
        }
    }
    m_views.comparison->setComparison(m_comparisons[op.name], fromStd(op.name));
}

void Controller::showRoofline()
{
    if (!m_editing || !m_roofs) {
        m_views.roofline->clear(tr("The roofs of this computer are being measured; this happens once."), {});
        return;
    }
    const session::Operator& op = m_editing->op();
    const double flops = op.work.flops;
    const double bytes = op.work.bytes();
    if (flops <= 0 || bytes <= 0) {
        m_views.roofline->clear(tr("%1 computes nothing that is counted in FLOPs.").arg(operatorName()), {});
        return;
    }
    std::vector<views::RooflineView::Point> path;
    std::vector<views::RooflineView::Point> others;
    const std::vector<session::Station>& stations = m_editing->stations();
    for (std::size_t i = 0; i < stations.size(); ++i) {
        const session::Timing* timing = stations[i].best();
        if (timing != nullptr && timing->ok() && timing->ns > 0) {
            path.push_back({views::shortStep(stations[i]), flops / bytes, flops / timing->ns, static_cast<int>(i) == m_editing->cursor(),
                            timing->protocol != "confirm", static_cast<int>(i)});
        }
    }
    for (const session::Figure& f : m_comparisons[op.name].figures) {
        if (f.present && f.ns > 0 && f.name != "hand") {
            others.push_back({fromStd(f.name), flops / bytes, flops / f.ns, false, false, -1});
        }
    }
    m_views.roofline->setRoofs(*m_roofs, op.task.threads);
    m_views.roofline->setPoints(path, others);
}

void Controller::showCode()
{
    if (!m_editing) {
        return;
    }
    const session::Station& station = m_editing->stations()[static_cast<std::size_t>(m_editing->cursor())];
    const bool isStale = !m_listing.symbol.empty() && m_listingScript != station.script;
    m_views.nest->setFacts(isStale || m_listing.symbol.empty() ? QString() : tr("%1 registers").arg(m_listing.vectorRegisters),
                           isStale || m_listing.symbol.empty() ? QString()
                               : m_listing.spills == 1         ? tr("1 spill")
                                                               : tr("%1 spills").arg(m_listing.spills));
    if (!m_views.code->isVisible()) {
        return; // shown when it comes to the front
    }
    if (m_views.code->tab() == views::CodeView::Tab::Diff) {
        showDiff();
    }
    views::CodeTexts texts;
    texts.definition = fromStd(compute::toText(*m_editing->op().task.definition));
    texts.loops = fromStd(schedule::toText(m_editing->nest()));
    if (m_listingScript.empty() && m_listing.symbol.empty()) {
        texts.unavailable = m_buildFailure.isEmpty() ? tr("Not built yet.") : m_buildFailure;
        m_views.code->setListing({});
    } else {
        texts.lowered = fromStd(m_listing.loweredText);
        texts.llvm = fromStd(m_listing.llvmIr);
        texts.assembly = fromStd(m_listing.assembly);
        m_views.code->setListing(m_listing);
    }
    m_views.code->setTexts(texts);
    m_views.code->setStale(isStale, tr("This is the code of an earlier step."));
}

void Controller::buildListings()
{
    if (m_editing) {
        const session::Station& station = m_editing->stations()[static_cast<std::size_t>(m_editing->cursor())];
        m_views.code->setBusy(tr("building…"));
        m_workbench.build(m_editing->op(), station.script);
    }
}

void Controller::compareAll()
{
    if (!needsOperator()) {
        return;
    }
    Q_EMIT compareWished();
    m_views.comparison->setBusy(tr("measuring all together…"));
    m_workbench.compare(operatorName());
}

void Controller::probeRoofs()
{
    m_workbench.probe();
}

void Controller::fillFigure(const QString& name)
{
    if (!m_editing) {
        return;
    }
    if (name == QLatin1String("default")) {
        m_workbench.measure(m_editing->op(), defaultScript(), record::Origin::Default, Workbench::Protocol::Confirm, true);
    } else if (name == QLatin1String("hand")) {
        measureCurrent();
    } else if (name == QLatin1String("auto")) {
        Q_EMIT tuneWished();
    } else {
        compareAll();
    }
}

// Numbers of the script's splits and tiles become choices of half, same and double, the last two of them; a script that
// has choices already is swept as it is.
std::string Controller::sweepScript() const
{
    const schedule::Context context{&m_editing->op().task.target};
    const std::string base = m_editing->text().empty() ? defaultScript() : m_editing->text();
    const Result<schedule::Script> script = schedule::parseScript(base, schedule::allPrimitives(), context);
    if (!script || !script->knobs.empty()) {
        return base;
    }
    std::vector<std::string> lines = script->lines;
    int turned = 0;
    for (auto step = script->steps.rbegin(); step != script->steps.rend() && turned < 2; ++step) {
        for (std::size_t i = 0; i < step->words.size() && turned < 2; ++i) {
            if (i >= step->primitive->params.size() || step->primitive->params[i].kind != schedule::ParamKind::Parts) {
                continue;
            }
            for (const schedule::ScriptStep::Word& word : step->words[i]) {
                const std::size_t colon = word.text.find(':');
                const long long number = colon == std::string::npos ? 0 : std::strtoll(word.text.c_str() + colon + 1, nullptr, 10);
                if (number < 2 || std::to_string(number) != word.text.substr(colon + 1)) {
                    continue;
                }
                std::string& line = lines[static_cast<std::size_t>(step->line) - 1];
                const std::size_t at = line.find(word.text);
                if (at != std::string::npos) {
                    line.replace(at, word.text.size(), word.text.substr(0, colon + 1) +
                                     format("{{{}, {}, {}}}", number / 2, number, number * 2));
                    ++turned;
                    break;
                }
            }
        }
    }
    return join(lines, "\n");
}

void Controller::sweepNow()
{
    if (!needsOperator()) {
        return;
    }
    Q_EMIT compareWished();
    m_views.comparison->setBusy(tr("sweeping…"));
    m_workbench.sweep(m_editing->op(), sweepScript());
}

} // namespace nw::app
