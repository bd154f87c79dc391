#pragma once

#include "app/gui/lane.h"
#include "app/gui/values.h"
#include "views/start/dimensions_form.h"

#include <QObject>

#include <map>
#include <memory>
#include <optional>

namespace nw::app {

// The engine behind the window: two threads, one that opens and keeps projects, one that owns the device. Every call
// returns at once; answers come as signals in the window's thread. A worker that dies costs its job and is told by log().
class Workbench : public QObject {
    Q_OBJECT
public:
    explicit Workbench(QObject* parent = nullptr);
    ~Workbench() override;

    // Opens a model, sample or project. With dimensions that nobody bound: dimensionsNeeded.
    void open(const QString& path, const QMap<QString, qint64>& bind);
    void cancelOpen();
    void loadOperator(const QString& name);
    // Keeps the text as a new revision behind the state `parent`, under the name `state` (the window's own numbers).
    void keep(const QString& op, qint64 parent, qint64 state, const QString& text);
    void moveTo(const QString& op, qint64 state); // undo, redo
    // An older revision is shown again, under the name `state`; nothing new is kept.
    void openRevision(const QString& op, qint64 state, std::int64_t revision);
    void saveAs(const QString& path);

    enum class Protocol { Quick, Confirm };
    void measure(const session::Operator& op, const std::string& script, record::Origin origin, Protocol protocol,
                 bool background);
    void cancelMeasuring();          // quick and confirm of the current operator
    void leaveOperator();            // these, and what was to be measured and built of it besides
    void build(const session::Operator& op, const std::string& script); // listings
    void compare(const QString& op);
    void sweep(const session::Operator& op, const std::string& script);
    void profile();                  // time of every group inside the model
    void probe();                    // roofs
    void exportTo(const QString& folder); // the whole model as a library
    void cancelLong();               // compare, sweep, profile

    // The tuner is a process of its own: it is started, watched through the project's journal, and told what is wished.
    void lookAtTuning(std::int64_t task, int from); // answers tuneNews; trials of `task` with numbers >= `from`
    void wishTuning(std::int64_t session, record::TuneWish wish);
    void endTuning(std::int64_t session, record::TuneState state); // one that no process works at any more
    bool isIdle() const;

Q_SIGNALS:
    void opened(const std::shared_ptr<const nw::app::OpenedProject>& project);
    void openFailed(const QString& sentence, const QString& hint);
    void dimensionsNeeded(const QString& title, const QList<nw::views::UnboundDimension>& dimensions);
    void operatorLoaded(const std::shared_ptr<const nw::app::OperatorState>& state);
    // After each of keep, moveTo and openRevision; `head` is the revision that is shown.
    void revisionsKnown(const QString& op, const std::vector<nw::record::Revision>& revisions, std::int64_t head);
    void saved(const QString& path);
    void measuring(const QString& op, const QString& script, const QString& protocol);
    void measured(const QString& op, const QString& script, nw::record::Origin origin, const nw::session::Timing& timing);
    void built(const QString& op, const QString& script, const nw::wire::KernelListing& listing);
    void buildFailed(const QString& op, const QString& script, const QString& why);
    void comparing(const QString& op);
    void compared(const nw::session::Comparison& comparison);
    void sweepAdvanced(int done, int total, const QString& text);
    void swept(const QString& op, const QString& bestScript, const nw::session::Timing& timing);
    void profiled(const std::map<std::string, double>& groupNs, double modelNs);
    void exported(const QString& folder, const QString& name);
    void roofsKnown(const nw::measure::Roofs& roofs);
    void tuneNews(const std::shared_ptr<const nw::app::TuneNews>& news);
    void deviceBusy(const QString& what); // empty: idle
    void problem(const QString& sentence); // something failed that a person should read
    void log(const QString& line);

private:
    struct Keeper; // lives in the keeping thread
    struct Bench;  // lives in the device thread

    std::unique_ptr<Keeper> m_keeper;
    std::unique_ptr<Bench> m_bench;
    QString m_path;
    QMap<QString, qint64> m_bind;
    Lane m_keeping; // last: their threads end before what they use goes
    Lane m_device;

    void addRecord(const record::Record& record);
    void tellRevisions(const QString& op, std::int64_t head);
    void showRevision(const QString& op, std::int64_t revision);
    void endJob(const Error& error);
    template <typename Function>
    void tell(Function&& function); // in the window's thread
};

} // namespace nw::app
