#include "table/table.h"

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "io/request_pool.h"
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

}  // namespace

Result<Table::Content> Table::ReadContent(const FileSystem& fs, const std::string& name, const TablePaths& columns,
                                          const TablePaths& paths, const Options& dynamic) {
  Content content;
  BRAID_TRY_ASSIGN(content.schema, LatestSchema(fs, columns, name));
  if (paths.branch() != columns.branch()) BRAID_TRY(LatestSchema(fs, paths, name));
  content.options = content.schema.options.With(dynamic);
  // The columns are those of the snapshot travelled to; the options stay today's. A snapshot that is not there is the
  // scan's to report: a stream may begin before the first one.
  Result<std::optional<Snapshot>> travelled = TravelTo(fs, paths, content.options);
  if (!travelled && travelled.error().code() != ErrorCode::kNotFound) {
    return std::move(travelled).error().Context("while opening " + name);
  }
  content.schemas = std::make_shared<SchemaCache>(fs, paths);
  if (paths.branch() == columns.branch()) content.schemas->Keep(content.schema);
  if (travelled && *travelled && (*travelled)->schema_id != content.schema.id) {
    BRAID_TRY_ASSIGN(content.schema, ReadSchema(fs, paths, (*travelled)->schema_id));
    content.schemas->Keep(content.schema);
  }
  BRAID_TRY_ASSIGN(content.layout, LayoutOf(content.schema, content.options));
  return content;
}

Result<Table> Table::Open(std::shared_ptr<FileSystem> file_system, std::string root, std::string name, std::string_view branch,
                          const Options& dynamic) {
  const FileSystem& fs = *file_system;
  const std::string line_name = dynamic.Get("branch", branch);
  bool recovered = false;
  std::optional<Result<TablePaths>> found;
  std::optional<Result<std::string>> id;
  std::optional<Result<Content>> content;
  const auto recover = [&]() -> Status {
    recovered = RecoverOnOpen({.file_system = file_system, .root = root, .table_name = name});
    return Ok();
  };
  const auto resolve = [&]() -> Status {
    found.emplace(ResolveLine(fs, root, line_name));
    return Ok();
  };
  const auto read_id = [&](const TablePaths& paths) -> Status {
    id.emplace(ReadLineId(fs, paths));
    return Ok();
  };
  const auto read_content = [&](const TablePaths& paths) -> Status {
    // The option `branch` chooses whose snapshots are read; the columns stay those of the branch that the name says, as in Java.
    Result<TablePaths> columns = line_name == branch ? paths : ResolveLine(fs, root, branch);
    content.emplace(columns ? ReadContent(fs, name, *columns, paths, dynamic) : Result<Content>(std::move(columns).error()));
    return Ok();
  };
  const auto opened = [&]() -> Result<Table> {
    if (!*content) return std::move(*content).error();
    BRAID_TRY(CheckTableType((*content)->options).Context("while opening " + name));
    return Table(std::make_shared<const State>(State{.file_system = file_system,
                                                     .name = name,
                                                     .paths = **found,
                                                     .line = {.name = line_name, .id = *id ? **id : std::string()},
                                                     .dynamic = dynamic,
                                                     .content = std::move(**content)}));
  };

  // Main is mostly the root, which is read while it is asked for.
  const TablePaths root_line(root, std::string(kMainBranch));
  const bool expects_root = IsMainName(line_name) && line_name == branch && StaysInPlace(fs, root_line);
  std::vector<std::function<Status()>> looks = {recover, resolve};
  if (expects_root) {
    looks.emplace_back([&] { return read_id(root_line); });
    looks.emplace_back([&] { return read_content(root_line); });
  }
  BRAID_TRY(CallTogether(fs, looks));
  if (recovered) BRAID_TRY(resolve());

  constexpr int kAttempts = 3;
  for (int attempt = 1;; ++attempt) {
    if (!*found) return std::move(*found).error();
    const TablePaths paths = **found;
    if (StaysInPlace(fs, paths)) {
      if (!expects_root || recovered) {
        BRAID_TRY(read_id(paths));
        BRAID_TRY(read_content(paths));
      }
      if (!*id) return std::move(*id).error();
      return opened();
    }
    BRAID_TRY(read_id(paths));
    // A branch that is not there is for the reading of its content to report.
    if (!*id && id->error().code() != ErrorCode::kNotFound) return std::move(*id).error();
    BRAID_TRY(read_content(paths));
    Result<Table> table = opened();
    // Another line may have become the one of that name while its schema was read.
    BRAID_TRY(resolve());
    if (!*found) return std::move(*found).error();
    const Result<std::string> id_now = ReadLineId(fs, **found);
    const bool same = (**found).branch() == paths.branch() && id->has_value() == id_now.has_value() && (!*id || **id == *id_now);
    if (same || attempt == kAttempts) return table;
  }
}

Table Table::ReadingAt(Snapshot snapshot) const {
  State state = *state_;
  // The mode would be refused beside a snapshot id; the id alone implies its own.
  const Options pinned({{"scan.snapshot-id", std::to_string(snapshot.id.value())}, {"scan.mode", "default"}});
  state.dynamic = state.dynamic.With(pinned);
  state.content.options = state.content.options.With(pinned);
  state.pinned = std::make_shared<const Snapshot>(std::move(snapshot));
  return Table(std::make_shared<const State>(std::move(state)));
}

Table Table::MovedTo(const TablePaths& paths) const {
  State moved = *state_;
  moved.paths = paths;
  moved.content.schemas = std::make_shared<SchemaCache>(*moved.file_system, paths);
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
    BRAID_TRY_ASSIGN(state.content, ReadContent(*state.file_system, state.name, state.paths, state.paths, all));
    state.dynamic = all;
    state.pinned = nullptr;
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
