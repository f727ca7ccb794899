#include <algorithm>

#include "base/text.h"
#include "syntax/keywords.h"
#include "syntax/parser_internal.h"
#include "syntax/printer_internal.h"

namespace braid::syntax {

void Printer::PrintFunctionName(const QualifiedName& name) {
  const bool is_reserved_function = name.parts.size() == 1 && IsReservedFunctionName(ToUpper(name.last()));
  if (is_reserved_function) {
    Add(name.last());
  } else {
    Print(name);
  }
}

// EXTRACT, FLOOR … TO, POSITION and OVERLAY go back to the words that they were read from.
bool Printer::PrintSpecialForm(const FunctionCall& call) {
  if (call.name.parts.size() != 1 || call.quantifier || !call.order_by.empty()) return false;
  const std::string name = ToUpper(call.name.last());
  const auto& arguments = call.arguments;
  if (std::any_of(arguments.begin(), arguments.end(),
                  [](const CallArgument& argument) { return argument.name.has_value(); })) {
    return false;
  }
  const auto is_unit = [&](std::size_t i) {
    return i < arguments.size() && std::holds_alternative<TimeUnitSymbol>(arguments[i].value->node);
  };
  std::vector<std::string_view> separators;
  if (name == "EXTRACT" && is_unit(0)) {
    separators = {" FROM "};
  } else if ((name == "FLOOR" || name == "CEIL" || name == "CEILING") && is_unit(1)) {
    separators = {" TO "};
  } else if (name == "POSITION" && (arguments.size() == 2 || arguments.size() == 3)) {
    separators = {" IN ", " FROM "};
  } else if (name == "OVERLAY" && (arguments.size() == 3 || arguments.size() == 4)) {
    separators = {" PLACING ", " FROM ", " FOR "};
  } else if (name == "TIMESTAMPADD" || name == "TIMESTAMPDIFF") {
    separators.assign(arguments.size(), ", ");
  } else if (IsContextVariable(name) && arguments.empty()) {
    Add(call.name.last());
    return true;
  } else {
    return false;
  }
  Add(call.name.last());
  Add("(");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) Add(separators[i - 1]);
    PrintOperand(arguments[i].value, name == "POSITION" && i == 0 ? kRangePrecedence + 1 : kLowestPrecedence);
  }
  Add(")");
  return true;
}

void Printer::PrintNode(const FunctionCall& node) {
  if (!PrintSpecialForm(node)) {
    PrintFunctionName(node.name);
    Add("(");
    if (node.quantifier) Add(*node.quantifier == SetQuantifier::kDistinct ? "DISTINCT " : "ALL ");
    AddList(node.arguments, [this](const CallArgument& argument) { PrintArgument(argument); });
    if (!node.order_by.empty()) PrintOrder(node.order_by);
    Add(")");
  }
  PrintSuffix(node.suffix);
}

void Printer::PrintArgument(const CallArgument& argument) {
  if (argument.name) {
    Add(*argument.name);
    Add(" => ");
  }
  Print(*argument.value);
}

void Printer::PrintSuffix(const CallSuffix& suffix) {
  if (suffix.nulls) Add(*suffix.nulls == NullTreatment::kIgnoreNulls ? " IGNORE NULLS" : " RESPECT NULLS");
  if (!suffix.within_group.empty()) {
    Add(" WITHIN GROUP (");
    // Without the blank before ORDER.
    Printer inner;
    inner.PrintOrder(suffix.within_group);
    Add(std::move(inner).Finish().substr(1));
    Add(")");
  }
  if (suffix.filter) {
    Add(" FILTER (WHERE ");
    Print(*suffix.filter);
    Add(")");
  }
  if (!suffix.over) return;
  Add(" OVER ");
  PrintWindow(*suffix.over);
}

void Printer::PrintOrder(const std::vector<OrderItem>& items) {
  Add(" ORDER BY ");
  AddList(items, [this](const OrderItem& item) {
    Print(*item.value);
    if (item.descending) Add(" DESC");
    if (item.nulls) Add(*item.nulls == NullOrder::kFirst ? " NULLS FIRST" : " NULLS LAST");
  });
}

void Printer::PrintWindow(const WindowSpecification& window) {
  if (window.is_name_alone) {
    Add(*window.base);
    return;
  }
  Add("(");
  std::string_view blank;
  if (window.base) {
    Add(*window.base);
    blank = " ";
  }
  if (!window.partition_by.empty()) {
    Add(blank);
    Add("PARTITION BY ");
    AddExpressions(window.partition_by);
    blank = " ";
  }
  if (!window.order_by.empty()) {
    Printer inner;
    inner.PrintOrder(window.order_by);
    Add(std::move(inner).Finish().substr(blank.empty() ? 1 : 0));
    blank = " ";
  }
  if (window.frame) {
    Add(blank);
    Add(window.frame->rows ? "ROWS BETWEEN " : "RANGE BETWEEN ");
    PrintBound(window.frame->start);
    Add(" AND ");
    PrintBound(window.frame->end);
  }
  Add(")");
}

void Printer::PrintBound(const FrameBound& bound) {
  switch (bound.kind) {
    case FrameBoundKind::kUnboundedPreceding: return Add("UNBOUNDED PRECEDING");
    case FrameBoundKind::kUnboundedFollowing: return Add("UNBOUNDED FOLLOWING");
    case FrameBoundKind::kCurrentRow: return Add("CURRENT ROW");
    case FrameBoundKind::kPreceding:
    case FrameBoundKind::kFollowing:
      PrintOperand(bound.offset, kAdditivePrecedence);
      Add(bound.kind == FrameBoundKind::kPreceding ? " PRECEDING" : " FOLLOWING");
  }
}

void Printer::PrintNode(const Trim& node) {
  Add("TRIM(");
  if (node.characters || node.side != TrimSide::kBoth) {
    Add(node.side == TrimSide::kBoth ? "BOTH " : node.side == TrimSide::kLeading ? "LEADING " : "TRAILING ");
    if (node.characters) {
      Print(*node.characters);
      Add(" ");
    }
    Add("FROM ");
  }
  Print(*node.value);
  Add(")");
}

void Printer::PrintNode(const Descriptor& node) {
  Add("DESCRIPTOR");
  AddNames(node.columns);
}

void Printer::PrintNode(const TableArgument& node) {
  if (node.table) {
    Add("TABLE ");
    Print(*node.table);
  } else {
    Add("(");
    Print(*node.query);
    Add(")");
  }
  if (!node.partition_by.empty()) {
    Add(" PARTITION BY (");
    AddExpressions(node.partition_by);
    Add(")");
  }
  if (node.order_by.empty()) return;
  Add(" ORDER BY (");
  AddList(node.order_by, [this](const OrderItem& item) {
    Print(*item.value);
    if (item.descending) Add(" DESC");
  });
  Add(")");
}

// ---- JSON ----

void Printer::PrintBehavior(const std::optional<JsonBehavior>& behavior, std::string_view when) {
  if (!behavior) return;
  switch (behavior->kind) {
    case JsonBehaviorKind::kError: Add(" ERROR"); break;
    case JsonBehaviorKind::kNull: Add(" NULL"); break;
    case JsonBehaviorKind::kTrue: Add(" TRUE"); break;
    case JsonBehaviorKind::kFalse: Add(" FALSE"); break;
    case JsonBehaviorKind::kUnknown: Add(" UNKNOWN"); break;
    case JsonBehaviorKind::kEmptyArray: Add(" EMPTY ARRAY"); break;
    case JsonBehaviorKind::kEmptyObject: Add(" EMPTY OBJECT"); break;
    case JsonBehaviorKind::kDefault:
      Add(" DEFAULT ");
      Print(*behavior->value);
      break;
  }
  Add(" ON ");
  Add(when);
}

void Printer::PrintNulls(const std::optional<JsonNulls>& nulls, std::string_view blank) {
  if (!nulls) return;
  Add(blank);
  Add(*nulls == JsonNulls::kNullOnNull ? "NULL ON NULL" : "ABSENT ON NULL");
}

void Printer::PrintMember(const JsonMember& member) {
  Add("KEY ");
  Print(*member.key);
  Add(" VALUE ");
  Print(*member.value);
}

void Printer::PrintNode(const JsonExists& node) {
  Add("JSON_EXISTS(");
  Print(*node.input);
  Add(", ");
  Print(*node.path);
  PrintBehavior(node.on_error, "ERROR");
  Add(")");
}

void Printer::PrintNode(const JsonValue& node) {
  Add("JSON_VALUE(");
  Print(*node.input);
  Add(", ");
  Print(*node.path);
  if (node.returning) {
    Add(" RETURNING ");
    Print(*node.returning);
  }
  PrintBehavior(node.on_empty, "EMPTY");
  PrintBehavior(node.on_error, "ERROR");
  Add(")");
}

void Printer::PrintNode(const JsonQuery& node) {
  Add("JSON_QUERY(");
  Print(*node.input);
  Add(", ");
  Print(*node.path);
  if (node.returning) {
    Add(" RETURNING ");
    Print(*node.returning);
  }
  if (node.wrapper) {
    switch (*node.wrapper) {
      case JsonWrapper::kWithout: Add(" WITHOUT ARRAY WRAPPER"); break;
      case JsonWrapper::kConditional: Add(" WITH CONDITIONAL ARRAY WRAPPER"); break;
      case JsonWrapper::kUnconditional: Add(" WITH UNCONDITIONAL ARRAY WRAPPER"); break;
    }
  }
  PrintBehavior(node.on_empty, "EMPTY");
  PrintBehavior(node.on_error, "ERROR");
  Add(")");
}

void Printer::PrintNode(const JsonObject& node) {
  Add("JSON_OBJECT(");
  AddList(node.members, [this](const JsonMember& member) { PrintMember(member); });
  PrintNulls(node.nulls, node.members.empty() ? "" : " ");
  Add(")");
}

void Printer::PrintNode(const JsonArray& node) {
  Add("JSON_ARRAY(");
  AddExpressions(node.elements);
  PrintNulls(node.nulls, node.elements.empty() ? "" : " ");
  Add(")");
}

void Printer::PrintNode(const JsonObjectAgg& node) {
  Add("JSON_OBJECTAGG(");
  PrintMember(node.member);
  PrintNulls(node.nulls);
  Add(")");
  PrintSuffix(node.suffix);
}

void Printer::PrintNode(const JsonArrayAgg& node) {
  Add("JSON_ARRAYAGG(");
  Print(*node.value);
  if (!node.order_by.empty()) PrintOrder(node.order_by);
  PrintNulls(node.nulls);
  Add(")");
  PrintSuffix(node.suffix);
}

}  // namespace braid::syntax
