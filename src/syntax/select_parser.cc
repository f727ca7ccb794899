#include "syntax/parser_internal.h"
#include "syntax/source.h"

namespace braid::syntax {

Result<Select> Parser::ParseSelect() {
  Select select{.position = Here()};
  Take();
  BRAID_TRY_ASSIGN(select.hints, ParseHints());
  if (AcceptWord("DISTINCT")) {
    select.quantifier = SetQuantifier::kDistinct;
  } else if (AcceptWord("ALL")) {
    select.quantifier = SetQuantifier::kAll;
  }
  do {
    BRAID_TRY_ASSIGN(SelectItem item, ParseSelectItem());
    select.items.push_back(std::move(item));
  } while (Accept(TokenKind::kComma));
  if (!AcceptWord("FROM")) {
    BRAID_TRY(RefuseClausesWithoutFrom());
    return select;
  }
  BRAID_TRY_ASSIGN(select.from, ParseFrom());
  if (AcceptWord("WHERE")) {
    BRAID_TRY_ASSIGN(select.where, ParseExpression());
  }
  if (AcceptWords({"GROUP", "BY"})) {
    select.group_distinct = AcceptWord("DISTINCT");
    if (!select.group_distinct) AcceptWord("ALL");
    BRAID_TRY_ASSIGN(select.group_by, ParseGroupingElements());
  }
  if (AcceptWord("HAVING")) {
    BRAID_TRY_ASSIGN(select.having, ParseExpression());
  }
  if (AcceptWord("WINDOW")) {
    do {
      NamedWindow window;
      BRAID_TRY_ASSIGN(window.name, ParseIdentifier("a window's name"));
      BRAID_TRY(ExpectWord("AS"));
      BRAID_TRY_ASSIGN(window.specification, ParseWindowSpecification());
      select.windows.push_back(std::move(window));
    } while (Accept(TokenKind::kComma));
  }
  if (AcceptWord("QUALIFY")) {
    BRAID_TRY_ASSIGN(select.qualify, ParseExpression());
  }
  return select;
}

Status Parser::RefuseClausesWithoutFrom() const {
  if (!AtWord("WHERE") && !AtWord("GROUP") && !AtWord("HAVING") && !AtWord("WINDOW") && !AtWord("QUALIFY")) return Ok();
  return SyntaxErrorAt(source_, Here(), DescribeToken(Peek()) + " needs a FROM before it");
}

Result<SelectItem> Parser::ParseSelectItem() {
  if (At(TokenKind::kStar)) return SelectItem{MakeExpression(Take().position, Star{})};
  SelectItem item;
  BRAID_TRY_ASSIGN(item.value, ParseExpression());
  if (AcceptWord("AS") || AtIdentifier()) {
    BRAID_TRY_ASSIGN(item.alias, ParseIdentifier("a column's name"));
  }
  return item;
}

// ---- GROUP BY ----

Result<std::vector<GroupingElement>> Parser::ParseGroupingElements() {
  std::vector<GroupingElement> elements;
  do {
    BRAID_TRY_ASSIGN(GroupingElement element, ParseGroupingElement());
    elements.push_back(std::move(element));
  } while (Accept(TokenKind::kComma));
  return elements;
}

Result<GroupingElement> Parser::ParseGroupingElement() {
  const Nesting nesting(*this);
  BRAID_TRY(nesting.Check());
  const Position position = Here();
  if (AcceptWords({"GROUPING", "SETS"})) {
    BRAID_TRY(Expect(TokenKind::kLeftParen, "("));
    BRAID_TRY_ASSIGN(std::vector<GroupingElement> sets, ParseGroupingElements());
    BRAID_TRY(Expect(TokenKind::kRightParen, ", or ) of GROUPING SETS"));
    return GroupingElement{position, GroupingSets{std::move(sets)}};
  }
  if (AcceptWord("ROLLUP")) {
    BRAID_TRY_ASSIGN(std::vector<GroupingKeys> levels, ParseGroupingKeysList());
    return GroupingElement{position, Rollup{std::move(levels)}};
  }
  if (AcceptWord("CUBE")) {
    BRAID_TRY_ASSIGN(std::vector<GroupingKeys> dimensions, ParseGroupingKeysList());
    return GroupingElement{position, Cube{std::move(dimensions)}};
  }
  if (At(TokenKind::kLeftParen) && At(TokenKind::kRightParen, 1)) {
    next_ += 2;
    return GroupingElement{position, GroupingKeys{}};
  }
  BRAID_TRY_ASSIGN(ExpressionPtr key, ParseExpression());
  const RowConstructor* row = std::get_if<RowConstructor>(&key->node);
  if (row != nullptr && !row->has_keyword) return GroupingElement{position, GroupingKeys{row->elements}};
  return GroupingElement{position, GroupingKeys{{std::move(key)}}};
}

Result<std::vector<GroupingKeys>> Parser::ParseGroupingKeysList() {
  std::vector<GroupingKeys> list;
  BRAID_TRY(ParseParenthesized([&]() -> Status {
    BRAID_TRY_ASSIGN(ExpressionPtr key, ParseExpression());
    const RowConstructor* row = std::get_if<RowConstructor>(&key->node);
    const bool is_list = row != nullptr && !row->has_keyword;
    list.push_back(is_list ? GroupingKeys{row->elements} : GroupingKeys{{std::move(key)}});
    return Ok();
  }));
  return list;
}

// ---- Hints ----

Result<std::vector<Hint>> Parser::ParseHints() {
  std::vector<Hint> hints;
  if (!Accept(TokenKind::kHintBegin)) return hints;
  do {
    BRAID_TRY_ASSIGN(Hint hint, ParseHint());
    hints.push_back(std::move(hint));
  } while (Accept(TokenKind::kComma) || AtIdentifier());
  BRAID_TRY(Expect(TokenKind::kHintEnd, "the end of the hint: */"));
  return hints;
}

Result<Hint> Parser::ParseHint() {
  Hint hint;
  BRAID_TRY_ASSIGN(hint.name, ParseIdentifier("a hint's name such as OPTIONS"));
  if (!At(TokenKind::kLeftParen)) return hint;
  BRAID_TRY(ParseParenthesized(
      [&]() -> Status {
        BRAID_TRY_ASSIGN(HintArgument argument, ParseHintArgument());
        hint.arguments.push_back(std::move(argument));
        return Ok();
      },
      true));
  return hint;
}

Result<HintArgument> Parser::ParseHintArgument() {
  HintArgument argument;
  if (At(TokenKind::kInteger) || At(TokenKind::kDecimal)) {
    argument.quoted = false;
    argument.value = Take().text;
    return argument;
  }
  argument.quoted = At(TokenKind::kString);
  if (argument.quoted) {
    BRAID_TRY_ASSIGN(argument.value, ParseString("a text"));
  } else {
    BRAID_TRY_ASSIGN(const QualifiedName name, ParseQualifiedName("a 'text' or a name"));
    for (const Identifier& part : name.parts) argument.value += (argument.value.empty() ? "" : ".") + part.name;
  }
  if (!Accept(TokenKind::kEqual)) return argument;
  argument.key = std::move(argument.value);
  BRAID_TRY_ASSIGN(argument.value, ParseString("the option's value as 'text'"));
  return argument;
}

}  // namespace braid::syntax
