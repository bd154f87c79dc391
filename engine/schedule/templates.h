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
//   #: kind conv                   anchor of the definition, or several; `map`: any that sums up nothing
//   #: plain X                     port X lies as its shape says; `blocked X`: in blocks of channels; `last X`: the channels
//                                  of a pixel one beside the other
//   #: where oc >= 8               compares, as `require` does, numbers of the target and of the task: steps of the anchor's
//                                  axes (1 where it has none of that name), `ow.stride`: how far apart a step of the axis
//                                  reads in the first tensor, were it plain (-1 where that differs from step to step),
//                                  `oc.group`: steps that read alike in a grouped convolution (else all), `oc.groups`: how many such,
//                                  `terms` and `results`: steps of all axes that are summed over, and of all others;
//                                  `rows`: of the last of those
//
// and names what differs from task to task by marks in angle brackets:
//
//   <anchor>       the first stage's block
//   <epilogue>     the last stage's block
//   <row>          the last spatial axis of the first stage, <column> that of the last stage
//   <ow>           steps of the axis, of the first stage that has one of that name
//   <vectors oc ow>, <columns oc ow>   the register tile that suits a product best: so many vectors of the one axis by so many
//                  steps of the other, as a model of a core with two multiply-adds a cycle has it; a number behind
//                  them: so many registers, else all
//   <fit ow N>     the tile of at most N steps that suits the axis best (N as in scripts)
//   <width>        of the blocks in which the channels of an activation lie, <lane> what a vector has of it
//
// or marks that are answered by the nest as the lines above leave it (template_nest.h); where there is no such thing the
// line goes. They speak of the block of an [each], otherwise of the anchor's, or of another one, `<order of exp>`
// (`of epilogue`: the last stage's):
//
//   <block> <type>      its name, the type of its elements
//   <order>             its loops in the order of the memory that it writes; without such an order the template does not fit
//   <pair> <joined>     two neighbouring loops that walk memory as one would, and a name for that one
//   <inner> <long>      its innermost loop, and the same if it has more steps than a vector has lanes
//   <around> <few>      the loop around the innermost one, and the same if it has at most four steps
//   <across>            the loop that walks what is read from element to element where another does so in what is written
//   <turned>            its loops, <across> moved to just around the innermost one
//   <channel> <blocks>  the loop along an axis that lies in blocks, and their width
//   <beside>            the loop from one result to the next one in memory, where what is read lies the same way; the template
//                       does not fit without it
//   <along>             its loops along the axes that the first stage sums over
//   <sideways>          its loops: all others, <beside>, <along>
//   <cut> <cutat>       a loop whose steps a condition divides, and how many stand before that
//   <outer>             its outermost loops, as few as give every thread several steps
//
// A line behind `[epilogue]` or `[alone]` stands only where the group has another stage, or none. `[each]` makes neighbouring
// lines again for every block that there is, `[repeat]` the line until its mark finds nothing more. `[threads]` is for several
// threads and enough work for them, and goes where it is not legal; `[serial]` for all else. `[with NAME] ` stands last: only
// where there is a stage of that name before the last one.
struct Template {
    std::string name;  // of its file
    std::string title;
    std::vector<std::string> kinds;
    std::vector<std::string> plain, blocked, last; // ports
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
