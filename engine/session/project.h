#pragma once

#include "engine/base/result.h"
#include "engine/compute/definition.h"
#include "engine/graph/from_model.h"
#include "engine/graph/rewrite/rewriter.h"
#include "engine/measure/device.h"
#include "engine/model/model.h"
#include "engine/plan/plan.h"
#include "engine/record/database.h"
#include "engine/schedule/script.h"
#include "engine/schedule/task.h"

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace nw::session {

struct Folders {
    std::filesystem::path data, cache, runtime;
};
Result<Folders> userFolders();
// The device of this computer as every program of ours opens it: the workers beside the program, the user's folders.
Result<measure::LocalDevice::Settings> deviceSettings();

struct OpenOptions {
    std::map<std::string, std::int64_t> bind;     // over the project's own choices
    std::map<std::string, Tensor> boundInputs;
    std::map<std::string, std::string> algorithms; // by group, over the choices; by "": of every group that it is for
    std::string target;                            // empty: the choices' ("native")
    int threads = 0;                               // 0: the choices' (1)
    bool ephemeral = false; // no .nest is made or written: nothing is kept (verify, tests)
};

// One group as a person works on it.
struct Operator {
    std::string name;     // "conv.0"
    int group = 0;        // index into Plan::groups
    schedule::Task task;
    std::string taskId;
    int count = 1;        // groups of this model with the same task
    compute::Work work;
    std::vector<std::string> nodeNames; // operators inside, "Conv", "Relu"

    // Whose scripts are kept and shipped under this name: "conv.0", by another algorithm "conv.0.winograd4" (its loops are
    // others).
    std::string scriptName() const { return task.algorithm == "direct" ? name : name + "." + task.algorithm; }
};

// An opened model with its graph, plan, tasks, scripts and records. M may be an .onnx / .onnxtxt file, a sample folder
// (README.md, model.onnxtxt or model.onnx, choices.txt, TASK.sched) or a .nest. For the first two the .nest lies in the
// user's data folder, named after the file and its content hash; a sample's scripts are its first revisions' default.
class Project {
public:
    static Result<std::unique_ptr<Project>> open(const std::filesystem::path& path, const OpenOptions& options,
                                                 const Folders& folders);
    ~Project();

    const std::string& title() const;
    const model::Model& model() const;
    const graph::Imported& imported() const;         // before rewrites
    const std::vector<graph::Firing>& firings() const;
    std::shared_ptr<const graph::Graph> graph() const; // after rewrites
    const plan::Choices& choices() const;
    const Target& target() const;
    // Needs every dimension bound: Failed names the symbols and --bind.
    Result<const plan::Plan*> plan();
    Result<std::vector<const Operator*>> operators(); // in execution order, every group
    Result<const Operator*> find(const std::string& group); // Failed names the nearest

    record::Database* database(); // nullptr when ephemeral

    // The script a group is compiled with now: the head revision, else the sample's TASK.sched, else the default rule.
    // `origin` says which.
    struct Chosen {
        std::string script;
        std::string from; // "edit", "sample", "default", "best record", "template"
        std::int64_t revision = 0;
        std::optional<record::Origin> recorded; // of a best record
    };
    Result<Chosen> script(const Operator& op);
    // What a whole model uses, with knobs at their defaults: the best confirmed record of any origin, else as script(), but
    // before the default rule an expert's template where one fits.
    Result<Chosen> shippedScript(const Operator& op);
    // A new revision behind `parent` (0: what the project came with). When a step before the last one was changed, it
    // begins a branch and the older script stays the tip of its own.
    Result<record::Revision> edit(const Operator& op, std::int64_t parent, const std::string& script);

    // The model as given, embedded in the .nest.
    Status saveAs(const std::filesystem::path& path);

private:
    Result<std::optional<Chosen>> writtenScript(const Operator& op); // by a person or the sample
    struct State;
    explicit Project(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

// The script with every knob at its default: what is measured, recorded and built into a model.
Result<std::string> plainScript(const std::string& text, const Operator& op);
// The fallback rule's script for it.
Result<std::string> defaultScript(const Operator& op);
// An expert's script for it (resources/templates), with its knobs; nothing when no template fits.
std::optional<std::string> templateScript(const Operator& op);

// Has the script a step that was applied without proof? Its record is never called best. A script that does not replay has
// none.
bool isUnproven(const Operator& op, const std::string& script,
                std::span<const schedule::Primitive* const> primitives = schedule::allPrimitives());

// Records a measurement and says what it is in one line.
record::Record toRecord(const Operator& op, const std::string& script, record::Origin origin,
                        const measure::Measurement& measurement);

} // namespace nw::session
