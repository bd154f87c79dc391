#include "app/cli/verbs/schedule.h"

#include "engine/base/text.h"

#include <memory>

namespace nw::app {
namespace {

void printOffer(const Session& session, const schedule::Offer& offer)
{
    const std::string why = offer.check.why.rule.empty() ? "" : fillWords(offer.check.why.words, offer.check.why.operands);
    session.say(format("{:<10} {}", verdictText(offer.check), offer.text));
    if (!why.empty()) {
        session.say("           " + why);
    }
    for (const std::string& unlock : offer.check.why.unlocks) {
        session.say("           possible after: " + unlock);
    }
    session.emit({{"primitive", offer.primitive->name}, {"step", offer.text}, {"verdict", verdictText(offer.check)},
                  {"rule", offer.check.why.rule}, {"reason", why}, {"places", offer.check.why.places},
                  {"unlocks", offer.check.why.unlocks}});
}

int legal(const CommonOptions& options, const std::string& group, const std::string& place)
{
    Session session(options);
    const Result<Scheduled> scheduled = openScheduled(session, group, "", false, true);
    if (!scheduled) {
        return session.fail(scheduled.error());
    }
    const schedule::LoopNest& nest = scheduled->replay.nest();
    std::vector<std::string> places;
    for (const schedule::Loop* loop : nest.allLoops()) {
        places.push_back(loop->name);
    }
    for (const schedule::LoopNest::Path& path : nest.blocks()) {
        places.push_back(path.block->name);
    }
    if (!place.empty() && std::find(places.begin(), places.end(), place) == places.end()) {
        const std::string near = nearest(place, places);
        return session.fail(failed("There is no loop or block " + place + "." + (near.empty() ? "" : " Did you mean " + near + "?")));
    }
    for (const std::string& name : place.empty() ? places : std::vector<std::string>{place}) {
        session.say("# " + name);
        for (const schedule::Offer& offer : schedule::offers(nest, name, schedule::allPrimitives(), contextOf(*scheduled->op))) {
            printOffer(session, offer);
        }
    }
    return Fine;
}

} // namespace

void addLegal(const Arguments& program, CommonOptions& options, int& exitCode)
{
    const Arguments verb = program.verb("legal", "every step that could be taken at a loop or block, and why not");
    addCommon(verb, options);
    const auto group = std::make_shared<std::string>();
    const auto place = std::make_shared<std::string>();
    verb.option("GROUP", *group, "the operator, e.g. conv.0").required();
    verb.option("PLACE", *place, "a loop or block; all when absent");
    verb.run([&options, &exitCode, group, place] { exitCode = legal(options, *group, *place); });
}

} // namespace nw::app
