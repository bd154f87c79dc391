#include "engine/base/json.h"
#include "engine/session/workbench.h"

namespace nw::session {

std::string comparisonJson(const Comparison& comparison)
{
    Json out{{"group", comparison.group},     {"task", comparison.taskId},     {"device", comparison.device},
             {"threads", comparison.threads}, {"bound_ns", comparison.boundNs}, {"bound_by", comparison.boundBy},
             {"together", comparison.together}};
    for (const Figure& f : comparison.figures) {
        Json row{{"name", f.name}, {"present", f.present}};
        if (f.present) {
            row["median_ns"] = f.ns;
            row["measured"] = f.measured;
            row["spread"] = f.spread;
            row["n"] = f.n;
            row["noisy"] = f.noisy;
            row["share_of_peak"] = f.shareOfPeak;
            row["share_of_bound"] = f.shareOfBound;
            row["by"] = f.by;
            row["script"] = f.script;
        } else {
            row["missing"] = f.missing;
            row["outcome"] = f.outcome;
        }
        out["figures"].push_back(row);
    }
    return jsonLine(out);
}

Result<Comparison> parseComparison(const std::string& json)
{
    const Json in = Json::parse(json, nullptr, false);
    if (!in.is_object() || !in.contains("figures") || !in["figures"].is_array()) {
        return failed("The comparison kept in this project cannot be read. Run `nestw compare` again.");
    }
    Comparison made;
    made.group = in.value("group", "");
    made.taskId = in.value("task", "");
    made.device = in.value("device", "");
    made.threads = in.value("threads", 1);
    made.boundNs = in.value("bound_ns", 0.0);
    made.boundBy = in.value("bound_by", "");
    made.together = in.value("together", false);
    for (const Json& row : in["figures"]) {
        Figure f;
        f.name = row.value("name", "");
        f.present = row.value("present", false);
        f.missing = row.value("missing", "");
        f.ns = row.value("median_ns", 0.0);
        f.measured = row.value("measured", true);
        f.spread = row.value("spread", 0.0);
        f.n = row.value("n", 0);
        f.noisy = row.value("noisy", false);
        f.shareOfPeak = row.value("share_of_peak", 0.0);
        f.shareOfBound = row.value("share_of_bound", 0.0);
        f.by = row.value("by", "");
        f.outcome = row.value("outcome", "ok");
        f.script = row.value("script", "");
        made.figures.push_back(f);
    }
    return made;
}

} // namespace nw::session
