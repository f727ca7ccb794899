#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace braid {

/// A JSON document as a value. Integers stay 64-bit integers (never pass through a double), objects keep the order
/// of their members. Copyable; safe to read from any thread.
class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;

  Json() = default;  ///< null
  // NOLINTBEGIN(google-explicit-constructor): literals are meant to convert.
  Json(std::nullptr_t) {}
  Json(bool value) : value_(value) {}
  Json(int value) : value_(std::int64_t{value}) {}
  Json(std::int64_t value) : value_(value) {}
  Json(double value) : value_(value) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(Array value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}
  // NOLINTEND(google-explicit-constructor)

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_bool() const { return std::holds_alternative<bool>(value_); }
  bool is_integer() const { return std::holds_alternative<std::int64_t>(value_); }
  bool is_number() const { return is_integer() || std::holds_alternative<double>(value_); }
  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }

  /// Precondition of these: the matching is_…() holds.
  bool as_bool() const { return std::get<bool>(value_); }
  std::int64_t as_integer() const { return std::get<std::int64_t>(value_); }
  double as_double() const {
    return is_integer() ? static_cast<double>(as_integer()) : std::get<double>(value_);
  }
  const std::string& as_string() const { return std::get<std::string>(value_); }
  const Array& as_array() const { return std::get<Array>(value_); }
  Array& as_array() { return std::get<Array>(value_); }
  const Object& as_object() const { return std::get<Object>(value_); }
  Object& as_object() { return std::get<Object>(value_); }

  /// The member of that name, or nullptr if there is none or this is no object. An explicit null counts as a member.
  const Json* Find(std::string_view key) const;

  // Typed members of an object. The Get forms fail with kCorruption, naming the key, if the member is absent, null or of
  // another type; the Find forms give nullopt if it is absent or null.
  Result<std::string> GetString(std::string_view key) const;
  Result<std::int64_t> GetInteger(std::string_view key) const;
  Result<std::optional<std::string>> FindString(std::string_view key) const;
  Result<std::optional<std::int64_t>> FindInteger(std::string_view key) const;

  /// Whether there is such a member and it is true.
  bool IsTrue(std::string_view key) const;

  /// Appends a member without looking for an earlier one of that name. Precondition: is_object() or is_null().
  void Add(std::string key, Json value);

  friend bool operator==(const Json&, const Json&) = default;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value_;
};

/// Parses one document. Errors: kCorruption, with the byte offset, for anything but one whole JSON text (RFC 8259) in
/// UTF-8, nested at most 512 deep; integers outside 64 bits become doubles.
Result<Json> ParseJson(std::string_view text);

/// Prints without white space.
std::string PrintJson(const Json& json);
/// Prints with an indent of two spaces a level.
std::string PrintJsonPretty(const Json& json);
/// Appends a quoted JSON string; only '"', '\' and control characters are escaped.
void AppendJsonString(std::string_view text, std::string& out);

}  // namespace braid
