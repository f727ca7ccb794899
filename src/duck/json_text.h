#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace braid {

struct JsonMember;

/// A JSON document for SQL's JSON functions: numbers keep the text they were written with (1.50), members their order.
struct JsonNode {
  enum class Kind : std::uint8_t { kNull, kTrue, kFalse, kNumber, kString, kArray, kObject };
  Kind kind = Kind::kNull;
  std::string text;                  ///< of a number as written, of a string without quotes
  std::vector<JsonMember> children;  ///< of an array with empty names

  bool is_scalar() const { return kind < Kind::kArray; }
};

struct JsonMember {
  std::string name;
  JsonNode value;
};

/// nullopt unless the text is one JSON value.
std::optional<JsonNode> ParseJsonNode(std::string_view text);
/// Without white space, as Jackson writes it.
void AppendJsonNode(const JsonNode& node, std::string& out);

/// A path of SQL's JSON functions: [lax|strict] $ .name ['name'] [n] [*] .* ..name. Immutable; any thread.
class JsonPath {
 public:
  /// Errors: kInvalidArgument for text that is no path; kUnsupported for filters, slices and functions.
  static Result<JsonPath> Parse(std::string_view text);

  /// A path that may lead to several values gives a list even of one.
  bool is_definite() const { return definite_; }
  bool is_strict() const { return strict_; }
  /// What the path leads to; nullopt if a step of a definite path leads nowhere.
  std::optional<std::vector<const JsonNode*>> Find(const JsonNode& root) const;

 private:
  struct Step {
    enum class Kind : std::uint8_t { kName, kIndex, kAll, kAnywhere } kind;
    std::string name;
    std::int64_t index = 0;
  };
  std::vector<Step> steps_;
  bool strict_ = true;
  bool definite_ = true;
};

}  // namespace braid
