#pragma once

#include "views/start/start_view.h"

#include <QList>
#include <QString>

namespace nw::app {

// The folder projects/: beside the programs when installed, in the checkout otherwise. Empty when there is none.
QString samplesFolder();
// What the cards of the start page say: title and first paragraph of each sample's README.
QList<views::SampleCard> samples();

} // namespace nw::app
