#include "engine/bundle/c_sources.h"

#include "engine/base/text.h"

namespace nw::bundle {
namespace {

std::string cType(const std::string& type)
{
    if (type == "f32") {
        return "float";
    }
    if (type == "f64") {
        return "double";
    }
    if (type == "i64") {
        return "int64_t";
    }
    if (type == "i32") {
        return "int32_t";
    }
    return "uint8_t";
}

std::int64_t countOf(const Tensor& tensor)
{
    std::int64_t count = 1;
    for (const std::int64_t extent : tensor.shape) {
        count *= extent;
    }
    return count;
}

// A name of the model inside a C comment: nothing in it may end the comment or the line.
std::string comment(const std::string& text)
{
    std::string safe;
    for (const char c : text) {
        const bool plain = static_cast<unsigned char>(c) >= 0x20 && c != '*' && c != '/' && c != '\\' && c != '?';
        safe += plain ? c : '.';
    }
    return safe;
}

std::string rows(const std::vector<Tensor>& tensors, const char* what)
{
    std::string text;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        text += format(" *   {}[{}]: {} [{}]  {}\n", what, i, cType(tensors[i].type), fmt::join(tensors[i].shape, ", "),
                       comment(tensors[i].name));
    }
    return text;
}

constexpr const char* kLoader = R"c(#include "@ID@.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct nw_env {
    int64_t threads;
    uint64_t* stamps;
};
extern void nw_model_run(void* const* inputs, void* const* outputs, void* const* constants, void* arena,
                         const struct nw_env* env);

static const int64_t offsets[] = {@OFFSETS@};
enum { constant_count = @COUNT@ };
static const int64_t weights_bytes = @BYTES@;
static const int64_t arena_bytes = @ARENA@;

struct @ID@ {
    void* weights;
    void* arena;
    void* constants[constant_count + 1];
};

static int processor_fits(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
@FEATURES@#endif
    return 1;
}

static void* on_huge_pages(int64_t bytes)
{
    void* memory = NULL;
    if (posix_memalign(&memory, 2u << 20, (size_t)bytes) != 0) {
        return NULL;
    }
    madvise(memory, (size_t)bytes, MADV_HUGEPAGE);
    return memory;
}

static int read_all(int file, char* to, int64_t bytes)
{
    while (bytes > 0) {
        const ssize_t got = read(file, to, (size_t)bytes);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return 0;
        }
        to += got;
        bytes -= got;
    }
    return 1;
}

@ID@* @ID@_open(const char* weights_file, const char** why)
{
    const char* reason = NULL;
    @ID@* model = NULL;
    struct stat status;
    int file = -1;
    if (!processor_fits()) {
        reason = "this processor lacks instructions that the library was built for (@TARGET@)";
        goto failed;
    }
    file = open(weights_file, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0) {
        reason = "the weights file cannot be opened";
        goto failed;
    }
    if (status.st_size != weights_bytes) {
        reason = "the weights file does not belong to this library (its size differs)";
        goto failed;
    }
    model = calloc(1, sizeof *model);
    if (model == NULL) {
        reason = "out of memory";
        goto failed;
    }
    if (weights_bytes > 0) {
        /* Read, not mapped: a mapped file cannot lie on huge pages, and all weights are read in each run. */
        model->weights = on_huge_pages(weights_bytes);
        if (model->weights == NULL) {
            reason = "out of memory";
            goto failed;
        }
        if (!read_all(file, model->weights, weights_bytes)) {
            reason = "the weights file cannot be read";
            goto failed;
        }
    }
    model->arena = on_huge_pages(arena_bytes > 0 ? arena_bytes : 64);
    if (model->arena == NULL) {
        reason = "out of memory";
        goto failed;
    }
    memset(model->arena, 0, (size_t)arena_bytes);
    for (int i = 0; i < constant_count; ++i) {
        model->constants[i] = (char*)model->weights + offsets[i];
    }
    close(file);
    return model;

failed:
    if (file >= 0) {
        close(file);
    }
    @ID@_close(model);
    if (why != NULL) {
        *why = reason;
    }
    return NULL;
}

void @ID@_run(@ID@* model, const void* const* inputs, void* const* outputs, int threads)
{
    const struct nw_env env = {threads < 1 ? 1 : threads, NULL};
    nw_model_run((void* const*)inputs, outputs, model->constants, model->arena, &env);
}

void @ID@_close(@ID@* model)
{
    if (model == NULL) {
        return;
    }
    free(model->weights);
    free(model->arena);
    free(model);
}
)c";

std::string replaced(std::string text, const std::string& what, const std::string& with)
{
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
        text.replace(at, what.size(), with);
    }
    return text;
}

// What nobody proved, so that whoever takes the library knows; empty when all is proved.
std::string unprovenRows(const Model& model, bool inComment)
{
    std::string text;
    const char* const indent = inComment ? " * " : "";
    if (!model.unproven.empty()) {
        text = format("{}NOT PROVED: steps of its schedules that were applied without proof that they keep the results:\n", indent);
        for (const std::string& step : model.unproven) {
            text += format("{}  {}\n", indent, inComment ? comment(step) : step);
        }
    }
    return text;
}

} // namespace

std::string headerText(const Model& model, const std::string& id)
{
    std::string guard = "NW_MODEL_" + id + "_H";
    return format(R"(/* {0}, compiled by Nestwright for {1}.
{2}{3}{6} * Tensors are dense and row-major; element alignment is enough. Link with -l{4} and -lgomp.
 */
#ifndef {5}
#define {5}

#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

typedef struct {4} {4};

/* Opens the weights file. NULL on failure, with the reason in *why when why is not NULL. */
{4}* {4}_open(const char* weights_file, const char** why);
/* One run. Not for two threads at once on the same object: open one each. threads: at most so many. */
void {4}_run({4}* model, const void* const* inputs, void* const* outputs, int threads);
void {4}_close({4}* model);

#ifdef __cplusplus
}}
#endif
#endif
)",
                  comment(model.name), comment(model.target.toText()), rows(model.inputs, "inputs"), rows(model.outputs, "outputs"), id,
                  guard, unprovenRows(model, true));
}

std::string loaderText(const Model& model, const std::string& id, const std::vector<std::int64_t>& offsets, std::int64_t weightsBytes)
{
    std::string features;
    // Names that the compiler's run-time check knows; LLVM spells a few differently.
    for (const std::string& feature : model.target.features) {
        for (const char* known : {"sse4.2", "popcnt", "avx", "avx2", "fma", "bmi", "bmi2", "avx512f", "avx512bw", "avx512cd", "avx512dq",
                                  "avx512vl", "avx512vnni"}) {
            if (feature == known) {
                features += format("    if (!__builtin_cpu_supports(\"{}\")) {{\n        return 0;\n    }}\n", known);
            }
        }
    }
    std::string text = kLoader;
    text = replaced(text, "@ID@", id);
    text = replaced(text, "@OFFSETS@", offsets.empty() ? "0" : format("{}", fmt::join(offsets, ", ")));
    text = replaced(text, "@COUNT@", std::to_string(offsets.size()));
    text = replaced(text, "@BYTES@", std::to_string(weightsBytes));
    text = replaced(text, "@ARENA@", std::to_string(model.arenaBytes));
    text = replaced(text, "@FEATURES@", features);
    return replaced(text, "@TARGET@", comment(model.target.name));
}

std::string sampleText(const Model& model, const std::string& id)
{
    std::string text = format("#include \"{0}.h\"\n\n#include <stdio.h>\n#include <stdlib.h>\n\nint main(int argc, char** argv)\n{{\n"
                              "    const char* why = \"\";\n"
                              "    {0}* model = {0}_open(argc > 1 ? argv[1] : \"{0}_weights.bin\", &why);\n"
                              "    if (model == NULL) {{\n        fprintf(stderr, \"%s\\n\", why);\n        return 1;\n    }}\n",
                              id);
    const auto declare = [&](const std::vector<Tensor>& tensors, const char* what) {
        text += format("    void* {}s[{}];\n", what, std::max<std::size_t>(1, tensors.size()));
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            text += format("    {0}* {1}{2} = calloc({3}, sizeof(*{1}{2})); /* {4} */\n    {1}s[{2}] = {1}{2};\n", cType(tensors[i].type), what,
                           i, std::max<std::int64_t>(1, countOf(tensors[i])), comment(tensors[i].name));
        }
    };
    declare(model.inputs, "input");
    declare(model.outputs, "output");
    for (std::size_t i = 0; i < model.inputs.size(); ++i) {
        const std::int64_t count = countOf(model.inputs[i]);
        const std::string value = model.inputs[i].type == "f32"   ? format("(float)i / (float){}", count)
                                  : model.inputs[i].type == "f64" ? format("(double)i / (double){}", count)
                                                                  : std::string("i");
        text += format("    for (long i = 0; i < {}; ++i) {{\n        input{}[i] = ({}){};\n    }}\n", count, i, cType(model.inputs[i].type),
                       value);
    }
    text += format("    {}_run(model, (const void* const*)inputs, outputs, {});\n", id, model.threads);
    for (std::size_t i = 0; i < model.outputs.size(); ++i) {
        const bool real = model.outputs[i].type == "f32" || model.outputs[i].type == "f64";
        text += format("    for (long i = 0; i < {}; ++i) {{\n        printf(\"{}\\n\", ({})output{}[i]);\n    }}\n", countOf(model.outputs[i]),
                       real ? "%.9g" : "%lld", real ? "double" : "long long", i);
    }
    return text + format("    {}_close(model);\n    return 0;\n}}\n", id);
}

std::string readmeText(const Model& model, const std::string& id)
{
    return format("{0}, compiled by Nestwright for {1}.\n\n"
                  "  lib{2}.so           the compiled model\n  {2}_weights.bin     its packed constants\n"
                  "  {2}.h, {2}.c        open, run, close\n  sample.c            runs it once on arange(n)/n and prints every output value\n\n"
                  "Build and run the sample in this folder:\n\n"
                  "  cc -O2 sample.c {2}.c -L. -l{2} -lgomp -Wl,-rpath,. -o sample\n  ./sample\n{3}{4}",
                  comment(model.name), model.target.name, id, model.unproven.empty() ? "" : "\n", unprovenRows(model, false));
}

} // namespace nw::bundle
