#include "base/options.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace braid {

namespace {

// A whole number and the unit behind it, lower case.
std::optional<std::pair<std::int64_t, std::string>> ParseQuantity(std::string_view text) {
  text = Trim(text);
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  const std::optional<std::int64_t> number = ParseInt64(text.substr(0, digits));
  if (!number) return std::nullopt;
  return std::pair(*number, ToLower(Trim(text.substr(digits))));
}

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

template <std::size_t N>
std::optional<std::int64_t> Scale(std::string_view text, const std::array<Unit, N>& units) {
  const auto quantity = ParseQuantity(text);
  if (!quantity) return std::nullopt;
  for (const Unit& unit : units) {
    if (unit.name != quantity->second) continue;
    std::int64_t scaled = 0;
    if (__builtin_mul_overflow(quantity->first, unit.factor, &scaled)) return std::nullopt;
    return scaled;
  }
  return std::nullopt;
}

Error BadValue(std::string_view key, const std::string& value, std::string_view expected) {
  return Error(ErrorCode::kInvalidArgument, fmt::format("option '{}' is '{}', which is not {}", key, value, expected));
}

}  // namespace

std::optional<std::string> Options::Find(std::string_view key) const {
  const auto it = values_.find(key);
  return it == values_.end() ? std::nullopt : std::optional(it->second);
}

std::string Options::Get(std::string_view key, std::string_view fallback) const {
  const auto it = values_.find(key);
  return it == values_.end() ? std::string(fallback) : it->second;
}

void Options::Remove(std::string_view key) {
  const auto it = values_.find(key);
  if (it != values_.end()) values_.erase(it);
}

Options Options::With(const Options& other) const {
  Options merged = *this;
  for (const auto& [key, value] : other.values_) merged.Set(key, value);
  return merged;
}

Result<bool> Options::GetBool(std::string_view key, bool fallback) const {
  const std::optional<std::string> value = Find(key);
  if (!value) return fallback;
  const std::string text = ToLower(Trim(*value));
  if (text == "true") return true;
  if (text == "false") return false;
  return BadValue(key, *value, "true or false");
}

Result<std::optional<std::int64_t>> Options::FindInt(std::string_view key) const {
  const std::optional<std::string> value = Find(key);
  if (!value) return std::optional<std::int64_t>();
  const std::optional<std::int64_t> number = ParseInt64(Trim(*value));
  if (!number) return BadValue(key, *value, "a whole number");
  return number;
}

Result<std::int64_t> Options::GetInt(std::string_view key, std::int64_t fallback) const {
  BRAID_TRY_ASSIGN(const std::optional<std::int64_t> number, FindInt(key));
  return number.value_or(fallback);
}

Result<std::int64_t> Options::GetMemorySize(std::string_view key, std::int64_t fallback) const {
  const std::optional<std::string> value = Find(key);
  if (!value) return fallback;
  Result<std::int64_t> size = ParseMemorySize(*value);
  if (!size) return BadValue(key, *value, "a size such as '64 mb'");
  return size;
}

Result<std::chrono::milliseconds> Options::GetDuration(std::string_view key, std::chrono::milliseconds fallback) const {
  const std::optional<std::string> value = Find(key);
  if (!value) return fallback;
  Result<std::chrono::milliseconds> duration = ParseDuration(*value);
  if (!duration) return BadValue(key, *value, "a duration such as '10 min'");
  return duration;
}

Result<std::int64_t> ParseMemorySize(std::string_view text) {
  static constexpr auto kUnits = std::to_array<Unit>({
      {"", 1}, {"b", 1}, {"bytes", 1},
      {"k", 1LL << 10}, {"kb", 1LL << 10}, {"kibibytes", 1LL << 10},
      {"m", 1LL << 20}, {"mb", 1LL << 20}, {"mebibytes", 1LL << 20},
      {"g", 1LL << 30}, {"gb", 1LL << 30}, {"gibibytes", 1LL << 30},
      {"t", 1LL << 40}, {"tb", 1LL << 40}, {"tebibytes", 1LL << 40},
  });
  const std::optional<std::int64_t> size = Scale(text, kUnits);
  if (!size) return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is not a size such as '64 mb'", text));
  return *size;
}

Result<std::chrono::milliseconds> ParseDuration(std::string_view text) {
  static constexpr auto kUnits = std::to_array<Unit>({
      {"", 1}, {"ms", 1}, {"milli", 1}, {"millis", 1}, {"millisecond", 1}, {"milliseconds", 1},
      {"s", 1000}, {"sec", 1000}, {"secs", 1000}, {"second", 1000}, {"seconds", 1000},
      {"m", 60'000}, {"min", 60'000}, {"mins", 60'000}, {"minute", 60'000}, {"minutes", 60'000},
      {"h", 3'600'000}, {"hour", 3'600'000}, {"hours", 3'600'000},
      {"d", 86'400'000}, {"day", 86'400'000}, {"days", 86'400'000},
  });
  const std::optional<std::int64_t> ms = Scale(text, kUnits);
  if (!ms) return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is not a duration such as '10 min'", text));
  return std::chrono::milliseconds(*ms);
}

}  // namespace braid
