#include "views/loop_nest/row_layout.h"

#include "views/common/fonts.h"
#include "views/common/format.h"
#include "views/loop_nest/row_text.h"

#include <QFontMetrics>

#include <algorithm>

namespace nw::views {

NestGrid NestGrid::of(int width)
{
    NestGrid grid;
    grid.width = width;
    grid.rowHeight = editorRowHeight();
    grid.header = tableRowHeight();
    grid.unit = std::max(4, grid.rowHeight * 4 / 30);
    const int registersWidth = 24 * grid.unit;
    const bool roomy = width > 120 * grid.unit;
    grid.registers = roomy ? width - registersWidth : width;
    const int accessWidth = std::clamp(width * 32 / 100, 30 * grid.unit, 64 * grid.unit);
    grid.access = std::max(width * 45 / 100, grid.registers - accessWidth);
    return grid;
}

RowBoxes boxesOf(const NestGrid& grid, const NestRow& row, int index, int scroll)
{
    const int unit = grid.unit, top = grid.top(index, scroll), height = grid.rowHeight, end = grid.access - 2 * unit;
    const auto box = [&](int x, int width) { return QRect(x, top, std::max(0, std::min(width, end - x)), height); };

    RowBoxes boxes;
    boxes.row = QRect(0, top, grid.width, height);
    boxes.grip = QRect(unit, top + (height - 4 * unit) / 2, 4 * unit, 4 * unit);
    const int side = 5 * unit;
    // Deep nests take less for each level, so that the names stay in sight.
    const int room = std::max(0, grid.access / 2 - 6 * unit);
    int x = 6 * unit + std::min(row.depth * grid.indent(), room);
    boxes.icon = QRect(x, top + (height - side) / 2, side, side);
    x += side + 2 * unit;
    const int nameWidth = QFontMetrics(nameFont()).horizontalAdvance(fromStd(row.name)) + unit;
    boxes.name = box(x, nameWidth);
    x += nameWidth + unit;
    if (row.isLoop()) {
        // A hit target, wider than a one-digit number.
        const int width = std::max(QFontMetrics(codeFont()).horizontalAdvance(extentText(row)) + 2 * unit, 6 * unit);
        boxes.extent = box(x, width);
        x += width + unit;
    } else {
        x += unit;
    }
    const QFontMetrics note(noteFont());
    const QString text = noteText(row);
    if (!text.isEmpty()) {
        const int width = note.horizontalAdvance(text) + unit;
        boxes.note = box(x, width);
        x += width + 2 * unit;
    }
    const int statement = text.indexOf(fromStd(row.statement));
    for (const NestOperand& operand : row.operands) {
        const int before = statement + fromStd(row.statement.substr(0, operand.at)).size();
        const QRect name(boxes.note.left() + note.horizontalAdvance(text.left(before)), top, note.horizontalAdvance(fromStd(operand.buffer)), height);
        boxes.operands.push_back(name.right() <= boxes.note.right() ? name : QRect());
    }
    for (const NestBuffer& buffer : row.buffers) {
        const int width = note.horizontalAdvance(bufferText(buffer)) + 4 * unit;
        const QRect chip = box(x, width).adjusted(0, unit, 0, -unit);
        boxes.chips.push_back(chip.width() < 8 * unit ? QRect() : chip);
        x += width + unit;
    }
    boxes.access = QRect(grid.access, top, grid.registers - grid.access - 2 * unit, height);
    boxes.registers = QRect(grid.registers, top, grid.width - grid.registers - unit, height);
    return boxes;
}

} // namespace nw::views
