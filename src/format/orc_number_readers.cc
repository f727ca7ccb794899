#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "format/orc_column_reader.h"
#include "format/orc_value_buffers.h"
#include "types/batch.h"

namespace braid {
namespace {

static_assert(std::endian::native == std::endian::little);  // as floating-point numbers are in files

constexpr std::size_t kChunkValues = 1024;  // that are widened or narrowed at once

class BooleanColumn : public OrcColumnReader {
 public:
  BooleanColumn(const OrcColumnPlan& plan, const OrcOpenStripe& stripe)
      : OrcColumnReader(plan, stripe), values_(stripe.Stream(plan.column, OrcStreamKind::kData)) {}

 protected:
  Result<std::shared_ptr<arrow::ArrayData>> ReadValues(const OrcPresence& rows) override {
    BRAID_TRY_ASSIGN(std::shared_ptr<arrow::Buffer> bits,
                     ReadOrcBits(values_, rows.value_count, [this] { return Broken(values_.stream()); }));
    BRAID_TRY_ASSIGN(bits, SpreadOrcBits(std::move(bits), rows));
    return MakeOrcArray(ToArrowType(type()), rows, std::move(bits));
  }

 private:
  OrcBooleanReader values_;
};

/// Integers of a file: bytes, or those of more bits.
class Integers {
 public:
  Integers(const OrcColumnPlan& plan, const OrcOpenStripe& stripe) : values_(Open(plan, stripe)) {}

  bool Read(std::span<std::int64_t> values) {
    if (auto* integers = std::get_if<OrcIntegerReader>(&values_)) return integers->Read(values);
    std::array<std::uint8_t, kChunkValues> bytes;
    while (!values.empty()) {
      const std::span chunk = std::span(bytes).first(std::min(values.size(), kChunkValues));
      if (!std::get<OrcByteRunReader>(values_).Read(chunk)) return false;
      std::ranges::transform(chunk, values.begin(), [](std::uint8_t byte) { return static_cast<std::int8_t>(byte); });
      values = values.subspan(chunk.size());
    }
    return true;
  }
  const OrcStreamReader& stream() const {
    return std::visit([](const auto& values) -> const OrcStreamReader& { return values.stream(); }, values_);
  }

 private:
  using Values = std::variant<OrcByteRunReader, OrcIntegerReader>;
  static Values Open(const OrcColumnPlan& plan, const OrcOpenStripe& stripe) {
    OrcStreamReader stream = stripe.Stream(plan.column, OrcStreamKind::kData);
    if (plan.kind == OrcTypeKind::kByte) return OrcByteRunReader(std::move(stream));
    return OrcIntegerReader(std::move(stream), stripe.HasVersionTwo(plan.column), /*is_signed=*/true);
  }

  Values values_;
};

/// TINYINT to BIGINT, DATE, TIME.
template <typename Value>
class IntegerColumn : public OrcColumnReader {
 public:
  IntegerColumn(const OrcColumnPlan& plan, const OrcOpenStripe& stripe)
      : OrcColumnReader(plan, stripe), values_(plan, stripe) {}

 protected:
  Result<std::shared_ptr<arrow::ArrayData>> ReadValues(const OrcPresence& rows) override {
    return ReadOrcFixedColumn<Value>(ToArrowType(type()), rows,
                                     [this](Value* to, std::int64_t count) { return ReadSome(to, count); });
  }

 private:
  Status ReadSome(Value* to, std::int64_t count) {
    if constexpr (std::is_same_v<Value, std::int64_t>) {
      if (!values_.Read({to, static_cast<std::size_t>(count)})) return Broken(values_.stream());
      return Ok();
    } else {
      return ReadNarrow(to, count);
    }
  }

  Status ReadNarrow(Value* to, std::int64_t count) {
    std::array<std::int64_t, kChunkValues> wide;
    for (auto left = static_cast<std::size_t>(count); left > 0;) {
      const std::span chunk = std::span(wide).first(std::min(left, kChunkValues));
      if (!values_.Read(chunk)) return Broken(values_.stream());
      bool fits = true;
      for (const std::int64_t value : chunk) {
        *to = static_cast<Value>(value);
        fits &= *to++ == value;
      }
      if (!fits) return OutOfRange();
      left -= chunk.size();
    }
    return Ok();
  }

  Integers values_;
};

/// FLOAT and DOUBLE, of which the file holds Stored.
template <typename Stored, typename Value>
class FloatingColumn : public OrcColumnReader {
 public:
  FloatingColumn(const OrcColumnPlan& plan, const OrcOpenStripe& stripe)
      : OrcColumnReader(plan, stripe), values_(stripe.Stream(plan.column, OrcStreamKind::kData)) {}

 protected:
  Result<std::shared_ptr<arrow::ArrayData>> ReadValues(const OrcPresence& rows) override {
    return ReadOrcFixedColumn<Value>(ToArrowType(type()), rows,
                                     [this](Value* to, std::int64_t count) { return ReadSome(to, count); });
  }

 private:
  Status ReadSome(Value* to, std::int64_t count) {
    if constexpr (std::is_same_v<Stored, Value>) {
      if (!values_.Read(to, static_cast<std::size_t>(count) * sizeof(Value))) return Broken(values_);
      return Ok();
    } else {
      return ReadOther(to, count);
    }
  }

  Status ReadOther(Value* to, std::int64_t count) {
    std::array<Stored, kChunkValues> stored;
    for (auto left = static_cast<std::size_t>(count); left > 0;) {
      const std::span chunk = std::span(stored).first(std::min(left, kChunkValues));
      if (!values_.Read(chunk.data(), chunk.size_bytes())) return Broken(values_);
      to = std::ranges::copy(chunk, to).out;
      left -= chunk.size();
    }
    return Ok();
  }

  OrcStreamReader values_;
};

}  // namespace

std::unique_ptr<OrcColumnReader> MakeOrcNumberReader(const OrcColumnPlan& plan, const OrcOpenStripe& stripe) {
  switch (plan.type.kind()) {
    case TypeKind::kBoolean: return std::make_unique<BooleanColumn>(plan, stripe);
    case TypeKind::kTinyInt: return std::make_unique<IntegerColumn<std::int8_t>>(plan, stripe);
    case TypeKind::kSmallInt: return std::make_unique<IntegerColumn<std::int16_t>>(plan, stripe);
    case TypeKind::kInt:
    case TypeKind::kDate:
    case TypeKind::kTime: return std::make_unique<IntegerColumn<std::int32_t>>(plan, stripe);
    case TypeKind::kBigInt: return std::make_unique<IntegerColumn<std::int64_t>>(plan, stripe);
    case TypeKind::kFloat: return std::make_unique<FloatingColumn<float, float>>(plan, stripe);
    case TypeKind::kDouble:
      if (plan.kind == OrcTypeKind::kFloat) return std::make_unique<FloatingColumn<float, double>>(plan, stripe);
      return std::make_unique<FloatingColumn<double, double>>(plan, stripe);
    default: BRAID_CHECK(false); return nullptr;
  }
}

}  // namespace braid
