#pragma once

#include <roaring/roaring.hh>

#include "format/row_selection.h"

namespace braid {

struct RowSelection::Rows {
  Roaring bitmap;
};

}  // namespace braid
