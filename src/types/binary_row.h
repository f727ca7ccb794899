#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/result.h"
#include "types/data_type.h"
#include "types/datum.h"

namespace braid {

/// A row in Paimon's binary layout (spec metadata.md §5.1): what manifests store for partitions, keys and bounds, and
/// what hashing works on. Rows are equal exactly if their bytes are. An immutable value of one word whose copies share
/// the bytes: a plan holds a hundred thousand of them, mostly copies of a few.
class BinaryRow {
 public:
  /// The row without fields.
  BinaryRow() noexcept = default;
  BinaryRow(const BinaryRow& other) noexcept;
  BinaryRow(BinaryRow&& other) noexcept : shared_(other.shared_) { other.shared_ = nullptr; }
  BinaryRow& operator=(const BinaryRow& other) noexcept;
  BinaryRow& operator=(BinaryRow&& other) noexcept;
  ~BinaryRow() { Release(); }

  /// Precondition: types.size() == values.size(), each value NULL or fitting its type.
  static BinaryRow Make(std::span<const DataType> types, std::span<const Datum> values);
  /// Reads the form of manifests: big-endian arity, then the row (§5.4). Errors: kCorruption.
  static Result<BinaryRow> Deserialize(std::string_view bytes);

  std::int32_t arity() const;
  /// A field that the row does not have counts as NULL.
  bool IsNull(int field) const;
  /// Errors: kCorruption if there is no such field, or if its slot points outside the row.
  Result<Datum> Get(int field, const DataType& type) const;
  /// Errors: kCorruption, also if the row has not as many fields as there are types.
  Result<DatumList> ToDatums(std::span<const DataType> types) const;

  /// The row's bytes, without the arity. They live as long as any copy of the row.
  std::string_view bytes() const;
  /// The form of manifests (§5.4).
  std::string Serialize() const;
  /// Murmur3 of the bytes, seed 42 (§6.1).
  std::int32_t Hash() const;

  /// By arity, then by bytes.
  friend std::strong_ordering operator<=>(const BinaryRow& a, const BinaryRow& b);
  friend bool operator==(const BinaryRow& a, const BinaryRow& b) { return (a <=> b) == 0; }

 private:
  friend class BinaryRowEncoder;
  struct Shared;  // the number of owners, and the bytes behind it

  BinaryRow(std::int32_t arity, std::string_view bytes);
  void Release() noexcept;

  Shared* shared_ = nullptr;  // null: the row without fields
};

/// Murmur3 x86 32-bit over whole 4-byte words, seed 42 (§6.1). Precondition: bytes.size() % 4 == 0.
std::int32_t HashBytesByWords(std::string_view bytes);

/// Encodes rows of Arrow columns as BinaryRow bytes, one after the other, reusing one buffer. One thread.
class BinaryRowEncoder {
 public:
  /// The columns, one a type, in the order of the row's fields; all equally long.
  BinaryRowEncoder(std::vector<DataType> types, std::vector<std::shared_ptr<arrow::Array>> columns);
  ~BinaryRowEncoder();
  BinaryRowEncoder(BinaryRowEncoder&&) noexcept;
  BinaryRowEncoder& operator=(BinaryRowEncoder&&) noexcept;

  /// The row's bytes without arity; valid until the next call.
  std::string_view Encode(std::int64_t row);
  BinaryRow EncodeRow(std::int64_t row);

 private:
  struct Column;
  void Put(const Column& column, std::int64_t row, std::size_t slot);

  std::vector<Column> columns_;
  std::string buffer_;
};

/// How a row's bucket follows from its bucket key (spec metadata.md §6.3).
enum class BucketFunction { kDefault, kMod, kHive };
/// Errors: kInvalidArgument for an unknown name.
Result<BucketFunction> ParseBucketFunction(std::string_view name);
/// The bucket that the function `default` gives to a bucket key with this hash; for rows in bulk, with BinaryRowEncoder
/// and HashBytesByWords.
std::int32_t DefaultBucket(std::int32_t hash, std::int32_t bucket_count);
/// The bucket 0 … bucket_count − 1 of a bucket key. Errors: kInvalidArgument if the function does not take the key's
/// types.
Result<std::int32_t> BucketOf(BucketFunction function, std::span<const DataType> types, std::span<const Datum> key,
                              std::int32_t bucket_count);

}  // namespace braid
