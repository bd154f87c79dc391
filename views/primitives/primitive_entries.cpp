#include "views/primitives/primitive_entries.h"

#include "engine/base/text.h"
#include "views/common/format.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <map>

namespace nw::views {

using schedule::Verdict;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Primitives)
};

} // namespace

std::vector<PrimitiveEntry> primitiveEntries(std::span<const schedule::Primitive* const> primitives,
                                             const std::vector<schedule::Offer>& offers)
{
    std::vector<PrimitiveEntry> entries;
    for (const schedule::Primitive* primitive : primitives) {
        PrimitiveEntry& entry = entries.emplace_back();
        entry.primitive = primitive;
        for (const schedule::Offer& offer : offers) {
            if (offer.primitive != primitive) {
                continue;
            }
            // Verdicts stand in the order of their worth.
            if (!entry.offered || offer.check.verdict < entry.check.verdict) {
                entry.offered = true;
                entry.check = offer.check;
                entry.lines = {offer.text};
            } else if (offer.check.verdict == entry.check.verdict) {
                entry.lines.push_back(offer.text);
            }
        }
    }
    std::stable_sort(entries.begin(), entries.end(), [](const PrimitiveEntry& a, const PrimitiveEntry& b) { return a.primitive->group < b.primitive->group; });
    return entries;
}

bool readsTheSame(const PrimitiveEntry& a, const PrimitiveEntry& b)
{
    const Refusal& one = a.check.why;
    const Refusal& two = b.check.why;
    return a.primitive == b.primitive && a.offered == b.offered && a.lines == b.lines && a.check.verdict == b.check.verdict &&
        one.rule == two.rule && one.operands == two.operands && one.places == two.places && one.unlocks == two.unlocks;
}

QString groupTitle(PrimitiveGroup group)
{
    switch (group) {
    case PrimitiveGroup::Loop: return Words::tr("Loop");
    case PrimitiveGroup::Parallel: return Words::tr("Parallel");
    case PrimitiveGroup::Data: return Words::tr("Data");
    case PrimitiveGroup::Structure: return Words::tr("Structure");
    case PrimitiveGroup::Layout: return Words::tr("Layout");
    case PrimitiveGroup::Other: return Words::tr("Other");
    }
    return {};
}

QString effectText(const PrimitiveEntry& entry)
{
    if (entry.lines.empty()) {
        return {};
    }
    const std::vector<std::string> first = splitWords(entry.lines.front());
    const QString text = fromStd(join(std::vector<std::string>(first.begin() + 1, first.end()), " "));
    // Lines that differ in one word alone are told by that word.
    std::optional<std::size_t> place;
    QStringList others;
    bool similar = entry.lines.size() > 1;
    for (std::size_t i = 1; i < entry.lines.size() && similar; ++i) {
        const std::vector<std::string> words = splitWords(entry.lines[i]);
        similar = words.size() == first.size();
        for (std::size_t k = 0; k < words.size() && similar; ++k) {
            if (words[k] == first[k]) {
                continue;
            }
            similar = !place || *place == k;
            place = k;
            const std::size_t colon = words[k].find(':');
            others << fromStd(colon == std::string::npos ? words[k] : words[k].substr(colon + 1));
        }
    }
    if (similar && !others.isEmpty()) {
        return Words::tr("%1 (or %2)").arg(text, others.join(QStringLiteral(", ")));
    }
    QStringList ways{text};
    for (std::size_t i = 1; i < std::min<std::size_t>(entry.lines.size(), 3); ++i) {
        const std::string& line = entry.lines[i];
        ways << fromStd(line.substr(std::min(line.size(), first.front().size() + 1)));
    }
    return ways.join(Words::tr(", or "));
}

QString verdictIcon(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Legal: return QStringLiteral("legal");
    case Verdict::Pointless: return QStringLiteral("pointless");
    case Verdict::Unproven: return QStringLiteral("unproven");
    case Verdict::Illegal: return QStringLiteral("illegal");
    }
    return {};
}

QString verdictWord(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Legal: return Words::tr("legal");
    case Verdict::Pointless: return Words::tr("legal but pointless");
    case Verdict::Unproven: return Words::tr("not proved");
    case Verdict::Illegal: return Words::tr("illegal");
    }
    return {};
}

} // namespace nw::views
