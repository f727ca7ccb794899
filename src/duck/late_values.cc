#include "duck/late_values.h"

#include <functional>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "base/uuid.h"
#include "types/parked_values.h"

namespace braid {

namespace {

constexpr std::size_t kNumberDigits = 16;

bool HasLongValue(const arrow::BinaryArray& column, std::int64_t min_bytes) {
  for (std::int64_t row = 0; row < column.length(); ++row) {
    if (column.IsValid(row) && column.value_length(row) >= min_bytes) return true;
  }
  return false;
}

}  // namespace

std::string_view LateValues::Place::bytes() const {
  return static_cast<const arrow::BinaryArray&>(*column).GetView(row);
}

LateValues::LateValues(std::int64_t min_bytes)
    : min_bytes_(min_bytes), prefix_(fmt::format("(long value {}:", RandomUuid())) {}

Result<std::shared_ptr<arrow::Array>> LateValues::WithReferences(const std::shared_ptr<arrow::Array>& column) {
  if (column->type_id() != arrow::Type::BINARY && column->type_id() != arrow::Type::STRING) return column;
  if (!HasLongValue(static_cast<const arrow::BinaryArray&>(*column), min_bytes_)) return column;
  const std::shared_ptr<arrow::Array> parked = ParkColumn(column);
  if (parked == nullptr) {
    return Error(ErrorCode::kUnavailable, "there is no room for long values in the folder for temporary files")
        .Hint("set TMPDIR to a folder with more room");
  }
  const auto& values = static_cast<const arrow::BinaryArray&>(*parked);
  arrow::BinaryBuilder builder;
  for (std::int64_t row = 0; row < values.length(); ++row) {
    arrow::Status appended;
    if (values.IsNull(row)) {
      appended = builder.AppendNull();
    } else if (values.value_length(row) < min_bytes_) {
      appended = builder.Append(values.GetView(row));
    } else {
      appended = builder.Append(ReferenceTo({.column = parked, .row = row}));
      ReleasePages(*parked);
    }
    if (!appended.ok()) return Error(ErrorCode::kUnavailable, "too little memory for the rows of a query");
  }
  std::shared_ptr<arrow::Array> references;
  if (!builder.Finish(&references).ok())
    return Error(ErrorCode::kUnavailable, "too little memory for the rows of a query");
  std::shared_ptr<arrow::ArrayData> data = references->data()->Copy();
  data->type = column->type();
  return arrow::MakeArray(std::move(data));
}

std::string LateValues::ReferenceTo(Place place) {
  const std::string_view bytes = place.bytes();
  const std::size_t hash = std::hash<std::string_view>()(bytes);
  const std::lock_guard lock(mutex_);
  const auto reference = [&](std::size_t number) { return fmt::format("{}{:0{}x})", prefix_, number, kNumberDigits); };
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto same = begin; same != end; ++same) {
    const Place& known = places_[same->second];
    const bool is_equal = known.bytes() == bytes;
    ReleasePages(*known.column);
    if (is_equal) return reference(same->second);
  }
  by_hash_.emplace(hash, places_.size());
  places_.push_back(std::move(place));
  return reference(places_.size() - 1);
}

std::shared_ptr<arrow::Array> LateValues::Find(std::string_view text) const {
  if (text.size() != prefix_.size() + kNumberDigits + 1 || !text.starts_with(prefix_)) return nullptr;
  const std::size_t number = std::stoull(std::string(text.substr(prefix_.size(), kNumberDigits)), nullptr, 16);
  const std::lock_guard lock(mutex_);
  return places_[number].column->Slice(places_[number].row, 1);
}

}  // namespace braid
