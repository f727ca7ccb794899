#include "base/text.h"
#include "syntax/printer_internal.h"

namespace braid::syntax {
namespace {

// As in the parser: INTERSECT binds tighter than UNION and EXCEPT, whatever is no set operation tightest.
int StrengthOf(const Query& query) {
  const SetOperation* operation = std::get_if<SetOperation>(&query.body);
  if (operation == nullptr) return 3;
  return operation->op == SetOperator::kIntersect ? 2 : 1;
}

bool IsJoin(const TableExpression& table) {
  return std::holds_alternative<Join>(table.node);
}

bool IsCommaJoin(const TableExpression& table) {
  const Join* join = std::get_if<Join>(&table.node);
  return join != nullptr && join->kind == JoinKind::kComma;
}

std::string_view JoinWords(JoinKind kind) {
  switch (kind) {
    case JoinKind::kInner: return "JOIN ";
    case JoinKind::kLeft: return "LEFT JOIN ";
    case JoinKind::kRight: return "RIGHT JOIN ";
    case JoinKind::kFull: return "FULL JOIN ";
    case JoinKind::kCross: return "CROSS JOIN ";
    case JoinKind::kComma: return ", ";
  }
  return "";
}

}  // namespace

void Printer::Print(const Query& query) {
  if (!query.with.empty()) {
    Add(query.recursive ? "WITH RECURSIVE " : "WITH ");
    AddList(query.with, [this](const CommonTable& table) {
      Add(table.name);
      if (!table.columns.empty()) {
        Add(" ");
        AddNames(table.columns);
      }
      Add(" AS (");
      Print(*table.query);
      Add(")");
    });
    Add(" ");
  }
  std::visit([this](const auto& body) { PrintBody(body); }, query.body);
  if (!query.order_by.empty()) PrintOrder(query.order_by);
  if (query.limit) {
    Add(" LIMIT ");
    Print(*query.limit);
  }
  if (query.offset) {
    Add(" OFFSET ");
    Print(*query.offset);
  }
}

void Printer::PrintBody(const Select& select) {
  Add("SELECT ");
  if (!select.hints.empty()) {
    PrintHints(select.hints);
    Add(" ");
  }
  if (select.quantifier) Add(*select.quantifier == SetQuantifier::kDistinct ? "DISTINCT " : "ALL ");
  AddList(select.items, [this](const SelectItem& item) {
    Print(*item.value);
    if (!item.alias) return;
    Add(" AS ");
    Add(*item.alias);
  });
  const auto add_clause = [this](std::string_view words, const ExpressionPtr& condition) {
    if (!condition) return;
    Add(words);
    Print(*condition);
  };
  if (select.from) {
    Add(" FROM ");
    PrintTable(*select.from);
  }
  add_clause(" WHERE ", select.where);
  if (select.group_by) {
    Add(select.group_distinct ? " GROUP BY DISTINCT " : " GROUP BY ");
    PrintGrouping(*select.group_by);
  }
  add_clause(" HAVING ", select.having);
  if (!select.windows.empty()) {
    Add(" WINDOW ");
    AddList(select.windows, [this](const NamedWindow& window) {
      Add(window.name);
      Add(" AS ");
      PrintWindow(window.specification);
    });
  }
  add_clause(" QUALIFY ", select.qualify);
}

void Printer::PrintBody(const Values& values) {
  Add("VALUES ");
  AddList(values.rows, [this](const std::vector<ExpressionPtr>& row) {
    Add("(");
    AddExpressions(row);
    Add(")");
  });
}

void Printer::PrintBody(const ExplicitTable& table) {
  Add("TABLE ");
  Print(table.name);
}

void Printer::PrintBody(const SetOperation& operation) {
  const int strength = operation.op == SetOperator::kIntersect ? 2 : 1;
  PrintSetOperand(*operation.left, strength);
  switch (operation.op) {
    case SetOperator::kUnion: Add(" UNION "); break;
    case SetOperator::kIntersect: Add(" INTERSECT "); break;
    case SetOperator::kExcept: Add(" EXCEPT "); break;
  }
  if (operation.all) Add("ALL ");
  PrintSetOperand(*operation.right, strength + 1);
}

void Printer::PrintSetOperand(const Query& query, int lowest) {
  const bool is_whole_query = !query.with.empty() || !query.order_by.empty() || query.limit || query.offset;
  const bool in_parentheses = is_whole_query || StrengthOf(query) < lowest;
  if (in_parentheses) Add("(");
  Print(query);
  if (in_parentheses) Add(")");
}

void Printer::PrintBody(const NestedQuery& nested) {
  Add("(");
  Print(*nested.query);
  Add(")");
}

// ---- GROUP BY and hints ----

void Printer::PrintGrouping(const std::vector<GroupingElement>& elements) {
  const auto add_keys_list = [this](std::string_view word, const std::vector<GroupingKeys>& list) {
    Add(word);
    AddList(list, [this](const GroupingKeys& keys) { PrintKeys(keys); });
    Add(")");
  };
  AddList(elements, [&](const GroupingElement& element) {
    if (const auto* keys = std::get_if<GroupingKeys>(&element.node)) PrintKeys(*keys);
    if (const auto* rollup = std::get_if<Rollup>(&element.node)) add_keys_list("ROLLUP(", rollup->levels);
    if (const auto* cube = std::get_if<Cube>(&element.node)) add_keys_list("CUBE(", cube->dimensions);
    if (const auto* sets = std::get_if<GroupingSets>(&element.node)) {
      Add("GROUPING SETS (");
      PrintGrouping(sets->sets);
      Add(")");
    }
  });
}

void Printer::PrintKeys(const GroupingKeys& keys) {
  if (keys.keys.size() == 1) return Print(*keys.keys.front());
  Add("(");
  AddExpressions(keys.keys);
  Add(")");
}

void Printer::PrintHints(const std::vector<Hint>& hints) {
  if (hints.empty()) return;
  Add("/*+ ");
  AddList(hints, [this](const Hint& hint) {
    Add(hint.name);
    if (hint.arguments.empty()) return;
    Add("(");
    AddList(hint.arguments, [this](const HintArgument& argument) { PrintHintArgument(argument); });
    Add(")");
  });
  Add(" */");
}

void Printer::PrintHintArgument(const HintArgument& argument) {
  const auto add = [this, &argument](const std::string& text) {
    if (argument.quoted) return AddString(text);
    if (!text.empty() && text.front() >= '0' && text.front() <= '9') return Add(text);
    std::vector<std::string> parts = Split(text, '.');
    for (std::string& part : parts) part = QuoteIdentifier(part);
    Add(braid::Join(parts, "."));
  };
  if (!argument.key) return add(argument.value);
  add(*argument.key);
  Add(" = ");
  AddString(argument.value);
}

// ---- FROM ----

void Printer::PrintTable(const TableExpression& table) {
  std::visit([this](const auto& node) { PrintTableNode(node); }, table.node);
  if (!table.alias) return;
  Add(" AS ");
  Add(table.alias->name);
  if (table.alias->columns.empty()) return;
  AddNames(table.alias->columns);
}

void Printer::PrintTableNode(const NamedTable& table) {
  Print(table.name);
  if (!table.hints.empty()) {
    Add(" ");
    PrintHints(table.hints);
  }
  if (!table.as_of) return;
  Add(" FOR SYSTEM_TIME AS OF ");
  Print(*table.as_of);
}

void Printer::PrintTableNode(const DerivedTable& table) {
  Add(table.lateral ? "LATERAL (" : "(");
  Print(*table.query);
  Add(")");
}

void Printer::PrintTableNode(const TableFunction& function) {
  Add(function.lateral ? "LATERAL TABLE(" : "TABLE(");
  Print(*function.call);
  Add(")");
}

void Printer::PrintTableNode(const Unnest& unnest) {
  Add("UNNEST(");
  AddExpressions(unnest.values);
  Add(")");
  if (unnest.with_ordinality) Add(" WITH ORDINALITY");
}

void Printer::PrintTableNode(const braid::syntax::Join& join) {
  const bool is_comma = join.kind == JoinKind::kComma;
  PrintJoinSide(*join.left, !is_comma && IsCommaJoin(*join.left));
  if (!is_comma) Add(" ");
  if (join.natural) Add("NATURAL ");
  Add(JoinWords(join.kind));
  PrintJoinSide(*join.right, is_comma ? IsCommaJoin(*join.right) : IsJoin(*join.right));
  if (join.on) {
    Add(" ON ");
    Print(*join.on);
  }
  if (join.using_columns.empty()) return;
  Add(" USING ");
  AddNames(join.using_columns);
}

void Printer::PrintJoinSide(const TableExpression& side, bool in_parentheses) {
  if (in_parentheses) Add("(");
  PrintTable(side);
  if (in_parentheses) Add(")");
}

}  // namespace braid::syntax
