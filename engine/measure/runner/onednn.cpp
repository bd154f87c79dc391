#include "engine/measure/runner/onednn.h"

#include "engine/base/json.h"
#include "engine/base/text.h"

#ifdef NW_HAVE_DNNL

#include "engine/measure/runner/clock.h"
#include "engine/measure/runner/library_memory.h"
#include "engine/measure/runner/onednn_api.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <vector>

namespace nw::runner {

Result<OneDnn> OneDnn::load()
{
    const std::string file = format("libdnnl.so.{}", DNNL_VERSION_MAJOR);
    void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        return failed("oneDNN is not installed (Debian: libdnnl2).");
    }
    OneDnn api;
    bool complete = true;
#define NW_FIND(name)                                                                                        \
    api.name = reinterpret_cast<decltype(api.name)>(::dlsym(library, #name));                                \
    complete = complete && api.name != nullptr;
    NW_DNNL_FUNCTIONS(NW_FIND)
#undef NW_FIND
    if (!complete) {
        return failed(file + " lacks a function that is needed.");
    }
    return api;
}

namespace {

using Dims = std::vector<std::int64_t>;

struct Operator {
    // Any of the library's descriptors; the library takes a pointer to whichever it is.
    std::optional<dnnl_convolution_desc_t> convolution;
    std::optional<dnnl_matmul_desc_t> matmul;
    std::optional<dnnl_pooling_desc_t> pooling;
    std::optional<dnnl_softmax_desc_t> softmax;
    std::optional<dnnl_layer_normalization_desc_t> norm;
    bool hasWeights = false, hasBias = false, hasScale = false, hasShift = false;
    std::vector<std::string> post; // without "bias"

    const_dnnl_op_desc_t pointer() const
    {
        return convolution ? static_cast<const_dnnl_op_desc_t>(&*convolution)
            : matmul       ? static_cast<const_dnnl_op_desc_t>(&*matmul)
            : pooling      ? static_cast<const_dnnl_op_desc_t>(&*pooling)
            : norm         ? static_cast<const_dnnl_op_desc_t>(&*norm)
                           : static_cast<const_dnnl_op_desc_t>(&*softmax);
    }
};

// A primitive with its memory.
class OneDnnSubject : public Subject {
public:
    explicit OneDnnSubject(const OneDnn& api)
        : m_api(api)
    {}
    ~OneDnnSubject() override
    {
        for (const dnnl_exec_arg_t& argument : m_arguments) {
            m_api.dnnl_memory_destroy(argument.memory);
        }
        if (m_primitive != nullptr) {
            m_api.dnnl_primitive_destroy(m_primitive);
        }
        if (m_description != nullptr) {
            m_api.dnnl_primitive_desc_destroy(m_description);
        }
        if (m_stream != nullptr) {
            m_api.dnnl_stream_destroy(m_stream);
        }
        if (m_engine != nullptr) {
            m_api.dnnl_engine_destroy(m_engine);
        }
    }
    OneDnnSubject(const OneDnnSubject&) = delete;
    OneDnnSubject& operator=(const OneDnnSubject&) = delete;

    Status make(const Operator& op);
    void run(std::int64_t times) override
    {
        for (std::int64_t i = 0; i < times; ++i) {
            m_api.dnnl_primitive_execute(m_primitive, m_stream, static_cast<int>(m_arguments.size()), m_arguments.data());
        }
        m_api.dnnl_stream_wait(m_stream);
    }

private:
    Status describe(const Operator& op);
    Status addMemory(int argument, dnnl_query_t what, int index);

    const OneDnn m_api;
    dnnl_engine_t m_engine = nullptr;
    dnnl_stream_t m_stream = nullptr;
    dnnl_primitive_desc_t m_description = nullptr;
    dnnl_primitive_t m_primitive = nullptr;
    std::vector<dnnl_exec_arg_t> m_arguments;
    LibraryMemory m_memory;
};

Status OneDnnSubject::describe(const Operator& op)
{
    dnnl_primitive_attr_t attributes = nullptr;
    dnnl_post_ops_t post = nullptr;
    m_api.dnnl_primitive_attr_create(&attributes);
    m_api.dnnl_post_ops_create(&post);
    for (const std::string& name : op.post) {
        if (name == "relu") {
            m_api.dnnl_post_ops_append_eltwise(post, 1, dnnl_eltwise_relu, 0, 0);
        } else {
            m_api.dnnl_post_ops_append_sum(post, 1);
        }
    }
    m_api.dnnl_primitive_attr_set_post_ops(attributes, post);
    const dnnl_status_t status =
        m_api.dnnl_primitive_desc_create(&m_description, op.pointer(), attributes, m_engine, nullptr);
    m_api.dnnl_post_ops_destroy(post);
    m_api.dnnl_primitive_attr_destroy(attributes);
    return status == dnnl_success ? Status(Done{}) : Status(refused("oneDNN has no such operator."));
}

// The memory that the primitive wants for an argument.
Status OneDnnSubject::addMemory(int argument, dnnl_query_t what, int index)
{
    const dnnl_memory_desc_t* const wanted = m_api.dnnl_primitive_desc_query_md(m_description, what, index);
    if (wanted == nullptr) {
        return failed("oneDNN describes no memory for an argument.");
    }
    const Result<float*> values = m_memory.add(m_api.dnnl_memory_desc_get_size(wanted));
    if (!values) {
        return values.error();
    }
    dnnl_memory_t memory = nullptr;
    if (m_api.dnnl_memory_create(&memory, wanted, m_engine, *values) != dnnl_success) {
        return failed("oneDNN takes no memory for an argument.");
    }
    m_arguments.push_back({argument, memory});
    return Done{};
}

Status OneDnnSubject::make(const Operator& op)
{
    if (m_api.dnnl_engine_create(&m_engine, dnnl_cpu, 0) != dnnl_success ||
        m_api.dnnl_stream_create(&m_stream, m_engine, dnnl_stream_default_flags) != dnnl_success) {
        return failed("oneDNN does not start.");
    }
    if (Status described = describe(op); !described) {
        return described;
    }
    if (m_api.dnnl_primitive_create(&m_primitive, m_description) != dnnl_success) {
        return failed("oneDNN does not make its operator.");
    }
    struct Argument {
        bool used;
        int number;
        dnnl_query_t what;
        int index;
    };
    for (const Argument& a : {Argument{true, DNNL_ARG_SRC, dnnl_query_src_md, 0},
                              Argument{op.hasWeights, DNNL_ARG_WEIGHTS, dnnl_query_weights_md, 0},
                              Argument{op.hasBias, DNNL_ARG_BIAS, dnnl_query_weights_md, 1},
                              Argument{op.hasScale, DNNL_ARG_SCALE, dnnl_query_weights_md, 0},
                              Argument{op.hasShift, DNNL_ARG_SHIFT, dnnl_query_weights_md, 0},
                              Argument{true, DNNL_ARG_DST, dnnl_query_dst_md, 0}}) {
        if (a.used) {
            if (Status added = addMemory(a.number, a.what, a.index); !added) {
                return added;
            }
        }
    }
    return Done{};
}

// Reads the description and fills in the library's.
class Reader {
public:
    // `turns`: a constant factor lies transposed, instead of as the library says.
    Reader(const OneDnn& api, const Json& json, bool turns)
        : m_api(api)
        , m_json(json)
        , m_turns(turns)
    {}

    Result<Operator> read()
    {
        const std::string kind = m_json.value("kind", std::string());
        bool made = false;
        for (const Json& name : m_json.value("post", Json::array())) {
            if (name == "bias") {
                m_op.hasBias = true;
            } else {
                m_op.post.push_back(name.get<std::string>());
            }
        }
        if (kind == "conv") {
            made = readConvolution();
        } else if (kind == "matmul") {
            made = readMatmul();
        } else if (kind == "pool") {
            made = readPool();
        } else if (kind == "softmax") {
            const Dims dims = list("src");
            const dnnl_memory_desc_t data = plain(dims);
            made = m_api.dnnl_softmax_forward_desc_init(&m_op.softmax.emplace(), dnnl_forward_inference, &data,
                                                        m_json.value("axis", 0)) == dnnl_success;
        } else if (kind == "layernorm") {
            made = readLayerNorm();
        }
        return made ? Result<Operator>(m_op) : refused("oneDNN has no such operator.");
    }

private:
    Dims list(const char* key) const { return m_json.at(key).get<Dims>(); }
    dnnl_memory_desc_t any(const Dims& dims) const
    {
        dnnl_memory_desc_t description{};
        m_api.dnnl_memory_desc_init_by_tag(&description, static_cast<int>(dims.size()), dims.data(), dnnl_f32,
                                           dnnl_format_tag_any);
        return description;
    }
    // Row-major, or with the last two axes exchanged in memory.
    dnnl_memory_desc_t plain(const Dims& dims, bool transposed = false) const
    {
        Dims strides(dims.size(), 1);
        for (std::size_t i = dims.size() - 1; i-- > 0;) {
            strides[i] = strides[i + 1] * dims[i + 1];
        }
        if (transposed) {
            strides[dims.size() - 2] = 1;
            strides[dims.size() - 1] = dims[dims.size() - 2];
        }
        dnnl_memory_desc_t description{};
        m_api.dnnl_memory_desc_init_by_strides(&description, static_cast<int>(dims.size()), dims.data(), dnnl_f32,
                                               strides.data());
        return description;
    }
    bool readConvolution()
    {
        Dims weights = list("weights");
        const std::int64_t groups = m_json.value("groups", std::int64_t{1});
        const dnnl_memory_desc_t bias = plain({weights[0]});
        if (groups > 1) {
            weights[0] /= groups;
            weights.insert(weights.begin(), groups);
        }
        const dnnl_memory_desc_t src = any(list("src")), filter = any(weights), dst = any(list("dst"));
        Dims dilations = list("dilations");
        for (std::int64_t& dilation : dilations) {
            --dilation; // the library counts the gaps
        }
        m_op.hasWeights = true;
        return m_api.dnnl_dilated_convolution_forward_desc_init(
                   &m_op.convolution.emplace(), dnnl_forward_inference, dnnl_convolution_direct, &src, &filter,
                   m_op.hasBias ? &bias : nullptr, &dst, list("strides").data(), dilations.data(), list("before").data(),
                   list("after").data()) == dnnl_success;
    }
    bool readMatmul()
    {
        const Dims dst = list("dst");
        const Json& transposed = m_json.at("transposed");
        const dnnl_memory_desc_t left = plain(list("src"), transposed.at(0).get<bool>());
        const dnnl_memory_desc_t right = m_json.value("constant", false) && !m_turns
            ? any(list("weights"))
            : plain(list("weights"), m_turns || transposed.at(1).get<bool>());
        Dims biasDims(dst.size(), 1);
        biasDims.back() = dst.back();
        const dnnl_memory_desc_t bias = plain(biasDims), out = plain(dst);
        m_op.hasWeights = true;
        return m_api.dnnl_matmul_desc_init(&m_op.matmul.emplace(), &left, &right, m_op.hasBias ? &bias : nullptr, &out) ==
            dnnl_success;
    }
    bool readLayerNorm()
    {
        const dnnl_memory_desc_t data = plain(list("src"));
        m_op.hasScale = true;
        m_op.hasShift = m_json.value("shift", false);
        const unsigned flags = dnnl_use_scale | (m_op.hasShift ? dnnl_use_shift : dnnl_normalization_flags_none);
        return m_api.dnnl_layer_normalization_forward_desc_init(&m_op.norm.emplace(), dnnl_forward_inference, &data, nullptr,
                                                                m_json.value("epsilon", 1e-5F), flags) == dnnl_success;
    }
    bool readPool()
    {
        const std::string op = m_json.value("op", std::string());
        const dnnl_alg_kind_t algorithm = op == "max" ? dnnl_pooling_max
            : op == "avg_include"                     ? dnnl_pooling_avg_include_padding
                                                      : dnnl_pooling_avg_exclude_padding;
        const Dims src = list("src");
        // Blocked by the channels of a vector, as they would arrive from a convolution.
        dnnl_memory_desc_t in{};
        const dnnl_format_tag_t tag = src[1] % 16 == 0 ? dnnl_nChw16c : src[1] % 8 == 0 ? dnnl_nChw8c : dnnl_nchw;
        m_api.dnnl_memory_desc_init_by_tag(&in, static_cast<int>(src.size()), src.data(), dnnl_f32, tag);
        const dnnl_memory_desc_t out = any(list("dst"));
        return m_api.dnnl_pooling_forward_desc_init(&m_op.pooling.emplace(), dnnl_forward_inference, algorithm, &in, &out,
                                                    list("strides").data(), list("kernel").data(), list("before").data(),
                                                    list("after").data()) == dnnl_success;
    }

    const OneDnn& m_api;
    const Json& m_json;
    const bool m_turns;
    Operator m_op;
};

Result<std::unique_ptr<OneDnnSubject>> makeSubject(const OneDnn& api, const Json& json, bool turns)
{
    Result<Operator> op = failed("");
    try { // the JSON library throws on a missing key
        op = Reader(api, json, turns).read();
    } catch (const Json::exception& exception) {
        return refused(format("no description of an operator: {}", exception.what()));
    }
    if (!op) {
        return op.error();
    }
    auto subject = std::make_unique<OneDnnSubject>(api);
    const Status made = subject->make(*op);
    return made ? Result<std::unique_ptr<OneDnnSubject>>(std::move(subject)) : made.error();
}

std::int64_t shortestOfFive(Subject& subject)
{
    std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
    subject.run(1);
    for (int i = 0; i < 5; ++i) {
        const std::int64_t begin = Clock::monotonicNs();
        subject.run(1);
        shortest = std::min(shortest, Clock::monotonicNs() - begin);
    }
    return shortest;
}

} // namespace

Result<std::unique_ptr<Subject>> makeOneDnn(const std::string& description)
{
    const Json json = Json::parse(description, nullptr, false);
    if (!json.is_object()) {
        return refused("no description of an operator");
    }
    const Result<OneDnn> api = OneDnn::load();
    if (!api) {
        return api.error();
    }
    Result<std::unique_ptr<OneDnnSubject>> subject = makeSubject(*api, json, false);
    if (!subject) {
        return subject.error();
    }
    // Asked how a constant factor should lie, the library answers "as it is", though some products take half the time with
    // it transposed. Who prepares weights tries both.
    if (json.value("kind", std::string()) == "matmul" && json.value("constant", false)) {
        Result<std::unique_ptr<OneDnnSubject>> turned = makeSubject(*api, json, true);
        if (turned && shortestOfFive(**turned) < shortestOfFive(**subject)) {
            subject = std::move(turned);
        }
    }
    return std::unique_ptr<Subject>(*std::move(subject));
}

} // namespace nw::runner

#else

namespace nw::runner {

Result<std::unique_ptr<Subject>> makeOneDnn(const std::string&)
{
    return failed("This build knows no oneDNN (Debian: libdnnl-dev).");
}

} // namespace nw::runner

#endif
