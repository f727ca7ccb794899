#include "format/statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/util/decimal.h>

namespace braid {

class StatisticsCollector::Column {
 public:
  virtual ~Column() = default;
  virtual void Update(const arrow::Array& values) = 0;
  virtual ColumnStatistics Finish() const = 0;
};

namespace {

using Column = StatisticsCollector::Column;

/// Nothing but a null count, or not even that.
class CountColumn : public Column {
 public:
  explicit CountColumn(bool counts) : counts_(counts) {}
  void Update(const arrow::Array& values) override { null_count_ += values.null_count(); }
  ColumnStatistics Finish() const override {
    return {.min = {}, .max = {}, .null_count = counts_ ? std::optional(null_count_) : std::nullopt};
  }

 private:
  bool counts_;
  std::int64_t null_count_ = 0;
};

/// Calls with the position of every value that is not NULL.
template <typename Visit>
void ForEachValid(const arrow::Array& values, Visit visit) {
  const std::int64_t count = values.length();
  if (values.null_count() == 0) {
    for (std::int64_t i = 0; i < count; ++i) visit(i);
  } else {
    for (std::int64_t i = 0; i < count; ++i) {
      if (values.IsValid(i)) visit(i);
    }
  }
}

/// The text, or what is kept of a long one.
std::string_view BeginningOf(std::string_view text) {
  if (text.size() <= kLongestTextBound) return text;
  std::size_t end = kLongestTextBound + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  return text.substr(0, end);
}

/// Bounds over values that a traits class reads from an array and turns into a Datum.
///
/// Traits: `Array`, an ordered `Value`, `Get(array, i)`, `ToDatum(value)`.
template <typename Traits>
class OrderedColumn : public Column {
 public:
  explicit OrderedColumn(Traits traits) : traits_(traits) {}

  void Update(const arrow::Array& values) override {
    null_count_ += values.null_count();
    const auto& array = static_cast<const typename Traits::Array&>(values);
    std::optional<typename Traits::View> low;
    std::optional<typename Traits::View> high;
    ForEachValid(values, [&](std::int64_t i) {
      const typename Traits::View value = traits_.Get(array, i);
      if (!low) {
        low = high = value;
      } else if (value < *low) {
        low = value;
      } else if (*high < value) {
        high = value;
      }
    });
    if (!low) return;
    if (!min_ || *low < typename Traits::View(*min_)) min_ = Kept(*low);
    if (!max_ || typename Traits::View(*max_) < *high) max_ = Kept(*high);
  }

  ColumnStatistics Finish() const override {
    return {.min = min_ ? traits_.ToDatum(*min_) : Datum(),
            .max = max_ ? traits_.ToDatum(*max_) : Datum(),
            .null_count = null_count_};
  }

 private:
  static typename Traits::Value Kept(typename Traits::View bound) {
    if constexpr (std::is_same_v<typename Traits::View, std::string_view>) {
      return std::string(BeginningOf(bound));
    } else {
      return bound;
    }
  }

  Traits traits_;
  std::optional<typename Traits::Value> min_;
  std::optional<typename Traits::Value> max_;
  std::int64_t null_count_ = 0;
};

struct BooleanTraits {
  using Array = arrow::BooleanArray;
  using Value = bool;
  using View = bool;
  static bool Get(const Array& array, std::int64_t i) { return array.Value(i); }
  static Datum ToDatum(bool value) { return value; }
};

template <typename ArrowArray>
struct IntegerTraits {
  using Array = ArrowArray;
  using Value = std::int64_t;
  using View = std::int64_t;
  static std::int64_t Get(const Array& array, std::int64_t i) { return array.raw_values()[i]; }
  static Datum ToDatum(std::int64_t value) { return value; }
};

/// Orders floating-point numbers by their bits as Java's compare does: -0.0 before 0.0, every NaN last and equal.
template <typename ArrowArray, typename Float, typename Bits>
struct FloatTraits {
  using Array = ArrowArray;
  using Value = Bits;  // two's complement image of the sign-and-magnitude bits
  using View = Bits;
  static Bits Get(const Array& array, std::int64_t i) {
    const Float value = array.raw_values()[i];
    if (std::isnan(value)) return std::bit_cast<Bits>(std::numeric_limits<Float>::quiet_NaN());
    return Image(std::bit_cast<Bits>(value));
  }
  static Datum ToDatum(Bits image) { return std::bit_cast<Float>(Image(image)); }
  static Bits Image(Bits bits) { return bits < 0 ? bits ^ std::numeric_limits<Bits>::max() : bits; }
};

struct TextTraits {
  using Array = arrow::StringArray;
  using Value = std::string;
  using View = std::string_view;
  static std::string_view Get(const Array& array, std::int64_t i) { return array.GetView(i); }
  static Datum ToDatum(const std::string& value) { return value; }
};

struct DecimalTraits {
  using Array = arrow::Decimal128Array;
  using Value = Int128;
  using View = Int128;
  static Int128 Get(const Array& array, std::int64_t i) {
    const arrow::Decimal128 value(array.Value(i));
    return static_cast<Int128>((static_cast<unsigned __int128>(value.high_bits()) << 64) | value.low_bits());
  }
  static Datum ToDatum(Int128 value) { return Decimal{value}; }
};

struct TimestampTraits {
  using Array = arrow::TimestampArray;
  using Value = std::int64_t;
  using View = std::int64_t;
  bool micros = false;
  static std::int64_t Get(const Array& array, std::int64_t i) { return array.raw_values()[i]; }
  Datum ToDatum(std::int64_t value) const {
    if (!micros) return Timestamp{value, 0};
    const std::int64_t rest = ((value % 1000) + 1000) % 1000;
    return Timestamp{(value - rest) / 1000, static_cast<std::int32_t>(rest * 1000)};
  }
};

struct WideTimestampTraits {
  using Array = arrow::StructArray;
  using Value = Timestamp;
  using View = Timestamp;
  static Timestamp Get(const Array& array, std::int64_t i) {
    const std::int64_t at = i + array.offset();
    return {array.data()->child_data[0]->GetValues<std::int64_t>(1)[at],
            array.data()->child_data[1]->GetValues<std::int32_t>(1)[at]};
  }
  static Datum ToDatum(Timestamp value) { return value; }
};

template <typename Traits>
std::unique_ptr<Column> Ordered(Traits traits = {}) {
  return std::make_unique<OrderedColumn<Traits>>(traits);
}

std::unique_ptr<Column> MakeCollector(const DataType& type, StatisticsRule rule) {
  switch (type.kind()) {
    case TypeKind::kBoolean: return Ordered<BooleanTraits>();
    case TypeKind::kTinyInt: return Ordered<IntegerTraits<arrow::Int8Array>>();
    case TypeKind::kSmallInt: return Ordered<IntegerTraits<arrow::Int16Array>>();
    case TypeKind::kInt: return Ordered<IntegerTraits<arrow::Int32Array>>();
    case TypeKind::kBigInt: return Ordered<IntegerTraits<arrow::Int64Array>>();
    case TypeKind::kFloat: return Ordered<FloatTraits<arrow::FloatArray, float, std::int32_t>>();
    case TypeKind::kDouble: return Ordered<FloatTraits<arrow::DoubleArray, double, std::int64_t>>();
    case TypeKind::kDecimal: return Ordered<DecimalTraits>();
    case TypeKind::kChar:
    case TypeKind::kVarChar: return Ordered<TextTraits>();
    case TypeKind::kDate: return Ordered<IntegerTraits<arrow::Date32Array>>();
    case TypeKind::kTime: return Ordered<IntegerTraits<arrow::Time32Array>>();
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz:
      if (type.precision() <= 6) return Ordered(TimestampTraits{.micros = type.precision() > 3});
      if (rule.wide_timestamp_bounds) return Ordered<WideTimestampTraits>();
      return std::make_unique<CountColumn>(true);
    case TypeKind::kBinary:
    case TypeKind::kVarBinary:
    case TypeKind::kBlob: return std::make_unique<CountColumn>(true);
    case TypeKind::kVariant:
    case TypeKind::kArray:
    case TypeKind::kMultiset:
    case TypeKind::kMap:
    case TypeKind::kRow:
    case TypeKind::kVector: break;
  }
  return std::make_unique<CountColumn>(rule.nested_null_counts);
}

}  // namespace

StatisticsCollector::StatisticsCollector(std::span<const DataField> fields, StatisticsRule rule) {
  columns_.reserve(fields.size());
  for (const DataField& field : fields) columns_.push_back(MakeCollector(field.type, rule));
}
StatisticsCollector::StatisticsCollector(StatisticsCollector&&) noexcept = default;
StatisticsCollector::~StatisticsCollector() = default;

void StatisticsCollector::Update(const arrow::RecordBatch& rows) {
  for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i]->Update(*rows.column(static_cast<int>(i)));
}

std::vector<ColumnStatistics> StatisticsCollector::Finish() const {
  std::vector<ColumnStatistics> result;
  result.reserve(columns_.size());
  for (const std::unique_ptr<Column>& column : columns_) result.push_back(column->Finish());
  return result;
}

}  // namespace braid
