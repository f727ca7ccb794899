#include "connectors/row_format.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "connectors/row_format_internal.h"

namespace braid {

namespace {

const std::map<std::string, MakeFormat, std::less<>>& AllFormats() {
  static const std::map<std::string, MakeFormat, std::less<>> formats = {
      {"csv", MakeCsvFormat}, {"json", MakeJsonFormat}, {"raw", MakeRawFormat}};
  return formats;
}

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::size_t RowFormat::RecordEnd(std::string_view text, std::size_t from) const {
  const std::size_t end = text.find('\n', from);
  return end == std::string_view::npos ? end : end + 1;
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

std::string EncodeBase64(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k)
      bits = (bits << 8U) | (k < count ? static_cast<std::uint8_t>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += k <= count ? kDigits[(bits >> (18U - 6U * k)) & 63U] : '=';
  }
  return text;
}

std::optional<std::string> DecodeBase64(std::string_view text) {
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = (bits << 6U) | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>((bits >> count) & 255U);
  }
  return bytes;
}

}  // namespace braid
