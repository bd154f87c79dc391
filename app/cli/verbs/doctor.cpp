#include "app/cli/command.h"

#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/measure/cache_limit.h"

#include <memory>

namespace nw::app {
namespace {

int doctor(const CommonOptions& options, bool again)
{
    Session session(options);
    const Target native = nativeTarget();
    session.say(format("processor: {} cores, {} vector registers of {} bytes{}, tuned for {}", native.cores, native.vectorRegisters,
                       native.vectorBytes, native.hasFma ? ", FMA" : "", native.tuneCpu.empty() ? "generic" : native.tuneCpu));
    session.say("features: " + join(native.features, " "));
    session.say(format("caches: L1 {}, L2 {}, L3 {}", bytesText(native.l1Bytes), bytesText(native.l2Bytes), bytesText(native.l3Bytes)));
    const Result<measure::LocalDevice*> device = session.device();
    if (!device) {
        return session.fail(device.error());
    }
    const Result<session::Folders> folders = session::userFolders();
    if (!folders) {
        return session.fail(folders.error());
    }
    session.say(format("data in {}, cache in {} ({}; above {} what was unused longest is removed, not what the last {} hours needed)", folders->data.string(),
                       folders->cache.string(), bytesText(measure::cacheBytes(folders->cache)), bytesText(measure::kCacheLimit), measure::kCacheInUse.count()));
    for (measure::Worker* worker : {&(*device)->builder(), &(*device)->runner()}) {
        const Status started = worker->start();
        if (!started) {
            return session.fail(started.error());
        }
    }
    session.say("builder and runner start");
    const Result<measure::Roofs> roofs = (*device)->roofs(std::max(1, options.threads), again);
    if (!roofs) {
        return session.fail(roofs.error());
    }
    session.say(format("peak of one thread: {:.1f} GFLOP/s (f32 FMA)", roofs->peakGflopsPerThread));
    Json levels = Json::array();
    for (const measure::Roofs::Level& level : roofs->levels) {
        session.say(format("bandwidth {}: {:.1f} GB/s{}", level.name, level.gbPerSecond, level.bytes > 0 ? " up to " + bytesText(level.bytes) : ""));
        levels.push_back({{"name", level.name}, {"bytes", level.bytes}, {"gb_per_second", level.gbPerSecond}});
    }
    session.emit({{"target", native.toText()}, {"cores", native.cores}, {"vector_bytes", native.vectorBytes},
                  {"peak_gflops", roofs->peakGflopsPerThread}, {"levels", levels}});
    return Fine;
}

} // namespace

void addDoctor(const Arguments& program, CommonOptions& options, int& exitCode)
{
    const Arguments verb = program.verb("doctor", "this machine as a device: features, roofs, whether the workers start");
    addCommon(verb, options, false);
    const auto again = std::make_shared<bool>(false);
    verb.flag("--probe", *again, "probe the roofs again");
    verb.run([&options, &exitCode, again] { exitCode = doctor(options, *again); });
}

} // namespace nw::app
