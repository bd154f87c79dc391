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

QString bytesText(std::int64_t bytes)
{
    const double value = static_cast<double>(bytes);
    if (bytes < 1024) {
        return RowWords::tr("%1 B").arg(bytes);
    }
    return bytes < 1024 * 1024 ? RowWords::tr("%1 KiB").arg(value / 1024, 0, 'g', 3) : RowWords::tr("%1 MiB").arg(value / (1024 * 1024), 0, 'g', 3);
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
    switch (row.kind) {
    case NestRow::Kind::Serial: return {};
    case NestRow::Kind::Parallel: return RowWords::tr("parallel");
    case NestRow::Kind::Vector: return RowWords::tr("vector %1").arg(fromStd(row.lanes));
    case NestRow::Kind::Unrolled: return RowWords::tr("unroll");
    case NestRow::Kind::Reduction: return {};
    case NestRow::Kind::Block: return row.guarded ? RowWords::tr("%1, guarded").arg(fromStd(row.statement)) : fromStd(row.statement);
    }
    return {};
}

QString bufferText(const NestBuffer& buffer)
{
    return RowWords::tr("%1 %2 %3").arg(fromStd(buffer.name), scopeWord(buffer.scope), bytesText(buffer.bytes));
}

QString accessText(const NestRow& row)
{
    QStringList texts;
    for (const NestAccess& access : row.accesses) {
        texts << patternText(access);
    }
    return texts.join(QStringLiteral(", "));
}

QString spokenText(const NestRow& row)
{
    const QString name = fromStd(row.name);
    if (row.kind == NestRow::Kind::Block) {
        return RowWords::tr("block %1, %2").arg(name, noteText(row));
    }
    QStringList parts{RowWords::tr("loop %1").arg(name), RowWords::tr("extent %1").arg(extentText(row)), kindWord(row.kind)};
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
