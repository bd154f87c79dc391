// nw_parallel as it comes with every loaded object (engine/code/emit/runtime.cpp).
#include "engine/wire/kernel_abi.h"
#include "tests/engine/code/harness.h"
#include "tests/support/test.h"

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <thread>
#include <vector>

using namespace nw;
using namespace nw::lower;
using namespace nw::test;

namespace {

auto anyParallel()
{
    Lowered lowered;
    lowered.buffers = {{"Y", DType::F32, 64, Scope::Port, 0}};
    lowered.body = {loop("i", 64, LoopKind::Parallel, {store("Y", var("i"), floatImm(1))})};
    return compileProgram(lowered, targetsHere().back());
}

// Some seconds at most: a runtime may give fewer threads than it was asked for.
template <typename Condition>
bool waitFor(const Condition& holds)
{
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!holds() && std::chrono::steady_clock::now() < until) {
        std::this_thread::yield();
    }
    return holds();
}

} // namespace

class TestThreads : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // A loaded object's own threads: each runs its part, also where nothing but the dynamic linker has prepared the object.
    void runsOnThreads()
    {
        const auto loaded = anyParallel();
        VERIFY_OK(loaded);
        const auto parallel = std::bit_cast<nw_parallel_function>(loaded->symbol("nw_parallel"));
        QVERIFY(parallel != nullptr);
        // Whoever comes first waits, so that it cannot take the other's step, too.
        struct Both {
            std::array<std::thread::id, 2> threads;
            std::atomic<int> begun = 0;
        } both;
        const nw_task note = [](void* context, std::int64_t begin, std::int64_t end) {
            Both& b = *static_cast<Both*>(context);
            for (std::int64_t at = begin; at < end; ++at) {
                b.threads[static_cast<std::size_t>(at)] = std::this_thread::get_id();
            }
            ++b.begun;
            waitFor([&] { return b.begun.load() == 2; });
        };
        parallel(note, &both, 2, 2);
        QVERIFY(both.threads[0] == std::this_thread::get_id());
        QVERIFY(both.threads[1] != both.threads[0] && both.threads[1] != std::thread::id());
    }

    // Each step once, whatever the numbers of steps and threads.
    void coversEachStepOnce()
    {
        const auto loaded = anyParallel();
        VERIFY_OK(loaded);
        const auto parallel = std::bit_cast<nw_parallel_function>(loaded->symbol("nw_parallel"));
        for (const std::int64_t threads : {1, 2, 3, 7}) {
            for (const std::int64_t n : {1, 2, 3, 5, 16, 1003}) {
                std::vector<std::atomic<int>> times(static_cast<std::size_t>(n));
                const nw_task count = [](void* context, std::int64_t begin, std::int64_t end) {
                    for (std::int64_t at = begin; at < end; ++at) {
                        ++(*static_cast<std::vector<std::atomic<int>>*>(context))[static_cast<std::size_t>(at)];
                    }
                };
                parallel(count, &times, n, threads);
                for (const std::atomic<int>& one : times) {
                    QCOMPARE(one.load(), 1);
                }
            }
        }
    }

    // Who is ready early helps the other: the first half of the second share ends when its second half is done, too.
    void sharesWhatIsLeft()
    {
        const auto loaded = anyParallel();
        VERIFY_OK(loaded);
        const auto parallel = std::bit_cast<nw_parallel_function>(loaded->symbol("nw_parallel"));
        struct Rest {
            std::atomic<std::int64_t> done = 0;
            std::atomic<bool> inTime = false;
        } rest;
        const nw_task task = [](void* context, std::int64_t begin, std::int64_t end) {
            Rest& r = *static_cast<Rest*>(context);
            if (begin == 32) {
                r.inTime = waitFor([&] { return r.done.load() >= 48; }) && end == 48;
            }
            r.done += end - begin;
        };
        parallel(task, &rest, 64, 2);
        QCOMPARE(rest.done.load(), std::int64_t{64});
        QVERIFY(rest.inTime.load());
    }
};

NW_TEST_MAIN(tst_threads, TestThreads)
#include "tst_threads.moc"
