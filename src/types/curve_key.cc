#include "types/curve_key.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <fmt/format.h>

#include "types/arrow_status_internal.h"
#include "types/date_time.h"
#include "types/number_text.h"
#include "types/ordered_bits.h"
#include "types/space_curve.h"

namespace braid {

namespace {

constexpr std::size_t kNumberBytes = 8;

bool IsText(const DataType& type) {
  return type.is_text() || type.is_bytes();
}

bool HasOrder(const DataType& type) {
  return type.kind() < TypeKind::kVariant;
}

// DECIMALs of up to 18 digits fit into 64 bits. Of wider ones the lowest bits go.
std::uint64_t OrderedDecimal(const std::uint8_t* little_endian, int precision) {
  std::uint64_t low = 0;
  std::int64_t high = 0;
  std::memcpy(&low, little_endian, sizeof(low));
  std::memcpy(&high, little_endian + sizeof(low), sizeof(high));
  if (precision <= 18) return OrderedInteger(static_cast<std::int64_t>(low), 8);
  __extension__ using Wide = __int128;
  const Wide greatest = PowerOfTen(precision);
  const int bit_count = 129 - std::countl_zero(static_cast<std::uint64_t>(greatest >> 64));  // with the sign
  const auto value = static_cast<Wide>((static_cast<unsigned __int128>(static_cast<std::uint64_t>(high)) << 64) | low);
  return OrderedInteger(static_cast<std::int64_t>(value >> (bit_count - 64)), 8);
}

// The coordinates of a column, `width` bytes for each row.
class Coordinates {
 public:
  Coordinates(std::int64_t row_count, std::size_t width)
      : width_(width), bytes_(static_cast<std::size_t>(row_count) * width, '\0') {}

  std::string_view of(std::int64_t row) const {
    return std::string_view(bytes_).substr(static_cast<std::size_t>(row) * width_, width_);
  }

  void Fill(const arrow::Array& column, const DataType& type) {
    switch (type.kind()) {
      case TypeKind::kBoolean:
        // Java's byte of TRUE.
        return FillNumbers<arrow::BooleanArray>(column, [](const auto& values, std::int64_t row) {
          return values.Value(row) ? std::uint64_t{0x81} << 56 : std::uint64_t{0};
        });
      case TypeKind::kTinyInt: return FillIntegers<arrow::Int8Array>(column);
      case TypeKind::kSmallInt: return FillIntegers<arrow::Int16Array>(column);
      case TypeKind::kInt: return FillIntegers<arrow::Int32Array>(column);
      case TypeKind::kBigInt: return FillIntegers<arrow::Int64Array>(column);
      case TypeKind::kDate: return FillIntegers<arrow::Date32Array>(column);
      case TypeKind::kTime: return FillIntegers<arrow::Time32Array>(column);
      case TypeKind::kFloat: return FillFloats<arrow::FloatArray>(column);
      case TypeKind::kDouble: return FillFloats<arrow::DoubleArray>(column);
      case TypeKind::kDecimal:
        return FillNumbers<arrow::Decimal128Array>(column, [&](const auto& values, std::int64_t row) {
          return OrderedDecimal(values.GetValue(row), type.precision());
        });
      case TypeKind::kTimestamp:
      case TypeKind::kTimestampLtz: return FillTimestamps(column, type.precision());
      default: return FillTexts(column);
    }
  }

 private:
  template <typename ArrayType, typename Ordered>
  void FillNumbers(const arrow::Array& column, Ordered ordered) {
    const auto& values = static_cast<const ArrayType&>(column);
    for (std::int64_t row = 0; row < values.length(); ++row) {
      if (values.IsValid(row)) Put(row, ordered(values, row));
    }
  }
  template <typename ArrayType>
  void FillIntegers(const arrow::Array& column) {
    FillNumbers<ArrayType>(column,
                           [](const auto& values, std::int64_t row) { return OrderedInteger(values.Value(row), 8); });
  }
  template <typename ArrayType>
  void FillFloats(const arrow::Array& column) {
    FillNumbers<ArrayType>(column,
                           [](const auto& values, std::int64_t row) { return OrderedDouble(values.Value(row)); });
  }
  void FillTimestamps(const arrow::Array& column, int precision) {
    if (precision > 6) {
      const auto& parts = static_cast<const arrow::StructArray&>(column);
      const auto millis = std::static_pointer_cast<arrow::Int64Array>(parts.field(0));  // field() heeds the offset
      return FillNumbers<arrow::StructArray>(
          column, [&](const auto&, std::int64_t row) { return OrderedInteger(millis->Value(row), 8); });
    }
    const std::int64_t per_milli = precision > 3 ? 1000 : 1;
    FillNumbers<arrow::TimestampArray>(column, [&](const auto& values, std::int64_t row) {
      return OrderedInteger(FloorDivide(values.Value(row), per_milli), 8);
    });
  }
  void FillTexts(const arrow::Array& column) {
    const auto& values = static_cast<const arrow::BinaryArray&>(column);
    for (std::int64_t row = 0; row < values.length(); ++row) {
      if (!values.IsValid(row)) continue;
      const std::string_view text = values.GetView(row);
      std::copy_n(text.begin(), std::min(text.size(), width_), At(row));
    }
  }

  std::string::iterator At(std::int64_t row) { return bytes_.begin() + row * static_cast<std::int64_t>(width_); }
  void Put(std::int64_t row, std::uint64_t bits) {
    const auto at = At(row);
    for (int i = 0; i < 8; ++i) at[i] = static_cast<char>(bits >> (56 - 8 * i));
  }

  std::size_t width_;
  std::string bytes_;
};

std::uint64_t BigEndian(std::string_view bytes) {
  std::uint64_t word = 0;
  for (const char byte : bytes) word = (word << 8) | static_cast<unsigned char>(byte);
  return word;
}

void PutBigEndian(std::uint64_t word, std::string& bytes) {
  for (int i = 0; i < 8; ++i) bytes[static_cast<std::size_t>(i)] = static_cast<char>(word >> (56 - 8 * i));
}

// Coordinates of one row, before their bits are taken by turns.
void TransposeForHilbert(std::vector<std::string>& transposed, std::vector<std::string_view>& coordinates) {
  std::vector<std::uint64_t> point;
  for (const std::string_view coordinate : coordinates) point.push_back(BigEndian(coordinate));
  ToHilbertTranspose(point, 64);
  for (std::size_t i = 0; i < point.size(); ++i) {
    PutBigEndian(point[i], transposed[i]);
    coordinates[i] = transposed[i];
  }
}

}  // namespace

Result<CurveKey> CurveKey::Make(std::span<const DataField> fields, SpaceCurve curve, int text_bytes) {
  for (const DataField& field : fields) {
    if (HasOrder(field.type)) continue;
    return Error(ErrorCode::kUnsupported,
                 fmt::format("column '{}' of type {} cannot order rows", field.name, field.type.ToString()))
        .Hint("name columns of numbers, texts, bytes, dates or times");
  }
  if (curve == SpaceCurve::kHilbert && fields.size() < 2) {
    return Error(ErrorCode::kInvalidArgument, "a Hilbert curve goes through two columns at least")
        .Hint("name more columns, or use 'order' or 'zorder'");
  }
  if (text_bytes < 1) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("a text cannot give {} bytes to a curve", text_bytes));
  }
  CurveKey key;
  key.fields_.assign(fields.begin(), fields.end());
  key.curve_ = curve;
  if (curve == SpaceCurve::kZOrder) key.text_bytes_ = static_cast<std::size_t>(text_bytes);
  return key;
}

std::size_t CurveKey::WidthOf(const DataField& field) const {
  return IsText(field.type) ? text_bytes_ : kNumberBytes;
}

Result<std::shared_ptr<arrow::Array>> CurveKey::Encode(std::span<const std::shared_ptr<arrow::Array>> columns,
                                                       std::int64_t row_count) const {
  std::vector<Coordinates> coordinates;
  std::size_t place_bytes = 0;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    place_bytes += WidthOf(fields_[i]);
    coordinates.emplace_back(row_count, WidthOf(fields_[i])).Fill(*columns[i], fields_[i].type);
  }
  arrow::BinaryBuilder places;
  BRAID_TRY(CheckArrow(places.Reserve(row_count)));
  BRAID_TRY(CheckArrow(places.ReserveData(row_count * static_cast<std::int64_t>(place_bytes))));
  std::vector<std::string> transposed(fields_.size(), std::string(kNumberBytes, '\0'));
  std::vector<std::string_view> of_row(fields_.size());
  std::string place;
  for (std::int64_t row = 0; row < row_count; ++row) {
    for (std::size_t i = 0; i < fields_.size(); ++i) of_row[i] = coordinates[i].of(row);
    if (curve_ == SpaceCurve::kHilbert) TransposeForHilbert(transposed, of_row);
    place.clear();
    AppendZOrder(of_row, place);
    places.UnsafeAppend(place);
  }
  return CheckArrow(places.Finish());
}

}  // namespace braid
