#include <algorithm>
#include <cmath>
#include <limits>

#include <arrow/array.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include "mergetree/key_encoding_internal.h"
#include "types/ordered_bits.h"

namespace braid {
namespace {

constexpr int kVariableWidth = -1;

/// Bytes that a value takes, without the NULL marker; kVariableWidth for text and bytes; 0 for types without order.
int EncodedWidth(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kBoolean:
    case TypeKind::kTinyInt: return 1;
    case TypeKind::kSmallInt: return 2;
    case TypeKind::kInt:
    case TypeKind::kDate:
    case TypeKind::kTime:
    case TypeKind::kFloat: return 4;
    case TypeKind::kBigInt:
    case TypeKind::kDouble: return 8;
    case TypeKind::kDecimal: return type.precision() <= 18 ? 8 : 16;
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: return type.precision() <= 6 ? 8 : 12;
    case TypeKind::kChar:
    case TypeKind::kVarChar:
    case TypeKind::kBinary:
    case TypeKind::kVarBinary: return kVariableWidth;
    default: return 0;
  }
}

constexpr std::uint64_t kSign64 = std::uint64_t{1} << 63;

/// Calls emit(row, value) with the ordered bits of every row of a column of at most 8 bytes a value.
template <typename ArrayType, typename Ordered, typename Emit>
void ForEachValue(const arrow::Array& column, Ordered ordered, Emit emit) {
  const auto& values = static_cast<const ArrayType&>(column);
  for (std::int64_t row = 0; row < values.length(); ++row) emit(row, ordered(values, row));
}

template <typename ArrayType, typename Emit>
void ForEachInteger(const arrow::Array& column, int width, Emit emit) {
  const auto* values = static_cast<const ArrayType&>(column).raw_values();
  for (std::int64_t row = 0; row < column.length(); ++row) emit(row, OrderedInteger(values[row], width));
}

template <typename Emit>
void ForEachNarrow(const DataType& type, const arrow::Array& column, Emit emit) {
  switch (type.kind()) {
    case TypeKind::kBoolean:
      return ForEachValue<arrow::BooleanArray>(
          column, [](const auto& a, std::int64_t i) { return std::uint64_t{a.Value(i)}; }, emit);
    case TypeKind::kTinyInt: return ForEachInteger<arrow::Int8Array>(column, 1, emit);
    case TypeKind::kSmallInt: return ForEachInteger<arrow::Int16Array>(column, 2, emit);
    case TypeKind::kInt: return ForEachInteger<arrow::Int32Array>(column, 4, emit);
    case TypeKind::kDate: return ForEachInteger<arrow::Date32Array>(column, 4, emit);
    case TypeKind::kTime: return ForEachInteger<arrow::Time32Array>(column, 4, emit);
    case TypeKind::kBigInt: return ForEachInteger<arrow::Int64Array>(column, 8, emit);
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: return ForEachInteger<arrow::TimestampArray>(column, 8, emit);
    case TypeKind::kFloat:
      return ForEachValue<arrow::FloatArray>(
          column, [](const auto& a, std::int64_t i) { return OrderedFloat(a.Value(i)); }, emit);
    case TypeKind::kDouble:
      return ForEachValue<arrow::DoubleArray>(
          column, [](const auto& a, std::int64_t i) { return OrderedDouble(a.Value(i)); }, emit);
    case TypeKind::kDecimal:
      return ForEachValue<arrow::Decimal128Array>(
          column,
          [](const auto& a, std::int64_t i) {
            std::int64_t low = 0;  // little-endian; the rest is its sign
            std::memcpy(&low, a.GetValue(i), sizeof(low));
            return OrderedInteger(low, 8);
          },
          emit);
    default: break;
  }
  BRAID_CHECK(false);
}

void PutBigEndian(char* at, std::uint64_t bits, int width) {
  for (int i = 0; i < width; ++i) at[i] = static_cast<char>(bits >> (8 * (width - 1 - i)));
}

/// Writes one column's part of every key at cursors[row], and moves the cursors on.
class ColumnEncoder {
 public:
  ColumnEncoder(const DataType& type, bool descending, bool last)
      : type_(type), width_(EncodedWidth(type)), descending_(descending), last_(last) {}

  std::int64_t Size(const arrow::Array& column, std::int64_t row) const {
    const std::int64_t marker = type_.nullable() ? 1 : 0;
    if (width_ != kVariableWidth) return marker + width_;
    if (column.IsNull(row)) return marker;
    const std::string_view text = static_cast<const arrow::BinaryArray&>(column).GetView(row);
    if (Unescaped()) return marker + static_cast<std::int64_t>(text.size());
    return marker + static_cast<std::int64_t>(text.size()) + std::count(text.begin(), text.end(), '\0') + 2;
  }

  void Write(const arrow::Array& column, std::span<char*> cursors) const {
    if (width_ == kVariableWidth) return WriteText(column, cursors);
    if (width_ <= 8) {
      ForEachNarrow(type_, column, [&](std::int64_t row, std::uint64_t bits) {
        WriteFixed(column, row, cursors, [&](char* at) { PutBigEndian(at, bits, width_); });
      });
    } else if (type_.kind() == TypeKind::kDecimal) {
      const auto& values = static_cast<const arrow::Decimal128Array&>(column);
      for (std::int64_t row = 0; row < column.length(); ++row) {
        WriteFixed(column, row, cursors, [&](char* at) {
          std::uint64_t words[2];
          std::memcpy(words, values.GetValue(row), sizeof(words));
          PutBigEndian(at, words[1] ^ kSign64, 8);
          PutBigEndian(at + 8, words[0], 8);
        });
      }
    } else {
      WriteWideTimestamps(column, cursors);
    }
  }

 private:
  // The last column needs no end mark: the key's length is known. Descending order must put a prefix last, so it does.
  bool Unescaped() const { return last_ && !descending_; }

  /// The row's marker, if there is one. False if the value is NULL.
  bool WriteMarker(const arrow::Array& column, std::int64_t row, char*& at) const {
    if (!type_.nullable()) return true;
    const bool valid = column.IsValid(row);
    *at++ = valid ? '\1' : '\0';
    return valid;
  }

  template <typename Put>
  void WriteFixed(const arrow::Array& column, std::int64_t row, std::span<char*> cursors, Put put) const {
    char*& at = cursors[static_cast<std::size_t>(row)];
    if (WriteMarker(column, row, at)) {
      put(at);
      if (descending_) Invert(at, at + width_);
    } else {
      std::memset(at, 0, static_cast<std::size_t>(width_));
    }
    at += width_;
  }

  void WriteWideTimestamps(const arrow::Array& column, std::span<char*> cursors) const {
    const auto& parts = static_cast<const arrow::StructArray&>(column);
    const auto millis = std::static_pointer_cast<arrow::Int64Array>(parts.field(0));  // field() heeds the offset
    const auto nanos = std::static_pointer_cast<arrow::Int32Array>(parts.field(1));
    for (std::int64_t row = 0; row < column.length(); ++row) {
      WriteFixed(column, row, cursors, [&](char* at) {
        PutBigEndian(at, OrderedInteger(millis->Value(row), 8), 8);
        PutBigEndian(at + 8, OrderedInteger(nanos->Value(row), 4), 4);
      });
    }
  }

  // A zero byte becomes 00 FF and the end 00 00, so that no text's bytes run into the next column's.
  void WriteText(const arrow::Array& column, std::span<char*> cursors) const {
    const auto& values = static_cast<const arrow::BinaryArray&>(column);
    for (std::int64_t row = 0; row < column.length(); ++row) {
      char*& at = cursors[static_cast<std::size_t>(row)];
      if (!WriteMarker(column, row, at)) continue;
      const std::string_view text = values.GetView(row);
      char* const start = at;
      if (Unescaped()) {
        at = std::copy(text.begin(), text.end(), at);
        continue;
      }
      for (const char c : text) {
        *at++ = c;
        if (c == '\0') *at++ = '\xff';
      }
      *at++ = '\0';
      *at++ = '\0';
      if (descending_) Invert(start, at);
    }
  }

  static void Invert(char* begin, char* end) {
    for (char* c = begin; c != end; ++c) *c = static_cast<char>(~*c);
  }

  const DataType& type_;
  int width_;
  bool descending_;
  bool last_;
};

std::uint64_t LeadingBytes(std::string_view bytes) {
  if (bytes.size() >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    return __builtin_bswap64(word);
  }
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (56 - 8 * i);
  }
  return word;
}

}  // namespace

std::int64_t EncodedKeys::memory_bytes() const {
  return static_cast<std::int64_t>(prefixes_.capacity() * sizeof(std::uint64_t) +
                                   own_offsets_.capacity() * sizeof(std::int32_t) + own_data_.capacity());
}

Result<KeyEncoder> KeyEncoder::Make(std::span<const DataField> fields, bool descending) {
  KeyEncoder encoder;
  encoder.fields_.assign(fields.begin(), fields.end());
  encoder.descending_ = descending;
  int total = 0;
  bool fixed = true;
  for (const DataField& field : fields) {
    const int width = EncodedWidth(field.type);
    if (width == 0) {
      return Error(ErrorCode::kUnsupported, fmt::format("column {} of type {} cannot order rows: the type has no order",
                                                        field.name, field.type.ToString()))
          .Hint("use columns of atomic types as keys and sequence fields");
    }
    fixed = fixed && width != kVariableWidth;
    total += width + (field.type.nullable() ? 1 : 0);
  }
  encoder.whole_ = fixed && total <= 8;
  encoder.borrows_ = !fixed && fields.size() == 1 && !fields[0].type.nullable() && !descending;
  return encoder;
}

Result<EncodedKeys> KeyEncoder::Encode(std::span<const std::shared_ptr<arrow::Array>> columns,
                                       std::int64_t rows) const {
  EncodedKeys keys;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (!fields_[i].type.nullable() && columns[i]->null_count() > 0) {
      return Error(ErrorCode::kCorruption,
                   fmt::format("column {} holds NULL although it is NOT NULL", fields_[i].name));
    }
  }
  keys.prefixes_.assign(static_cast<std::size_t>(rows), 0);
  if (whole_) {
    BRAID_TRY(EncodePrefixes(columns, keys));
    return keys;
  }
  if (borrows_) {
    const auto& column = static_cast<const arrow::BinaryArray&>(*columns[0]);
    keys.borrowed_ = columns[0];
    keys.offsets_ = column.raw_value_offsets();
    keys.data_ = reinterpret_cast<const char*>(column.raw_data());
  } else {
    BRAID_TRY(EncodeBytes(columns, rows, keys));
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    keys.prefixes_[static_cast<std::size_t>(row)] = LeadingBytes(keys.bytes(row));
  }
  return keys;
}

Status KeyEncoder::EncodePrefixes(std::span<const std::shared_ptr<arrow::Array>> columns, EncodedKeys& keys) const {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const DataType& type = fields_[i].type;
    const arrow::Array& column = *columns[i];
    const int width = EncodedWidth(type);
    const int shift = width == 8 ? 0 : 8 * width;  // eight bytes are the only column then
    const std::uint64_t mask = width == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * width)) - 1;
    std::uint64_t* prefixes = keys.prefixes_.data();
    if (!type.nullable()) {
      ForEachNarrow(type, column, [&](std::int64_t row, std::uint64_t bits) {
        prefixes[row] = (prefixes[row] << shift) | ((descending_ ? ~bits : bits) & mask);
      });
      continue;
    }
    ForEachNarrow(type, column, [&](std::int64_t row, std::uint64_t bits) {
      const std::uint64_t marked =
          column.IsValid(row) ? (std::uint64_t{1} << shift) | ((descending_ ? ~bits : bits) & mask) : 0;
      prefixes[row] = (prefixes[row] << (shift + 8)) | marked;
    });
  }
  return Ok();
}

Status KeyEncoder::EncodeBytes(std::span<const std::shared_ptr<arrow::Array>> columns, std::int64_t rows,
                               EncodedKeys& keys) const {
  std::vector<ColumnEncoder> encoders;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    encoders.emplace_back(fields_[i].type, descending_, i + 1 == fields_.size());
  }
  keys.own_offsets_.resize(static_cast<std::size_t>(rows) + 1);
  std::int64_t total = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    keys.own_offsets_[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(total);
    for (std::size_t i = 0; i < encoders.size(); ++i) total += encoders[i].Size(*columns[i], row);
    if (total > std::numeric_limits<std::int32_t>::max()) {
      return Error(ErrorCode::kUnsupported, fmt::format("the keys of a batch of {} rows take more than 2 GB", rows));
    }
  }
  keys.own_offsets_[static_cast<std::size_t>(rows)] = static_cast<std::int32_t>(total);
  keys.own_data_.resize(static_cast<std::size_t>(total) + 1);  // never empty, so that data() is a pointer
  std::vector<char*> cursors(static_cast<std::size_t>(rows));
  for (std::size_t row = 0; row < cursors.size(); ++row) cursors[row] = keys.own_data_.data() + keys.own_offsets_[row];
  for (std::size_t i = 0; i < encoders.size(); ++i) encoders[i].Write(*columns[i], cursors);
  keys.offsets_ = keys.own_offsets_.data();
  keys.data_ = keys.own_data_.data();
  return Ok();
}

}  // namespace braid
