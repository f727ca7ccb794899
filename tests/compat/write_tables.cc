// Plays a script of the oracle's language (../oracle/paimon/README.md, "Scripts") with Braid's own writers: the steps
// create_database, create_table, drop_table, alter_table, write, compact, compact_postpone, delete_where,
// truncate_table, drop_partition, and those of upkeep: create_tag, delete_tag, rename_tag, replace_tag,
// create_auto_tags, rollback, expire_snapshots, expire_changelogs, expire_partitions, consumer, remove_orphans. One line of JSON a step
// goes to standard output, as `oracle exec` prints it. A step or key that is not known stops the script with exit code
// 2, so that a scenario knows that it is about something else; any failure of Braid stops it with 1.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <arrow/api.h>
#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "meta/schema_change.h"
#include "table/addressed_rows.h"
#include "table/column_update.h"
#include "table/commit.h"
#include "table/delete_rows.h"
#include "table/expire.h"
#include "table/orphan_files.h"
#include "table/partition_expiry.h"
#include "table/rollback.h"
#include "table/snapshot_selector.h"
#include "table/tag_change.h"
#include "table/tag_creation.h"
#include "table/tag_removal.h"
#include "table/write.h"
#include "types/cast.h"
#include "types/predicate.h"

namespace braid {
namespace {

/// Code of a failure that says that the script asks for what this program does not know.
constexpr int kUnknownStep = 2;

struct ScriptFailure {
  int exit_code = 1;
  std::string message;
};

template <typename T>
T Take(Result<T> result, const char* what) {
  if (!result) throw ScriptFailure{1, fmt::format("{}: {}", what, result.error().ToString())};
  return *std::move(result);
}

void Require(const Status& status, const char* what) {
  if (!status) throw ScriptFailure{1, fmt::format("{}: {}", what, status.error().ToString())};
}

[[noreturn]] void Unknown(const std::string& what) {
  throw ScriptFailure{kUnknownStep, what + " is not known here"};
}

// Values as the oracle's README writes them.

Datum ValueOf(const Json& json, const DataType& type);

std::string BytesOf(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

double NumberOf(const Json& json) {
  if (!json.is_string()) return json.as_double();
  if (json.as_string().starts_with("0x")) Unknown("a number by its bits");
  return std::strtod(json.as_string().c_str(), nullptr);
}

float SingleOf(const Json& json) {
  // Through text, since a double rounded again may be another float.
  if (json.is_string()) return std::strtof(json.as_string().c_str(), nullptr);
  return std::strtof(fmt::format("{}", json.as_double()).c_str(), nullptr);
}

DatumList PairsOf(const Json& json, const DataType& key, const DataType& value) {
  DatumList pairs;
  if (json.is_array()) {
    for (const Json& pair : json.as_array()) {
      pairs.emplace_back(DatumList{ValueOf(pair.as_array().at(0), key), ValueOf(pair.as_array().at(1), value)});
    }
    return pairs;
  }
  for (const auto& [name, member] : json.as_object()) {
    pairs.emplace_back(DatumList{ValueOf(Json(name), key), ValueOf(member, value)});
  }
  return pairs;
}

DatumList RowOf(const Json& json, std::span<const DataField> fields) {
  DatumList row;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Json* member =
        json.is_array() ? (i < json.as_array().size() ? &json.as_array()[i] : nullptr) : json.Find(fields[i].name);
    row.push_back(member == nullptr ? Datum() : ValueOf(*member, fields[i].type));
  }
  return row;
}

Datum TextValueOf(std::string text, const DataType& type) {
  const bool is_timestamp = type.kind() == TypeKind::kTimestamp || type.kind() == TypeKind::kTimestampLtz;
  if (is_timestamp) {
    if (const std::size_t at = text.find('T'); at != std::string::npos) text[at] = ' ';
    if (text.ends_with('Z')) text.pop_back();
  }
  return Take(ParseDatum(text, type), "a value");
}

Datum ValueOf(const Json& json, const DataType& type) {
  if (json.is_null()) return {};
  switch (type.kind()) {
    case TypeKind::kBoolean: return json.is_string() ? TextValueOf(json.as_string(), type) : Datum(json.as_bool());
    case TypeKind::kTinyInt:
    case TypeKind::kSmallInt:
    case TypeKind::kInt:
    case TypeKind::kBigInt: return json.is_string() ? TextValueOf(json.as_string(), type) : Datum(json.as_integer());
    case TypeKind::kFloat: return SingleOf(json);
    case TypeKind::kDouble: return NumberOf(json);
    case TypeKind::kBinary:
    case TypeKind::kVarBinary:
    case TypeKind::kBlob:
      if (!json.is_string()) Unknown("bytes of a sketch");
      return BytesOf(json.as_string());
    case TypeKind::kChar:
    case TypeKind::kVarChar: return json.as_string();
    case TypeKind::kArray: {
      DatumList elements;
      for (const Json& element : json.as_array()) elements.push_back(ValueOf(element, type.element()));
      return elements;
    }
    case TypeKind::kMap: return PairsOf(json, type.key(), type.element());
    case TypeKind::kMultiset: return PairsOf(json, type.element(), DataType::Int());
    case TypeKind::kRow: return RowOf(json, type.fields());
    case TypeKind::kVariant:
    case TypeKind::kVector: Unknown(fmt::format("a value of type {}", type.ToString()));
    default: return TextValueOf(json.is_string() ? json.as_string() : PrintJson(json), type);
  }
}

/// Rows of one write, each with its kind.
struct Rows {
  std::vector<DatumList> rows;
  std::vector<RowKind> kinds;

  void Add(const Json& cells, std::span<const DataField> fields) {
    Json::Array values = cells.as_array();
    RowKind kind = RowKind::kInsert;
    if (values.size() == fields.size() + 1) {
      kind = ParseRowKind(values.front().as_string()).value();
      values.erase(values.begin());
    }
    rows.push_back(RowOf(Json(std::move(values)), fields));
    kinds.push_back(kind);
  }
};

std::string Expand(std::string text, std::int64_t i) {
  for (std::size_t at = 0; (at = text.find("{i", at)) != std::string::npos;) {
    const std::size_t end = text.find('}', at);
    const std::int64_t value = text[at + 2] == '%' ? i % std::stoll(text.substr(at + 3, end - at - 3)) : i;
    text.replace(at, end - at + 1, std::to_string(value));
  }
  return text;
}

Rows RowsOf(const Json& step, std::span<const DataField> fields) {
  Rows out;
  if (const Json* rows = step.Find("rows")) {
    for (const Json& row : rows->as_array()) out.Add(row, fields);
  }
  if (const Json* formula = step.Find("generate")) {
    const std::int64_t from = formula->FindInteger("from")->value_or(0);
    const std::int64_t count = Take(formula->GetInteger("count"), "generate");
    for (std::int64_t i = from; i < from + count; ++i) {
      Json::Array cells;
      for (const Json& cell : formula->Find("row")->as_array()) {
        cells.push_back(cell.is_string() ? Json(Expand(cell.as_string(), i)) : cell);
      }
      out.Add(Json(std::move(cells)), fields);
    }
  }
  return out;
}

// Steps.

class Script {
 public:
  explicit Script(const std::string& warehouse)
      : catalog_(Take(MakeFileSystemCatalog("paimon", Options({{"warehouse", warehouse}})), "the catalog")) {}

  void Run(const Json& step) {
    if (!step.Find("expect_error")) return RunStep(step);
    try {
      RunStep(step);
    } catch (const ScriptFailure& failure) {
      if (failure.exit_code == 1) return;  // as expected; the words in the script are Java's
      throw;
    }
    throw ScriptFailure{1, "worked, but Java refuses it"};
  }

 private:
  void RunStep(const Json& step) {
    const std::string op = Take(step.GetString("op"), "a step");
    if (op == "create_database") {
      CheckKeys(step, {"database"});
      Require(catalog_->CreateDatabase(Take(step.GetString("database"), "a step"), true), "create_database");
    } else if (op == "create_table") {
      CreateTable(step);
    } else if (op == "drop_table") {
      CheckKeys(step, {"table"});
      Require(catalog_->DropTable(TableOf(step), {}), "drop_table");
    } else if (op == "alter_table") {
      CheckKeys(step, {"table", "branch", "changes"});
      std::vector<SchemaChange> changes;
      for (const Json& change : step.Find("changes")->as_array()) changes.push_back(ChangeOf(change));
      Require(catalog_->AlterTable(TableOf(step), changes), "alter_table");
    } else if (op == "truncate_table") {
      CheckKeys(step, {"table", "branch"});
      Take(TruncateTable(Open(step), "braid"), "truncate_table");
    } else if (op == "drop_partition") {
      CheckKeys(step, {"table", "branch", "partitions"});
      std::vector<std::map<std::string, std::string>> partitions;
      for (const Json& partition : step.Find("partitions")->as_array()) partitions.push_back(TextsOf(partition));
      Take(DropPartitions(Open(step), partitions, "braid"), "drop_partition");
    } else if (op == "write") {
      Write(step);
    } else if (op == "compact") {
      Compact(step);
    } else if (op == "compact_postpone") {
      CheckKeys(step, {"table", "branch", "buckets"});
      const Options buckets(
          Options::Map{{"postpone.default-bucket-num", fmt::format("{}", step.FindInteger("buckets")->value_or(1))}});
      Take(CompactTable(Take(Open(step).With(buckets), "compact_postpone"), true, nullptr, "braid"),
           "compact_postpone");
    } else if (op == "delete_where") {
      CheckKeys(step, {"table", "branch", "filter"});
      const Table table = Open(step);
      const PredicatePtr filter =
          Take(ParseFilter(Take(step.GetString("filter"), "delete_where"), table.schema().fields), "delete_where");
      Take(DeleteRows(table, filter, "braid"), "delete_where");
    } else if (!RunUpkeep(op, step)) {
      Unknown(fmt::format("the step {}", op));
    }
  }

  // False if it is no step of upkeep.
  bool RunUpkeep(const std::string& op, const Json& step) {
    if (op == "create_tag" || op == "replace_tag") {
      CheckKeys(step, {"table", "branch", "tag", "snapshot", "retained"});
      SetTag(op, step);
    } else if (op == "delete_tag") {
      CheckKeys(step, {"table", "branch", "tag"});
      Take(DeleteTags(Open(step), {Take(step.GetString("tag"), "a step")}, {}, SystemClock()), "delete_tag");
    } else if (op == "rename_tag") {
      CheckKeys(step, {"table", "branch", "tag", "to"});
      Require(RenameTag(Open(step), Take(step.GetString("tag"), "a step"), Take(step.GetString("to"), "a step")),
              "rename_tag");
    } else if (op == "create_auto_tags") {
      CheckKeys(step, {"table", "branch", "options"});
      Take(CreateAutomaticTags(Open(step), SystemClock()), "create_auto_tags");
    } else if (op == "rollback") {
      CheckKeys(step, {"table", "branch", "snapshot", "tag"});
      Take(RollbackHard(Open(step), SelectorOf(step), false, SystemClock()), "rollback");
    } else if (op == "expire_snapshots" || op == "expire_changelogs") {
      CheckKeys(step, {"table", "branch", "options", "retain_max", "retain_min", "older_than", "max_deletes",
                       "changelog_retain_max", "changelog_retain_min", "changelog_older_than"});
      const Table table = Open(step);
      const ExpireRequest request = ExpireRequestOf(step);
      if (op == "expire_snapshots") {
        Take(ExpireSnapshots(table, request, SystemClock()), "expire_snapshots");
      } else {
        Take(ExpireChangelogs(table, request, false, SystemClock()), "expire_changelogs");
      }
    } else if (op == "expire_partitions") {
      CheckKeys(step, {"table", "branch", "options"});
      const Table table = Open(step);
      const auto expiry = Take(PartitionExpiry::FromOptions(table.options()), "expire_partitions");
      if (!expiry) throw ScriptFailure{1, "expire_partitions: the table has no partition.expiration-time"};
      Take(ExpirePartitions(table, *expiry, SystemClock()), "expire_partitions");
    } else if (op == "consumer") {
      CheckKeys(step, {"table", "branch", "id", "next"});
      const Table table = Open(step);
      const std::string id = Take(step.GetString("id"), "a step");
      if (const auto next = *step.FindInteger("next")) {
        Require(WriteConsumer(table.file_system(), table.paths(), {.id = id, .next_snapshot = SnapshotId(*next)}),
                "consumer");
      } else {
        Require(DeleteConsumer(table.file_system(), table.paths(), id), "consumer");
      }
    } else if (op == "remove_orphans") {
      CheckKeys(step, {"table"});
      const std::int64_t now_ms = SystemClock().NowMs();
      Take(RemoveOrphanFiles(Open(step), {.older_than_ms = now_ms, .dry_run = false, .progress = {}}, SystemClock()),
           "remove_orphans");
    } else {
      return false;
    }
    return true;
  }

  static SnapshotSelector SelectorOf(const Json& step) {
    SnapshotSelector selector;
    if (const auto id = *step.FindInteger("snapshot")) selector.id = SnapshotId(*id);
    if (const auto tag = *step.FindString("tag")) selector.tag = *tag;
    return selector;
  }

  void SetTag(const std::string& op, const Json& step) {
    const Table table = Open(step);
    SnapshotSelector selector;
    if (const auto id = *step.FindInteger("snapshot")) selector.id = SnapshotId(*id);
    NewTag tag{.name = Take(step.GetString("tag"), "a step"),
               .snapshot = Take(SelectSnapshot(table, selector), "the snapshot")};
    if (const auto retained = *step.FindString("retained"))
      tag.time_retained = Take(ParseDuration(*retained), "retained");
    Take(op == "create_tag" ? CreateTag(table, tag, SystemClock()) : MoveTag(table, tag, SystemClock()), op.c_str());
  }

  // A number alone decides when it is given; otherwise everything older than now may go.
  static ExpireRequest ExpireRequestOf(const Json& step) {
    const std::int64_t now_ms = SystemClock().NowMs();
    const auto age = [&](const char* key, const std::string& otherwise) {
      return now_ms - Take(ParseDuration(step.FindString(key)->value_or(otherwise)), key).count();
    };
    const auto number = [&](const char* key, std::int64_t otherwise) {
      return step.FindInteger(key)->value_or(otherwise);
    };
    ExpireRequest request;
    Retention& snapshots = request.snapshots;
    snapshots.older_than_ms = age("older_than", step.Find("retain_max") != nullptr ? "3650 d" : "0 ms");
    snapshots.retain_min = number("retain_min", 1);
    snapshots.retain_max = number("retain_max", snapshots.retain_max);
    snapshots.max_deletes = number("max_deletes", snapshots.max_deletes);
    Retention& changelogs = request.changelogs;
    changelogs = snapshots;
    if (step.Find("changelog_older_than") != nullptr) changelogs.older_than_ms = age("changelog_older_than", "0 ms");
    changelogs.retain_max = number("changelog_retain_max", changelogs.retain_max);
    changelogs.retain_min = number("changelog_retain_min", changelogs.retain_min);
    request.keep_changelogs = changelogs.retain_max > snapshots.retain_max ||
                              changelogs.retain_min > snapshots.retain_min ||
                              changelogs.older_than_ms < snapshots.older_than_ms;
    return request;
  }

  static void CheckKeys(const Json& step, const std::set<std::string>& known) {
    for (const auto& [key, value] : step.as_object()) {
      if (key != "op" && key != "expect_error" && !known.contains(key)) Unknown(fmt::format("the key {}", key));
    }
  }

  static Identifier TableOf(const Json& step) {
    Identifier identifier = Take(Identifier::Parse(Take(step.GetString("table"), "a step")), "a step");
    identifier.branch = *step.FindString("branch");
    return identifier;
  }

  static std::vector<std::string> Names(const Json& step, const char* key) {
    std::vector<std::string> names;
    if (const Json* list = step.Find(key)) {
      for (const Json& name : list->as_array()) names.push_back(name.as_string());
    }
    return names;
  }

  static std::map<std::string, std::string> TextsOf(const Json& object) {
    std::map<std::string, std::string> texts;
    for (const auto& [key, value] : object.as_object()) {
      texts[key] = value.is_string() ? value.as_string() : PrintJson(value);
    }
    return texts;
  }

  static SchemaChange ChangeOf(const Json& change) {
    const auto text = [&change](const char* key) { return Take(change.GetString(key), "a change"); };
    const std::string kind = text("change");
    ColumnPath path;
    if (const Json* column = change.Find("column")) {
      if (column->is_string())
        path.push_back(column->as_string());
      else
        path = Names(change, "column");
    }
    if (kind == "add") return AddColumn{path, TypeOf(text("type")), *change.FindString("comment"), PositionOf(change)};
    if (kind == "drop") return DropColumn{path};
    if (kind == "rename") return RenameColumn{path, text("to")};
    if (kind == "type") return UpdateColumnType{path, TypeOf(text("type")), Flag(change, "keep_nullability", false)};
    if (kind == "nullable") return UpdateColumnNullability{path, Flag(change, "value", true)};
    if (kind == "comment" && path.empty()) return UpdateComment{*change.FindString("value")};
    if (kind == "comment") return UpdateColumnComment{path, *change.FindString("value")};
    if (kind == "default") return UpdateColumnDefault{path, *change.FindString("value")};
    if (kind == "move") return MoveColumn{path.front(), PositionOf(change).value()};
    if (kind == "set_option") return SetOption{text("key"), text("value")};
    if (kind == "remove_option") return RemoveOption{text("key")};
    if (kind == "drop_primary_key") return DropPrimaryKey{};
    Unknown(fmt::format("the change {}", kind));
  }

  static std::optional<ColumnPosition> PositionOf(const Json& change) {
    using Where = ColumnPosition::Where;
    if (const auto after = *change.FindString("after")) return ColumnPosition{Where::kAfter, *after};
    if (const auto before = *change.FindString("before")) return ColumnPosition{Where::kBefore, *before};
    if (Flag(change, "first", false)) return ColumnPosition{Where::kFirst, {}};
    if (Flag(change, "last", false)) return ColumnPosition{Where::kLast, {}};
    return std::nullopt;
  }

  static DataType TypeOf(const std::string& text) { return Take(ParseDataType(text), text.c_str()); }

  static DataField ColumnOf(const Json& column) {
    if (column.is_array())
      return ColumnOf(Json::Object{{"name", column.as_array().at(0)}, {"type", column.as_array().at(1)}});
    return {.id = FieldId(0),
            .name = Take(column.GetString("name"), "a column"),
            .type = TypeOf(Take(column.GetString("type"), "a column")),
            .description = *column.FindString("comment"),
            .default_value = *column.FindString("default")};
  }

  Table Open(const Json& step) { return Take(catalog_->OpenTable(TableOf(step), OptionsOf(step)), "the table"); }

  static Options OptionsOf(const Json& step) {
    Options options;
    if (const Json* members = step.Find("options")) {
      for (const auto& [key, value] : members->as_object()) options.Set(key, value.as_string());
    }
    return options;
  }

  void CreateTable(const Json& step) {
    CheckKeys(step, {"table", "columns", "primary_key", "partition_by", "options", "comment"});
    TableDefinition definition;
    for (const Json& column : step.Find("columns")->as_array()) definition.fields.push_back(ColumnOf(column));
    definition.comment = *step.FindString("comment");
    definition.primary_keys = Names(step, "primary_key");
    definition.partition_keys = Names(step, "partition_by");
    definition.options = OptionsOf(step);
    const Identifier identifier = TableOf(step);
    Require(catalog_->CreateDatabase(identifier.database, true), "create_table");
    Require(catalog_->CreateTable(identifier, definition, false), "create_table");
  }

  // Other values of some columns, for all rows of a range.
  void WriteColumns(const Json& step) {
    CheckKeys(step, {"table", "branch", "columns", "first_row_id", "rows"});
    const Table table = Open(step);
    const auto rows = Take(AddressedRows::Make(table), "write");
    ColumnUpdate update = Take(ColumnUpdate::Make(rows, Names(step, "columns")), "write");
    const Rows values = RowsOf(step, table.schema().Project(Names(step, "columns")));
    std::int32_t range = 0;
    while (rows->files().at(static_cast<std::size_t>(range)).meta.first_row_id != *step.FindInteger("first_row_id")) ++range;
    for (std::size_t row = 0; row < values.rows.size(); ++row) {
      const Batch one = Take(MakeBatch(update.fields(), std::span(&values.rows[row], 1)), "write");
      const auto file = Take(MakeConstantColumn(Datum(range), DataType::Int(), 1), "write");
      const auto position = Take(MakeConstantColumn(Datum(static_cast<std::int64_t>(row)), DataType::BigInt(), 1), "write");
      Require(update.Add(static_cast<const arrow::Int32Array&>(*file), static_cast<const arrow::Int64Array&>(*position), one), "write");
    }
    Committable committable;
    committable.messages = Take(update.Finish(), "write");
    Take(TableCommit(table, "braid").Commit(committable), "write");
  }

  // As several writers that share the buckets out, all of whom begin before the first commits.
  void WriteShares(const Json& step) {
    CheckKeys(step, {"table", "rows", "generate", "writers"});
    const Table table = Open(step);
    const Rows rows = RowsOf(step, table.schema().fields);
    const Batch all = Take(MakeBatch(table.schema().fields, rows.rows, rows.kinds), "write");
    const auto writers = static_cast<std::int32_t>(*step.FindInteger("writers").value());
    const std::vector<std::int32_t> numbers = Take(WriterOf(table, all, writers), "write");
    std::vector<Committable> committables;
    for (std::int32_t number = 0; number < writers; ++number) {
      std::vector<std::int32_t> own;
      for (std::size_t row = 0; row < numbers.size(); ++row) {
        if (numbers[row] == number) own.push_back(static_cast<std::int32_t>(row));
      }
      TableWriterOptions options{.commit_user = "braid", .spill_directory = {}};
      options.share = AssignerShare{.number = number, .count = writers};
      const auto writer = Take(TableWriter::Make(table, std::move(options)), "write");
      Require(writer->Write(Take(TakeRows(all, own), "write")), "write");
      committables.emplace_back().messages = Take(writer->PrepareCommit(true, kBatchCommitIdentifier), "write");
    }
    for (const Committable& committable : committables) Take(TableCommit(table, "braid").Commit(committable), "write");
  }

  void Write(const Json& step) {
    if (step.Find("columns") != nullptr) return WriteColumns(step);
    if (step.Find("writers") != nullptr) return WriteShares(step);
    CheckKeys(step, {"table", "branch", "options", "rows", "generate", "overwrite", "user", "identifier", "watermark",
                     "properties", "force", "wait_compaction"});
    const Table table = Open(step);
    const std::string user = step.FindString("user")->value_or("braid");
    const Json* overwrite = step.Find("overwrite");
    const auto writer = Take(TableWriter::Make(table, {.commit_user = user,
                                                       .spill_directory = {},
                                                       .ignore_previous_files = overwrite != nullptr,
                                                       .compacts_fully_when_due = false}),
                             "write");
    const Rows rows = RowsOf(step, table.schema().fields);
    Require(writer->Write(Take(MakeBatch(table.schema().fields, rows.rows, rows.kinds), "write")), "write");
    Committable committable;
    committable.identifier = step.FindInteger("identifier")->value_or(kBatchCommitIdentifier);
    committable.watermark = *step.FindInteger("watermark");
    if (const Json* properties = step.Find("properties")) {
      for (const auto& [key, value] : properties->as_object()) committable.properties[key] = value.as_string();
    }
    committable.messages =
        Take(writer->PrepareCommit(Flag(step, "wait_compaction", true), committable.identifier), "write");
    TableCommit commit(table, user);
    if (overwrite == nullptr) {
      Take(commit.Commit(committable, Flag(step, "force", false)), "write");
      return;
    }
    OverwriteTarget target;
    target.partition = TextsOf(*overwrite);
    // As Java: without a partition, a partitioned table replaces what it writes unless its options say otherwise.
    target.dynamic = target.partition.empty() &&
                     table.options().Find("dynamic-partition-overwrite").value_or("true") == "true" &&
                     !table.schema().partition_keys.empty();
    Take(commit.Overwrite(committable, target), "write");
  }

  void Compact(const Json& step) {
    CheckKeys(step, {"table", "branch", "options", "full", "user"});
    const Table table = Open(step);
    Take(CompactTable(table, Flag(step, "full", true), nullptr, step.FindString("user")->value_or("braid")), "compact");
  }

  static bool Flag(const Json& step, const char* key, bool otherwise) {
    const Json* value = step.Find(key);
    return value == nullptr ? otherwise : value->as_bool();
  }

  std::shared_ptr<Catalog> catalog_;
};

int RunScript(const std::string& warehouse, const std::string& path) {
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  int number = 0;
  try {
    const Json steps = Take(ParseJson(text), path.c_str());
    Script script(warehouse);
    for (const Json& step : steps.as_array()) {
      script.Run(step);
      fmt::print("{}\n", PrintJson(Json(Json::Object{{"step", ++number}, {"op", *step.Find("op")}})));
    }
  } catch (const ScriptFailure& failure) {
    fmt::print(stderr, "step {}: {}\n", number + 1, failure.message);
    return failure.exit_code;
  }
  return 0;
}

}  // namespace
}  // namespace braid

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: write_tables WAREHOUSE SCRIPT.json\n", stderr);
    return 1;
  }
  return braid::RunScript(argv[1], argv[2]);
}
