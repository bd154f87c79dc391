#include "engine/tune/cost_model.h"

#include "engine/base/ensure.h"
#include "engine/base/hash.h"
#include "engine/base/text.h"
#include "engine/tune/features.h"

#include <xgboost/c_api.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace nw::tune {
namespace {

constexpr std::string_view kMark = "nestwright-cost-model";
// Times nearer to each other than this are noise: the trees are not asked to tell them apart.
constexpr double kSameTime = 0.005;
constexpr double kSmallestLabel = 1e-30;
constexpr std::size_t kFastest = 3; // the third of a group that counts twice

// The library's settings for talk belong to the calling thread, so each call that may talk sets them.
void keepQuiet()
{
    XGBSetGlobalConfig("{\"verbosity\": 0}");
}

Error libraryError(std::string_view doing)
{
    const std::string said = XGBGetLastError();
    return failed(format("XGBoost could not {}: {}", doing, said.substr(0, said.find('\n'))));
}

using Handle = std::unique_ptr<void, int (*)(void*)>; // with the library's function that frees it

bool isUsable(std::span<const float> features)
{
    return features.size() == featureNames().size()
        && std::all_of(features.begin(), features.end(), [](float value) { return std::isfinite(value); });
}

bool isUsable(const Sample& sample)
{
    return isUsable(sample.features) && std::isfinite(sample.ns) && std::isfinite(sample.weight) && sample.weight > 0;
}

// Rows by group, as the ranking objective wants them. Its weights are per group: a group's is the mean of its samples'.
struct Groups {
    std::vector<float> values, labels, weights;
    std::vector<unsigned> sizes;

    void add(const std::vector<const Sample*>& members, double best)
    {
        double weight = 0;
        for (const Sample* sample : members) {
            values.insert(values.end(), sample->features.begin(), sample->features.end());
            labels.push_back(labelOf(sample->ns, best));
            weight += sample->weight;
        }
        weights.push_back(static_cast<float>(weight / static_cast<double>(members.size())));
        sizes.push_back(static_cast<unsigned>(members.size()));
    }
    static float labelOf(double ns, double best)
    {
        if (ns <= 0) {
            return 0;
        }
        const double steps = std::round(std::log(ns / best) / std::log1p(kSameTime));
        return static_cast<float>(std::max(kSmallestLabel, std::pow(1 + kSameTime, -steps)));
    }
};

Groups groupsOf(std::span<const Sample> samples)
{
    std::map<int, std::vector<const Sample*>> byGroup;
    for (const Sample& sample : samples) {
        if (isUsable(sample)) {
            byGroup[sample.group].push_back(&sample);
        }
    }
    const auto isFaster = [](const Sample* a, const Sample* b) { return a->ns > 0 && (b->ns <= 0 || a->ns < b->ns); };
    Groups groups;
    for (auto& [group, members] : byGroup) {
        std::stable_sort(members.begin(), members.end(), isFaster);
        const double best = members.front()->ns;
        groups.add(members, best);
        // The fastest once more among themselves: their order is what a search goes by.
        const auto running = static_cast<std::size_t>(
            std::count_if(members.begin(), members.end(), [](const Sample* sample) { return sample->ns > 0; }));
        members.resize(running / kFastest);
        if (members.size() > 1) {
            groups.add(members, best);
        }
    }
    return groups;
}

Result<Handle> matrixOf(const Groups& groups, int threads)
{
    const std::size_t rows = groups.labels.size();
    DMatrixHandle handle = nullptr;
    if (XGDMatrixCreateFromMat_omp(groups.values.data(), rows, groups.values.size() / rows,
                                   std::numeric_limits<float>::quiet_NaN(), &handle, threads) != 0) {
        return libraryError("take the samples");
    }
    Handle matrix(handle, &XGDMatrixFree);
    if (XGDMatrixSetFloatInfo(handle, "label", groups.labels.data(), rows) != 0
        || XGDMatrixSetUIntInfo(handle, "group", groups.sizes.data(), groups.sizes.size()) != 0
        || XGDMatrixSetFloatInfo(handle, "weight", groups.weights.data(), groups.weights.size()) != 0) {
        return libraryError("take the groups of the samples");
    }
    return matrix;
}

std::string textOf(std::span<const std::byte> bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <typename T>
std::optional<T> numberIn(const std::string& text)
{
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

} // namespace

struct CostModel::State {
    Settings settings;
    Handle booster{nullptr, &XGBoosterFree}; // null before training

    static Result<Handle> create(const Settings& settings, DMatrixHandle matrix);
    // Margins of complete rows that lie one behind the other.
    Result<std::vector<float>> scores(const std::vector<float>& values, std::size_t rows) const;
};

Result<Handle> CostModel::State::create(const Settings& settings, DMatrixHandle matrix)
{
    BoosterHandle handle = nullptr;
    if (XGBoosterCreate(matrix == nullptr ? nullptr : &matrix, matrix == nullptr ? 0 : 1, &handle) != 0) {
        return libraryError("begin a model");
    }
    Handle booster(handle, &XGBoosterFree);
    const std::vector<std::pair<const char*, std::string>> parameters{
        {"objective", "rank:pairwise"},
        {"num_pairsample", "8"}, // rivals drawn for each sample in each round: few samples are worth looking at more than once
        {"tree_method", "hist"},
        {"max_bin", "32"}, // hundreds of samples need no finer steps, and time goes by them
        {"gamma", "0.3"},  // a split that gains less only follows noise
        {"max_depth", std::to_string(settings.depth)},
        {"eta", shortestDouble(settings.rate)},
        {"min_child_weight", "1"}, // pairs that are told apart already weigh next to nothing
        {"nthread", std::to_string(settings.threads)},
        {"seed", std::to_string(settings.seed % (std::uint64_t{1} << 31))},
        {"disable_default_eval_metric", "1"},
        {"verbosity", "0"}};
    for (const auto& [name, value] : parameters) {
        if (XGBoosterSetParam(handle, name, value.c_str()) != 0) {
            return libraryError(format("set {} to {}", name, value));
        }
    }
    return booster;
}

Result<std::vector<float>> CostModel::State::scores(const std::vector<float>& values, std::size_t rows) const
{
    keepQuiet();
    const std::string data = format(R"({{"data": [{}, true], "shape": [{}, {}], "typestr": "<f4", "version": 3}})",
                                    reinterpret_cast<std::uintptr_t>(values.data()), rows, values.size() / rows);
    constexpr const char* kHow = R"({"type": 1, "training": false, "iteration_begin": 0, "iteration_end": 0,
                                     "strict_shape": false, "cache_id": 0, "missing": NaN})";
    const bst_ulong* shape = nullptr;
    bst_ulong dimensions = 0;
    const float* scored = nullptr;
    if (XGBoosterPredictFromDense(booster.get(), data.c_str(), kHow, nullptr, &shape, &dimensions, &scored) != 0) {
        return libraryError("score candidates");
    }
    return std::vector<float>(scored, scored + rows);
}

CostModel::CostModel(Settings settings)
    : m_state(std::make_unique<State>())
{
    m_state->settings = settings;
}
CostModel::~CostModel() = default;
CostModel::CostModel(CostModel&&) noexcept = default;
CostModel& CostModel::operator=(CostModel&&) noexcept = default;

Status CostModel::train(std::span<const Sample> samples)
{
    const Groups groups = groupsOf(samples);
    if (groups.labels.size() < 2) {
        return refused({"cost_model.too_few", NW_WORDS("the cost model needs two samples to compare, and of the {0} given {1} can be used: measure more"),
                        {std::to_string(samples.size()), std::to_string(groups.labels.size())},
                        {},
                        {}});
    }
    keepQuiet();
    const Result<Handle> matrix = matrixOf(groups, m_state->settings.threads);
    if (!matrix) {
        return matrix.error();
    }
    Result<Handle> booster = State::create(m_state->settings, matrix->get());
    if (!booster) {
        return booster.error();
    }
    for (int round = 0; round < m_state->settings.rounds; ++round) {
        if (XGBoosterUpdateOneIter(booster->get(), round, matrix->get()) != 0) {
            return libraryError("train");
        }
    }
    m_state->booster = *std::move(booster);
    return Done{};
}

bool CostModel::isTrained() const
{
    return m_state->booster != nullptr;
}

std::vector<double> CostModel::predict(std::span<const std::vector<float>> rows) const
{
    std::vector<double> result(rows.size(), 0.0);
    if (!isTrained()) {
        return result;
    }
    std::vector<float> values;
    std::vector<std::size_t> asked;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (isUsable(rows[i])) {
            values.insert(values.end(), rows[i].begin(), rows[i].end());
            asked.push_back(i);
        }
    }
    if (asked.empty()) {
        return result;
    }
    const Result<std::vector<float>> scores = m_state->scores(values, asked.size());
    ENSURE(scores.has_value(), scores ? "" : scores.error().message);
    const double lowest = *std::min_element(scores->begin(), scores->end());
    std::fill(result.begin(), result.end(), lowest);
    for (std::size_t i = 0; i < asked.size(); ++i) {
        result[asked[i]] = (*scores)[i];
    }
    return result;
}

std::vector<double> CostModel::importance() const
{
    std::vector<double> worth(featureNames().size(), 0.0);
    if (!isTrained()) {
        return worth;
    }
    keepQuiet();
    bst_ulong count = 0, dimensions = 0;
    const char** names = nullptr;
    const bst_ulong* shape = nullptr;
    const float* scores = nullptr;
    const int answer = XGBoosterFeatureScore(m_state->booster.get(), R"({"importance_type": "total_gain"})", &count, &names, &dimensions, &shape, &scores);
    ENSURE(answer == 0, libraryError("tell what features are worth").message);
    double sum = 0;
    for (bst_ulong i = 0; i < count; ++i) {
        const std::optional<std::size_t> place = numberIn<std::size_t>(std::string(names[i]).substr(1)); // "f12"
        ENSURE(place && *place < worth.size(), format("XGBoost names a feature {}", names[i]));
        worth[*place] = scores[i];
        sum += scores[i];
    }
    for (double& share : worth) {
        share = sum > 0 ? share / sum : 0;
    }
    return worth;
}

// One line, "nestwright-cost-model <feature version> <features> <hash of the rest>", then the library's own bytes.
Result<std::vector<std::byte>> CostModel::toBytes() const
{
    if (!isTrained()) {
        return refused({"cost_model.untrained", NW_WORDS("the cost model has learnt nothing yet: train it before it is kept"), {}, {}, {}});
    }
    keepQuiet();
    bst_ulong size = 0;
    const char* data = nullptr;
    if (XGBoosterSaveModelToBuffer(m_state->booster.get(), R"({"format": "ubj"})", &size, &data) != 0) {
        return libraryError("write the model");
    }
    const std::string model(data, size);
    const std::string text = format("{} {} {} {}\n", kMark, kFeatureVersion, featureNames().size(), contentHash(model)) + model;
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    return std::vector<std::byte>(bytes, bytes + text.size());
}

Result<CostModel> CostModel::fromBytes(std::span<const std::byte> bytes, Settings settings)
{
    const Error noModel = failed("These bytes are no cost model, or they are damaged: train it again from the records.");
    const std::string text = textOf(bytes);
    const std::size_t end = text.find('\n');
    const std::vector<std::string> head = end == std::string::npos ? std::vector<std::string>() : splitWords(text.substr(0, end));
    if (head.size() != 4 || head.front() != kMark) {
        return noModel;
    }
    const std::string model = text.substr(end + 1);
    const std::optional<int> version = numberIn<int>(head[1]);
    const std::optional<std::size_t> features = numberIn<std::size_t>(head[2]);
    if (!version || !features || head[3] != contentHash(model)) {
        return noModel;
    }
    if (*version != kFeatureVersion || *features != featureNames().size()) {
        return refused({"cost_model.other_features",
                        NW_WORDS("this cost model was trained on {0} features of version {1}, and here they are {2} of version {3}: train it again from the records"),
                        {std::to_string(*features), std::to_string(*version), std::to_string(featureNames().size()),
                         std::to_string(kFeatureVersion)},
                        {},
                        {}});
    }
    keepQuiet();
    CostModel loaded(settings);
    Result<Handle> booster = State::create(settings, nullptr);
    if (!booster) {
        return booster.error();
    }
    if (XGBoosterLoadModelFromBuffer(booster->get(), model.data(), model.size()) != 0) {
        return noModel;
    }
    loaded.m_state->booster = *std::move(booster);
    return loaded;
}

} // namespace nw::tune
