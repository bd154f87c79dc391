#include "engine/session/wish_watch.h"

#include "engine/record/tune_journal.h"

#include <chrono>

namespace nw::session {
namespace {

constexpr auto kLook = std::chrono::milliseconds(50);
constexpr int kLooksAWish = 4; // the database is asked less often than the flag

} // namespace

WishWatch::WishWatch(const std::filesystem::path& project, std::int64_t session, const StopToken& outer)
    : m_outer(outer)
    , m_thread([this, project, session] { watch(project, session); })
{}

WishWatch::~WishWatch()
{
    m_done = true;
    m_thread.join();
}

void WishWatch::watch(const std::filesystem::path& project, std::int64_t session)
{
    // Without a connection of its own a wish is heard between two rounds, as the tuner asks for it then.
    const Result<std::unique_ptr<record::Database>> database = record::Database::open(project, false);
    for (int look = 0; !m_done; ++look) {
        if (m_outer.stopRequested()) {
            m_search.requestStop();
            m_confirm.requestStop();
            return;
        }
        if (database && look % kLooksAWish == 0) {
            const Result<std::optional<record::TuneSession>> now = record::TuneJournal(**database).session(session);
            if (now && *now && (*now)->wish != record::TuneWish::Run) {
                m_search.requestStop();
                if ((*now)->wish != record::TuneWish::Stop) {
                    m_confirm.requestStop();
                    return;
                }
            }
        }
        std::this_thread::sleep_for(kLook);
    }
}

} // namespace nw::session
