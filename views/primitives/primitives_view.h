#pragma once

#include "engine/schedule/script.h"
#include "views/common/judge.h"
#include "views/primitives/primitive_entries.h"

#include <QStringList>
#include <QWidget>

#include <optional>
#include <span>
#include <vector>

class QLabel;
class QScrollArea;
class QVBoxLayout;

namespace nw::views {

class PrimitiveForm;
class PrimitiveRow;

// Every primitive for the selection, with its verdict and reason, and the form of the one that is open.
class PrimitivesView : public QWidget {
    Q_OBJECT
public:
    explicit PrimitivesView(QWidget* parent = nullptr);

    // `offers` of the first selected loop or block; the nest for choosing other loops, extents and buffers.
    void setPlace(const QStringList& selection, const schedule::LoopNest& nest, const std::vector<schedule::Offer>& offers);
    void clear(const QString& sentence);
    void setPrimitives(std::span<const schedule::Primitive* const> primitives);
    void setJudge(Judge judge);
    void openForm(const QString& primitive); // prefilled from the best offer

    const std::vector<PrimitiveEntry>& entries() const { return m_entries; }
    PrimitiveRow* row(const QString& primitive) const;
    PrimitiveForm* form() const { return m_form; }

Q_SIGNALS:
    void stepWished(const QString& step);
    void previewWished(const QString& step); // empty: none
    void placesHovered(const QStringList& names);
    void knobWished(const QString& step); // with {a, b, c} in place of the chosen number
    void message(const QString& text, bool refused);

protected:
    void changeEvent(QEvent* event) override;

private:
    bool exchangeRows(); // only those that read otherwise; false: the list is another one
    void buildRows();
    void connectRow(PrimitiveRow* row);
    void quickApply(const PrimitiveEntry& entry);
    void closeForm();
    void restyle();

    std::vector<const schedule::Primitive*> m_primitives;
    std::optional<schedule::LoopNest> m_nest;
    QStringList m_selection;
    std::vector<PrimitiveEntry> m_entries;
    std::vector<PrimitiveRow*> m_rows;
    std::vector<QLabel*> m_headings;
    QLabel *m_title, *m_sentence;
    QScrollArea* m_scroll;
    QWidget* m_list = nullptr;
    PrimitiveForm* m_form;
    QString m_opener; // the primitive whose form is open
};

} // namespace nw::views
