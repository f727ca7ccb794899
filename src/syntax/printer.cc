#include "syntax/printer.h"

#include <fmt/format.h>

#include "base/text.h"
#include "syntax/keywords.h"
#include "syntax/printer_internal.h"

namespace braid::syntax {
namespace {

template <typename Node>
std::string PrintWhole(const Node& node) {
  Printer printer;
  printer.Print(node);
  return std::move(printer).Finish();
}

bool IsPlainName(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
  };
  if (name.empty() || !is_letter(name.front())) return false;
  for (const char c : name) {
    if (!is_letter(c) && !(c >= '0' && c <= '9')) return false;
  }
  const std::string word = ToUpper(name);
  return !IsReservedWord(word) && !IsContextualWord(word);
}

std::string Quoted(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote) out += quote;
    out += c;
  }
  out += quote;
  return out;
}

}  // namespace

std::string ToSql(const Statement& statement) {
  return PrintWhole(statement);
}
std::string ToSql(const Query& query) {
  return PrintWhole(query);
}
std::string ToSql(const Expression& expression) {
  return PrintWhole(expression);
}
std::string ToSql(const TypeName& type) {
  return PrintWhole(type);
}
std::string ToSql(const QualifiedName& name) {
  return PrintWhole(name);
}
std::string ToSql(const IntervalQualifier& qualifier) {
  return PrintWhole(qualifier);
}

std::string QuoteIdentifier(std::string_view name) {
  return IsPlainName(name) ? std::string(name) : Quoted(name, '`');
}

std::string QuoteString(std::string_view text) {
  return Quoted(text, '\'');
}

void Printer::AddExpressions(const std::vector<ExpressionPtr>& list) {
  AddList(list, [this](const ExpressionPtr& item) { Print(*item); });
}

void Printer::AddNames(const std::vector<Identifier>& names) {
  Add("(");
  AddList(names, [this](const Identifier& name) { Add(name); });
  Add(")");
}

void Printer::AddProperties(const std::vector<Property>& properties) {
  Add("(");
  AddList(properties, [this](const Property& property) {
    AddString(property.key);
    Add(" = ");
    AddString(property.value);
  });
  Add(")");
}

void Printer::AddWith(const std::vector<Property>& properties) {
  if (properties.empty()) return;
  Add(" WITH ");
  AddProperties(properties);
}

void Printer::Print(const QualifiedName& name) {
  for (std::size_t i = 0; i < name.parts.size(); ++i) {
    if (i > 0) Add(".");
    Add(name.parts[i]);
  }
}

void Printer::Print(const IntervalQualifier& qualifier) {
  Add(TimeUnitName(qualifier.start));
  if (qualifier.start_precision) {
    Add(fmt::format("({}", *qualifier.start_precision));
    if (!qualifier.end && qualifier.fractional_precision) Add(fmt::format(", {}", *qualifier.fractional_precision));
    Add(")");
  }
  if (!qualifier.end) return;
  Add(" TO ");
  Add(TimeUnitName(*qualifier.end));
  if (qualifier.fractional_precision) Add(fmt::format("({})", *qualifier.fractional_precision));
}

void Printer::Print(const TypeName& type) {
  Add(type.name);
  if (type.name == "INTERVAL") Add(" " + type.qualifier);
  if (type.name == "RAW") {
    const std::size_t end = type.qualifier.find('\n');
    Add(fmt::format("({}, {})", QuoteString(type.qualifier.substr(0, end)),
                    QuoteString(type.qualifier.substr(end + 1))));
  }
  if (!type.arguments.empty()) {
    Add("<");
    AddList(type.arguments, [this](const TypeName& argument) { Print(argument); });
    if (type.name == "VECTOR") Add(fmt::format(", {}", type.parameters.front()));
    Add(">");
  } else if (type.name == "ROW") {
    Add("<");
    AddList(type.fields, [this](const TypeField& field) {
      Add(field.name);
      Add(" ");
      Print(field.type);
      if (field.comment) Add(" " + QuoteString(*field.comment));
    });
    Add(">");
  } else if (!type.parameters.empty()) {
    Add("(");
    AddList(type.parameters, [this](std::int64_t parameter) { Add(fmt::format("{}", parameter)); });
    Add(")");
  }
  if (type.not_null) Add(*type.not_null ? " NOT NULL" : " NULL");
}

}  // namespace braid::syntax
