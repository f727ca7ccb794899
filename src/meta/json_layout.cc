#include "meta/json_layout_internal.h"

namespace braid {
namespace {

void Print(const Json& json, std::size_t depth, std::string& out);

void PrintObject(const Json::Object& members, std::size_t depth, std::string& out) {
  if (members.empty()) {
    out += "{ }";
    return;
  }
  char separator = '{';
  for (const auto& [key, value] : members) {
    out += separator;
    separator = ',';
    out += '\n';
    out.append(2 * (depth + 1), ' ');
    AppendJsonString(key, out);
    out += " : ";
    Print(value, depth + 1, out);
  }
  out += '\n';
  out.append(2 * depth, ' ');
  out += '}';
}

void PrintArray(const Json::Array& elements, std::size_t depth, std::string& out) {
  out += '[';
  for (std::size_t i = 0; i < elements.size(); ++i) {
    out += i == 0 ? " " : ", ";
    Print(elements[i], depth, out);  // arrays add no indent
  }
  out += " ]";
}

void Print(const Json& json, std::size_t depth, std::string& out) {
  if (json.is_object()) {
    PrintObject(json.as_object(), depth, out);
  } else if (json.is_array()) {
    PrintArray(json.as_array(), depth, out);
  } else {
    out += PrintJson(json);
  }
}

}  // namespace

std::string PrintLikeJava(const Json& json) {
  std::string out;
  Print(json, 0, out);
  return out;
}

}  // namespace braid
