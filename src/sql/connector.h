#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/options.h"
#include "base/result.h"
#include "catalog/virtual_table.h"
#include "types/batch.h"
#include "types/data_type.h"

namespace braid {

/// What CREATE TEMPORARY TABLE … WITH ('connector' = …) says of a table.
struct ConnectorTableDefinition {
  std::string name;               ///< "c.db.t", for errors
  std::vector<DataField> fields;  ///< the columns that the outside has, without computed ones
  std::vector<std::string> primary_key;
  std::vector<std::string> partition_keys;
  Options options;  ///< 'connector' among them, hints over those of the table
};

/// What a stream found behind a position.
struct StreamStep {
  Json to;  ///< the position behind it
  /// What went in, as an element of `braid.lineage.sources` (spec lineage.md §3); null: nothing to say.
  Json lineage;
  std::unique_ptr<BatchReader> rows;  ///< all fields; kinds are respected
};

/// A connector's table read as it grows. A position is whatever the connector needs to go on, kept by the reader; null
/// is the start. Reading from one position twice gives the same rows while the outside stays the same. One thread at a
/// time.
class ConnectorStream {
 public:
  virtual ~ConnectorStream() = default;
  /// What there is behind the position; nullopt: nothing now. Errors: kConflict if what was read has changed since.
  virtual Result<std::optional<StreamStep>> Next(const Json& position) = 0;
  /// Whether nothing will ever come behind the position. Only meaningful after Next found nothing.
  virtual bool IsEnd(const Json& position) const = 0;
  /// Local folders whose changes say that there may be something new.
  virtual std::vector<std::string> WatchedFolders() const { return {}; }
  /// How often to look, in milliseconds; ≥ 1.
  virtual std::int64_t poll_interval_ms() const { return 1000; }
};

/// Takes rows to the outside, in two steps, so that a crash between them neither loses nor doubles any where the
/// outside can be asked (files), and may repeat them where it cannot (print). One thread at a time.
class ConnectorSink {
 public:
  virtual ~ConnectorSink() = default;
  /// Adds rows of all fields, with their kinds. Errors: kInvalidArgument for a retraction that the outside cannot take.
  virtual Status Write(const Batch& batch) = 0;
  /// Makes what was written survive a crash of the machine, still invisible. `barrier` numbers the commit. Returns what
  /// Commit needs; null if nothing was written.
  virtual Result<Json> Prepare(std::int64_t barrier) = 0;
  /// Makes what Prepare returned visible; doing it again changes nothing. Also called on a new sink after a restart.
  virtual Status Commit(const Json& prepared) = 0;
};

/// A temporary table on something outside of catalogs; as a VirtualTable it can be read whole, as batch queries do.
/// Immutable; any thread.
class ConnectorTable : public VirtualTable {
 public:
  virtual std::string_view connector() const = 0;
  /// Errors: kUnsupported if the connector cannot be read as a stream.
  virtual Result<std::unique_ptr<ConnectorStream>> OpenStream() const = 0;
  /// `writer`: the commit user, part of the names of what is written. Errors: kUnsupported if it cannot be written.
  virtual Result<std::unique_ptr<ConnectorSink>> OpenSink(std::string_view writer) const = 0;
};

/// The connectors that there are. Immutable; any thread.
class Connectors {
 public:
  virtual ~Connectors() = default;
  /// Errors: kUnsupported for a connector that there is not, naming those that there are; kInvalidArgument for options,
  /// columns or keys that it does not take.
  virtual Result<std::shared_ptr<const ConnectorTable>> Open(const ConnectorTableDefinition& definition) const = 0;
};

}  // namespace braid
