#include "engine/measure/runner/openblas.h"

#include "engine/base/json.h"
#include "engine/base/text.h"
#include "engine/measure/runner/library_memory.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

namespace nw::runner {
namespace {

// The C interface of BLAS, as far as it is used; it is declared here so that no header of it has to be installed.
constexpr int kRowMajor = 101, kAsItLies = 111, kTransposed = 112;
using Gemm = void (*)(int order, int turnA, int turnB, int m, int n, int k, float alpha, const float* a, int rowA, const float* b,
                      int rowB, float beta, float* c, int rowC);
using Gemv = void (*)(int order, int turn, int rows, int columns, float alpha, const float* a, int rowA, const float* x, int stepX,
                      float beta, float* y, int stepY);

struct OpenBlas {
    Gemm gemm = nullptr;
    Gemv gemv = nullptr;
    void (*setThreads)(int) = nullptr;
    int (*kindOfThreads)() = nullptr; // 0: none, 1: its own, 2: OpenMP's

    static Result<OpenBlas> load()
    {
        constexpr const char* kFile = "libopenblas.so.0";
        void* const library = ::dlopen(kFile, RTLD_NOW | RTLD_LOCAL); // never closed: its threads outlive every use
        if (library == nullptr) {
            return failed("OpenBLAS is not installed (Debian: libopenblas0-openmp).");
        }
        OpenBlas api;
        const auto find = [library](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
            return function != nullptr;
        };
        const bool complete = find(api.gemm, "cblas_sgemm") && find(api.gemv, "cblas_sgemv") &&
            find(api.setThreads, "openblas_set_num_threads") && find(api.kindOfThreads, "openblas_get_parallel");
        return complete ? Result<OpenBlas>(api) : failed(format("{} lacks a function that is needed.", kFile));
    }
};

struct Product {
    std::int64_t m = 0, n = 0, k = 0;
    bool turnA = false, turnB = false;
};

class OpenBlasSubject : public Subject {
public:
    OpenBlasSubject(const OpenBlas& api, const Product& product)
        : m_api(api)
        , m_product(product)
        , m_m(static_cast<int>(product.m))
        , m_n(static_cast<int>(product.n))
        , m_k(static_cast<int>(product.k))
    {}

    Status makeMemory()
    {
        const std::int64_t elements[] = {m_product.m * m_product.k, m_product.k * m_product.n, m_product.m * m_product.n};
        for (std::size_t i = 0; i < m_at.size(); ++i) {
            const Result<float*> added = m_memory.add(static_cast<std::size_t>(elements[i]) * sizeof(float));
            if (!added) {
                return added.error();
            }
            m_at[i] = *added;
        }
        return Done{};
    }

    void run(std::int64_t times) override
    {
        for (std::int64_t i = 0; i < times; ++i) {
            m_m == 1 ? runVector() : runMatrix();
        }
    }

private:
    void runMatrix() const
    {
        m_api.gemm(kRowMajor, m_product.turnA ? kTransposed : kAsItLies, m_product.turnB ? kTransposed : kAsItLies, m_m, m_n, m_k, 1,
                   m_at[0], m_product.turnA ? m_m : m_k, m_at[1], m_product.turnB ? m_k : m_n, 0, m_at[2], m_n);
    }
    void runVector() const
    {
        const int rows = m_product.turnB ? m_n : m_k;
        const int columns = m_product.turnB ? m_k : m_n;
        m_api.gemv(kRowMajor, m_product.turnB ? kAsItLies : kTransposed, rows, columns, 1, m_at[1], columns, m_at[0], 1, 0, m_at[2], 1);
    }

    const OpenBlas m_api;
    const Product m_product;
    const int m_m, m_n, m_k;
    LibraryMemory m_memory;
    std::array<float*, 3> m_at{}; // A, B, C
};

// Nothing when it is no single product.
std::optional<Product> productOf(const Json& json)
{
    const auto dims = [&](const char* key) { return json.at(key).get<std::vector<std::int64_t>>(); };
    if (json.value("kind", std::string()) != "matmul" || !json.value("post", Json::array()).empty()) {
        return std::nullopt;
    }
    const std::vector<std::int64_t> src = dims("src"), weights = dims("weights"), dst = dims("dst");
    const auto isMatrix = [](const std::vector<std::int64_t>& d) {
        return d.size() >= 2 && std::all_of(d.begin(), d.end() - 2, [](std::int64_t extent) { return extent == 1; }) &&
            std::all_of(d.begin(), d.end(), [](std::int64_t extent) { return extent > 0 && extent <= std::numeric_limits<int>::max(); });
    };
    if (!isMatrix(src) || !isMatrix(weights) || !isMatrix(dst)) {
        return std::nullopt;
    }
    const Json& transposed = json.at("transposed");
    return Product{dst[dst.size() - 2], dst.back(), src.back(), transposed.at(0).get<bool>(), transposed.at(1).get<bool>()};
}

} // namespace

Result<std::unique_ptr<Subject>> makeOpenBlas(const std::string& description, int threads)
{
    const Json json = Json::parse(description, nullptr, false);
    std::optional<Product> product;
    try { // the JSON library throws on a missing key
        product = json.is_object() ? productOf(json) : std::nullopt;
    } catch (const Json::exception& exception) {
        return refused(format("no description of an operator: {}", exception.what()));
    }
    if (!product) {
        return refused("OpenBLAS has no such operator.");
    }
    const Result<OpenBlas> api = OpenBlas::load();
    if (!api) {
        return api.error();
    }
    constexpr int kOfOpenMp = 2;
    if (threads > 1 && api->kindOfThreads() != kOfOpenMp) {
        return refused("This OpenBLAS has no threads of OpenMP, and its own would disturb the others (Debian: libopenblas0-openmp).");
    }
    api->setThreads(threads);
    auto subject = std::make_unique<OpenBlasSubject>(*api, *product);
    if (const Status made = subject->makeMemory(); !made) {
        return made.error();
    }
    return std::unique_ptr<Subject>(std::move(subject));
}

} // namespace nw::runner
