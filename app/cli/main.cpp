#include "app/cli/command.h"

#include "engine/base/ensure.h"

#include <CLI/CLI.hpp>

#include <array>
#include <cstdio>
#include <exception>

int main(int argc, char** argv)
{
    CLI::App app("Nestwright on the command line: from a model file to a trusted latency.", "nestw");
    app.require_subcommand(1);
    app.set_version_flag("--version", "nestw 0.1.0");
    app.fallthrough(false);

    nw::app::CommonOptions options;
    int exitCode = nw::app::Fine;
    using namespace nw::app;
    constexpr std::array<Verb, 18> kVerbs{&addInfo,    &addGraph, &addOps,   &addShow,  &addLegal, &addApply,  &addReplay, &addUndo,
                                          &addDiff,    &addRun,   &addBench, &addSweep, &addTune,   &addCompare, &addExport, &addVerify,
                                          &addDoctor,  &addFuzz};
    for (const Verb add : kVerbs) {
        add(Arguments(app), options, exitCode);
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? Fine : Usage;
    } catch (const nw::Bug& bug) {
        std::fprintf(stderr, "nestw: this is a fault of Nestwright, please report it: %s\n", bug.what());
        return Failure;
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "nestw: %s\n", problem.what());
        return Failure;
    }
    return exitCode;
}
