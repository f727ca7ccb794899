#pragma once

#include <cstdint>
#include <memory>

namespace braid {

/// Rows of one data file by their positions: those that a condition may let pass. Immutable; any thread.
class RowSelection {
 public:
  /// No rows.
  RowSelection();
  ~RowSelection();
  RowSelection(const RowSelection&);
  RowSelection(RowSelection&&) noexcept;
  RowSelection& operator=(const RowSelection&);
  RowSelection& operator=(RowSelection&&) noexcept;

  bool empty() const { return row_count() == 0; }
  std::int64_t row_count() const;
  /// Whether the row at this 0-based position is among them.
  bool Contains(std::int64_t position) const;
  /// Whether some of `count` rows from `first` on are.
  bool HasAny(std::int64_t first, std::int64_t count) const;

 private:
  friend class FileIndex;
  struct Rows;
  explicit RowSelection(std::shared_ptr<const Rows> rows);
  std::shared_ptr<const Rows> rows_;
};

}  // namespace braid
