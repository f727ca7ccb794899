#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "format/orc_column_reader.h"
#include "format/orc_proto.h"
#include "format/orc_value_buffers.h"
#include "types/batch.h"
#include "types/datum.h"
#include "types/number_text.h"

namespace braid {
namespace {

__extension__ using UInt128 = unsigned __int128;

constexpr std::size_t kChunkValues = 1024;
constexpr std::size_t kNarrowBytes = 9;      // seven bits in each fit into 64
constexpr std::size_t kMaxNumberBytes = 19;  // seven bits in each hold 128
constexpr std::int64_t kMaxScale = 38;

/// Digits as zigzag numbers of any length, and beside each its scale, which may be another one than the column's: Java
/// leaves zeros at the end of the fraction out.
class DecimalColumn : public OrcColumnReader {
 public:
  DecimalColumn(const OrcColumnPlan& plan, const OrcOpenStripe& stripe)
      : OrcColumnReader(plan, stripe),
        numbers_(stripe.Stream(plan.column, OrcStreamKind::kData)),
        scales_(stripe.Stream(plan.column, OrcStreamKind::kSecondary), stripe.HasVersionTwo(plan.column),
                /*is_signed=*/true) {
    if (plan.precision > static_cast<std::uint32_t>(type().precision())) limit_ = PowerOfTen(type().precision());
  }

 protected:
  Result<std::shared_ptr<arrow::ArrayData>> ReadValues(const OrcPresence& rows) override {
    return ReadOrcFixedColumn<Int128>(ToArrowType(type()), rows,
                                      [this](Int128* to, std::int64_t count) { return ReadSome(to, count); });
  }

 private:
  Status ReadSome(Int128* to, std::int64_t count) {
    std::array<std::int64_t, kChunkValues> scales;
    for (auto left = static_cast<std::size_t>(count); left > 0;) {
      const std::span values(to, std::min(left, kChunkValues));
      BRAID_TRY(ReadNumbers(values));
      if (!scales_.Read(std::span(scales).first(values.size()))) return Broken(scales_.stream());
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (scales[i] != type().scale() && !Rescale(values[i], scales[i])) return OutOfRange();
        if (limit_ != 0 && (values[i] >= limit_ || values[i] <= -limit_)) return OutOfRange();
      }
      to += values.size();
      left -= values.size();
    }
    return Ok();
  }

  Status ReadNumbers(std::span<Int128> values) {
    std::size_t next = 0;
    while (next < values.size()) {
      const std::string_view bytes = numbers_.Peek(kMaxNumberBytes);
      std::size_t used = 0;
      // A number that the visible bytes may not hold to its end waits for more of them, if there are more.
      while (next < values.size() && (bytes.size() - used >= kMaxNumberBytes || used == 0)) {
        const std::size_t size = ReadNumber(bytes.substr(used), values[next]);
        if (size == 0) return Broken(numbers_);
        used += size;
        ++next;
      }
      numbers_.Consume(used);
    }
    return Ok();
  }

  /// How many bytes it took; 0 if they hold no whole number of 128 bits.
  static std::size_t ReadNumber(std::string_view bytes, Int128& value) {
    std::size_t used = 0;
    std::uint64_t low = 0;  // most numbers fit into 64 bits
    for (; used < std::min(bytes.size(), kNarrowBytes); ++used) {
      const auto byte = static_cast<unsigned char>(bytes[used]);
      low |= std::uint64_t{byte & 0x7FU} << (7 * used);
      if ((byte & 0x80) == 0) {
        value = ZigZagDecode(low);
        return used + 1;
      }
    }
    UInt128 bits = low;
    for (; used < std::min(bytes.size(), kMaxNumberBytes); ++used) {
      const auto byte = static_cast<unsigned char>(bytes[used]);
      bits |= static_cast<UInt128>(byte & 0x7F) << (7 * used);
      if ((byte & 0x80) == 0) {
        value = static_cast<Int128>((bits >> 1) ^ (~(bits & 1) + 1));
        return used + 1;
      }
    }
    return 0;
  }

  /// To the scale of the column; false if that is no number of 128 bits. Digits that it has no room for are rounded
  /// half away from zero.
  bool Rescale(Int128& value, std::int64_t scale) const {
    if (scale < -kMaxScale || scale > 2 * kMaxScale) return value == 0;
    const std::int64_t missing = type().scale() - scale;
    if (missing > kMaxScale || missing < -kMaxScale) return value == 0;
    const Int128 factor = PowerOfTen(static_cast<int>(std::max(missing, -missing)));
    if (missing > 0) return !__builtin_mul_overflow(value, factor, &value);
    const Int128 rest = value % factor;
    const Int128 magnitude = rest < 0 ? -rest : rest;
    const Int128 away = value < 0 ? -1 : 1;
    value = value / factor + (magnitude >= factor - magnitude ? away : 0);
    return true;
  }

  Int128 limit_ = 0;  // that values do not reach; 0: none does by the file's type
  OrcStreamReader numbers_;
  OrcIntegerReader scales_;
};

}  // namespace

std::unique_ptr<OrcColumnReader> MakeOrcDecimalReader(const OrcColumnPlan& plan, const OrcOpenStripe& stripe) {
  return std::make_unique<DecimalColumn>(plan, stripe);
}

}  // namespace braid
