#include "base/json.h"

#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/long_text.h"

namespace braid {

namespace {

constexpr std::size_t kMaxDepth = 512;

// Builds a Json from nlohmann's parse events, so that no second document tree is made.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return Value(Json()); }
  bool boolean(bool value) override { return Value(value); }
  bool number_integer(number_integer_t value) override { return Value(std::int64_t{value}); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max())) {
      return Value(static_cast<double>(value));
    }
    return Value(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return Value(value); }
  bool string(string_t& value) override { return Value(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return Open(Json::Object{}); }
  bool key(string_t& value) override {
    keys_.back() = std::move(value);
    return true;
  }
  bool end_object() override { return Close(); }
  bool start_array(std::size_t) override { return Open(Json::Array{}); }
  bool end_array() override { return Close(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    error_ = fmt::format("not valid JSON at byte {}", position == 0 ? 0 : position - 1);
    return false;
  }

  Result<Json> Take() {
    if (!error_.empty()) return Error(ErrorCode::kCorruption, error_);
    return std::move(root_);
  }

 private:
  bool Value(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else {
      Insert(std::move(value));
    }
    return true;
  }

  void Insert(Json value) {
    Json& parent = open_.back();
    if (parent.is_array()) {
      parent.as_array().push_back(std::move(value));
    } else {
      parent.as_object().emplace_back(std::move(keys_.back()), std::move(value));
    }
  }

  bool Open(Json container) {
    if (open_.size() >= kMaxDepth) {
      error_ = fmt::format("JSON is nested deeper than {} levels", kMaxDepth);
      return false;
    }
    open_.push_back(std::move(container));
    keys_.emplace_back();
    return true;
  }

  bool Close() {
    Json done = std::move(open_.back());
    open_.pop_back();
    keys_.pop_back();
    return Value(std::move(done));
  }

  Json root_;
  std::vector<Json> open_;
  std::vector<std::string> keys_;  // per open container: the key that waits for its value
  std::string error_;
};

void AppendDouble(double value, std::string& out) {
  if (!std::isfinite(value)) {  // JSON has no such numbers
    out += "null";
    return;
  }
  char buffer[32];
  const auto [end, code] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  out += text;
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

void Print(const Json& json, bool pretty, int depth, std::string& out) {
  const auto new_line = [&](int level) {
    if (!pretty) return;
    out += '\n';
    out.append(static_cast<std::size_t>(level) * 2, ' ');
  };
  if (json.is_null()) {
    out += "null";
  } else if (json.is_bool()) {
    out += json.as_bool() ? "true" : "false";
  } else if (json.is_integer()) {
    out += std::to_string(json.as_integer());
  } else if (json.is_number()) {
    AppendDouble(json.as_double(), out);
  } else if (json.is_string()) {
    AppendJsonString(json.as_string(), out);
  } else if (json.is_array()) {
    out += '[';
    bool first = true;
    for (const Json& element : json.as_array()) {
      if (!first) out += ',';
      first = false;
      new_line(depth + 1);
      Print(element, pretty, depth + 1, out);
    }
    if (!first) new_line(depth);
    out += ']';
  } else {
    out += '{';
    bool first = true;
    for (const auto& [key, value] : json.as_object()) {
      if (!first) out += ',';
      first = false;
      new_line(depth + 1);
      AppendJsonString(key, out);
      out += pretty ? " : " : ":";
      Print(value, pretty, depth + 1, out);
    }
    if (!first) new_line(depth);
    out += '}';
  }
}

Error WrongMember(std::string_view key, std::string_view expected, const Json* found) {
  return Error(ErrorCode::kCorruption, found == nullptr || found->is_null()
                                           ? fmt::format("'{}' is missing", key)
                                           : fmt::format("'{}' is not {}", key, expected));
}

}  // namespace

const Json* Json::Find(std::string_view key) const {
  if (!is_object()) return nullptr;
  for (const auto& [name, value] : as_object()) {
    if (name == key) return &value;
  }
  return nullptr;
}

Result<std::optional<std::string>> Json::FindString(std::string_view key) const {
  const Json* member = Find(key);
  if (member == nullptr || member->is_null()) return std::optional<std::string>();
  if (!member->is_string()) return WrongMember(key, "a string", member);
  return std::optional(member->as_string());
}

Result<std::optional<std::int64_t>> Json::FindInteger(std::string_view key) const {
  const Json* member = Find(key);
  if (member == nullptr || member->is_null()) return std::optional<std::int64_t>();
  if (!member->is_integer()) return WrongMember(key, "an integer", member);
  return std::optional(member->as_integer());
}

Result<std::string> Json::GetString(std::string_view key) const {
  BRAID_TRY_ASSIGN(std::optional<std::string> value, FindString(key));
  if (!value) return WrongMember(key, "a string", nullptr);
  return *std::move(value);
}

Result<std::int64_t> Json::GetInteger(std::string_view key) const {
  BRAID_TRY_ASSIGN(const std::optional<std::int64_t> value, FindInteger(key));
  if (!value) return WrongMember(key, "an integer", nullptr);
  return *value;
}

bool Json::IsTrue(std::string_view key) const {
  const Json* value = Find(key);
  return value != nullptr && value->is_bool() && value->as_bool();
}

void Json::Add(std::string key, Json value) {
  if (is_null()) value_ = Object();
  as_object().emplace_back(std::move(key), std::move(value));
}

Result<Json> ParseJson(std::string_view text) {
  Builder builder;
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return builder.Take();
}

std::string PrintJson(const Json& json) {
  std::string out;
  Print(json, false, 0, out);
  return out;
}

std::string PrintJsonPretty(const Json& json) {
  std::string out;
  Print(json, true, 0, out);
  return out;
}

void AppendJsonString(std::string_view text, std::string& out) {
  ReserveForLong(text.size(), out);
  out += '"';
  AppendJsonCharacters(text, out);
  out += '"';
}

}  // namespace braid
