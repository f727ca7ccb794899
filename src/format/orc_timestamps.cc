#include "format/orc_timestamps.h"

#include <algorithm>
#include <array>
#include <utility>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <fmt/format.h>

#include "format/orc_timestamp_encoding.h"
#include "types/batch.h"

namespace braid {
namespace {

Error Damaged(std::string_view path) {
  return Error(ErrorCode::kCorruption, fmt::format("{} is damaged: a timestamp column breaks off", path));
}

}  // namespace

bool WritesUtc(const OrcStripeFooter& footer) {
  constexpr std::array<std::string_view, 5> kNames = {"", "UTC", "GMT", "Etc/UTC", "Etc/GMT"};
  return std::ranges::find(kNames, footer.writer_zone) != kNames.end();
}

Result<std::unique_ptr<OrcTimestampReader>> OrcTimestampReader::Open(const InputFile& file, const OrcTail& tail,
                                                                     const OrcStripeFooter& footer,
                                                                     std::uint32_t column, std::string_view path) {
  using Kind = OrcStripeFooter::StreamKind;
  const auto read = [&](Kind kind) -> Result<std::string> {
    const OrcStripeFooter::Stream* stream = footer.Find(column, kind);
    if (stream == nullptr) return std::string();
    return ReadOrcBytes(file, tail, stream->offset, stream->bytes, path);
  };
  const bool version_two = column < footer.encodings.size() && footer.encodings[column] >= 2;
  std::optional<OrcBooleanReader> present;
  if (footer.Find(column, Kind::kPresent) != nullptr) {
    BRAID_TRY_ASSIGN(std::string bits, read(Kind::kPresent));
    present.emplace(std::move(bits));
  }
  BRAID_TRY_ASSIGN(std::string seconds, read(Kind::kData));
  BRAID_TRY_ASSIGN(std::string nanos, read(Kind::kSecondary));
  return std::unique_ptr<OrcTimestampReader>(
      new OrcTimestampReader(std::move(present), OrcIntegerReader(std::move(seconds), version_two, true),
                             OrcIntegerReader(std::move(nanos), version_two, false)));
}

Result<std::shared_ptr<arrow::Array>> OrcTimestampReader::Read(std::int64_t row_count, std::string_view path) {
  arrow::Int64Builder millis;
  arrow::Int32Builder nanos;
  arrow::TypedBufferBuilder<bool> validity;
  if (!millis.Reserve(row_count).ok() || !nanos.Reserve(row_count).ok() || !validity.Reserve(row_count).ok()) {
    return Error(ErrorCode::kUnavailable, "out of memory for a column");
  }
  for (std::int64_t i = 0; i < row_count; ++i) {
    Timestamp value;
    bool valid = true;
    if (present_) {
      const std::optional<bool> bit = present_->Next();
      if (!bit) return Damaged(path);
      valid = *bit;
    }
    if (valid) {
      const std::optional<std::int64_t> seconds = seconds_.Next();
      const std::optional<std::int64_t> encoded = nanos_.Next();
      if (!seconds || !encoded) return Damaged(path);
      const std::optional<Timestamp> decoded = DecodeOrcTimestamp({.seconds = *seconds, .nanos = *encoded});
      if (!decoded) return Damaged(path);
      value = *decoded;
    }
    validity.UnsafeAppend(valid);
    millis.UnsafeAppend(value.millis);
    nanos.UnsafeAppend(value.nanos_of_milli);
  }
  const std::int64_t null_count = validity.false_count();
  auto bitmap = validity.Finish();
  auto millis_array = millis.Finish();
  auto nanos_array = nanos.Finish();
  if (!bitmap.ok() || !millis_array.ok() || !nanos_array.ok()) {
    return Error(ErrorCode::kUnavailable, "out of memory for a column");
  }
  return arrow::MakeArray(arrow::ArrayData::Make(ToArrowType(DataType::Timestamp(9)), row_count,
                                                 {null_count == 0 ? nullptr : *bitmap},
                                                 {(*millis_array)->data(), (*nanos_array)->data()}, null_count));
}

}  // namespace braid
