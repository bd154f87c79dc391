#pragma once

#include "tests/support/graph_text.h"
#include "tests/support/test.h"
