#include "table/table.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "meta/stores.h"
#include "table/lines.h"
#include "table/time_travel.h"

namespace braid {

namespace {

Result<TableSchema> LatestSchema(const FileSystem& fs, const TablePaths& paths, const std::string& name) {
  BRAID_TRY_ASSIGN(std::optional<TableSchema> schema, ReadLatestSchema(fs, paths));
  if (schema) return *std::move(schema);
  if (paths.branch() == kMainBranch) return Error(ErrorCode::kNotFound, fmt::format("table {} does not exist", name));
  Error error(ErrorCode::kNotFound, fmt::format("table {} has no branch '{}'", name, paths.branch()));
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

Result<Table> Table::Open(std::shared_ptr<FileSystem> file_system, std::string root, std::string name, std::string_view branch,
                          const Options& dynamic) {
  // The option `branch` chooses whose snapshots are read; the columns stay those of the branch that the name says, as in Java.
  BRAID_TRY_ASSIGN(const TablePaths named, ResolveLine(*file_system, root, branch));
  BRAID_TRY_ASSIGN(TableSchema schema, LatestSchema(*file_system, named, name));
  OpenedLine line{.name = dynamic.Get("branch", branch), .id = {}};
  TablePaths paths = named;
  if (line.name != branch) {
    BRAID_TRY_ASSIGN(paths, ResolveLine(*file_system, root, line.name));
    if (paths.branch() != named.branch()) BRAID_TRY(LatestSchema(*file_system, paths, name));
  }
  BRAID_TRY_ASSIGN(line.id, ReadLineId(*file_system, paths));
  const Options options = schema.options.With(dynamic);
  // The columns are those of the snapshot travelled to; the options stay today's. A snapshot that is not there is the
  // scan's to report: a stream may begin before the first one.
  Result<std::optional<Snapshot>> travelled = TravelTo(*file_system, paths, options);
  if (!travelled && travelled.error().code() != ErrorCode::kNotFound) {
    return std::move(travelled).error().Context("while opening " + name);
  }
  if (travelled && *travelled && (*travelled)->schema_id != schema.id) {
    BRAID_TRY_ASSIGN(schema, ReadSchema(*file_system, paths, (*travelled)->schema_id));
  }
  BRAID_TRY_ASSIGN(DataLayout layout, LayoutOf(schema, options));
  auto schemas = std::make_shared<SchemaCache>(*file_system, paths);
  return Table(std::make_shared<const State>(State{std::move(file_system), std::move(name), paths, std::move(line),
                                                   std::move(schema), options, dynamic, std::move(layout),
                                                   std::move(schemas)}));
}

Table Table::MovedTo(const TablePaths& paths) const {
  State moved = *state_;
  moved.paths = paths;
  return Table(std::make_shared<const State>(std::move(moved)));
}

Result<Table> Table::With(const Options& dynamic) const {
  BRAID_TRY_ASSIGN(Table table, Open(state_->file_system, paths().root(), name(), line().name, dynamic_options().With(dynamic)));
  // A snapshot id that the caller has found means another snapshot on another line.
  if (table.line().name == line().name && table.line().id != line().id) return MovedError(*this);
  return table;
}

Error MovedError(const Table& table) {
  const bool is_main = IsMainName(table.line().name);
  return Error(ErrorCode::kConflict, is_main ? fmt::format("another branch has become main of {}", table.name())
                                             : fmt::format("branch {} of {} was deleted and created again", table.line().name, table.name()))
      .Hint("run it again: it then works on the present one");
}

}  // namespace braid
