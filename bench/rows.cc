#include "rows.h"

#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>

namespace braid {
namespace {

constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15U;
constexpr std::int64_t kFirstMicros = 1'700'000'000'000'000;
constexpr std::int64_t kDecimalWidth = 16;

// The finaliser of SplitMix64.
std::uint64_t Mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

DataField Field(std::int32_t id, std::string name, DataType type) {
  return {FieldId(id), std::move(name), std::move(type), std::nullopt, std::nullopt};
}

template <typename T>
std::shared_ptr<arrow::Buffer> BufferOf(std::vector<T> values) {
  return arrow::Buffer::FromVector(std::move(values));
}

// A column of texts that all have the same length.
class FixedTexts {
 public:
  FixedTexts(std::int64_t rows, std::string_view prefix, std::size_t digits)
      : prefix_(prefix), length_(prefix.size() + digits), bytes_(static_cast<std::size_t>(rows) * length_, '0') {}

  // The prefix and the number in decimal digits, with leading zeros.
  void SetNumber(std::int64_t row, std::uint64_t number) {
    char* text = At(row);
    prefix_.copy(text, prefix_.size());
    for (std::size_t i = length_; number > 0 && i > prefix_.size(); number /= 10) {
      text[--i] = static_cast<char>('0' + number % 10);
    }
  }
  char* At(std::int64_t row) { return bytes_.data() + static_cast<std::size_t>(row) * length_; }

  std::shared_ptr<arrow::Array> Finish(std::int64_t rows) {
    std::vector<std::int32_t> offsets;
    for (std::int64_t row = 0; row <= rows; ++row) {
      offsets.push_back(static_cast<std::int32_t>(row * static_cast<std::int64_t>(length_)));
    }
    return std::make_shared<arrow::StringArray>(rows, BufferOf(std::move(offsets)), BufferOf(std::move(bytes_)));
  }

 private:
  std::string_view prefix_;
  std::size_t length_;
  std::vector<char> bytes_;
};

template <typename ArrayType, typename T>
std::shared_ptr<arrow::Array> Numbers(std::vector<T> values) {
  const auto rows = static_cast<std::int64_t>(values.size());
  return std::make_shared<ArrayType>(rows, BufferOf(std::move(values)));
}

// The digits behind the first `prefix` bytes.
std::int64_t DigitsOf(std::string_view text, std::size_t prefix) {
  std::int64_t number = 0;
  for (const char c : text.substr(prefix)) number = number * 10 + (c - '0');
  return number;
}

// The number that stands for a value in the hash: the value itself, hundredths of a DOUBLE, the digits of a text,
// microseconds, the unscaled DECIMAL; -1 for NULL.
std::int64_t NumberOf(const arrow::Array& column, std::size_t position, std::int64_t row) {
  if (column.IsNull(row)) return -1;
  switch (position) {
    case 0: return static_cast<const arrow::Int64Array&>(column).Value(row);
    case 1: return static_cast<const arrow::Int32Array&>(column).Value(row);
    case 2: return std::llround(static_cast<const arrow::DoubleArray&>(column).Value(row) * 100);
    case 3: return DigitsOf(static_cast<const arrow::StringArray&>(column).GetView(row), std::strlen("user-"));
    case 4: return DigitsOf(static_cast<const arrow::StringArray&>(column).GetView(row), std::strlen("cat-"));
    case 5: return static_cast<const arrow::TimestampArray&>(column).Value(row);
    default:
      return static_cast<std::int64_t>(
          arrow::Decimal128(static_cast<const arrow::Decimal128Array&>(column).GetValue(row)).low_bits());
  }
}

}  // namespace

std::vector<DataField> ScanFields() {
  return {Field(0, "k", DataType::BigInt()),        Field(1, "i", DataType::Int()),
          Field(2, "d", DataType::Double()),        Field(3, "s", DataType::String()),
          Field(4, "t", DataType::String()),        Field(5, "ts", DataType::Timestamp(6)),
          Field(6, "dec", DataType::Decimal(12, 2))};
}

Batch ScanRows(std::span<const std::int64_t> keys, std::uint64_t version, std::uint64_t seed) {
  const auto rows = static_cast<std::int64_t>(keys.size());
  std::vector<std::int32_t> ints(keys.size());
  std::vector<double> doubles(keys.size());
  std::vector<std::int64_t> times(keys.size());
  std::vector<std::array<std::int64_t, 2>> decimals(keys.size());  // little-endian halves of 128 bits
  FixedTexts users(rows, "user-", 12);
  FixedTexts categories(rows, "cat-", 10);
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto at = static_cast<std::size_t>(row);
    const std::uint64_t h = Mix(seed * kMultiplier + static_cast<std::uint64_t>(keys[at]) * 31 + version);
    ints[at] = static_cast<std::int32_t>(h >> 40);
    doubles[at] = static_cast<double>((h >> 20) & 0xFFFFFFF) / 100.0;
    users.SetNumber(row, (h >> 8) % 5'000'000);
    categories.SetNumber(row, (h >> 16) % 1'000);
    times[at] = kFirstMicros + static_cast<std::int64_t>(h >> 24);
    decimals[at] = {static_cast<std::int64_t>((h >> 30) % 10'000'000'000), 0};
  }
  static_assert(sizeof(decimals[0]) == kDecimalWidth);
  return Batch{
      arrow::RecordBatch::Make(
          ToArrowSchema(ScanFields()), rows,
          {Numbers<arrow::Int64Array>(std::vector(keys.begin(), keys.end())),
           Numbers<arrow::Int32Array>(std::move(ints)), Numbers<arrow::DoubleArray>(std::move(doubles)),
           users.Finish(rows), categories.Finish(rows),
           std::make_shared<arrow::TimestampArray>(arrow::timestamp(arrow::TimeUnit::MICRO), rows,
                                                   BufferOf(std::move(times))),
           std::make_shared<arrow::Decimal128Array>(arrow::decimal128(12, 2), rows, BufferOf(std::move(decimals)))}),
      nullptr};
}

std::int64_t ScatteredKey(std::int64_t number, std::uint64_t seed) {
  constexpr std::uint64_t kMask = (std::uint64_t{1} << 31) - 1;
  std::uint64_t x = static_cast<std::uint64_t>(number) & kMask;
  for (std::uint64_t round = 0; round < 3; ++round) {
    x = (x * 1'103'515'245 + ((seed + round * 12'345) & kMask)) & kMask;
    x ^= x >> 13;
  }
  return static_cast<std::int64_t>(x);
}

void OrderFreeHash::Add(const Batch& batch) {
  const auto& columns = batch.rows->columns();
  for (std::int64_t row = 0; row < batch.row_count(); ++row) {
    std::uint64_t x = 0;
    for (std::size_t column = 0; column < columns.size(); ++column) {
      x = (x + static_cast<std::uint64_t>(NumberOf(*columns[column], column, row))) * kMultiplier;
      x ^= x >> 32;
    }
    value_ += x;
  }
}

std::vector<DataField> UpsertFields(bool wide) {
  std::vector<DataField> fields = {Field(0, "k", DataType::BigInt().NotNull()), Field(1, "i", DataType::Int()),
                                   Field(2, "d", DataType::Double()), Field(3, "l", DataType::BigInt()),
                                   Field(4, "s", DataType::String())};
  if (wide) fields.push_back(Field(5, "payload", DataType::String()));
  return fields;
}

Batch UpsertRows(std::int64_t first, std::int64_t count, std::int64_t key_count, bool wide) {
  constexpr std::size_t kPayloadBytes = 200;
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto size = static_cast<std::size_t>(count);
  std::vector<std::int64_t> keys(size);
  std::vector<std::int32_t> ints(size);
  std::vector<double> doubles(size);
  std::vector<std::int64_t> numbers(size);
  FixedTexts users(count, "user-", 19);
  FixedTexts payloads(wide ? count : 0, "", kPayloadBytes);
  for (std::int64_t row = 0; row < count; ++row) {
    const auto at = static_cast<std::size_t>(row);
    const auto number = static_cast<std::uint64_t>(first + row);
    const std::uint64_t key = (Mix(number) >> 1) % static_cast<std::uint64_t>(key_count);
    std::uint64_t h = Mix(key * 31 + number);
    keys[at] = static_cast<std::int64_t>(key);
    ints[at] = static_cast<std::int32_t>(h >> 40);
    doubles[at] = static_cast<double>((h >> 20) & 0xFFFFFFF) / 100.0;
    numbers[at] = static_cast<std::int64_t>(number);
    users.SetNumber(row, (h >> 8) % 5'000'000);
    for (std::size_t i = 0; wide && i < kPayloadBytes; ++i) {
      if (i % 16 == 0) h = Mix(h + i);
      payloads.At(row)[i] = kHex[(h >> (i % 16 * 4)) & 15];
    }
  }
  std::vector<std::shared_ptr<arrow::Array>> columns = {
      Numbers<arrow::Int64Array>(std::move(keys)), Numbers<arrow::Int32Array>(std::move(ints)),
      Numbers<arrow::DoubleArray>(std::move(doubles)), Numbers<arrow::Int64Array>(std::move(numbers)),
      users.Finish(count)};
  if (wide) columns.push_back(payloads.Finish(count));
  return Batch{arrow::RecordBatch::Make(ToArrowSchema(UpsertFields(wide)), count, std::move(columns)), nullptr};
}

}  // namespace braid
