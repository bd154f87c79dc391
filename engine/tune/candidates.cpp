#include "engine/tune/candidates.h"

#include "engine/base/thread_pool.h"
#include "engine/schedule/script.h"
#include "engine/tune/features.h"

#include <algorithm>

namespace nw::tune {

Candidates::Candidates(const Space& space, const schedule::Task& task, schedule::LoopNest initial)
    : m_space(&space)
    , m_task(task)
    , m_initial(std::move(initial))
{}

Candidate Candidates::made(const Point& point) const
{
    Candidate made;
    const schedule::Context context{&m_task.target};
    const Result<schedule::Script> plain = m_space->script(point);
    if (!plain) {
        made.cause = "constraint";
        made.message = plain.error().message;
        return made;
    }
    made.script = plain->toText();
    made.identity = plain->identity();
    const Result<schedule::Replay> replayed = schedule::replay(m_initial, *plain, {}, context);
    if (!replayed) {
        const Error& error = replayed.error();
        made.cause = error.refusal ? error.refusal->rule : "script";
        made.message = error.message;
        return made;
    }
    made.features = featuresOf(replayed->nest(), m_task.target, m_task.threads);
    return made;
}

void Candidates::look(std::span<const Point> points)
{
    ++m_clock;
    std::vector<Point> open;
    for (const Point& point : points) {
        if (const auto found = m_kept.find(point); found != m_kept.end()) {
            found->second.used = m_clock;
        } else if (!isRefused(point)) {
            open.push_back(point);
        }
    }
    std::sort(open.begin(), open.end());
    open.erase(std::unique(open.begin(), open.end()), open.end());
    std::vector<Candidate> fresh(open.size());
    const auto work = [&](std::int64_t i) { fresh[static_cast<std::size_t>(i)] = made(open[static_cast<std::size_t>(i)]); };
    const auto count = static_cast<std::int64_t>(open.size());
    // A thread is worth starting for eight points or more.
    const int helpers = static_cast<int>(std::min<std::int64_t>(m_task.target.cores, count / 8 + 1)) - 1;
    if (helpers > 0) {
        ThreadPool(helpers).parallelFor(count, work);
    } else {
        for (std::int64_t i = 0; i < count; ++i) {
            work(i);
        }
    }
    for (std::size_t i = 0; i < open.size(); ++i) {
        if (fresh[i].cause.empty()) {
            m_kept[open[i]] = {std::make_unique<Candidate>(std::move(fresh[i])), m_clock};
        } else {
            ++m_refusals[fresh[i].cause];
            m_messages.emplace(fresh[i].cause, fresh[i].message);
            m_refused.insert(hashOf(open[i]));
        }
    }
}

const Candidate* Candidates::find(const Point& point) const
{
    const auto found = m_kept.find(point);
    return found == m_kept.end() ? nullptr : found->second.candidate.get();
}

bool Candidates::isRefused(const Point& point) const
{
    return m_refused.contains(hashOf(point));
}

const std::string& Candidates::firstMessage(const std::string& cause) const
{
    static const std::string none;
    const auto found = m_messages.find(cause);
    return found == m_messages.end() ? none : found->second;
}

void Candidates::forget(std::size_t most)
{
    if (m_kept.size() <= most) {
        return;
    }
    std::vector<std::uint64_t> uses;
    for (const auto& [point, kept] : m_kept) {
        uses.push_back(kept.used);
    }
    const auto edge = uses.end() - static_cast<std::ptrdiff_t>(most);
    std::nth_element(uses.begin(), edge, uses.end());
    const std::uint64_t oldest = *edge;
    std::erase_if(m_kept, [&](const auto& entry) { return entry.second.used < oldest; });
}

} // namespace nw::tune
