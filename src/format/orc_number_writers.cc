#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#include "base/result.h"
#include "format/orc_column_writer.h"
#include "format/orc_proto.h"
#include "types/number_text.h"

namespace braid {
namespace {

static_assert(std::endian::native == std::endian::little);  // as floating-point numbers are in files

/// A column of one stream of run-length encoded numbers.
template <typename Values>
class RunLengthColumn : public OrcColumnWriter {
 protected:
  template <typename... ValuesArguments>
  RunLengthColumn(std::uint32_t column, const OrcColumnSettings& settings, OrcStatistics::Bounds bounds,
                  OrcEncoding encoding, ValuesArguments... arguments)
      : OrcColumnWriter(column, settings, std::move(bounds), encoding), values_(settings.compressor, arguments...) {}

  void AddPositions(OrcPositions& positions) const override { values_.AddPositions(positions); }
  FinishedStreams FinishStreams() override { return {{OrcStreamKind::kData, values_.Finish()}}; }
  std::vector<const OrcStreamWriter*> streams() const override { return {&values_.stream()}; }

  Values values_;
};

class BooleanColumn : public RunLengthColumn<OrcBooleanWriter> {
 public:
  BooleanColumn(std::uint32_t column, const OrcColumnSettings& settings)
      : RunLengthColumn(column, settings, OrcBooleanCount(), OrcEncoding::kDirect) {}

  void Write(const arrow::ArrayData& data, std::int64_t start, std::int64_t count) override {
    WritePresence(data, start, count);
    const std::uint8_t* values = data.buffers[1]->data();
    auto& counted = bounds<OrcBooleanCount>();
    ForEachValue(data, start, count, [&](std::int64_t i) {
      const bool value = BitAt(values, i);
      values_.Write(value);
      counted.true_count += value ? 1 : 0;
    });
  }
};

class ByteColumn : public RunLengthColumn<OrcByteRunWriter> {
 public:
  ByteColumn(std::uint32_t column, const OrcColumnSettings& settings)
      : RunLengthColumn(column, settings, OrcIntegerBounds(), OrcEncoding::kDirect) {}

  void Write(const arrow::ArrayData& data, std::int64_t start, std::int64_t count) override {
    WritePresence(data, start, count);
    const auto* values = data.GetValues<std::int8_t>(1, 0);
    auto& range = bounds<OrcIntegerBounds>();
    OrcBloomFilter* filter = bloom_filter();
    ForEachValue(data, start, count, [&](std::int64_t i) {
      values_.Write(static_cast<std::uint8_t>(values[i]));
      range.Add(values[i]);
      if (filter != nullptr) filter->AddInteger(values[i]);
    });
  }
};

/// SMALLINT, INT, BIGINT, TIME, and with bounds of their own DATE.
template <typename Value, typename Bounds = OrcIntegerBounds>
class IntegerColumn : public RunLengthColumn<OrcIntegerWriter> {
 public:
  IntegerColumn(std::uint32_t column, const OrcColumnSettings& settings)
      : RunLengthColumn(column, settings, Bounds(), OrcEncoding::kDirectV2, /*is_signed=*/true) {}

  void Write(const arrow::ArrayData& data, std::int64_t start, std::int64_t count) override {
    WritePresence(data, start, count);
    const auto* values = data.GetValues<Value>(1, 0);
    auto& range = bounds<Bounds>();
    OrcBloomFilter* filter = bloom_filter();
    ForEachValue(data, start, count, [&](std::int64_t i) {
      values_.Write(values[i]);
      range.Add(values[i]);
      if (filter != nullptr) filter->AddInteger(values[i]);
    });
  }
};

template <typename Value>
class FloatingColumn : public OrcColumnWriter {
 public:
  FloatingColumn(std::uint32_t column, const OrcColumnSettings& settings)
      : OrcColumnWriter(column, settings, OrcDoubleBounds(), OrcEncoding::kDirect), values_(settings.compressor) {}

  void Write(const arrow::ArrayData& data, std::int64_t start, std::int64_t count) override {
    WritePresence(data, start, count);
    const auto* values = data.GetValues<Value>(1, 0);
    auto& range = bounds<OrcDoubleBounds>();
    OrcBloomFilter* filter = bloom_filter();
    ForEachRange(data, start, count, [&](std::int64_t first, std::int64_t length) {
      values_.Append({reinterpret_cast<const char*>(values + first), static_cast<std::size_t>(length) * sizeof(Value)});
      for (std::int64_t i = first; i < first + length; ++i) {
        range.Add(static_cast<double>(values[i]));
        if (filter != nullptr) filter->AddDouble(static_cast<double>(values[i]));
      }
    });
  }

 protected:
  void AddPositions(OrcPositions& positions) const override { values_.AddPosition(positions); }
  FinishedStreams FinishStreams() override { return {{OrcStreamKind::kData, values_.Finish()}}; }
  std::vector<const OrcStreamWriter*> streams() const override { return {&values_}; }

 private:
  OrcStreamWriter values_;
};

/// Digits as numbers of any length, and beside each its scale.
class DecimalColumn : public OrcColumnWriter {
 public:
  DecimalColumn(std::uint32_t column, const OrcColumnSettings& settings, int scale)
      : OrcColumnWriter(column, settings, OrcDecimalBounds(scale), OrcEncoding::kDirectV2),
        scale_(scale),
        values_(settings.compressor),
        scales_(settings.compressor, true) {}

  void Write(const arrow::ArrayData& data, std::int64_t start, std::int64_t count) override {
    WritePresence(data, start, count);
    const auto* values = data.GetValues<Int128>(1, 0);
    auto& range = bounds<OrcDecimalBounds>();
    OrcBloomFilter* filter = bloom_filter();
    encoded_.clear();
    ForEachValue(data, start, count, [&](std::int64_t i) {
      AppendNumber(values[i]);
      scales_.Write(scale_);
      range.Add(values[i]);
      if (filter != nullptr) filter->AddBytes(ShortestText(values[i]));
    });
    values_.Append(encoded_);
  }

 protected:
  void AddPositions(OrcPositions& positions) const override {
    values_.AddPosition(positions);
    scales_.AddPositions(positions);
  }
  FinishedStreams FinishStreams() override {
    return {{OrcStreamKind::kData, values_.Finish()}, {OrcStreamKind::kSecondary, scales_.Finish()}};
  }
  std::vector<const OrcStreamWriter*> streams() const override { return {&values_, &scales_.stream()}; }

 private:
  __extension__ using UInt128 = unsigned __int128;

  /// As Java's HiveDecimal, without zeros at the end of the fraction.
  std::string ShortestText(Int128 value) const {
    int scale = static_cast<int>(scale_);
    for (; scale > 0 && value % 10 == 0; --scale) value /= 10;
    std::string text;
    AppendDecimal(value, scale, text);
    return text;
  }

  void AppendNumber(Int128 value) {
    if (value == static_cast<std::int64_t>(value)) {
      AppendVarint(ZigZagEncode(static_cast<std::int64_t>(value)), encoded_);
      return;
    }
    auto bits = (static_cast<UInt128>(value) << 1) ^ static_cast<UInt128>(value >> 127);
    for (; bits >= 0x80; bits >>= 7) encoded_ += static_cast<char>(bits | 0x80);
    encoded_ += static_cast<char>(bits);
  }

  std::int64_t scale_;
  OrcStreamWriter values_;
  OrcIntegerWriter scales_;
  std::string encoded_;
};

}  // namespace

std::unique_ptr<OrcColumnWriter> MakeOrcNumberWriter(const DataType& type, const OrcColumnSettings& settings,
                                                     std::uint32_t column) {
  switch (type.kind()) {
    case TypeKind::kBoolean: return std::make_unique<BooleanColumn>(column, settings);
    case TypeKind::kTinyInt: return std::make_unique<ByteColumn>(column, settings);
    case TypeKind::kSmallInt: return std::make_unique<IntegerColumn<std::int16_t>>(column, settings);
    case TypeKind::kInt:
    case TypeKind::kTime: return std::make_unique<IntegerColumn<std::int32_t>>(column, settings);
    case TypeKind::kBigInt: return std::make_unique<IntegerColumn<std::int64_t>>(column, settings);
    case TypeKind::kDate: return std::make_unique<IntegerColumn<std::int32_t, OrcDateBounds>>(column, settings);
    case TypeKind::kFloat: return std::make_unique<FloatingColumn<float>>(column, settings);
    case TypeKind::kDouble: return std::make_unique<FloatingColumn<double>>(column, settings);
    case TypeKind::kDecimal: return std::make_unique<DecimalColumn>(column, settings, type.scale());
    default: BRAID_CHECK(false); return nullptr;
  }
}

}  // namespace braid
