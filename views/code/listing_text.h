#pragma once

#include "engine/wire/messages.h"

#include <QString>

namespace nw::views {

// Vector registers of the instruction set that the listing was made for: 32 with AVX-512, else 16.
int vectorRegistersOf(const wire::KernelListing& listing);
// "innermost loop: 14 of 16 vector registers, 0 spills, 28 FMAs, 1.2 KiB of code"
QString listingText(const wire::KernelListing& listing);
// How each buffer is reached, a line a kind: "X loads one element for all lanes: 6".
QString accessText(const wire::KernelListing& listing);

} // namespace nw::views
