#pragma once

#include "engine/base/result.h"

#include <dnnl.h>

#include <memory>

#if DNNL_VERSION_MAJOR != 2
#error "the C interface of oneDNN 2 is needed"
#endif

// The functions of oneDNN that are used here. The library is loaded when it is first asked for: the runner must also work
// where it is not installed.
#define NW_DNNL_FUNCTIONS(name)                                                                              \
    name(dnnl_engine_create) name(dnnl_engine_destroy) name(dnnl_stream_create) name(dnnl_stream_destroy)    \
    name(dnnl_stream_wait) name(dnnl_memory_desc_init_by_tag) name(dnnl_memory_desc_init_by_strides)         \
    name(dnnl_memory_desc_get_size) name(dnnl_memory_create) name(dnnl_memory_destroy)                       \
    name(dnnl_dilated_convolution_forward_desc_init) name(dnnl_matmul_desc_init)                             \
    name(dnnl_pooling_forward_desc_init) name(dnnl_softmax_forward_desc_init)                                \
    name(dnnl_layer_normalization_forward_desc_init)                                                         \
    name(dnnl_primitive_attr_create) name(dnnl_primitive_attr_destroy) name(dnnl_post_ops_create)            \
    name(dnnl_post_ops_destroy) name(dnnl_post_ops_append_eltwise) name(dnnl_post_ops_append_sum)            \
    name(dnnl_primitive_attr_set_post_ops) name(dnnl_primitive_desc_create) name(dnnl_primitive_desc_destroy) \
    name(dnnl_primitive_desc_query_md) name(dnnl_primitive_create) name(dnnl_primitive_destroy)              \
    name(dnnl_primitive_execute)

namespace nw::runner {

struct OneDnn {
#define NW_DECLARE(name) decltype(&::name) name = nullptr;
    NW_DNNL_FUNCTIONS(NW_DECLARE)
#undef NW_DECLARE

    // Failed when it is not installed. It is never unloaded: its threads are OpenMP's.
    static Result<OneDnn> load();
};

} // namespace nw::runner
