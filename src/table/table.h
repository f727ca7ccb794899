#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/options.h"
#include "base/result.h"
#include "io/file_system.h"
#include "meta/table_paths.h"
#include "meta/table_schema.h"

namespace braid {

/// One table, on one branch, with one schema: a handle that scans, writers and commits are made from. Immutable, cheap to
/// copy; any thread. It does not follow later schema changes: open the table again for those.
class Table {
 public:
  /// Opens the table at `root` (the folder that holds `schema/`). `name` is what errors call it ("db.t"). `dynamic` options
  /// (hints, `--option`) are put over those of the schema; scan options such as `scan.snapshot-id` are among them, and
  /// `branch` there chooses the branch. With time travel, the schema is that of the snapshot travelled to.
  /// Errors: kNotFound if no schema is there, or a snapshot, tag or branch named by an option does not exist;
  /// kInvalidArgument for options that contradict each other.
  static Result<Table> Open(std::shared_ptr<FileSystem> file_system, std::string root, std::string name,
                            std::string_view branch = kMainBranch, const Options& dynamic = {});

  FileSystem& file_system() const { return *state_->file_system; }
  std::shared_ptr<FileSystem> shared_file_system() const { return state_->file_system; }
  const std::string& name() const { return state_->name; }
  const TablePaths& paths() const { return state_->paths; }
  const TableSchema& schema() const { return state_->schema; }
  /// The schema's options with the dynamic ones over them.
  const Options& options() const { return state_->options; }
  const Options& dynamic_options() const { return state_->dynamic; }
  const DataLayout& layout() const { return state_->layout; }

  /// The same table with further dynamic options; reads the schema again if they travel in time.
  Result<Table> With(const Options& dynamic) const;

 private:
  struct State {
    std::shared_ptr<FileSystem> file_system;
    std::string name;
    TablePaths paths;
    TableSchema schema;
    Options options;
    Options dynamic;
    DataLayout layout;
  };
  explicit Table(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace braid
