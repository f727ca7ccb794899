#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <arrow/type.h>

#include "format/orc_column_reader.h"
#include "format/orc_timestamp_encoding.h"
#include "format/orc_value_buffers.h"
#include "types/batch.h"

namespace braid {
namespace {

constexpr std::size_t kChunkValues = 1024;

/// Seconds and the part of a second beside them.
class Instants {
 public:
  /// `zone` is the one that the file's wall clock shows; null: UTC.
  Instants(const OrcColumnPlan& plan, const OrcOpenStripe& stripe, std::shared_ptr<const TimeZone> zone)
      : seconds_(stripe.Stream(plan.column, OrcStreamKind::kData), stripe.HasVersionTwo(plan.column), true),
        nanos_(stripe.Stream(plan.column, OrcStreamKind::kSecondary), stripe.HasVersionTwo(plan.column), false),
        zone_(std::move(zone)) {}

  enum class Outcome { kRead, kSecondsEnd, kNanosEnd, kDamaged };
  /// Calls `take` with each of the next values.
  template <typename Take>
  Outcome Read(std::int64_t count, Take take) {
    std::array<std::int64_t, kChunkValues> seconds;
    std::array<std::int64_t, kChunkValues> nanos;
    for (auto left = static_cast<std::size_t>(count); left > 0;) {
      const std::size_t chunk = std::min(left, kChunkValues);
      if (!seconds_.Read(std::span(seconds).first(chunk))) return Outcome::kSecondsEnd;
      if (!nanos_.Read(std::span(nanos).first(chunk))) return Outcome::kNanosEnd;
      for (std::size_t i = 0; i < chunk; ++i) {
        const OrcTimestamp stored{.seconds = seconds[i], .nanos = nanos[i]};
        const std::optional<Timestamp> value =
            zone_ == nullptr ? DecodeOrcTimestamp(stored) : DecodeOrcTimestamp(stored, *zone_);
        if (!value) return Outcome::kDamaged;
        take(*value);
      }
      left -= chunk;
    }
    return Outcome::kRead;
  }
  const OrcStreamReader& seconds() const { return seconds_.stream(); }
  const OrcStreamReader& nanos() const { return nanos_.stream(); }

 private:
  OrcIntegerReader seconds_;
  OrcIntegerReader nanos_;
  std::shared_ptr<const TimeZone> zone_;
};

class TimestampColumn : public OrcColumnReader {
 protected:
  TimestampColumn(const OrcColumnPlan& plan, const OrcOpenStripe& stripe, std::shared_ptr<const TimeZone> zone)
      : OrcColumnReader(plan, stripe), instants_(plan, stripe, std::move(zone)) {}

  template <typename Take>
  Status ReadInstants(std::int64_t count, Take take) {
    switch (instants_.Read(count, take)) {
      case Instants::Outcome::kRead: return Ok();
      case Instants::Outcome::kSecondsEnd: return Broken(instants_.seconds());
      case Instants::Outcome::kNanosEnd: return Broken(instants_.nanos());
      case Instants::Outcome::kDamaged: break;
    }
    return Damaged("an impossible timestamp");
  }

 private:
  Instants instants_;
};

/// Of up to six digits: milliseconds or microseconds.
class NarrowColumn : public TimestampColumn {
 public:
  NarrowColumn(const OrcColumnPlan& plan, const OrcOpenStripe& stripe, std::shared_ptr<const TimeZone> zone)
      : TimestampColumn(plan, stripe, std::move(zone)) {}

 protected:
  Result<std::shared_ptr<arrow::ArrayData>> ReadValues(const OrcPresence& rows) override {
    return ReadOrcFixedColumn<std::int64_t>(
        ToArrowType(type()), rows, [this](std::int64_t* to, std::int64_t count) { return ReadSome(to, count); });
  }

 private:
  Status ReadSome(std::int64_t* to, std::int64_t count) {
    if (type().precision() <= 3) return ReadInstants(count, [&to](Timestamp value) { *to++ = value.millis; });
    bool fits = true;
    BRAID_TRY(ReadInstants(count, [&](Timestamp value) {
      std::int64_t micros = 0;
      fits &= !__builtin_mul_overflow(value.millis, std::int64_t{1000}, &micros) &&
              !__builtin_add_overflow(micros, std::int64_t{value.nanos_of_milli / 1000}, &micros);
      *to++ = micros;
    }));
    return fits ? Ok() : Status(OutOfRange());
  }
};

/// Of more digits: milliseconds, and nanoseconds of the millisecond.
class WideColumn : public TimestampColumn {
 public:
  WideColumn(const OrcColumnPlan& plan, const OrcOpenStripe& stripe, std::shared_ptr<const TimeZone> zone)
      : TimestampColumn(plan, stripe, std::move(zone)) {}

 protected:
  Result<std::shared_ptr<arrow::ArrayData>> ReadValues(const OrcPresence& rows) override {
    BRAID_TRY_ASSIGN(const OrcValueBuffer nanos, MakeOrcBuffer(0));
    std::int64_t done = 0;
    BRAID_TRY_ASSIGN(
        const OrcValueBuffer millis,
        ReadOrcValues<std::int64_t>(rows.value_count, [&](std::int64_t* to, std::int64_t count) -> Status {
          BRAID_TRY(ResizeOrcBuffer(*nanos, (done + count) * static_cast<std::int64_t>(sizeof(std::int32_t))));
          auto* nano = nanos->mutable_data_as<std::int32_t>() + done;
          done += count;
          return ReadInstants(count, [&](Timestamp value) {
            *to++ = value.millis;
            *nano++ = value.nanos_of_milli;
          });
        }));
    BRAID_TRY(SpreadOrcValues<std::int64_t>(*millis, rows));
    BRAID_TRY(SpreadOrcValues<std::int32_t>(*nanos, rows));
    const OrcPresence all{.row_count = rows.row_count, .value_count = rows.row_count};
    return arrow::ArrayData::Make(ToArrowType(type()), rows.row_count, {rows.bits},
                                  {MakeOrcArray(arrow::int64(), all, millis), MakeOrcArray(arrow::int32(), all, nanos)},
                                  rows.null_count());
  }
};

}  // namespace

Result<std::unique_ptr<OrcColumnReader>> MakeOrcTimestampReader(const OrcColumnPlan& plan,
                                                                const OrcOpenStripe& stripe) {
  std::shared_ptr<const TimeZone> zone;  // instants are in UTC
  if (plan.kind == OrcTypeKind::kTimestamp) {
    BRAID_TRY_ASSIGN(zone, stripe.WriterZone());
  }
  if (plan.type.precision() > 6)
    return std::unique_ptr<OrcColumnReader>(std::make_unique<WideColumn>(plan, stripe, std::move(zone)));
  return std::unique_ptr<OrcColumnReader>(std::make_unique<NarrowColumn>(plan, stripe, std::move(zone)));
}

}  // namespace braid
