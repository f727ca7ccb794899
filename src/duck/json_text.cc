#include "duck/json_text.h"

#include <fmt/format.h>

#include "base/text.h"
#include "duck/utf8_internal.h"
#include "types/variant_json.h"

namespace braid {
namespace {

constexpr int kMaxDepth = 500;

class NodeParser {
 public:
  explicit NodeParser(std::string_view text) : rest_(text) {}

  std::optional<JsonNode> Document() {
    std::optional<JsonNode> node = Value(0);
    SkipBlanks();
    return rest_.empty() ? std::move(node) : std::nullopt;
  }

 private:
  void SkipBlanks() {
    while (!rest_.empty() && std::string_view(" \t\r\n").find(rest_.front()) != std::string_view::npos)
      rest_.remove_prefix(1);
  }
  bool Accept(std::string_view text) {
    if (rest_.substr(0, text.size()) != text) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  std::optional<JsonNode> Value(int depth) {
    SkipBlanks();
    if (depth > kMaxDepth || rest_.empty()) return std::nullopt;
    if (Accept("null")) return JsonNode{};
    if (Accept("true")) return JsonNode{JsonNode::Kind::kTrue, {}, {}};
    if (Accept("false")) return JsonNode{JsonNode::Kind::kFalse, {}, {}};
    if (rest_.front() == '"') {
      std::optional<std::string> text = String();
      if (!text) return std::nullopt;
      return JsonNode{JsonNode::Kind::kString, *std::move(text), {}};
    }
    if (Accept("[")) return Children(JsonNode::Kind::kArray, ']', depth);
    if (Accept("{")) return Children(JsonNode::Kind::kObject, '}', depth);
    return Number();
  }

  std::optional<JsonNode> Children(JsonNode::Kind kind, char end, int depth) {
    JsonNode node{kind, {}, {}};
    SkipBlanks();
    if (Accept(std::string_view(&end, 1))) return node;
    do {
      std::string name;
      if (kind == JsonNode::Kind::kObject) {
        SkipBlanks();
        std::optional<std::string> key = String();
        SkipBlanks();
        if (!key || !Accept(":")) return std::nullopt;
        name = *std::move(key);
      }
      std::optional<JsonNode> child = Value(depth + 1);
      if (!child) return std::nullopt;
      node.children.push_back({std::move(name), *std::move(child)});
      SkipBlanks();
    } while (Accept(","));
    if (!Accept(std::string_view(&end, 1))) return std::nullopt;
    return node;
  }

  std::size_t Digits(std::size_t at) const {
    while (at < rest_.size() && rest_[at] >= '0' && rest_[at] <= '9') ++at;
    return at;
  }

  std::optional<JsonNode> Number() {
    std::size_t at = rest_.front() == '-' ? 1 : 0;
    const std::size_t integer = at;
    at = Digits(at);
    if (at == integer || (rest_[integer] == '0' && at > integer + 1)) return std::nullopt;
    if (at < rest_.size() && rest_[at] == '.') {
      const std::size_t fraction = at + 1;
      at = Digits(fraction);
      if (at == fraction) return std::nullopt;
    }
    if (at < rest_.size() && (rest_[at] == 'e' || rest_[at] == 'E')) {
      ++at;
      if (at < rest_.size() && (rest_[at] == '+' || rest_[at] == '-')) ++at;
      const std::size_t exponent = at;
      at = Digits(exponent);
      if (at == exponent) return std::nullopt;
    }
    JsonNode node{JsonNode::Kind::kNumber, std::string(rest_.substr(0, at)), {}};
    rest_.remove_prefix(at);
    return node;
  }

  std::optional<std::string> String() {
    if (!Accept("\"")) return std::nullopt;
    std::string text;
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') return text;
      if (static_cast<unsigned char>(c) < 0x20) return std::nullopt;
      if (c != '\\') {
        text += c;
      } else if (!Escape(text)) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  std::optional<std::uint32_t> Unit() {
    const std::optional<std::string> bytes = rest_.size() >= 4 ? FromHex(rest_.substr(0, 4)) : std::nullopt;
    if (!bytes) return std::nullopt;
    rest_.remove_prefix(4);
    return (static_cast<unsigned char>((*bytes)[0]) << 8U) | static_cast<unsigned char>((*bytes)[1]);
  }

  bool Escape(std::string& text) {
    if (rest_.empty()) return false;
    const char c = rest_.front();
    rest_.remove_prefix(1);
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
    if (const std::size_t found = kNames.find(c); found != std::string_view::npos) {
      text += kValues[found];
      return true;
    }
    if (c != 'u') return false;
    std::optional<std::uint32_t> unit = Unit();
    if (!unit) return false;
    if (*unit >= 0xD800 && *unit < 0xDC00 && Accept("\\u")) {
      const std::optional<std::uint32_t> low = Unit();
      if (!low || *low < 0xDC00 || *low >= 0xE000) return false;
      unit = 0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00);
    }
    AppendCodePoint(*unit >= 0xD800 && *unit < 0xE000 ? 0xFFFD : *unit, text);
    return true;
  }

  std::string_view rest_;
};

const JsonNode* Member(const JsonNode& node, std::string_view name) {
  if (node.kind != JsonNode::Kind::kObject) return nullptr;
  const JsonNode* found = nullptr;
  for (const auto& [key, child] : node.children) {
    if (key == name) found = &child;  // the last of several wins, as Jackson has it
  }
  return found;
}

const JsonNode* Element(const JsonNode& node, std::int64_t index) {
  if (node.kind != JsonNode::Kind::kArray) return nullptr;
  const auto size = static_cast<std::int64_t>(node.children.size());
  if (index < 0) index += size;
  return index >= 0 && index < size ? &node.children[static_cast<std::size_t>(index)].value : nullptr;
}

void FindAnywhere(const JsonNode& node, std::string_view name, std::vector<const JsonNode*>& found) {
  if (const JsonNode* member = Member(node, name)) found.push_back(member);
  for (const auto& [key, child] : node.children) FindAnywhere(child, name, found);
}

}  // namespace

std::optional<JsonNode> ParseJsonNode(std::string_view text) {
  return NodeParser(text).Document();
}

void AppendJsonNode(const JsonNode& node, std::string& out) {
  switch (node.kind) {
    case JsonNode::Kind::kNull: out += "null"; return;
    case JsonNode::Kind::kTrue: out += "true"; return;
    case JsonNode::Kind::kFalse: out += "false"; return;
    case JsonNode::Kind::kNumber: out += node.text; return;
    case JsonNode::Kind::kString: AppendJacksonText(node.text, out); return;
    case JsonNode::Kind::kArray:
    case JsonNode::Kind::kObject: break;
  }
  const bool object = node.kind == JsonNode::Kind::kObject;
  out += object ? '{' : '[';
  bool first = true;
  for (const auto& [name, child] : node.children) {
    if (!first) out += ',';
    first = false;
    if (object) {
      AppendJacksonText(name, out);
      out += ':';
    }
    AppendJsonNode(child, out);
  }
  out += object ? '}' : ']';
}

Result<JsonPath> JsonPath::Parse(std::string_view text) {
  const auto wrong = [text] { return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is no JSON path", text)); };
  JsonPath path;
  std::string_view rest = Trim(text);
  for (const bool strict : {false, true}) {
    const std::string_view mode = strict ? "strict" : "lax";
    if (EqualsIgnoreCase(rest.substr(0, mode.size()), mode)) {
      path.strict_ = strict;
      rest = Trim(rest.substr(mode.size()));
      break;
    }
  }
  if (rest.empty() || rest.front() != '$') return wrong();
  rest.remove_prefix(1);
  while (!rest.empty()) {
    Step step{Step::Kind::kName, {}, 0};
    if (rest.substr(0, 2) == "..") {
      step.kind = Step::Kind::kAnywhere;
      path.definite_ = false;
      rest.remove_prefix(1);
    }
    if (rest.front() == '.') {
      rest.remove_prefix(1);
      const std::size_t end = std::min(rest.find_first_of(".["), rest.size());
      step.name = rest.substr(0, end);
      if (step.name.empty()) return wrong();
      if (step.name.back() == ')')
        return Error(ErrorCode::kUnsupported,
                     fmt::format("functions in JSON paths, as in '{}', are not supported", text));
      if (step.name == "*") step.kind = Step::Kind::kAll;
      rest.remove_prefix(end);
    } else if (rest.front() == '[') {
      const std::size_t end = rest.find(']');
      if (end == std::string_view::npos) return wrong();
      const std::string_view inner = Trim(rest.substr(1, end - 1));
      rest.remove_prefix(end + 1);
      if (inner == "*") {
        step.kind = Step::Kind::kAll;
      } else if (inner.size() >= 2 && (inner.front() == '\'' || inner.front() == '"') &&
                 inner.back() == inner.front()) {
        step.name = inner.substr(1, inner.size() - 2);
      } else if (const std::optional<std::int64_t> index = ParseInt64(inner)) {
        step.kind = Step::Kind::kIndex;
        step.index = *index;
      } else {
        return Error(ErrorCode::kUnsupported,
                     fmt::format("filters and slices in JSON paths, as in '{}', are not supported", text));
      }
    } else {
      return wrong();
    }
    if (step.kind == Step::Kind::kAll) path.definite_ = false;
    path.steps_.push_back(std::move(step));
  }
  return path;
}

std::optional<std::vector<const JsonNode*>> JsonPath::Find(const JsonNode& root) const {
  std::vector<const JsonNode*> nodes = {&root};
  for (const Step& step : steps_) {
    std::vector<const JsonNode*> next;
    for (const JsonNode* node : nodes) {
      const JsonNode* child = nullptr;
      switch (step.kind) {
        case Step::Kind::kName: child = Member(*node, step.name); break;
        case Step::Kind::kIndex: child = Element(*node, step.index); break;
        case Step::Kind::kAll:
          for (const auto& [name, value] : node->children) next.push_back(&value);
          break;
        case Step::Kind::kAnywhere: FindAnywhere(*node, step.name, next); break;
      }
      if (child != nullptr) next.push_back(child);
    }
    nodes = std::move(next);
    if (nodes.empty() && definite_) return std::nullopt;
  }
  return nodes;
}

}  // namespace braid
