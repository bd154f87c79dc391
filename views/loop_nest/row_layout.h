#pragma once

#include "views/loop_nest/nest_rows.h"

#include <QRect>

#include <vector>

namespace nw::views {

// Where the parts of the loop nest stand, from the fonts of now and the width of the view.
struct NestGrid {
    int width = 0;
    int rowHeight = 0, header = 0, unit = 0; // unit: 4 px at 100 %
    int access = 0, registers = 0;           // left edges of the columns; registers == width: no room for it

    static NestGrid of(int width);
    int indent() const { return 4 * unit; }
    // Top of a row, scrolled by `scroll`.
    int top(int row, int scroll) const { return header + row * rowHeight - scroll; }
};

struct RowBoxes {
    QRect row, grip, icon, name, extent, note, access, registers;
    std::vector<QRect> chips; // parallel to the row's buffers; empty when out of room
    std::vector<QRect> operands; // parallel to the row's, likewise
};
RowBoxes boxesOf(const NestGrid& grid, const NestRow& row, int index, int scroll);

} // namespace nw::views
