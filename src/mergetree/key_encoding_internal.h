#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <arrow/array.h>

#include "base/result.h"
#include "types/data_type.h"

namespace braid {

/// Keys of the rows of one batch in a form that compares fast: 8 leading bytes as a number and, unless those are the
/// whole key, all bytes.
/// Key a < key b exactly if (prefix, bytes) of a is less. Moves keep it valid.
class EncodedKeys {
 public:
  const std::uint64_t* prefixes() const { return prefixes_.data(); }
  std::uint64_t prefix(std::int64_t row) const { return prefixes_[static_cast<std::size_t>(row)]; }
  /// Precondition: the encoder's keys are not whole.
  std::string_view bytes(std::int64_t row) const {
    return {data_ + offsets_[row], static_cast<std::size_t>(offsets_[row + 1] - offsets_[row])};
  }
  /// Of the copies made, not of borrowed columns.
  std::int64_t memory_bytes() const;

 private:
  friend class KeyEncoder;
  std::vector<std::uint64_t> prefixes_;
  const std::int32_t* offsets_ = nullptr;
  const char* data_ = nullptr;
  std::shared_ptr<arrow::Array> borrowed_;  // keeps offsets_ and data_ alive if they are a column's own
  std::vector<std::int32_t> own_offsets_;
  std::vector<char> own_data_;
};

/// Encodes columns so that unsigned bytes compare as spec data.md §3.3 orders keys and sequence fields. Immutable; any
/// thread.
class KeyEncoder {
 public:
  /// `descending` reverses the order of values, yet NULLs stay first. Errors: kUnsupported for a type without order.
  static Result<KeyEncoder> Make(std::span<const DataField> fields, bool descending = false);

  /// Whether the prefix is the whole key.
  bool whole() const { return whole_; }
  /// Errors: kCorruption for NULL in a NOT NULL column; kUnsupported for more than 2 GB of keys in one batch.
  Result<EncodedKeys> Encode(std::span<const std::shared_ptr<arrow::Array>> columns, std::int64_t rows) const;

 private:
  KeyEncoder() = default;
  Status EncodePrefixes(std::span<const std::shared_ptr<arrow::Array>> columns, EncodedKeys& keys) const;
  Status EncodeBytes(std::span<const std::shared_ptr<arrow::Array>> columns, std::int64_t rows,
                     EncodedKeys& keys) const;

  std::vector<DataField> fields_;
  bool descending_ = false;
  bool whole_ = false;
  bool borrows_ = false;  // a single text or bytes column that is compared where it lies
};

}  // namespace braid
