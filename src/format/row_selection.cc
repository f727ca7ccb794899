#include <limits>
#include <utility>

#include "format/row_selection_internal.h"

namespace braid {

RowSelection::RowSelection() : rows_(std::make_shared<const Rows>()) {}
RowSelection::RowSelection(std::shared_ptr<const Rows> rows) : rows_(std::move(rows)) {}
RowSelection::~RowSelection() = default;
RowSelection::RowSelection(const RowSelection&) = default;
RowSelection::RowSelection(RowSelection&&) noexcept = default;
RowSelection& RowSelection::operator=(const RowSelection&) = default;
RowSelection& RowSelection::operator=(RowSelection&&) noexcept = default;

std::int64_t RowSelection::row_count() const { return static_cast<std::int64_t>(rows_->bitmap.cardinality()); }

bool RowSelection::Contains(std::int64_t position) const {
  return position <= std::numeric_limits<std::uint32_t>::max() && rows_->bitmap.contains(static_cast<std::uint32_t>(position));
}

bool RowSelection::HasAny(std::int64_t first, std::int64_t count) const {
  if (count <= 0 || first > std::numeric_limits<std::uint32_t>::max()) return false;
  Roaring::const_iterator row = rows_->bitmap.begin();
  row.equalorlarger(static_cast<std::uint32_t>(first));
  return row != rows_->bitmap.end() && static_cast<std::int64_t>(*row) < first + count;
}

}  // namespace braid
