#include "table/table.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "io/storage_traits.h"
#include "meta/stores.h"
#include "meta/table_type.h"
#include "table/branch_folder.h"
#include "table/lines.h"
#include "table/operation.h"
#include "table/reader_line.h"
#include "table/time_travel.h"

namespace braid {

namespace {

Result<TableSchema> LatestSchema(const FileSystem& fs, const TablePaths& paths, const std::string& name) {
  // Where branches are made and deleted file by file, a schema does not mean that there is a branch.
  const bool must_ask = paths.branch() != kMainBranch && !CanRename(fs);
  BranchFolder folder = BranchFolder::kPresent;
  if (must_ask) {
    BRAID_TRY_ASSIGN(folder, FindBranchFolder(fs, paths));
  }
  if (folder == BranchFolder::kPresent) {
    BRAID_TRY_ASSIGN(std::optional<TableSchema> schema, ReadLatestSchema(fs, paths));
    if (schema) return *std::move(schema);
  }
  if (paths.branch() == kMainBranch) return Error(ErrorCode::kNotFound, fmt::format("table {} does not exist", name));
  if (!must_ask) {
    BRAID_TRY_ASSIGN(folder, FindBranchFolder(fs, paths));
  }
  if (folder == BranchFolder::kPresent) {
    return Error(ErrorCode::kCorruption, fmt::format("branch '{}' of {} is damaged: it has no schema", paths.branch(), name))
        .Id("branch.damaged")
        .Hint("put its files back, or delete it with `braid branch delete`");
  }
  Error error = Error(ErrorCode::kNotFound, fmt::format("table {} has no branch '{}'", name, paths.branch())).Id("branch.not-found");
  BRAID_TRY_ASSIGN(const std::vector<std::string> branches, ListBranches(fs, paths));
  if (const auto nearest = NearestName(paths.branch(), branches)) return std::move(error).Hint(fmt::format("did you mean '{}'?", *nearest));
  return std::move(error).Hint(branches.empty() ? "it has no branch but main" : "it has the branches " + Join(branches, ", "));
}

Result<DataLayout> LayoutOf(const TableSchema& schema, const Options& options) {
  DataLayout layout;
  layout.partition_fields = schema.PartitionFields();
  layout.default_partition_name = options.Get("partition.default-name", layout.default_partition_name);
  BRAID_TRY_ASSIGN(layout.legacy_partition_names, options.GetBool("partition.legacy-name", true));
  layout.data_directory = options.Get("data-file.path-directory", "");
  return layout;
}

// What a handle knows of a line beside where it lies.
struct LineContent {
  TableSchema schema;
  Options options;
  DataLayout layout;
};

// Of the line at `paths`, with the columns of the one at `columns`.
Result<LineContent> ReadLineContent(const FileSystem& fs, const std::string& name, const TablePaths& columns, const TablePaths& paths,
                                    const Options& dynamic) {
  BRAID_TRY_ASSIGN(TableSchema schema, LatestSchema(fs, columns, name));
  if (paths.branch() != columns.branch()) BRAID_TRY(LatestSchema(fs, paths, name));
  const Options options = schema.options.With(dynamic);
  // The columns are those of the snapshot travelled to; the options stay today's. A snapshot that is not there is the
  // scan's to report: a stream may begin before the first one.
  Result<std::optional<Snapshot>> travelled = TravelTo(fs, paths, options);
  if (!travelled && travelled.error().code() != ErrorCode::kNotFound) {
    return std::move(travelled).error().Context("while opening " + name);
  }
  if (travelled && *travelled && (*travelled)->schema_id != schema.id) {
    BRAID_TRY_ASSIGN(schema, ReadSchema(fs, paths, (*travelled)->schema_id));
  }
  BRAID_TRY_ASSIGN(DataLayout layout, LayoutOf(schema, options));
  return LineContent{.schema = std::move(schema), .options = options, .layout = std::move(layout)};
}

}  // namespace

Result<Table> Table::Open(std::shared_ptr<FileSystem> file_system, std::string root, std::string name, std::string_view branch,
                          const Options& dynamic) {
  RecoverOnOpen({.file_system = file_system, .root = root, .table_name = name});
  const FileSystem& fs = *file_system;
  const auto open_on = [&](const TablePaths& paths, OpenedLine line) -> Result<Table> {
    // The option `branch` chooses whose snapshots are read; the columns stay those of the branch that the name says, as in Java.
    BRAID_TRY_ASSIGN(const TablePaths columns, ResolveLine(fs, root, branch));
    BRAID_TRY_ASSIGN(LineContent content, ReadLineContent(fs, name, columns, paths, dynamic));
    BRAID_TRY(CheckTableType(content.options).Context("while opening " + name));
    return Table(std::make_shared<const State>(State{file_system, name, paths, std::move(line), std::move(content.schema),
                                                     std::move(content.options), dynamic, std::move(content.layout),
                                                     std::make_shared<SchemaCache>(fs, paths)}));
  };
  constexpr int kAttempts = 3;
  for (int attempt = 1;; ++attempt) {
    OpenedLine line{.name = dynamic.Get("branch", branch), .id = {}};
    BRAID_TRY_ASSIGN(const TablePaths paths, ResolveLine(fs, root, line.name));
    const Result<std::string> id = ReadLineId(fs, paths);
    // A branch that is not there is for open_on to report.
    if (!id && id.error().code() != ErrorCode::kNotFound) return id.error();
    if (id) line.id = *id;
    Result<Table> table = open_on(paths, line);
    // Another line may have become the one of that name while its schema was read.
    BRAID_TRY_ASSIGN(const TablePaths paths_now, ResolveLine(fs, root, line.name));
    const Result<std::string> id_now = ReadLineId(fs, paths_now);
    const bool same = paths_now.branch() == paths.branch() && id.has_value() == id_now.has_value() && (!id || *id == *id_now);
    if (same || attempt == kAttempts) return table;
  }
}

Table Table::MovedTo(const TablePaths& paths) const {
  State moved = *state_;
  moved.paths = paths;
  moved.schemas = std::make_shared<SchemaCache>(*moved.file_system, paths);
  return Table(std::make_shared<const State>(std::move(moved)));
}

Result<Table> Table::With(const Options& dynamic) const {
  const Options all = dynamic_options().With(dynamic);
  const std::optional<std::string> branch = dynamic.Find("branch");
  if (branch && *branch != line().name) return Open(state_->file_system, paths().root(), name(), line().name, all);
  // A snapshot id that the caller has found means another snapshot on another line, so it stays this one, whatever its
  // name means by now.
  return OnLine<Table>(*this, [&](const Table& here) -> Result<Table> {
    State state = *here.state_;
    BRAID_TRY_ASSIGN(LineContent content, ReadLineContent(*state.file_system, state.name, state.paths, state.paths, all));
    state.schema = std::move(content.schema);
    state.options = std::move(content.options);
    state.dynamic = all;
    state.layout = std::move(content.layout);
    state.schemas = std::make_shared<SchemaCache>(*state.file_system, state.paths);
    return Table(std::make_shared<const State>(std::move(state)));
  });
}

Error MovedError(const Table& table) {
  const bool is_main = IsMainName(table.line().name);
  return Error(ErrorCode::kConflict, is_main ? fmt::format("another branch has become main of {}", table.name())
                                             : fmt::format("branch {} of {} was deleted and created again", table.line().name, table.name()))
      .Id(is_main ? "main.moved" : "branch.recreated")
      .Hint("run it again: it then works on the present one");
}

}  // namespace braid
