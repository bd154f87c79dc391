#include "engine/tune/settings.h"

#include "engine/base/text.h"
#include "engine/tune/search.h"

#include <charconv>
#include <map>

namespace nw::tune {
namespace {

template <typename T>
bool read(const std::string& text, T& value)
{
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc() && end == text.data() + text.size();
}

bool readFlag(const std::string& text, bool& value)
{
    value = text == "1";
    return text == "0" || text == "1";
}

Status checked(const Settings& s)
{
    if (findSearch(s.search) == nullptr) {
        return refused(format("There is no search \"{}\": use evolutionary, annealing or random.", s.search));
    }
    if (s.from != "template" && s.from != "mine" && s.from != "sketch" && s.from != "all") {
        return refused(format("Candidates cannot come from \"{}\": use template, mine, sketch or all.", s.from));
    }
    const bool fine = s.trials >= 0 && s.seconds >= 0 && s.plateau >= 0 && s.batch >= 1 && s.batch <= 1024 && s.randomShare >= 0
        && s.randomShare <= 1 && s.failuresInRow >= 1 && s.finalists >= 1 && s.finalists <= 20;
    return fine ? Status(Done{}) : refused("A number of the tuner's settings is out of its range: trials, seconds and plateau from 0, batch 1 to "
                                           "1024, random share 0 to 1, finalists 1 to 20.");
}

} // namespace

std::string Settings::toText() const
{
    std::string loops = fixedLoops;
    for (char& c : loops) {
        c = c == ' ' ? ',' : c;
    }
    return format("seed={} search={} from={} fixed={} trials={} seconds={} plateau={} batch={} random={} failures={} finalists={} "
                  "transfer={} model={} threads={} target={} bind={} algorithms={}",
                  seed, search, from, loops, trials, shortestDouble(seconds), plateau, batch, shortestDouble(randomShare), failuresInRow,
                  finalists, transfer ? 1 : 0, model ? 1 : 0, threads, target, bind, algorithms);
}

Result<Settings> Settings::parse(const std::string& text)
{
    Settings s;
    for (const std::string& word : splitWords(text)) {
        const std::size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        const std::string value = equals == std::string::npos ? std::string() : word.substr(equals + 1);
        bool fine = true;
        if (name == "search") {
            s.search = value;
        } else if (name == "from") {
            s.from = value;
        } else if (name == "fixed") {
            s.fixedLoops = value;
            for (char& c : s.fixedLoops) {
                c = c == ',' ? ' ' : c;
            }
        } else if (name == "target") {
            s.target = value;
        } else if (name == "bind") {
            s.bind = value;
        } else if (name == "algorithms") {
            s.algorithms = value;
        } else {
            fine = name == "seed" ? read(value, s.seed)
                : name == "trials"    ? read(value, s.trials)
                : name == "seconds"   ? read(value, s.seconds)
                : name == "plateau"   ? read(value, s.plateau)
                : name == "batch"     ? read(value, s.batch)
                : name == "random"    ? read(value, s.randomShare)
                : name == "failures"  ? read(value, s.failuresInRow)
                : name == "finalists" ? read(value, s.finalists)
                : name == "threads"   ? read(value, s.threads)
                : name == "transfer"  ? readFlag(value, s.transfer)
                : name == "model"     ? readFlag(value, s.model)
                                      : false;
        }
        if (!fine) {
            return refused(format("\"{}\" is no setting of the tuner.", word));
        }
    }
    if (const Status fine = checked(s); !fine) {
        return fine.error();
    }
    return s;
}

} // namespace nw::tune
