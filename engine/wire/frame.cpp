#include "engine/wire/messages.h"
#include "engine/wire/messages_proto.h"

namespace nw::wire {
namespace {

// "NW" and the version of the protocol.
constexpr std::uint32_t kMark = 0x4e570001;

void write(pb::Error* to, const Error& from)
{
    to->set_kind(static_cast<pb::Error::Kind>(from.kind));
    to->set_message(from.message);
    to->set_line(from.line);
    to->set_column(from.column);
    if (from.refusal != nullptr) {
        pb::Refusal* refusal = to->mutable_refusal();
        refusal->set_rule(from.refusal->rule);
        refusal->set_words(from.refusal->words);
        addStrings(refusal->mutable_operands(), from.refusal->operands);
        addStrings(refusal->mutable_places(), from.refusal->places);
        addStrings(refusal->mutable_unlocks(), from.refusal->unlocks);
    }
}

Error read(const pb::Error& from)
{
    Error to;
    to.kind = static_cast<Error::Kind>(from.kind());
    to.message = from.message();
    to.line = from.line();
    to.column = from.column();
    if (from.has_refusal()) {
        const pb::Refusal& refusal = from.refusal();
        to.refusal = std::make_shared<const Refusal>(Refusal{refusal.rule(), refusal.words(), toStrings(refusal.operands()),
                                                             toStrings(refusal.places()), toStrings(refusal.unlocks())});
    }
    return to;
}

} // namespace

std::string_view toText(AccessKind kind)
{
    switch (kind) {
    case AccessKind::Scalar: return "scalar";
    case AccessKind::Contiguous: return "contiguous";
    case AccessKind::Broadcast: return "broadcast";
    case AccessKind::Strided: return "strided";
    case AccessKind::Gather: return "gather";
    }
    return "scalar";
}

std::string_view toText(Outcome outcome)
{
    switch (outcome) {
    case Outcome::Ok: return "ok";
    case Outcome::DoesNotBuild: return "does-not-build";
    case Outcome::Refused: return "refused";
    case Outcome::WrongResult: return "wrong-result";
    case Outcome::Crash: return "crash";
    case Outcome::Hang: return "hang";
    case Outcome::OutOfMemory: return "out-of-memory";
    case Outcome::EndedEarly: return "ended-early";
    case Outcome::ProtocolError: return "protocol-error";
    case Outcome::Stopped: return "stopped";
    case Outcome::DeviceUnavailable: return "device-unavailable";
    }
    return "unknown";
}

std::string encode(const Frame& frame)
{
    pb::Frame message;
    message.set_mark(kMark);
    message.set_kind(static_cast<pb::Frame::Kind>(frame.kind));
    message.set_id(frame.id);
    message.set_body(frame.body);
    if (frame.kind == Frame::Kind::Error) {
        write(message.mutable_error(), frame.error);
    }
    message.set_outcome(static_cast<pb::Frame::Outcome>(frame.outcome));
    message.set_last(frame.last);
    return message.SerializeAsString();
}

Result<Frame> decodeFrame(std::string_view bytes)
{
    const Result<pb::Frame> message = parseMessage<pb::Frame>(bytes, "frame");
    if (!message) {
        return message.error();
    }
    if (message->mark() != kMark) {
        return failed("protocol: a frame of another program or version");
    }
    if (!pb::Frame::Kind_IsValid(message->kind()) || !pb::Frame::Outcome_IsValid(message->outcome()) ||
        !pb::Error::Kind_IsValid(message->error().kind())) {
        return failed("protocol: a frame of unknown kind");
    }
    Frame frame;
    frame.kind = static_cast<Frame::Kind>(message->kind());
    frame.id = message->id();
    frame.body = message->body();
    frame.outcome = static_cast<Outcome>(message->outcome());
    frame.last = message->last();
    if (frame.kind == Frame::Kind::Error) {
        frame.error = read(message->error());
    }
    return frame;
}

} // namespace nw::wire
