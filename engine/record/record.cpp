#include "engine/record/record.h"

#include <string_view>

namespace nw::record {

std::string_view toText(Origin origin)
{
    switch (origin) {
    case Origin::Default:
        return "default";
    case Origin::Edit:
        return "edit";
    case Origin::Template:
        return "template";
    case Origin::Sweep:
        return "sweep";
    case Origin::Tune:
        return "tune";
    case Origin::Library:
        return "library";
    }
    return "edit";
}

} // namespace nw::record
