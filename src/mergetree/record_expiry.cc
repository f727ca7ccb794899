#include <chrono>
#include <vector>

#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "mergetree/record_expiry_internal.h"

namespace braid {
namespace {

constexpr std::int64_t kLeastMillis = 1'000'000'000'000;  // a BIGINT from here on counts milliseconds, else seconds

bool IsTime(const DataType& type) {
  return type.kind() == TypeKind::kInt || type.kind() == TypeKind::kBigInt || type.is_timestamp();
}

}  // namespace

Result<std::optional<RecordExpiry>> RecordExpiry::Make(const Options& options, const KeyValueSchema& schema) {
  if (!options.Has("record-level.expire-time")) return std::optional<RecordExpiry>();
  BRAID_TRY_ASSIGN(const std::chrono::milliseconds lifetime, options.GetDuration("record-level.expire-time", {}));
  const std::string name = options.Get("record-level.time-field", "");
  const std::optional<std::size_t> found = FindField(schema.value_fields, name);
  if (!found) {
    return Error(
               ErrorCode::kInvalidArgument,
               fmt::format("record-level.expire-time is set, but record-level.time-field names no column: '{}'", name))
        .Hint("set the table's option record-level.time-field to the column that holds the time of a row");
  }
  const DataField& field = schema.value_fields[*found];
  if (!IsTime(field.type)) {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("record-level.time-field names '{}', which is {}", name, field.type.ToString()))
        .Hint("it must be INT or BIGINT, counting seconds, or a timestamp");
  }
  return std::optional(RecordExpiry(field, schema.value_column(*found), lifetime.count() / 1000));
}

bool RecordExpiry::IsOver(const Datum& time, std::int64_t now_ms) const {
  if (time.is_null()) return false;
  std::int64_t seconds = 0;
  if (time_field_.type.is_timestamp()) {
    seconds = time.as_timestamp().millis / 1000;
  } else {
    seconds = time.as_int();
    if (time_field_.type.kind() == TypeKind::kBigInt && seconds >= kLeastMillis) seconds /= 1000;
  }
  // Sums that overflow are of times far in the future.
  std::int64_t end = 0;
  if (__builtin_add_overflow(seconds, lifetime_seconds_, &end)) return false;
  return now_ms / 1000 > end;
}

Result<Batch> RecordExpiry::Fresh(const Batch& batch, std::int64_t now_ms) const {
  const arrow::Array& times = *batch.rows->column(column_);
  std::vector<std::int32_t> kept;
  for (std::int64_t row = 0; row < batch.row_count(); ++row) {
    if (!IsOver(DatumAt(times, row, time_field_.type), now_ms)) kept.push_back(static_cast<std::int32_t>(row));
  }
  if (static_cast<std::int64_t>(kept.size()) == batch.row_count()) return batch;
  return TakeRows(batch, kept);
}

}  // namespace braid
