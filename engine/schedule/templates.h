#pragma once

#include "engine/schedule/script.h"
#include "engine/schedule/task.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nw::schedule {

// An expert's schedule for a family of tasks (resources/templates): a script with knobs, and prose that says why each
// step is there. It begins with what it is for:
//
//   #: title Blocked convolution
//   #: kind conv                   anchor of the definition
//   #: plain X                     port X lies as its shape says; `blocked X`: in blocks of channels
//   #: where oc >= 8               compares steps of the anchor's axes (1 where it has none of that name) and numbers of
//                                  the target, as `require` does
//
// and names what differs from task to task by marks in angle brackets:
//
//   <anchor>       the first stage's block
//   <epilogue>     the last stage's block
//   <row>          the last spatial axis of the first stage, <column> that of the last stage
//   <ow>           steps of the anchor's axis
//   <fit ow N>     the tile of at most N steps that suits the axis best (N as in scripts)
//   lines behind `[epilogue]` and `[alone]` stand only where the group has another stage, or none
struct Template {
    std::string name;  // of its file
    std::string title;
    std::string kind;
    std::vector<std::string> plain, blocked; // ports
    std::vector<std::string> conditions;
    std::string text; // with marks, without the head
};

// Failed: what is wrong with the head, by its line.
Result<Template> parseTemplate(std::string name, std::string_view text);
// Those that are shipped, in the order in which they are tried.
std::span<const Template> allTemplates();

// The script for a task. Refused when the template is not for it: another kind, a condition that does not hold, a step
// that is not legal for the task's nest with the knobs at their defaults.
Result<std::string> instantiate(const Template& from, const Task& task, const LoopNest& initial);

struct TemplateScript {
    const Template* from = nullptr;
    std::string script;
};
// The first of the templates that fits; nothing when none does.
std::optional<TemplateScript> templateFor(const Task& task, const LoopNest& initial,
                                          std::span<const Template> templates = allTemplates());

} // namespace nw::schedule
