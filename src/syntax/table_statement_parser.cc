#include "syntax/parser_internal.h"
#include "syntax/source.h"

namespace braid::syntax {

// ---- CREATE TABLE ----

Result<StatementNode> Parser::ParseCreate() {
  const bool create = AcceptWord("CREATE");
  const bool replace = create ? AcceptWords({"OR", "REPLACE"}) : AcceptWord("REPLACE");
  if (replace) {
    if (!AcceptWord("TABLE")) return Expected("TABLE: nothing else can be replaced");
    return ParseCreateTable(CreateTable{.name = {}, .or_replace = true});
  }
  const bool temporary = AcceptWord("TEMPORARY");
  if (AcceptWord("TABLE")) return ParseCreateTable(CreateTable{.name = {}, .temporary = temporary});
  if (AcceptWord("VIEW")) return ParseCreateView(temporary);
  const bool system = temporary && AcceptWord("SYSTEM");
  if (AcceptWord("FUNCTION")) {
    return ParseFunctionDefinition(
        CreateFunction{.name = {}, .temporary = temporary && !system, .temporary_system = system, .class_name = {}});
  }
  if (system) return Expected("FUNCTION");
  if (AtWord("MODEL")) return Unsupported("CREATE MODEL", "call the model outside of SQL");
  if (temporary) return Expected("TABLE, VIEW or FUNCTION");
  if (AcceptWord("DATABASE")) return ParseCreateDatabase();
  if (AcceptWord("CATALOG")) return ParseCreateCatalog();
  if (AtWord("MATERIALIZED"))
    return Unsupported("CREATE MATERIALIZED TABLE", "create a table and start INSERT INTO it as a job");
  return Expected("TABLE, VIEW, DATABASE, CATALOG or FUNCTION");
}

Result<StatementNode> Parser::ParseCreateTable(CreateTable table) {
  BRAID_TRY_ASSIGN(table.if_not_exists, ParseIfNotExists());
  BRAID_TRY_ASSIGN(table.name, ParseQualifiedName("the table's name"));
  if (At(TokenKind::kLeftParen)) BRAID_TRY(ParseTableElements(table));
  BRAID_TRY_ASSIGN(table.comment, ParseCommentClause());
  if (AcceptWord("DISTRIBUTED")) {
    BRAID_TRY_ASSIGN(table.distribution, ParseDistribution());
  }
  if (AcceptWords({"PARTITIONED", "BY"})) {
    BRAID_TRY_ASSIGN(table.partitioned_by, ParseIdentifierList("a column's name"));
  }
  BRAID_TRY_ASSIGN(table.options, ParseWithClause());
  if (AcceptWord("LIKE")) {
    BRAID_TRY_ASSIGN(table.like, ParseLikeClause());
  } else if (AcceptWord("AS")) {
    BRAID_TRY_ASSIGN(table.query, ParseQuery());
  } else if (!AtEndOfStatement()) {
    return Expected("COMMENT, DISTRIBUTED, PARTITIONED BY, WITH, LIKE, AS or the end of the statement");
  }
  if (table.or_replace && !table.query) return Expected("AS and a query: REPLACE TABLE has no other form");
  return table;
}

bool Parser::AtConstraint() const {
  return AtWord("CONSTRAINT") || AtWord("PRIMARY") || AtWord("UNIQUE");
}

Status Parser::ParseTableElements(CreateTable& table) {
  return ParseParenthesized(
      [&]() -> Status {
        if (AtConstraint()) {
          BRAID_TRY_ASSIGN(KeyConstraint constraint, ParseConstraint());
          table.constraints.push_back(std::move(constraint));
        } else if (AtWord("WATERMARK")) {
          BRAID_TRY_ASSIGN(Watermark watermark, ParseWatermark());
          table.watermarks.push_back(std::move(watermark));
        } else {
          BRAID_TRY_ASSIGN(Identifier name, ParseIdentifier("a column's name"));
          BRAID_TRY_ASSIGN(ColumnDefinition column, ParseColumn(std::move(name)));
          table.columns.push_back(std::move(column));
        }
        return Ok();
      },
      true);
}

// Behind the name.
Result<ColumnDefinition> Parser::ParseColumn(Identifier name) {
  ColumnDefinition column{std::move(name), BareColumn{}};
  BRAID_TRY_ASSIGN(column.kind, ParseColumnKind());
  BRAID_TRY_ASSIGN(column.comment, ParseCommentClause());
  // A comment may stand before suffixes too.
  if (PhysicalColumn* physical = std::get_if<PhysicalColumn>(&column.kind)) BRAID_TRY(ParseColumnSuffixes(*physical));
  return column;
}

Result<std::variant<PhysicalColumn, MetadataColumn, ComputedColumn, BareColumn>> Parser::ParseColumnKind() {
  using Kind = std::variant<PhysicalColumn, MetadataColumn, ComputedColumn, BareColumn>;
  if (At(TokenKind::kComma) || At(TokenKind::kRightParen)) return Kind(BareColumn{});
  if (AcceptWord("AS")) {
    BRAID_TRY_ASSIGN(ExpressionPtr value, ParseExpression());
    return Kind(ComputedColumn{std::move(value)});
  }
  BRAID_TRY_ASSIGN(TypeName type, ParseTypeName());
  if (AcceptWord("METADATA")) {
    MetadataColumn column{std::move(type)};
    if (AcceptWord("FROM")) {
      BRAID_TRY_ASSIGN(column.key, ParseString("the metadata's key as 'text'"));
    }
    column.is_virtual = AcceptWord("VIRTUAL");
    return Kind(std::move(column));
  }
  PhysicalColumn column{std::move(type)};
  BRAID_TRY(ParseColumnSuffixes(column));
  return Kind(std::move(column));
}

Status Parser::ParseColumnSuffixes(PhysicalColumn& column) {
  while (true) {
    if (AcceptWords({"PRIMARY", "KEY"})) {
      column.primary_key = true;
    } else if (AcceptWord("UNIQUE")) {
      column.unique = true;
    } else if (AcceptWord("DEFAULT")) {
      BRAID_TRY_ASSIGN(column.default_value, ParseExpression());
      continue;
    } else if (AcceptWords({"NOT", "NULL"})) {
      column.type.not_null = true;
      continue;
    } else {
      return Ok();
    }
    BRAID_TRY_ASSIGN(column.enforced, ParseEnforced());
  }
}

Result<std::optional<bool>> Parser::ParseEnforced() {
  if (AcceptWords({"NOT", "ENFORCED"})) return std::optional(false);
  if (AcceptWord("ENFORCED")) return std::optional(true);
  return std::optional<bool>();
}

Result<KeyConstraint> Parser::ParseConstraint() {
  KeyConstraint constraint{.position = Here(), .columns = {}};
  if (AcceptWord("CONSTRAINT")) {
    BRAID_TRY_ASSIGN(constraint.name, ParseIdentifier("the constraint's name"));
  }
  if (AcceptWord("UNIQUE")) {
    constraint.unique = true;
  } else {
    BRAID_TRY(ExpectWords({"PRIMARY", "KEY"}));
  }
  BRAID_TRY_ASSIGN(constraint.columns, ParseIdentifierList("a column's name"));
  BRAID_TRY_ASSIGN(constraint.enforced, ParseEnforced());
  return constraint;
}

Result<Watermark> Parser::ParseWatermark() {
  Watermark watermark{Here(), {}, {}};
  BRAID_TRY(ExpectWords({"WATERMARK", "FOR"}));
  BRAID_TRY_ASSIGN(watermark.column, ParseQualifiedName("a column's name"));
  BRAID_TRY(ExpectWord("AS"));
  BRAID_TRY_ASSIGN(watermark.value, ParseExpression());
  return watermark;
}

Result<Distribution> Parser::ParseDistribution() {
  Distribution distribution{.position = Here()};
  if (AcceptWord("BY")) {
    if (AtWord("HASH") || AtWord("RANGE")) distribution.kind = Take().text;
    BRAID_TRY_ASSIGN(distribution.columns, ParseIdentifierList("a column's name"));
  }
  if (AcceptWord("INTO")) {
    BRAID_TRY_ASSIGN(distribution.buckets, ParseInteger("a number of buckets"));
    BRAID_TRY(ExpectWord("BUCKETS"));
  }
  if (distribution.columns.empty() && !distribution.buckets) return Expected("BY or INTO");
  return distribution;
}

Result<LikeClause> Parser::ParseLikeClause() {
  LikeClause like;
  BRAID_TRY_ASSIGN(like.table, ParseQualifiedName("a table's name"));
  if (!Accept(TokenKind::kLeftParen)) return like;
  constexpr std::pair<std::string_view, LikeFeature> kFeatures[] = {{"ALL", LikeFeature::kAll},
                                                                    {"CONSTRAINTS", LikeFeature::kConstraints},
                                                                    {"DISTRIBUTION", LikeFeature::kDistribution},
                                                                    {"GENERATED", LikeFeature::kGenerated},
                                                                    {"METADATA", LikeFeature::kMetadata},
                                                                    {"OPTIONS", LikeFeature::kOptions},
                                                                    {"PARTITIONS", LikeFeature::kPartitions},
                                                                    {"WATERMARKS", LikeFeature::kWatermarks}};
  while (!Accept(TokenKind::kRightParen)) {
    LikeOption option{};
    if (AcceptWord("INCLUDING")) {
      option.merging = LikeMerging::kIncluding;
    } else if (AcceptWord("EXCLUDING")) {
      option.merging = LikeMerging::kExcluding;
    } else if (AcceptWord("OVERWRITING")) {
      option.merging = LikeMerging::kOverwriting;
    } else {
      return Expected("INCLUDING, EXCLUDING, OVERWRITING or )");
    }
    bool found = false;
    for (const auto& [word, feature] : kFeatures) {
      if (found || !AcceptWord(word)) continue;
      option.feature = feature;
      found = true;
    }
    if (!found)
      return Expected("ALL, CONSTRAINTS, DISTRIBUTION, GENERATED, METADATA, OPTIONS, PARTITIONS or WATERMARKS");
    like.options.push_back(option);
  }
  return like;
}

// ---- ALTER TABLE ----

Result<StatementNode> Parser::ParseAlterTable() {
  AlterTable alter{.name = {}, .change = RenameTable{}};
  BRAID_TRY_ASSIGN(alter.if_exists, ParseIfExists());
  BRAID_TRY_ASSIGN(alter.name, ParseQualifiedName("the table's name"));
  BRAID_TRY_ASSIGN(alter.change, ParseTableChange());
  return alter;
}

Result<TableChange> Parser::ParseTableChange() {
  if (AcceptWord("RENAME")) return ParseRenameChange();
  if (AcceptWord("ADD")) {
    BRAID_TRY_ASSIGN(const bool if_not_exists, ParseIfNotExists());
    if (AtWord("PARTITION")) return ParseAddPartitions(if_not_exists);
    if (if_not_exists) return Expected("PARTITION");
    return ParseAddOrModify(false);
  }
  if (AcceptWord("MODIFY")) return ParseAddOrModify(true);
  if (AcceptWord("DROP")) return ParseDropChange();
  if (AcceptWord("SET")) {
    BRAID_TRY_ASSIGN(SetOptions options, ParseSetOptions());
    return TableChange(std::move(options));
  }
  if (AcceptWord("RESET")) {
    BRAID_TRY_ASSIGN(ResetOptions options, ParseResetOptions());
    return TableChange(std::move(options));
  }
  if (AcceptWord("COMMENT")) {
    BRAID_TRY_ASSIGN(std::string comment, ParseString("the comment as 'text'"));
    return TableChange(SetComment{std::move(comment)});
  }
  return Expected("RENAME, ADD, MODIFY, DROP, SET, RESET or COMMENT");
}

Result<TableChange> Parser::ParseRenameChange() {
  if (AcceptWord("TO")) {
    BRAID_TRY_ASSIGN(QualifiedName name, ParseQualifiedName("the new name"));
    return TableChange(RenameTable{std::move(name)});
  }
  BRAID_TRY_ASSIGN(QualifiedName column, ParseQualifiedName("TO or a column's name"));
  BRAID_TRY(ExpectWord("TO"));
  BRAID_TRY_ASSIGN(Identifier name, ParseIdentifier("the new name"));
  return TableChange(RenameColumn{std::move(column), std::move(name)});
}

Result<TableChange> Parser::ParseAddOrModify(bool modify) {
  AddOrModify change{.modify = modify};
  if (At(TokenKind::kLeftParen)) {
    BRAID_TRY(ParseParenthesized([&] { return ParseAddOrModifyItem(change); }));
  } else {
    BRAID_TRY(ParseAddOrModifyItem(change));
  }
  return TableChange(std::move(change));
}

Status Parser::ParseAddOrModifyItem(AddOrModify& change) {
  if (AtConstraint()) {
    BRAID_TRY_ASSIGN(KeyConstraint constraint, ParseConstraint());
    change.constraints.push_back(std::move(constraint));
  } else if (AtWord("WATERMARK")) {
    BRAID_TRY_ASSIGN(Watermark watermark, ParseWatermark());
    change.watermarks.push_back(std::move(watermark));
  } else if (AcceptWord("DISTRIBUTION")) {
    BRAID_TRY_ASSIGN(change.distribution, ParseDistribution());
  } else {
    BRAID_TRY_ASSIGN(ColumnChange column, ParseColumnChange());
    change.columns.push_back(std::move(column));
  }
  return Ok();
}

Result<ColumnChange> Parser::ParseColumnChange() {
  BRAID_TRY_ASSIGN(QualifiedName path, ParseQualifiedName("a column's name"));
  Identifier name = std::move(path.parts.back());
  path.parts.pop_back();
  BRAID_TRY_ASSIGN(ColumnDefinition column, ParseColumn(std::move(name)));
  if (std::holds_alternative<BareColumn>(column.kind)) return Expected("the column's type or AS and an expression");
  ColumnChange change{std::move(path.parts), std::move(column)};
  if (AcceptWord("FIRST")) {
    change.place = ColumnPlace{.first = true};
  } else if (AcceptWord("AFTER")) {
    BRAID_TRY_ASSIGN(QualifiedName after, ParseQualifiedName("a column's name"));
    change.place = ColumnPlace{.first = false, .after = std::move(after)};
  }
  return change;
}

Result<TableChange> Parser::ParseDropChange() {
  BRAID_TRY_ASSIGN(const bool if_exists, ParseIfExists());
  if (AtWord("PARTITION")) return ParseDropPartitions(if_exists);
  if (if_exists) return Expected("PARTITION");
  if (AcceptWords({"PRIMARY", "KEY"})) return TableChange(DropPrimaryKey{});
  if (AcceptWord("WATERMARK")) return TableChange(DropWatermark{});
  if (AcceptWord("DISTRIBUTION")) return TableChange(DropDistribution{});
  if (AcceptWord("CONSTRAINT")) {
    BRAID_TRY_ASSIGN(Identifier name, ParseIdentifier("the constraint's name"));
    return TableChange(DropConstraint{std::move(name)});
  }
  DropColumns drop;
  if (At(TokenKind::kLeftParen)) {
    BRAID_TRY_ASSIGN(drop.columns, ParseNameList("a column's name"));
  } else {
    BRAID_TRY_ASSIGN(QualifiedName column,
                     ParseQualifiedName("a column's name, PARTITION, PRIMARY KEY, CONSTRAINT or WATERMARK"));
    drop.columns.push_back(std::move(column));
  }
  return TableChange(std::move(drop));
}

Result<TableChange> Parser::ParseAddPartitions(bool if_not_exists) {
  AddPartitions add{if_not_exists, {}};
  while (AcceptWord("PARTITION")) {
    NewPartition partition;
    BRAID_TRY_ASSIGN(partition.spec, ParsePartitionSpec());
    BRAID_TRY_ASSIGN(partition.options, ParseWithClause());
    add.partitions.push_back(std::move(partition));
    Accept(TokenKind::kComma);
  }
  return TableChange(std::move(add));
}

Result<TableChange> Parser::ParseDropPartitions(bool if_exists) {
  DropPartitions drop{if_exists, {}};
  do {
    BRAID_TRY(ExpectWord("PARTITION"));
    BRAID_TRY_ASSIGN(PartitionSpec spec, ParsePartitionSpec());
    drop.partitions.push_back(std::move(spec));
  } while (Accept(TokenKind::kComma));
  return TableChange(std::move(drop));
}

Result<PartitionSpec> Parser::ParsePartitionSpec() {
  PartitionSpec spec;
  BRAID_TRY(ParseParenthesized([&]() -> Status {
    PartitionKey key;
    BRAID_TRY_ASSIGN(key.name, ParseIdentifier("a partition column's name"));
    if (Accept(TokenKind::kEqual)) {
      BRAID_TRY_ASSIGN(key.value, ParseExpression());
    }
    spec.push_back(std::move(key));
    return Ok();
  }));
  return spec;
}

Result<SetOptions> Parser::ParseSetOptions() {
  BRAID_TRY_ASSIGN(std::vector<Property> options, ParseProperties());
  return SetOptions{std::move(options)};
}

Result<ResetOptions> Parser::ParseResetOptions() {
  ResetOptions reset;
  BRAID_TRY(ParseParenthesized([&]() -> Status {
    BRAID_TRY_ASSIGN(std::string key, ParseString("an option's key as 'text'"));
    reset.keys.push_back(std::move(key));
    return Ok();
  }));
  return reset;
}

}  // namespace braid::syntax
