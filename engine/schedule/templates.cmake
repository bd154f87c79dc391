# Templates travel inside the program: their files as strings of one source, in the order in which they are tried.
set(NW_TEMPLATES conv_pixels_blocked conv_blocked winograd depthwise_blocked depthwise_rows
    depthwise_channels_last conv_channels_last conv_pixels conv_channels
    matvec_packed matmul_whole matmul_packed matmul_near matmul_batched gemm_row gemm_packed
    pool_blocked pool_channels_last pool_strided pool_rows average_rows reduce_blocked reduce_across reduce_rows
    softmax_across softmax_rows softmax_row norm_rows norm_row rms_rows rms_row lrn_blocked lrn_rows
    map_turned map_rows)
set(folder ${CMAKE_SOURCE_DIR}/resources/templates)
set(entries "")
foreach(name IN LISTS NW_TEMPLATES)
    file(READ ${folder}/${name}.sched text)
    string(APPEND entries "    {\"${name}\", R\"sched(${text})sched\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${name}.sched)
endforeach()
set(NW_SHIPPED_TEMPLATES ${CMAKE_CURRENT_BINARY_DIR}/shipped_templates.cpp)
file(CONFIGURE OUTPUT ${NW_SHIPPED_TEMPLATES} @ONLY CONTENT [[#include "engine/schedule/shipped_templates.h"

namespace nw::schedule {

std::span<const ShippedTemplate> shippedTemplates()
{
    static constexpr ShippedTemplate kShipped[] = {
@entries@    };
    return kShipped;
}

} // namespace nw::schedule
]])
