#include "app/cli/command.h"

#include "engine/base/text.h"

#include <memory>

namespace nw::app {
namespace {

int ops(const CommonOptions& options, const std::string& definitionOf)
{
    Session session(options);
    const Result<session::Project*> opened = session.project(true);
    if (!opened) {
        return session.fail(opened.error());
    }
    session::Project& project = **opened;
    if (!definitionOf.empty()) {
        const Result<const session::Operator*> op = project.find(definitionOf);
        if (!op) {
            return session.fail(op.error());
        }
        session.say(compute::toText(*(*op)->task.definition));
        session.emit({{"group", definitionOf}, {"definition", compute::toText(*(*op)->task.definition)},
                      {"identity", compute::identity(*(*op)->task.definition)}, {"task", (*op)->taskId}});
        return Fine;
    }
    const Result<std::vector<const session::Operator*>> all = project.operators();
    if (!all) {
        return session.fail(all.error());
    }
    std::vector<std::vector<std::string>> rows;
    double flops = 0;
    for (const session::Operator* op : *all) {
        const std::int64_t bytes = op->work.inputBytes + op->work.constantBytes + op->work.outputBytes;
        flops += op->work.flops;
        rows.push_back({op->name, join(op->nodeNames, "+"), countText(op->work.flops), bytesText(bytes), op->taskId.substr(0, 8),
                        std::to_string(op->count)});
        session.emit({{"group", op->name}, {"operators", op->nodeNames}, {"flops", op->work.flops},
                      {"nominal_flops", op->work.nominalFlops}, {"bytes", bytes}, {"task", op->taskId}, {"count", op->count},
                      {"definition", compute::identity(*op->task.definition)}});
    }
    session.say(tableText({"operator", "nodes", "FLOPs", "bytes", "task", "count"}, rows));
    session.say(format("{} operators, {}FLOPs in one run", all->size(), countText(flops)));
    return Fine;
}

} // namespace

void addOps(const Arguments& program, CommonOptions& options, int& exitCode)
{
    const Arguments verb = program.verb("ops", "operators with FLOPs, bytes, task and count; --definition for what one computes");
    addCommon(verb, options);
    const auto definition = std::make_shared<std::string>();
    verb.option("--definition", *definition, "print the canonical definition of this operator");
    verb.run([&options, &exitCode, definition] { exitCode = ops(options, *definition); });
}

} // namespace nw::app
