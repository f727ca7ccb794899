#include "format/parquet_values.h"

#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/buffer_builder.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/bitmap_ops.h>
#include <arrow/util/decimal.h>

#include "base/little_endian.h"
#include "format/parquet_places_internal.h"
#include "format/parquet_runs.h"
#include "format/parquet_texts_internal.h"
#include "types/buffer_pool.h"

namespace braid {
namespace {

constexpr std::size_t kRunLengthPrefixBytes = 4;
constexpr int kMostDecimalBytes = 16;

/// A number as it lies in the file, made the one of the array.
template <typename Stored, typename Value>
struct Number {
  static constexpr bool kCopies = sizeof(Stored) == sizeof(Value);
  std::size_t stored_bytes() const { return sizeof(Stored); }
  Value operator()(const char* bytes) const {
    Stored stored;
    std::memcpy(&stored, bytes, sizeof(stored));
    return static_cast<Value>(stored);
  }
};

/// A DECIMAL in an INT32 or INT64.
template <typename Stored>
struct NarrowDecimal {
  static constexpr bool kCopies = false;
  std::size_t stored_bytes() const { return sizeof(Stored); }
  arrow::Decimal128 operator()(const char* bytes) const {
    Stored stored;
    std::memcpy(&stored, bytes, sizeof(stored));
    return arrow::Decimal128(static_cast<std::int64_t>(stored));
  }
};

/// A DECIMAL in 1 to 16 bytes, highest first.
struct WideDecimal {
  static constexpr bool kCopies = false;
  std::size_t bytes_of_value;
  std::size_t stored_bytes() const { return bytes_of_value; }
  arrow::Decimal128 operator()(const char* bytes) const {
    // Sign and all: the bytes above those stored repeat the highest bit.
    const auto fill = static_cast<std::uint8_t>(static_cast<std::uint8_t>(bytes[0]) < 0x80 ? 0 : 0xFF);
    std::array<std::uint8_t, kMostDecimalBytes> all;
    all.fill(fill);
    std::memcpy(all.data() + kMostDecimalBytes - bytes_of_value, bytes, bytes_of_value);
    std::uint64_t high;
    std::uint64_t low;
    std::memcpy(&high, all.data(), sizeof(high));
    std::memcpy(&low, all.data() + sizeof(high), sizeof(low));
    return arrow::Decimal128(static_cast<std::int64_t>(__builtin_bswap64(high)), __builtin_bswap64(low));
  }
};

/// Values that are equally long.
template <typename Value, typename Decode>
class FixedValues : public DictionaryOrPlainValues {
 public:
  FixedValues(std::shared_ptr<arrow::DataType> type, Decode decode) : type_(std::move(type)), decode_(decode) {}

  arrow::Status SetDictionary(std::string_view bytes, std::int64_t count) override {
    ARROW_RETURN_NOT_OK(CheckCount(count, bytes, decode_.stored_bytes()));
    dictionary_.resize(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < dictionary_.size(); ++i) dictionary_[i] = decode_(bytes.data() + i * decode_.stored_bytes());
    return arrow::Status::OK();
  }

  arrow::Status Append(std::int64_t count) override {
    ARROW_RETURN_NOT_OK(values_.Reserve(count));
    if (!in_dictionary_) return AppendPlain(count);
    const auto append = [this](std::span<const std::uint32_t> places) {
      Value* to = values_.mutable_data() + values_.length();
      for (const std::uint32_t place : places) *to++ = dictionary_[place];
      Advance(static_cast<std::int64_t>(places.size()));
      return arrow::Status::OK();
    };
    return places_.Read(count, static_cast<std::int64_t>(dictionary_.size()), append);
  }

  arrow::Status AppendNulls(std::int64_t count) override { return values_.Append(count, Value{}); }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish(std::int64_t count, std::shared_ptr<arrow::Buffer> validity,
                                                      std::int64_t null_count) override {
    ARROW_ASSIGN_OR_RAISE(auto values, values_.Finish(/*shrink_to_fit=*/false));
    return arrow::MakeArray(arrow::ArrayData::Make(type_, count, {std::move(validity), std::move(values)}, null_count));
  }

 protected:
  arrow::Status SkipPlain(std::int64_t count) override { return TakePlain(count).status(); }

 private:
  arrow::Result<const char*> TakePlain(std::int64_t count) {
    const std::size_t stored = decode_.stored_bytes();
    if (static_cast<std::uint64_t>(count) > plain_.size() / stored) {
      return DamagedPage("it has fewer values than it says");
    }
    const char* const first = plain_.data();
    plain_.remove_prefix(static_cast<std::size_t>(count) * stored);
    return first;
  }

  arrow::Status AppendPlain(std::int64_t count) {
    ARROW_ASSIGN_OR_RAISE(const char* from, TakePlain(count));
    Value* const to = values_.mutable_data() + values_.length();
    if constexpr (Decode::kCopies) {
      std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(Value));
    } else {
      for (std::int64_t i = 0; i < count; ++i, from += decode_.stored_bytes()) to[i] = decode_(from);
    }
    Advance(count);
    return arrow::Status::OK();
  }

  /// Counts values that were put behind the others.
  void Advance(std::int64_t count) {
    values_.bytes_builder()->UnsafeAdvance(count * static_cast<std::int64_t>(sizeof(Value)));
  }

  std::shared_ptr<arrow::DataType> type_;
  Decode decode_;
  std::vector<Value> dictionary_;
  arrow::TypedBufferBuilder<Value> values_{BufferPool()};
};

/// BOOLEANs: bits, plain or in runs.
class BooleanValues : public ParquetValues {
 public:
  arrow::Status SetDictionary(std::string_view /*bytes*/, std::int64_t /*count*/) override {
    return arrow::Status::NotImplemented("BOOLEANs in a dictionary");
  }

  arrow::Status StartPage(parquet::Encoding::type encoding, std::string_view bytes) override {
    in_runs_ = encoding == parquet::Encoding::RLE;
    if (!in_runs_) {
      plain_ = bytes;
      next_plain_ = 0;
      return arrow::Status::OK();
    }
    if (bytes.size() < kRunLengthPrefixBytes ||
        LittleEndianAt<std::uint32_t>(bytes, 0) > bytes.size() - kRunLengthPrefixBytes) {
      return DamagedPage("its values reach beyond its end");
    }
    runs_ = ParquetRunReader(bytes.substr(kRunLengthPrefixBytes, LittleEndianAt<std::uint32_t>(bytes, 0)), 1);
    return arrow::Status::OK();
  }

  arrow::Status Skip(std::int64_t count) override {
    if (in_runs_) return runs_.Skip(count) ? arrow::Status::OK() : TooFew();
    return TakePlain(count).status();
  }

  arrow::Status Append(std::int64_t count) override {
    const std::int64_t first = length_;
    ARROW_RETURN_NOT_OK(Grow(count));
    if (in_runs_) return runs_.ReadBits(bits_.mutable_data(), first, count) ? arrow::Status::OK() : TooFew();
    ARROW_ASSIGN_OR_RAISE(const std::int64_t bit, TakePlain(count));
    arrow::internal::CopyBitmap(reinterpret_cast<const std::uint8_t*>(plain_.data()), bit, count, bits_.mutable_data(), first);
    return arrow::Status::OK();
  }

  arrow::Status AppendNulls(std::int64_t count) override {
    const std::int64_t first = length_;
    ARROW_RETURN_NOT_OK(Grow(count));
    arrow::bit_util::SetBitsTo(bits_.mutable_data(), first, count, false);
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish(std::int64_t count, std::shared_ptr<arrow::Buffer> validity,
                                                      std::int64_t null_count) override {
    length_ = 0;
    ARROW_ASSIGN_OR_RAISE(auto bits, bits_.Finish(/*shrink_to_fit=*/false));
    return arrow::MakeArray(arrow::ArrayData::Make(arrow::boolean(), count, {std::move(validity), std::move(bits)}, null_count));
  }

 private:
  static arrow::Status TooFew() { return DamagedPage("it has fewer values than it says"); }

  arrow::Status Grow(std::int64_t count) {
    length_ += count;
    return bits_.Append(arrow::bit_util::BytesForBits(length_) - bits_.length(), 0);
  }

  /// The place of the first of the page's next values.
  arrow::Result<std::int64_t> TakePlain(std::int64_t count) {
    if (count > static_cast<std::int64_t>(plain_.size()) * 8 - next_plain_) return TooFew();
    return std::exchange(next_plain_, next_plain_ + count);
  }

  bool in_runs_ = false;
  ParquetRunReader runs_;
  std::string_view plain_;
  std::int64_t next_plain_ = 0;
  std::int64_t length_ = 0;  // in bits
  arrow::BufferBuilder bits_{BufferPool()};
};

template <typename Value, typename Decode>
std::unique_ptr<ParquetValues> Fixed(const std::shared_ptr<arrow::DataType>& type, Decode decode) {
  return std::make_unique<FixedValues<Value, Decode>>(type, decode);
}

template <typename Stored, typename Value>
std::unique_ptr<ParquetValues> Numbers(const std::shared_ptr<arrow::DataType>& type) {
  return Fixed<Value>(type, Number<Stored, Value>{});
}

/// The unit in which the column keeps times.
std::optional<arrow::TimeUnit::type> UnitOf(const parquet::ColumnDescriptor& column) {
  const parquet::LogicalType& type = *column.logical_type();
  const auto unit = type.is_timestamp() ? static_cast<const parquet::TimestampLogicalType&>(type).time_unit()
                    : type.is_time()    ? static_cast<const parquet::TimeLogicalType&>(type).time_unit()
                                        : parquet::LogicalType::TimeUnit::UNKNOWN;
  switch (unit) {
    case parquet::LogicalType::TimeUnit::MILLIS: return arrow::TimeUnit::MILLI;
    case parquet::LogicalType::TimeUnit::MICROS: return arrow::TimeUnit::MICRO;
    case parquet::LogicalType::TimeUnit::NANOS: return arrow::TimeUnit::NANO;
    default: return std::nullopt;
  }
}

std::unique_ptr<ParquetValues> MakeInt32Values(const parquet::ColumnDescriptor& column, const std::shared_ptr<arrow::DataType>& type) {
  switch (type->id()) {
    case arrow::Type::INT8: return Numbers<std::int32_t, std::int8_t>(type);
    case arrow::Type::INT16: return Numbers<std::int32_t, std::int16_t>(type);
    case arrow::Type::INT32:
    case arrow::Type::DATE32: return Numbers<std::int32_t, std::int32_t>(type);
    case arrow::Type::TIME32:
      if (UnitOf(column) != static_cast<const arrow::TimeType&>(*type).unit()) return nullptr;
      return Numbers<std::int32_t, std::int32_t>(type);
    case arrow::Type::DECIMAL128: return Fixed<arrow::Decimal128>(type, NarrowDecimal<std::int32_t>{});
    default: return nullptr;
  }
}

std::unique_ptr<ParquetValues> MakeInt64Values(const parquet::ColumnDescriptor& column, const std::shared_ptr<arrow::DataType>& type) {
  switch (type->id()) {
    case arrow::Type::INT64: return Numbers<std::int64_t, std::int64_t>(type);
    case arrow::Type::TIMESTAMP:
      if (UnitOf(column) != static_cast<const arrow::TimestampType&>(*type).unit()) return nullptr;
      return Numbers<std::int64_t, std::int64_t>(type);
    case arrow::Type::TIME64:
      if (UnitOf(column) != static_cast<const arrow::TimeType&>(*type).unit()) return nullptr;
      return Numbers<std::int64_t, std::int64_t>(type);
    case arrow::Type::DECIMAL128: return Fixed<arrow::Decimal128>(type, NarrowDecimal<std::int64_t>{});
    default: return nullptr;
  }
}

}  // namespace

std::unique_ptr<ParquetValues> MakeParquetValues(const parquet::ColumnDescriptor& column,
                                                 const std::shared_ptr<arrow::DataType>& type) {
  switch (column.physical_type()) {
    case parquet::Type::BOOLEAN: return type->id() == arrow::Type::BOOL ? std::make_unique<BooleanValues>() : nullptr;
    case parquet::Type::INT32: return MakeInt32Values(column, type);
    case parquet::Type::INT64: return MakeInt64Values(column, type);
    case parquet::Type::FLOAT: return type->id() == arrow::Type::FLOAT ? Numbers<float, float>(type) : nullptr;
    case parquet::Type::DOUBLE: return type->id() == arrow::Type::DOUBLE ? Numbers<double, double>(type) : nullptr;
    case parquet::Type::BYTE_ARRAY:
      if (type->id() != arrow::Type::STRING && type->id() != arrow::Type::BINARY) return nullptr;
      return MakeParquetTexts(type);
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      if (type->id() != arrow::Type::DECIMAL128 || column.type_length() < 1 || column.type_length() > kMostDecimalBytes) {
        return nullptr;
      }
      return Fixed<arrow::Decimal128>(type, WideDecimal{static_cast<std::size_t>(column.type_length())});
    default: return nullptr;
  }
}

}  // namespace braid
