#include "engine/compute/ops/op_builder.h"

namespace nw::compute {

const OpBuilder* findBuilder(std::string_view opName)
{
    for (const std::span<const OpBuilder> family :
         {contractionBuilders(), winogradBuilders(), poolBuilders(), normalizationBuilders(), reductionBuilders(), movementBuilders(),
          arithmeticBuilders(), activationBuilders(), functionBuilders()}) {
        for (const OpBuilder& builder : family) {
            if (builder.name == opName) {
                return &builder;
            }
        }
    }
    return nullptr;
}

} // namespace nw::compute
