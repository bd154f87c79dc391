#include "views/code/listing_text.h"

#include <QCoreApplication>
#include <QStringList>

namespace nw::views {
namespace {

QString say(const char* text, int n = -1)
{
    return QCoreApplication::translate("nw::views::CodeView", text, nullptr, n);
}

QString bytesText(std::int64_t bytes)
{
    return bytes < 1024 ? QStringLiteral("%1 B").arg(bytes) : QStringLiteral("%1 KiB").arg(static_cast<double>(bytes) / 1024, 0, 'f', 1);
}

} // namespace

int vectorRegistersOf(const wire::KernelListing& listing)
{
    return listing.llvmIr.find("+avx512vl") != std::string::npos || listing.assembly.find("%zmm") != std::string::npos ? 32 : 16;
}

QString listingText(const wire::KernelListing& listing)
{
    const QString spills = listing.spills == 1 ? say("1 spill") : say("%1 spills").arg(listing.spills);
    const QString elsewhere = listing.totalSpills > listing.spills ? say(" (%1 in the whole kernel)").arg(listing.totalSpills) : QString();
    const QString fmas = listing.fmas == 1 ? say("1 FMA") : say("%1 FMAs").arg(listing.fmas);
    return say("innermost loop: %1 of %2 vector registers, %3, %4, %5 of code")
        .arg(listing.vectorRegisters)
        .arg(vectorRegistersOf(listing))
        .arg(QString(spills % elsewhere), fmas, bytesText(listing.codeBytes));
}

QString accessText(const wire::KernelListing& listing)
{
    const auto words = [](wire::AccessKind kind) {
        switch (kind) {
        case wire::AccessKind::Scalar: return say("outside of vector loops");
        case wire::AccessKind::Contiguous: return say("contiguous");
        case wire::AccessKind::Broadcast: return say("one element for all lanes");
        case wire::AccessKind::Strided: return say("strided, lane by lane");
        case wire::AccessKind::Gather: return say("lanes anywhere");
        }
        return QString();
    };
    QStringList lines;
    for (const wire::AccessCount& access : listing.accesses) {
        const QString times = access.stores ? say("stores") : say("loads");
        lines += QStringLiteral("%1 %2 %3: %4").arg(QString::fromStdString(access.buffer), times, words(access.kind)).arg(access.count);
    }
    return lines.join(QLatin1Char('\n'));
}

} // namespace nw::views
