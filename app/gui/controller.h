#pragma once

#include "app/gui/workbench.h"

#include "views/code/code_view.h"
#include "views/code/diff_page.h"
#include "views/graph/graph_view.h"
#include "views/history/history_view.h"
#include "views/loop_nest/loop_nest_view.h"
#include "views/operators/operators_view.h"
#include "views/plots/comparison_view.h"
#include "views/plots/roofline_view.h"
#include "views/primitives/primitives_view.h"
#include "views/script/script_view.h"
#include "views/start/start_view.h"
#include "views/tuner/tuner_view.h"

#include <QHash>
#include <QObject>
#include <QTimer>
#include <QUndoGroup>

#include <map>
#include <memory>
#include <optional>

namespace nw::app {

struct Views {
    views::StartView* start = nullptr;
    views::GraphView* graph = nullptr;
    views::OperatorsView* operators = nullptr;
    views::LoopNestView* nest = nullptr;
    views::PrimitivesView* primitives = nullptr;
    views::HistoryView* history = nullptr;
    views::ScriptView* script = nullptr;
    views::ComparisonView* comparison = nullptr;
    views::RooflineView* roofline = nullptr;
    views::CodeView* code = nullptr;
    views::TunerView* tuner = nullptr;
};

// Leads between the engine's values and the views: which operator is shown, what its script is, what was measured. Holds
// no rule of its own: whether a step is allowed, what it does and what it is worth comes from the engine.
class Controller : public QObject {
    Q_OBJECT
public:
    Controller(Workbench& workbench, const Views& views, QObject* parent);
    ~Controller() override;

    void open(const QString& path, const QMap<QString, qint64>& bind = {});
    bool hasProject() const { return m_project != nullptr; }
    bool hasOperator() const { return m_editing != nullptr; }
    const OpenedProject* project() const { return m_project.get(); }
    const session::Editing* editing() const { return m_editing.get(); }
    QString operatorName() const;
    QUndoGroup& undoGroup() { return m_undo; }

    void selectOperator(const QString& name);
    void applyStep(const QString& step);
    void setScript(const QString& text);       // a person's edit, undoable
    void startOver(const QString& what);       // "plain", "default", "template", "sample", "auto", "hand"
    void measureCurrent();                     // quick, then confirm
    void stopMeasuring();
    void compareAll();
    void sweepNow();
    void buildListings();
    void showCode();                           // the code panel came to the front
    void showDiff();                           // the diff came to the front, or what it shows changed
    void probeRoofs();
    void jump(int station);
    void openBranch(const QString& name);      // its newest script becomes the text, undoable
    void repeatPrimitive();
    void copyStep() const;
    QString commandLine() const;               // the nestw command that shows what is shown

    // What the tuner found (controller_tuner.cpp).
    double profiledNs() const;                 // of the whole model; 0: not known
    const session::Operator* operatorOfTask(const std::string& task) const; // nullptr: the project has none
    void takeTuned(const record::Record& record);
    void openTuned(const std::string& task, const QString& label, const std::string& script, const session::Timing& timing);
    struct TextPair {
        QString title; // "trial 12 against trial 4"
        std::string before, after;
    };
    void showDiffOf(const std::string& task, const TextPair& pair);

Q_SIGNALS:
    void projectOpened(const QString& title);
    void operatorShown(const QString& name, const QString& description);
    void selectionShown(const QStringList& loops); // of the nest
    void message(const QString& text, bool refused);
    void lastMeasurement(const QString& text);
    void busy(const QString& what); // empty: nothing runs
    void logLine(const QString& line);
    void compareWished();           // raise the comparison
    void formWished();              // raise the primitives panel
    void diffWished();              // raise the diff
    void tuneWished();              // of the operator that is shown

private:
    friend class EditCommand;

    // Opening and choosing (controller.cpp).
    void connectViews();
    void connectWorkbench();
    void onOpened(const std::shared_ptr<const OpenedProject>& project);
    void onOperatorLoaded(const std::shared_ptr<const OperatorState>& state);
    void fillOperators();
    void hoverEverywhere(const QString& name);

    // Editing (controller_edit.cpp).
    void pushText(const QString& label, const std::string& text, std::int64_t revision = 0);
    void takeText(const std::string& text, int cursor);
    void showAll();
    void showSteps();
    void showBranches();
    void showFootprints();
    void later(void (Controller::*what)()); // in a turn of its own
    void nextTurn();
    void showSelection();
    void choose(const QStringList& names);
    void followSelection(int from);
    void onSelection(const QStringList& names);
    void preview(const QString& step);
    void removeStep(int station);
    void undoPrimitiveOf(const QString& loop);

    // Differences (controller_diff.cpp).
    QList<views::DiffChoice> diffChoices();
    std::string scriptOfChoice(const QString& key);
    void diffAgainst(const QString& key);
    bool showPair();
    static QString pairKey();

    void openWhatWaits(); // of the tuner, when its operator is shown

    // Figures (controller_figures.cpp).
    bool needsOperator(); // says so when there is none
    void measureStation(bool again);
    void onMeasured(const QString& op, const QString& script, record::Origin origin, const session::Timing& timing);
    void takeFigure(const session::Operator& op, record::Origin origin, const std::string& script, const session::Timing& timing);
    void showComparison();
    void showRoofline();
    void fillFigure(const QString& figure);
    session::Figure& figure(const std::string& name) { return figure(m_editing->op(), name); }
    session::Figure& figure(const session::Operator& op, const std::string& name);
    std::string defaultScript() const;
    std::string sweepScript() const;

    Workbench& m_workbench;
    Views m_views;
    QUndoGroup m_undo;
    std::map<QString, QUndoStack*> m_stacks;

    std::shared_ptr<const OpenedProject> m_project;
    std::shared_ptr<const OperatorState> m_loaded;
    std::unique_ptr<session::Editing> m_editing;
    std::vector<record::Revision> m_revisions; // of the operator shown, oldest first
    std::int64_t m_head = 0;                   // the one that is shown; 0: none yet
    std::optional<schedule::LoopNest> m_preview;
    QString m_wanted;                 // the operator asked for last
    QStringList m_selection;
    QString m_lastPrimitive;
    QString m_diffAgainst;            // a key of diffChoices()
    qint64 m_state = 0;               // the number of the text shown
    qint64 m_nextState = 1;           // never used twice
    std::map<std::string, session::Comparison> m_comparisons; // by group
    std::map<std::string, double> m_profileNs;
    std::optional<measure::Roofs> m_roofs;
    std::string m_runningScript;
    QString m_runningProtocol;
    wire::KernelListing m_listing;
    std::string m_listingScript;      // what m_listing was built from
    QString m_buildFailure;
    struct ToOpen {
        std::string task;
        QString label;
        std::string script;
        session::Timing timing;
    };
    std::optional<ToOpen> m_toOpen;
    TextPair m_pair;                  // laid beside each other by the tuner's panel
    std::string m_pairTask;
    QTimer m_turn;
    std::vector<void (Controller::*)()> m_due; // what showAll() left for later turns
};

} // namespace nw::app
