#include "engine/measure/protocols.h"

#include "engine/base/text.h"

namespace nw::measure {

Result<wire::Protocol> protocolByName(const std::string& name, bool cold)
{
    wire::Protocol protocol;
    protocol.name = name;
    protocol.cold = cold;
    if (name == "quick") {
        protocol.sampleMs = 3;
        protocol.samples = 15;
        protocol.limitMs = 120;
    } else if (name == "search") {
        protocol.sampleMs = 6;
        protocol.samples = 4;
        protocol.limitMs = 50;
    } else if (name == "confirm") {
        protocol.sampleMs = 20;
        protocol.samples = 15;
        protocol.limitMs = 6000;
    } else if (name == "pair") {
        protocol.sampleMs = 10;
        protocol.samples = 15;
        protocol.limitMs = 12000;
    } else if (name != "none") {
        return refused(format("There is no measuring protocol \"{}\": use quick, search, confirm or none.", name));
    }
    return protocol;
}

} // namespace nw::measure
