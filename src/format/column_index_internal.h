#pragma once

// The kinds of file indexes (spec data.md §12.3-12.6): each in a source of its own, which registers itself in
// column_index.cc.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <roaring/roaring.hh>

#include "base/options.h"
#include "base/result.h"
#include "types/data_type.h"
#include "types/predicate.h"

namespace braid {

/// One index of one column of one file. Immutable.
class ColumnIndex {
 public:
  virtual ~ColumnIndex() = default;
  /// Rows that may pass a condition on the column; nullopt: any may. Errors: kCorruption.
  virtual Result<std::optional<Roaring>> Select(const Predicate& leaf) const = 0;
};

/// Collects the values of one column of one file, row by row.
class ColumnIndexBuilder {
 public:
  virtual ~ColumnIndexBuilder() = default;
  /// The next row's value, which may be NULL.
  virtual void Add(const Datum& value) = 0;
  /// The index's bytes; nullopt if this kind cannot hold one of the values.
  virtual std::optional<std::string> Finish() = 0;
};

/// What a kind of index is.
struct IndexKind {
  std::string_view name;  ///< in options and files
  bool (*takes)(const DataType& type);
  /// `body` outlives the index; `row_count` is the file's. Errors: kCorruption.
  Result<std::unique_ptr<ColumnIndex>> (*open)(std::string_view body, const DataType& type, std::int64_t row_count);
  /// Errors: kInvalidArgument for options (spec data.md §12.3-12.6) that cannot be followed. Precondition: takes(type).
  Result<std::unique_ptr<ColumnIndexBuilder>> (*build)(const DataType& type, const Options& options);
};

const IndexKind& BloomFilterKind();
const IndexKind& BitmapKind();
const IndexKind& BitSlicedKind();
const IndexKind& RangeBitmapKind();

std::span<const IndexKind* const> IndexKinds();
/// nullptr: there is none of that name.
const IndexKind* FindIndexKind(std::string_view name);

/// An index that knows which rows hold which key (index_key_internal.h).
class KeyedIndex : public ColumnIndex {
 public:
  /// `ordered`: Above can be asked.
  KeyedIndex(DataType type, std::int64_t row_count, bool ordered)
      : type_(std::move(type)), row_count_(row_count), ordered_(ordered) {}

  Result<std::optional<Roaring>> Select(const Predicate& leaf) const override;

 protected:
  const DataType& type() const { return type_; }
  std::int64_t row_count() const { return row_count_; }
  /// A bitmap from the start of `bytes`, which it shortens; kCorruption if it names rows that the file has not.
  Result<Roaring> TakeRows(std::string_view& bytes) const;

  virtual Result<Roaring> NotNull() const = 0;
  virtual Result<Roaring> Equal(const Datum& key) const = 0;
  /// Rows with greater keys, or with this one too.
  virtual Result<Roaring> Above(const Datum& key, bool or_equal) const = 0;

 private:
  using Rows = Result<std::optional<Roaring>>;
  Rows In(const Predicate& leaf, bool negated) const;
  Rows Less(const Datum& literal, bool or_equal) const;
  Rows Greater(const Datum& literal, bool or_equal) const;

  DataType type_;
  std::int64_t row_count_;
  bool ordered_;
};

}  // namespace braid
