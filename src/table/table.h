#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/options.h"
#include "base/result.h"
#include "io/file_system.h"
#include "meta/snapshot.h"
#include "meta/table_paths.h"
#include "meta/table_schema.h"
#include "table/schema_cache.h"

namespace braid {

/// One table, on one branch, with one schema: a handle that scans, writers and commits are made from. Immutable, cheap to
/// copy; any thread. It does not follow later schema changes: open the table again for those.
class Table {
 public:
  /// Which line of snapshots the table was opened on (spec branches.md §5.6).
  struct OpenedLine {
    std::string name;  ///< as asked for: "main" or a branch; what it means may change
    std::string id;    ///< lineId; what the handle works on for good
  };

  /// Opens the table at `root` (the folder that holds `schema/`). `name` is what errors call it ("db.t"). `dynamic` options
  /// (hints, `--option`) are put over those of the schema; scan options such as `scan.snapshot-id` are among them, and
  /// `branch` there chooses the branch. "main" is the line that MAIN-BRANCH names. With time travel, the schema is that of the snapshot travelled to.
  /// Errors: kNotFound if no schema is there, or a snapshot, tag or branch named by an option does not exist;
  /// kInvalidArgument for options that contradict each other.
  static Result<Table> Open(std::shared_ptr<FileSystem> file_system, std::string root, std::string name,
                            std::string_view branch = kMainBranch, const Options& dynamic = {});

  FileSystem& file_system() const { return *state_->file_system; }
  std::shared_ptr<FileSystem> shared_file_system() const { return state_->file_system; }
  const std::string& name() const { return state_->name; }
  const TablePaths& paths() const { return state_->paths; }
  const OpenedLine& line() const { return state_->line; }
  const TableSchema& schema() const { return state_->content.schema; }
  /// The schema's options with the dynamic ones over them.
  const Options& options() const { return state_->content.options; }
  const Options& dynamic_options() const { return state_->dynamic; }
  const DataLayout& layout() const { return state_->content.layout; }
  /// Schemas by id, each read once for all that work with this handle: what it has read stays, wherever the line's files go.
  SchemaCache& schemas() const { return *state_->content.schemas; }

  /// The same table, reading this snapshot of its line, as by `scan.snapshot-id`; makes no request. The snapshot has the
  /// handle's schema.
  Table ReadingAt(Snapshot snapshot) const;
  /// That snapshot as it was when the handle was made; null for other handles. It may have expired since.
  const Snapshot* pinned() const { return state_->pinned.get(); }

  /// The same table with further dynamic options; reads the schema again if they travel in time.
  Result<Table> With(const Options& dynamic) const;
  /// The same table on its line's new place, after the line was renamed or became the root.
  Table MovedTo(const TablePaths& paths) const;

 private:
  // What is read of a line beside where it lies.
  struct Content {
    TableSchema schema;
    Options options;
    DataLayout layout;
    std::shared_ptr<SchemaCache> schemas;
  };
  struct State {
    std::shared_ptr<FileSystem> file_system;
    std::string name;
    TablePaths paths;
    OpenedLine line;
    Options dynamic;
    Content content;
    std::shared_ptr<const Snapshot> pinned = nullptr;
  };

  // Of the line at `paths`, with the columns of the one at `columns`.
  static Result<Content> ReadContent(const FileSystem& fs, const std::string& name, const TablePaths& columns,
                                     const TablePaths& paths, const Options& dynamic);

  explicit Table(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// What a handle reports whose name means another line than when it was opened (kConflict).
Error MovedError(const Table& table);

}  // namespace braid
