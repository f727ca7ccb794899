#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace braid {

/// Key-value options of a table, a catalog or a job, with Paimon's spellings of values
/// (spec metadata.md, Appendix A). A value; readable from any thread.
///
/// The typed accessors fail with kInvalidArgument, naming key and value, if a value is set but cannot be read.
class Options {
 public:
  using Map = std::map<std::string, std::string, std::less<>>;

  Options() = default;
  explicit Options(Map values) : values_(std::move(values)) {}

  const Map& values() const { return values_; }
  bool empty() const { return values_.empty(); }
  bool Has(std::string_view key) const { return values_.contains(key); }
  std::optional<std::string> Find(std::string_view key) const;
  std::string Get(std::string_view key, std::string_view fallback) const;
  void Set(std::string key, std::string value) { values_.insert_or_assign(std::move(key), std::move(value)); }
  void Remove(std::string_view key);
  /// These options with the other's put over them.
  Options With(const Options& other) const;

  Result<bool> GetBool(std::string_view key, bool fallback) const;
  Result<std::int64_t> GetInt(std::string_view key, std::int64_t fallback) const;
  Result<std::optional<std::int64_t>> FindInt(std::string_view key) const;
  /// "64 mb", "1kb", "500": binary units b kb mb gb tb, in bytes.
  Result<std::int64_t> GetMemorySize(std::string_view key, std::int64_t fallback) const;
  /// "10 ms", "1h", "3 d": units ms, s, min, h, d (and their long forms).
  Result<std::chrono::milliseconds> GetDuration(std::string_view key, std::chrono::milliseconds fallback) const;

  friend bool operator==(const Options&, const Options&) = default;

 private:
  Map values_;
};

/// Errors: kInvalidArgument for anything but a number with an optional unit.
Result<std::int64_t> ParseMemorySize(std::string_view text);
Result<std::chrono::milliseconds> ParseDuration(std::string_view text);

}  // namespace braid
