#pragma once

#include "engine/session/project.h"

#include <optional>

// What the sources of Project share; never included from elsewhere.
namespace nw::session {

// What a path turned out to be, read but not yet imported.
struct Source {
    enum class Kind { Model, Sample, ProjectFile };
    Kind kind = Kind::Model;
    std::filesystem::path path;       // as given, absolute
    std::filesystem::path modelPath;  // the model file, when there is one on disk
    std::string title;
    model::Model model;
    std::string modelHash;            // of the model file's bytes
    std::string choicesText;
    std::map<std::string, std::string> samples; // group -> script text
};
Result<Source> readSource(const std::filesystem::path& path, const Folders& folders);
// Where the project of a model file or sample is kept.
std::filesystem::path projectPathOf(const Source& source, const Folders& folders);

// The choices with what the planner is told where they say nothing.
plan::Choices plannedChoices(const plan::Choices& choices, const Target& target);
// A planned group as an operator; `count` is left to who knows the others.
Result<Operator> makeOperator(const plan::Plan& plan, std::size_t group, const plan::Choices& choices, const Target& target);

struct Project::State {
    Source source;
    graph::Imported imported;
    std::vector<graph::Firing> firings;
    std::shared_ptr<const graph::Graph> graph;
    plan::Choices choices;
    Target target;
    std::unique_ptr<record::Database> database;
    std::optional<plan::Plan> plan;
    std::vector<Operator> operators;
};

} // namespace nw::session
