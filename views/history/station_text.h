#pragma once

#include "views/history/history_layout.h"

#include <QString>

#include <vector>

namespace nw::views {

// "split oc 16" of "split oc into oco oci:16": the primitive, what it acts on, and the extents that were chosen.
QString shortStep(const session::Station& station);
// The second line of a station: "20.1 ms ±1.2 %", "wrong result", "not measured", "does not fit".
QString stationNote(const std::vector<session::Station>& stations, int station);
QString outcomeWords(const std::string& outcome);

// Against the last station before it that has a time: "1.8x faster", "no change (±1.8 %)"; empty without one.
QString changeWords(const std::vector<session::Station>& stations, int station);
// The last station before this one that has a time, or -1.
int timedBefore(const std::vector<session::Station>& stations, int station);

QString stationToolTip(const std::vector<session::Station>& stations, int station);
QString stationSpoken(const std::vector<session::Station>& stations, int station, bool current);
// "main-2 · 5 steps · 0.98 ms"; without the time when none is known.
QString branchWords(const session::Branch& branch);
// Under the strip: "main-2 · 5 steps", or "2 branches".
QString stubText(const BranchStub& stub, const std::vector<session::Branch>& others);
// Every branch of the stub, one a line.
QString stubToolTip(const BranchStub& stub, const std::vector<session::Branch>& others);
bool isUnproven(const session::Station& station);

} // namespace nw::views
