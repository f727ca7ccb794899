#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "catalog/catalog.h"
#include "lineage/catalog_file.h"
#include "lineage/metadata_store.h"
#include "lineage/snapshot_lineage.h"

namespace braid {

/// A table that a job reads, with the snapshots that it reads.
struct LineageInput {
  Table table;
  SourceMode mode = SourceMode::kFull;
  std::optional<SnapshotId> from;  ///< first one consumed, of kDelta
  std::optional<SnapshotId> to;    ///< nullopt: a stream, whose barriers say what they consumed
};

/// A job about to start.
struct LineageJob {
  std::string name;      ///< `pipeline.name`
  std::string mode = "batch";
  std::string sql_text;  ///< without secrets
  std::vector<LineageInput> sources;
  std::vector<Table> sinks;
};

/// A run of a job: what its commits carry.
struct StartedRun {
  SnapshotLineage lineage;
  std::string commit_user;
  std::map<std::string, std::string> properties;
  /// Files that the properties name, one in each sink's folder. They go if the run fails before any commit.
  struct SideFile {
    Table table;
    std::string path;
  };
  std::vector<SideFile> side_files;
};

/// Records which job made which snapshot from which (spec lineage.md). The truth is in the snapshots that jobs commit; this
/// keeps the store, an index of it, up to date. Thread-safe.
class Lineage {
 public:
  /// Opens the store of the catalog, made from the snapshots if it is new. Options read: `metadata.store`,
  /// `metadata.sqlite.path`, `lineage.on-store-failure`.
  /// Errors: kUnsupported for a store other than SQLite; those of MetadataStore.
  static Result<std::shared_ptr<Lineage>> Open(std::shared_ptr<Catalog> catalog, CatalogIdentity identity, const Clock& clock = SystemClock());

  /// Starts a run: gives what its commits must carry, and records its tables. Errors: kInvalidArgument for a job name over 256
  /// bytes, and those of the store and of the sinks' file systems.
  Result<StartedRun> Begin(const LineageJob& start);
  /// Indexes what the run committed. The data are committed already: a failing store is a warning, or with
  /// `lineage.on-store-failure`=`fail` an error.
  Status Finish(const StartedRun& run, const std::vector<Table>& sinks);
  Status Fail(const StartedRun& run, const Error& error);
  /// Indexes what a streaming run has committed so far. Errors as Finish.
  Status Index(const std::string& job, const std::vector<Table>& sinks);
  /// Ends a streaming run in a state of §8.1.
  Status End(const std::string& run_id, const std::string& state, const std::string& error);

  /// Brings the index up to date with every table of the catalog, also with what others committed.
  Status CatchUp();
  /// Makes the index anew from the snapshots.
  Status Rebuild();
  /// Forgets a job. Returns how many barriers it had. Errors: kNotFound.
  Result<std::int64_t> DeleteJob(const std::string& job);

  MetadataStore& store() { return *store_; }
  Catalog& catalog() { return *catalog_; }
  const CatalogIdentity& identity() const { return identity_; }

 private:
  Lineage(std::shared_ptr<Catalog> catalog, CatalogIdentity identity, std::unique_ptr<MetadataStore> store, const Clock& clock)
      : catalog_(std::move(catalog)), identity_(std::move(identity)), store_(std::move(store)), clock_(&clock) {}

  Status IndexTables(const std::vector<Table>& tables);
  Status Tolerate(const std::string& job, Status indexed) const;
  Status IndexTable(const std::string& name, const std::string& root, const std::string& uuid);
  Status IndexLine(const std::string& name, const TablePaths& paths, const std::string& uuid);

  std::shared_ptr<Catalog> catalog_;
  CatalogIdentity identity_;
  std::unique_ptr<MetadataStore> store_;
  const Clock* clock_;  // outlives this
};

/// The name that a table's branch has as a line: "root" for main.
std::string LineOf(std::string_view branch);

inline constexpr std::string_view kLineageDatabase = "paimon";

/// Registers the system database `paimon`, alias `sys`, with the catalog: `catalog_options` always, and the lineage tables
/// if there is lineage (§6). `options` are the catalog's effective ones; secrets among them are masked. Where the warehouse
/// has a database `paimon` of its own (`is_taken`), that one keeps the name.
void RegisterSystemDatabase(Catalog& catalog, const Options& options, const std::shared_ptr<Lineage>& lineage,
                            bool is_taken);

/// Opens the lineage that the catalog's warehouse records, null if it records none, and registers the system database with
/// the catalog, whose lineage tables live as long as the lineage. Errors: those of SettleCatalogIdentity and Lineage::Open.
Result<std::shared_ptr<Lineage>> OpenSystemDatabase(const std::shared_ptr<Catalog>& catalog,
                                                    const Clock& clock = SystemClock());

}  // namespace braid
