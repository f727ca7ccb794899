#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/strong_id.h"

namespace braid {

/// Paimon's types (spec metadata.md §2.3).
enum class TypeKind : std::uint8_t {
  kBoolean, kTinyInt, kSmallInt, kInt, kBigInt, kFloat, kDouble, kDecimal,
  kChar, kVarChar, kBinary, kVarBinary,
  kDate, kTime, kTimestamp, kTimestampLtz,
  kVariant, kBlob,
  kArray, kMultiset, kMap, kRow, kVector,
};

struct DataField;

/// A column type with its nullability. An immutable value, cheap to copy; any thread.
class DataType {
 public:
  static constexpr std::int32_t kMaxLength = 2147483647;

  // All are nullable; NotNull() makes them not so.
  static DataType Boolean() { return DataType(TypeKind::kBoolean); }
  static DataType TinyInt() { return DataType(TypeKind::kTinyInt); }
  static DataType SmallInt() { return DataType(TypeKind::kSmallInt); }
  static DataType Int() { return DataType(TypeKind::kInt); }
  static DataType BigInt() { return DataType(TypeKind::kBigInt); }
  static DataType Float() { return DataType(TypeKind::kFloat); }
  static DataType Double() { return DataType(TypeKind::kDouble); }
  /// 1 ≤ precision ≤ 38, 0 ≤ scale ≤ precision.
  static DataType Decimal(int precision, int scale) { return DataType(TypeKind::kDecimal, precision, scale); }
  static DataType Char(std::int32_t length) { return DataType(TypeKind::kChar, length); }
  static DataType VarChar(std::int32_t length) { return DataType(TypeKind::kVarChar, length); }
  static DataType String() { return VarChar(kMaxLength); }
  static DataType Binary(std::int32_t length) { return DataType(TypeKind::kBinary, length); }
  static DataType VarBinary(std::int32_t length) { return DataType(TypeKind::kVarBinary, length); }
  static DataType Bytes() { return VarBinary(kMaxLength); }
  static DataType Date() { return DataType(TypeKind::kDate); }
  /// 0 ≤ precision ≤ 9 for the following three.
  static DataType Time(int precision) { return DataType(TypeKind::kTime, precision); }
  static DataType Timestamp(int precision) { return DataType(TypeKind::kTimestamp, precision); }
  static DataType TimestampLtz(int precision) { return DataType(TypeKind::kTimestampLtz, precision); }
  static DataType Variant() { return DataType(TypeKind::kVariant); }
  static DataType Blob() { return DataType(TypeKind::kBlob); }
  static DataType Array(DataType element);
  static DataType Multiset(DataType element);
  static DataType Map(DataType key, DataType value);
  static DataType Row(std::vector<DataField> fields);
  static DataType Vector(DataType element, std::int32_t length);

  TypeKind kind() const { return kind_; }
  bool nullable() const { return nullable_; }
  DataType NotNull() const { return WithNullability(false); }
  DataType Nullable() const { return WithNullability(true); }
  DataType WithNullability(bool nullable) const;

  /// CHAR, VARCHAR, BINARY, VARBINARY: their length; VECTOR: its element count.
  std::int32_t length() const { return first_; }
  /// DECIMAL, TIME, TIMESTAMP, TIMESTAMP_LTZ.
  int precision() const { return first_; }
  int scale() const { return scale_; }
  /// ARRAY, MULTISET, VECTOR: their element; MAP: its value.
  const DataType& element() const;
  /// MAP: its key.
  const DataType& key() const;
  /// ROW: its fields; empty for other types.
  std::span<const DataField> fields() const;

  bool is_text() const { return kind_ == TypeKind::kChar || kind_ == TypeKind::kVarChar; }
  bool is_bytes() const { return kind_ == TypeKind::kBinary || kind_ == TypeKind::kVarBinary || kind_ == TypeKind::kBlob; }
  bool is_integer() const { return kind_ >= TypeKind::kTinyInt && kind_ <= TypeKind::kBigInt; }
  bool is_numeric() const { return kind_ >= TypeKind::kTinyInt && kind_ <= TypeKind::kDecimal; }
  bool is_timestamp() const { return kind_ == TypeKind::kTimestamp || kind_ == TypeKind::kTimestampLtz; }
  /// ARRAY, MULTISET, MAP, ROW, VECTOR.
  bool is_nested() const { return kind_ >= TypeKind::kArray; }

  /// SQL text as Flink prints it: "INT NOT NULL", "DECIMAL(10, 2)", "ARRAY<STRING>", "ROW<`a` INT, `b` STRING>",
  /// "TIMESTAMP(3)", "TIMESTAMP(3) WITH LOCAL TIME ZONE" (Paimon's spelling of atomic types in schema files).
  std::string ToString() const;

  /// Equal in kind, parameters, nullability, children and, for ROW, names, ids, comments and defaults of fields.
  friend bool operator==(const DataType& a, const DataType& b);
  /// Equal but for nullability at any depth and for ids, comments and defaults of fields.
  bool SameShape(const DataType& other) const;

 private:
  explicit DataType(TypeKind kind, std::int32_t first = 0, int scale = 0) : kind_(kind), first_(first), scale_(scale) {}
  struct Children;

  TypeKind kind_;
  bool nullable_ = true;
  std::int32_t first_ = 0;  // length or precision
  int scale_ = 0;
  std::shared_ptr<const Children> children_;
};

/// A column of a table or a field of a ROW.
struct DataField {
  FieldId id;
  std::string name;
  DataType type;
  std::optional<std::string> description;    ///< the comment
  std::optional<std::string> default_value;  ///< as text, castable to the type

  friend bool operator==(const DataField&, const DataField&) = default;
};

/// Parses an atomic type ("DECIMAL(10, 2) NOT NULL") or the SQL form of a nested one ("ARRAY<INT>", "MAP<STRING, INT>",
/// "ROW<`a` INT 'comment', b STRING>", "INT ARRAY", "INT MULTISET"), in any case and spacing, with the synonyms of
/// spec metadata.md §2.3. Fields of a ROW get ids 0, 1, … from `next_field_id` on, depth first.
/// Errors: kInvalidArgument, quoting the text and what was expected; kUnsupported for GEOMETRY and GEOGRAPHY.
Result<DataType> ParseDataType(std::string_view text, std::int32_t next_field_id = 0);

/// Position of the field of that name, or nullopt. Case-sensitive.
std::optional<std::size_t> FindField(std::span<const DataField> fields, std::string_view name);
/// Position of the field with that id, or nullopt.
std::optional<std::size_t> FindField(std::span<const DataField> fields, FieldId id);

/// Highest id among the fields and all fields nested in them; -1 for none.
std::int32_t HighestFieldId(std::span<const DataField> fields);

}  // namespace braid
