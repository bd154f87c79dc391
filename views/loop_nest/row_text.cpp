#include "views/loop_nest/row_text.h"

#include "views/common/format.h"

#include <QCoreApplication>
#include <QStringList>

namespace nw::views {

namespace {

struct RowWords {
    Q_DECLARE_TR_FUNCTIONS(LoopNestRow)
};

QString scopeWord(schedule::Scope scope)
{
    switch (scope) {
    case schedule::Scope::Port: return RowWords::tr("port");
    case schedule::Scope::Heap: return RowWords::tr("heap");
    case schedule::Scope::Stack: return RowWords::tr("stack");
    case schedule::Scope::Registers: return RowWords::tr("registers");
    }
    return {};
}

QString patternText(const NestAccess& access)
{
    const QString buffer = fromStd(access.buffer);
    switch (access.pattern) {
    case NestAccess::Pattern::Contiguous: return RowWords::tr("%1 contiguous").arg(buffer);
    case NestAccess::Pattern::Broadcast: return RowWords::tr("%1 broadcast").arg(buffer);
    case NestAccess::Pattern::Strided: return RowWords::tr("%1 strided %2").arg(buffer).arg(access.stride);
    case NestAccess::Pattern::Gather: return RowWords::tr("%1 gather").arg(buffer);
    }
    return {};
}

// Keys stand as the script writes them.
QString hintText(const NestHint& hint)
{
    return hint.buffer.empty() ? QStringLiteral("%1 %2").arg(fromStd(hint.key)).arg(hint.value)
                               : RowWords::tr("prefetch %1 of %2 %3 ahead").arg(fromStd(hint.buffer), fromStd(hint.block)).arg(hint.value);
}

} // namespace

QString kindIcon(NestRow::Kind kind)
{
    switch (kind) {
    case NestRow::Kind::Serial: return QStringLiteral("serial");
    case NestRow::Kind::Parallel: return QStringLiteral("parallel");
    case NestRow::Kind::Vector: return QStringLiteral("vector");
    case NestRow::Kind::Unrolled: return QStringLiteral("unrolled");
    case NestRow::Kind::Reduction: return QStringLiteral("reduction");
    case NestRow::Kind::Block: return QStringLiteral("block");
    }
    return {};
}

QString kindWord(NestRow::Kind kind)
{
    switch (kind) {
    case NestRow::Kind::Serial: return RowWords::tr("serial");
    case NestRow::Kind::Parallel: return RowWords::tr("parallel");
    case NestRow::Kind::Vector: return RowWords::tr("vector");
    case NestRow::Kind::Unrolled: return RowWords::tr("unrolled");
    case NestRow::Kind::Reduction: return RowWords::tr("reduction");
    case NestRow::Kind::Block: return RowWords::tr("block");
    }
    return {};
}

QString extentText(const NestRow& row)
{
    return row.hasTail ? RowWords::tr("%1 (tail)").arg(fromStd(row.extent)) : fromStd(row.extent);
}

QString noteText(const NestRow& row)
{
    QStringList parts;
    switch (row.kind) {
    case NestRow::Kind::Serial: break;
    case NestRow::Kind::Parallel: parts << RowWords::tr("parallel"); break;
    case NestRow::Kind::Vector: parts << RowWords::tr("vector %1").arg(fromStd(row.lanes)); break;
    case NestRow::Kind::Unrolled: parts << RowWords::tr("unroll"); break;
    case NestRow::Kind::Reduction: break;
    case NestRow::Kind::Block: parts << fromStd(row.statement); break;
    }
    for (const NestHint& hint : row.hints) {
        parts << hintText(hint);
    }
    if (row.guarded) {
        parts << RowWords::tr("guarded");
    }
    if (row.streams) {
        parts << RowWords::tr("streamed");
    }
    return parts.join(QStringLiteral(", "));
}

QString bufferText(const NestBuffer& buffer)
{
    return RowWords::tr("%1 %2 %3").arg(fromStd(buffer.name), scopeWord(buffer.scope), shortBytes(buffer.bytes));
}

QString accessText(const NestRow& row)
{
    QStringList texts;
    for (const NestAccess& access : row.accesses) {
        texts << patternText(access);
    }
    return texts.join(QStringLiteral(", "));
}

QString footprintText(const schedule::LoopFootprint& footprint, const Target& target)
{
    const int level = schedule::smallestCache(footprint.bytes, target);
    return footprint.bytes == 0 ? QString()
        : level == 0            ? RowWords::tr("%1 (memory)").arg(shortBytes(footprint.bytes))
                                : RowWords::tr("%1 (L%2)").arg(shortBytes(footprint.bytes)).arg(level);
}

QString footprintTip(const schedule::LoopFootprint& footprint, const Target& target)
{
    const QString loop = fromStd(footprint.loop), bytes = shortBytes(footprint.bytes);
    const int level = schedule::smallestCache(footprint.bytes, target);
    QStringList lines{level == 0
                          ? RowWords::tr("One run of %1 touches %2: no cache holds it all.").arg(loop, bytes)
                          : RowWords::tr("One run of %1 touches %2: it would fit into L%3 (%4).")
                                .arg(loop, bytes, QString::number(level), shortBytes(schedule::cacheBytes(level, target)))};
    for (const schedule::LoopFootprint::Part& part : footprint.parts) {
        lines << (part.isMemory ? RowWords::tr("%1: %2") : RowWords::tr("%1: %2 in registers, not counted"))
                     .arg(fromStd(part.buffer), shortBytes(part.bytes));
    }
    lines << RowWords::tr("The model's estimate, counted from the indices: not measured, and without the rest of the cache lines.");
    return lines.join(QLatin1Char('\n'));
}

QString spokenText(const NestRow& row)
{
    const QString name = fromStd(row.name);
    if (row.kind == NestRow::Kind::Block) {
        return RowWords::tr("block %1, %2").arg(name, noteText(row));
    }
    QStringList parts{RowWords::tr("loop %1").arg(name), RowWords::tr("extent %1").arg(extentText(row)), kindWord(row.kind)};
    for (const NestHint& hint : row.hints) {
        parts << hintText(hint);
    }
    for (const NestBuffer& buffer : row.buffers) {
        parts << bufferText(buffer);
    }
    if (!row.accesses.empty()) {
        parts << accessText(row);
    }
    if (row.changed) {
        parts << RowWords::tr("changed");
    }
    return parts.join(QStringLiteral(", "));
}

} // namespace nw::views
