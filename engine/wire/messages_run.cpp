#include "engine/wire/messages.h"
#include "engine/wire/messages_proto.h"

#include "engine/base/dtype.h"

#include <cmath>

namespace nw::wire {
namespace {

void write(pb::PortData* to, const PortData& from)
{
    to->set_role(static_cast<pb::PortData::Role>(from.role));
    to->set_bytes(from.bytes);
    to->set_file(from.file);
    to->set_file_offset(from.fileOffset);
    to->set_expected_file(from.expectedFile);
    to->set_bound_file(from.boundFile);
    to->set_logical_map_file(from.logicalMapFile);
    to->set_element_type(from.elementType);
    to->set_save_file(from.saveFile);
}

Result<PortData> read(const pb::PortData& from)
{
    if (!pb::PortData::Role_IsValid(from.role()) || from.bytes() < 0 || from.file_offset() < 0) {
        return failed("protocol: a port with an unknown role or a negative size");
    }
    const std::optional<DType> type = parseDType(from.element_type());
    if (!type || byteSize(*type) == 0) {
        return failed(format("protocol: a port of unknown element type '{}'", from.element_type()));
    }
    PortData to;
    to.role = static_cast<PortRole>(from.role());
    to.bytes = from.bytes();
    to.file = from.file();
    to.fileOffset = from.file_offset();
    to.expectedFile = from.expected_file();
    to.boundFile = from.bound_file();
    to.logicalMapFile = from.logical_map_file();
    to.elementType = from.element_type();
    to.saveFile = from.save_file();
    return to;
}

template <typename Message>
void writeDataSets(Message& message, const std::vector<std::vector<PortData>>& sets)
{
    for (const std::vector<PortData>& set : sets) {
        pb::DataSet* made = message.add_data_sets();
        for (const PortData& port : set) {
            write(made->add_ports(), port);
        }
    }
}

template <typename Field>
Result<std::vector<std::vector<PortData>>> readDataSets(const Field& from)
{
    std::vector<std::vector<PortData>> sets;
    for (const pb::DataSet& set : from) {
        std::vector<PortData>& ports = sets.emplace_back();
        for (const pb::PortData& port : set.ports()) {
            Result<PortData> made = read(port);
            if (!made) {
                return made.error();
            }
            ports.push_back(*std::move(made));
        }
        if (ports.size() != sets.front().size()) {
            return failed("protocol: data sets of one job with different numbers of ports");
        }
    }
    return sets;
}

void write(pb::Protocol* to, const Protocol& from)
{
    to->set_name(from.name);
    to->set_cold(from.cold);
    to->set_sample_ms(from.sampleMs);
    to->set_samples(from.samples);
    to->set_limit_ms(from.limitMs);
    to->set_best_adds_per_clock(from.bestAddsPerClock);
    to->set_enough_ns(from.enoughNs);
}

Result<Protocol> read(const pb::Protocol& from)
{
    if (!std::isfinite(from.sample_ms()) || !std::isfinite(from.limit_ms()) || from.sample_ms() < 0 ||
        from.limit_ms() < 0 || from.samples() < 0) {
        return failed("protocol: a measuring protocol with limits that are no positive numbers");
    }
    return Protocol{from.name(),    from.cold(),     from.sample_ms(),
                    from.samples(), from.limit_ms(), from.best_adds_per_clock(), from.enough_ns()};
}

void write(pb::CheckVerdict* to, const CheckVerdict& from)
{
    to->set_checked(from.checked);
    to->set_correct(from.correct);
    to->set_max_abs_diff(from.maxAbsDiff);
    to->set_max_rel_diff(from.maxRelDiff);
    to->set_message(from.message);
}

CheckVerdict read(const pb::CheckVerdict& from)
{
    return {from.checked(), from.correct(), from.max_abs_diff(), from.max_rel_diff(), from.message()};
}

void write(pb::Sample* to, const Sample& from)
{
    to->set_ns(from.ns);
    to->set_peak_gflops(from.peakGflops);
    to->set_adds_per_ns(from.addsPerNs);
    to->set_run_delay_share(from.runDelayShare);
    to->set_clean(from.clean);
}

Sample read(const pb::Sample& from)
{
    return {from.ns(), from.peak_gflops(), from.adds_per_ns(), from.run_delay_share(), from.clean()};
}

} // namespace

std::string encode(const RunJob& job)
{
    pb::RunJob message;
    message.set_shared_object(job.sharedObject);
    message.set_symbol(job.symbol);
    message.set_is_model(job.isModel);
    writeDataSets(message, job.dataSets);
    for (const Rival& rival : job.rivals) {
        pb::Rival* made = message.add_rivals();
        made->set_shared_object(rival.sharedObject);
        made->set_symbol(rival.symbol);
        made->set_library(rival.library);
        made->set_library_op(rival.libraryOp);
        writeDataSets(*made, rival.dataSets);
    }
    write(message.mutable_protocol(), job.protocol);
    message.set_threads(job.threads);
    message.set_timeout_ms(job.timeoutMs);
    message.set_memory_limit_bytes(job.memoryLimitBytes);
    message.set_profile_runs(job.profileRuns);
    message.set_library(job.library);
    message.set_library_op(job.libraryOp);
    return message.SerializeAsString();
}

Result<RunJob> decodeRunJob(std::string_view bytes)
{
    const Result<pb::RunJob> message = parseMessage<pb::RunJob>(bytes, "run job");
    if (!message) {
        return message.error();
    }
    Result<std::vector<std::vector<PortData>>> sets = readDataSets(message->data_sets());
    if (!sets) {
        return sets.error();
    }
    Result<Protocol> protocol = read(message->protocol());
    if (!protocol) {
        return protocol.error();
    }
    if (message->memory_limit_bytes() < 0 || message->profile_runs() < 0) {
        return failed("protocol: a run job with a negative limit");
    }
    RunJob job;
    job.sharedObject = message->shared_object();
    job.symbol = message->symbol();
    job.isModel = message->is_model();
    job.dataSets = *std::move(sets);
    for (const pb::Rival& from : message->rivals()) {
        Result<std::vector<std::vector<PortData>>> own = readDataSets(from.data_sets());
        if (!own) {
            return own.error();
        }
        job.rivals.push_back({from.shared_object(), from.symbol(), *std::move(own), from.library(), from.library_op()});
    }
    job.protocol = *std::move(protocol);
    job.threads = message->threads();
    job.timeoutMs = message->timeout_ms();
    job.memoryLimitBytes = message->memory_limit_bytes();
    job.profileRuns = message->profile_runs();
    job.library = message->library();
    job.libraryOp = message->library_op();
    return job;
}

namespace {

void write(pb::RunReply& message, const RunReply& reply)
{
    write(message.mutable_verdict(), reply.verdict);
    for (const Sample& sample : reply.samples) {
        write(message.add_samples(), sample);
    }
    message.set_clean(reply.clean);
    message.set_total(reply.total);
    message.set_median_ns(reply.medianNs);
    message.set_spread(reply.spread);
    message.set_noisy(reply.noisy);
    message.set_share_of_peak_denominator(reply.shareOfPeakDenominator);
    message.mutable_profile_ns()->Add(reply.profileNs.begin(), reply.profileNs.end());
    message.set_pair_ratio(reply.pairRatio);
    message.set_pair_half_width(reply.pairHalfWidth);
    message.set_pair_clean(reply.pairClean);
    message.set_pair_total(reply.pairTotal);
    message.set_pair_decidable(reply.pairDecidable);
    message.set_note(reply.note);
    message.set_best_adds_per_clock(reply.bestAddsPerClock);
    for (const RunReply& rival : reply.rivals) {
        write(*message.add_rivals(), rival);
    }
    message.set_outcome(static_cast<int>(reply.outcome));
    message.set_failure(reply.failure);
}

Result<RunReply> read(const pb::RunReply& message)
{
    if (message.outcome() < 0 || message.outcome() > static_cast<int>(Outcome::DeviceUnavailable)) {
        return failed("protocol: a run reply with an unknown outcome");
    }
    RunReply reply;
    reply.verdict = read(message.verdict());
    for (const pb::Sample& sample : message.samples()) {
        reply.samples.push_back(read(sample));
    }
    reply.clean = message.clean();
    reply.total = message.total();
    reply.medianNs = message.median_ns();
    reply.spread = message.spread();
    reply.noisy = message.noisy();
    reply.shareOfPeakDenominator = message.share_of_peak_denominator();
    reply.profileNs.assign(message.profile_ns().begin(), message.profile_ns().end());
    reply.pairRatio = message.pair_ratio();
    reply.pairHalfWidth = message.pair_half_width();
    reply.pairClean = message.pair_clean();
    reply.pairTotal = message.pair_total();
    reply.pairDecidable = message.pair_decidable();
    reply.note = message.note();
    reply.bestAddsPerClock = message.best_adds_per_clock();
    for (const pb::RunReply& rival : message.rivals()) {
        Result<RunReply> made = read(rival);
        if (!made) {
            return made.error();
        }
        reply.rivals.push_back(*std::move(made));
    }
    reply.outcome = static_cast<Outcome>(message.outcome());
    reply.failure = message.failure();
    return reply;
}

} // namespace

std::string encode(const RunReply& reply)
{
    pb::RunReply message;
    write(message, reply);
    return message.SerializeAsString();
}

Result<RunReply> decodeRunReply(std::string_view bytes)
{
    const Result<pb::RunReply> message = parseMessage<pb::RunReply>(bytes, "run reply");
    return message ? read(*message) : Result<RunReply>(message.error());
}

} // namespace nw::wire
