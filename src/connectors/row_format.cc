#include "connectors/row_format.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "base/long_text.h"
#include "base/text.h"
#include "connectors/row_format_internal.h"
#include "types/parked_values.h"

namespace braid {

namespace {

const std::map<std::string, MakeFormat, std::less<>>& AllFormats() {
  static const std::map<std::string, MakeFormat, std::less<>> formats = {
      {"csv", MakeCsvFormat}, {"json", MakeJsonFormat}, {"raw", MakeRawFormat}};
  return formats;
}

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoDigit = 64;

/// The value of each character as a digit of Base64.
constexpr std::array<std::uint8_t, 256> kDigitValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (std::size_t i = 0; i < kDigits.size(); ++i) {
    values[static_cast<unsigned char>(kDigits[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}();

}  // namespace

std::size_t RowFormat::RecordEnd(std::string_view text, RecordSearch& search) const {
  const std::size_t end = text.find('\n', std::exchange(search.next, text.size()));
  if (end == std::string_view::npos) return end;
  search.line_feeds = 1;
  return end + 1;
}

Result<std::shared_ptr<const RowFormat>> MakeRowFormat(const RowFormatSettings& settings) {
  const auto name = settings.options.Find("format");
  std::vector<std::string> names;
  for (const auto& [known, make] : AllFormats()) names.push_back(known);
  if (!name) {
    return Error(ErrorCode::kInvalidArgument, "the table needs the option 'format'")
        .Hint("it is one of " + Join(names, ", "));
  }
  const auto found = AllFormats().find(*name);
  if (found == AllFormats().end()) {
    return Error(ErrorCode::kUnsupported, fmt::format("the format '{}' is not supported", *name))
        .Hint("there are " + Join(names, ", "));
  }
  return found->second(settings);
}

Status CheckFormatOptions(std::string_view format, const Options& options,
                          std::initializer_list<std::string_view> known) {
  const std::string prefix = std::string(format) + ".";
  for (const auto& [key, value] : options.values()) {
    if (!key.starts_with(prefix)) continue;
    const std::string_view name = std::string_view(key).substr(prefix.size());
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::vector<std::string> names;
    for (const std::string_view option : known) names.push_back(prefix + std::string(option));
    Error error(ErrorCode::kInvalidArgument, fmt::format("the format '{}' has no option '{}'", format, key));
    return std::move(error).Hint(names.empty() ? "it has none" : "its options are " + Join(names, ", "));
  }
  return Ok();
}

Result<Batch> RowBuffer::Finish() {
  BRAID_TRY_ASSIGN(Batch batch, MakeBatch(fields_, rows_));
  rows_.clear();
  return batch;
}

std::span<char> LongRow::record() const {
  return {reinterpret_cast<char*>(record_->mutable_data()), static_cast<std::size_t>(record_->size())};
}

void LongRow::SetBytes(std::size_t field, std::string_view bytes) {
  // A short one must not keep the record.
  constexpr std::size_t kMostCopied = std::size_t{1} << 20;
  std::shared_ptr<arrow::Buffer> values =
      bytes.size() < kMostCopied
          ? arrow::Buffer::FromString(std::string(bytes))
          : arrow::SliceBuffer(record_, bytes.data() - reinterpret_cast<const char*>(record_->data()),
                               static_cast<std::int64_t>(bytes.size()));
  std::shared_ptr<arrow::Buffer> offsets =
      arrow::Buffer::FromVector(std::vector<std::int32_t>{0, static_cast<std::int32_t>(bytes.size())});
  columns_[field] = arrow::MakeArray(arrow::ArrayData::Make(ToArrowType(fields_[field].type), 1,
                                                            {nullptr, std::move(offsets), std::move(values)}, 0));
}

Status LongRow::Set(std::size_t field, const Datum& value) {
  BRAID_TRY_ASSIGN(columns_[field], MakeConstantColumn(value, fields_[field].type, 1));
  return Ok();
}

Result<Batch> LongRow::Finish() {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i] == nullptr) BRAID_TRY(Set(i, Datum()));
  }
  const Batch batch{.rows = arrow::RecordBatch::Make(ToArrowSchema(fields_), 1, std::move(columns_)), .kinds = nullptr};
  return ParkLongValues(batch).batch;
}

std::string_view WithoutLineEnd(std::span<char> record) {
  std::string_view text(record.data(), record.size());
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

void AppendBase64(std::string_view bytes, std::string& text) {
  ReserveForLong((bytes.size() + 2) / 3 * 4, text);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k)
      bits = (bits << 8U) | (k < count ? static_cast<std::uint8_t>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += k <= count ? kDigits[(bits >> (18U - 6U * k)) & 63U] : '=';
  }
}

std::optional<std::string_view> DecodeBase64InPlace(std::span<char> text) {
  std::size_t size = text.size();
  while (size > 0 && text[size - 1] == '=') --size;
  if (size % 4 == 1) return std::nullopt;
  std::size_t end = 0;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text.first(size)) {
    const std::uint8_t digit = kDigitValues[static_cast<unsigned char>(c)];
    if (digit == kNoDigit) return std::nullopt;
    bits = (bits << 6U) | digit;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    text[end++] = static_cast<char>((bits >> count) & 255U);
  }
  return std::string_view(text.data(), end);
}

std::optional<std::string> DecodeBase64(std::string_view text) {
  std::string bytes(text);
  const std::optional<std::string_view> decoded = DecodeBase64InPlace(bytes);
  if (!decoded) return std::nullopt;
  bytes.resize(decoded->size());
  return bytes;
}

std::string_view BytesAt(const arrow::Array& column, std::int64_t row) {
  return static_cast<const arrow::BinaryArray&>(column).GetView(row);
}

std::string_view Excerpt(std::string_view text) {
  constexpr std::size_t kMostBytes = 200;
  std::size_t end = std::min(text.size(), kMostBytes);
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace braid
