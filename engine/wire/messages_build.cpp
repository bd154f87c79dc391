#include "engine/wire/messages.h"
#include "engine/wire/messages_proto.h"

namespace nw::wire {
namespace {

void write(pb::Target* to, const Target& from)
{
    to->set_name(from.name);
    to->set_arch(from.arch);
    addStrings(to->mutable_features(), from.features);
    to->set_tune_cpu(from.tuneCpu);
    to->set_vector_bytes(from.vectorBytes);
    to->set_vector_registers(from.vectorRegisters);
    to->set_has_fma(from.hasFma);
    to->set_has_masked_memory(from.hasMaskedMemory);
    to->set_l1_bytes(from.l1Bytes);
    to->set_l2_bytes(from.l2Bytes);
    to->set_l3_bytes(from.l3Bytes);
    to->set_cores(from.cores);
}

Target read(const pb::Target& from)
{
    Target to;
    to.name = from.name();
    to.arch = from.arch();
    to.features = toStrings(from.features());
    to.tuneCpu = from.tune_cpu();
    to.vectorBytes = from.vector_bytes();
    to.vectorRegisters = from.vector_registers();
    to.hasFma = from.has_fma();
    to.hasMaskedMemory = from.has_masked_memory();
    to.l1Bytes = from.l1_bytes();
    to.l2Bytes = from.l2_bytes();
    to.l3Bytes = from.l3_bytes();
    to.cores = from.cores();
    return to;
}

void write(pb::KernelJob* to, const KernelJob& from)
{
    to->set_symbol(from.symbol);
    to->set_definition(from.definition);
    addStrings(to->mutable_layouts(), from.layouts);
    to->set_script(from.script);
    to->set_listings(from.listings);
}

KernelJob read(const pb::KernelJob& from)
{
    KernelJob to;
    to.symbol = from.symbol();
    to.definition = from.definition();
    to.layouts = toStrings(from.layouts());
    to.script = from.script();
    to.listings = from.listings();
    return to;
}

void write(pb::ModelCall* to, const ModelCall& from)
{
    to->set_kernel(from.kernel);
    for (const CallArgument& argument : from.arguments) {
        pb::CallArgument* made = to->add_arguments();
        made->set_space(static_cast<pb::CallArgument::Space>(argument.space));
        made->set_index(argument.index);
        made->set_offset(argument.offset);
    }
}

// Everything that is an index or a size is checked here, so that a worker may trust what it decoded.
Result<ModelCall> read(const pb::ModelCall& from, int kernels)
{
    if (from.kernel() < 0 || from.kernel() >= kernels) {
        return failed(format("protocol: a call names kernel {} of {}", from.kernel(), kernels));
    }
    ModelCall to;
    to.kernel = from.kernel();
    for (const pb::CallArgument& argument : from.arguments()) {
        if (!pb::CallArgument::Space_IsValid(argument.space()) || argument.index() < 0 || argument.offset() < 0) {
            return failed("protocol: an argument of a call lies in no memory");
        }
        to.arguments.push_back({static_cast<CallArgument::Space>(argument.space()), argument.index(), argument.offset()});
    }
    return to;
}

void write(pb::KernelListing* to, const KernelListing& from)
{
    to->set_symbol(from.symbol);
    to->set_workspace_bytes(from.workspaceBytes);
    to->set_spills(from.spills);
    to->set_total_spills(from.totalSpills);
    to->set_vector_registers(from.vectorRegisters);
    to->set_fmas(from.fmas);
    to->set_code_bytes(from.codeBytes);
    for (const AccessCount& access : from.accesses) {
        pb::AccessCount* const one = to->add_accesses();
        one->set_buffer(access.buffer);
        one->set_stores(access.stores);
        one->set_kind(static_cast<int>(access.kind));
        one->set_count(access.count);
    }
    to->set_lowered_text(from.loweredText);
    to->set_llvm_ir(from.llvmIr);
    to->set_assembly(from.assembly);
}

KernelListing read(const pb::KernelListing& from)
{
    KernelListing to;
    to.symbol = from.symbol();
    to.workspaceBytes = from.workspace_bytes();
    to.spills = from.spills();
    to.totalSpills = from.total_spills();
    to.vectorRegisters = from.vector_registers();
    to.fmas = from.fmas();
    to.codeBytes = from.code_bytes();
    for (const pb::AccessCount& access : from.accesses()) {
        const bool isKnown = access.kind() >= 0 && access.kind() <= static_cast<int>(AccessKind::Gather);
        to.accesses.push_back({access.buffer(), access.stores(), isKnown ? static_cast<AccessKind>(access.kind()) : AccessKind::Scalar,
                               access.count()});
    }
    to.loweredText = from.lowered_text();
    to.llvmIr = from.llvm_ir();
    to.assembly = from.assembly();
    return to;
}

} // namespace

std::string encode(const BuildJob& job)
{
    pb::BuildJob message;
    write(message.mutable_target(), job.target);
    for (const KernelJob& kernel : job.kernels) {
        write(message.add_kernels(), kernel);
    }
    for (const ModelCall& call : job.calls) {
        write(message.add_calls(), call);
    }
    message.set_arena_bytes(job.arenaBytes);
    message.set_output_path(job.outputPath);
    message.set_timeout_ms(job.timeoutMs);
    return message.SerializeAsString();
}

Result<BuildJob> decodeBuildJob(std::string_view bytes)
{
    const Result<pb::BuildJob> message = parseMessage<pb::BuildJob>(bytes, "build job");
    if (!message) {
        return message.error();
    }
    if (message->arena_bytes() < 0) {
        return failed("protocol: a build job with a negative arena");
    }
    BuildJob job;
    job.target = read(message->target());
    for (const pb::KernelJob& kernel : message->kernels()) {
        job.kernels.push_back(read(kernel));
    }
    for (const pb::ModelCall& call : message->calls()) {
        Result<ModelCall> made = read(call, message->kernels_size());
        if (!made) {
            return made.error();
        }
        job.calls.push_back(*std::move(made));
    }
    job.arenaBytes = message->arena_bytes();
    job.outputPath = message->output_path();
    job.timeoutMs = message->timeout_ms();
    return job;
}

std::string encode(const BuildReply& reply)
{
    pb::BuildReply message;
    message.set_path(reply.path);
    for (const KernelListing& kernel : reply.kernels) {
        write(message.add_kernels(), kernel);
    }
    message.set_arena_bytes(reply.arenaBytes);
    message.set_lower_ms(reply.lowerMs);
    message.set_optimize_ms(reply.optimizeMs);
    message.set_codegen_ms(reply.codegenMs);
    message.set_link_ms(reply.linkMs);
    return message.SerializeAsString();
}

Result<BuildReply> decodeBuildReply(std::string_view bytes)
{
    const Result<pb::BuildReply> message = parseMessage<pb::BuildReply>(bytes, "build reply");
    if (!message) {
        return message.error();
    }
    BuildReply reply;
    reply.path = message->path();
    for (const pb::KernelListing& kernel : message->kernels()) {
        if (kernel.workspace_bytes() < 0) {
            return failed("protocol: a kernel with a negative workspace");
        }
        reply.kernels.push_back(read(kernel));
    }
    if (message->arena_bytes() < 0) {
        return failed("protocol: a build reply with a negative arena");
    }
    reply.arenaBytes = message->arena_bytes();
    reply.lowerMs = message->lower_ms();
    reply.optimizeMs = message->optimize_ms();
    reply.codegenMs = message->codegen_ms();
    reply.linkMs = message->link_ms();
    return reply;
}

} // namespace nw::wire
