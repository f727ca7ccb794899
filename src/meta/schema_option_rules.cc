// Rules about options (spec metadata.md §2.5).

#include <algorithm>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "base/text.h"
#include "meta/blob_columns.h"
#include "meta/schema_rules_internal.h"
#include "meta/table_type.h"

namespace braid {
namespace {

constexpr std::string_view kMergeEngines[] = {"deduplicate", "partial-update", "aggregation", "first-row"};
constexpr std::string_view kChangelogProducers[] = {"none", "input", "full-compaction", "lookup"};
constexpr std::int64_t kDynamicBucket = -1;
constexpr std::int64_t kPostponedBucket = -2;

Error Invalid(std::string message) {
  return Error(ErrorCode::kInvalidArgument, std::move(message));
}

// The options that many rules need.
struct Settings {
  std::int64_t bucket = kDynamicBucket;
  std::string merge_engine;
  std::string changelog_producer;
  std::vector<std::string> sequence_fields;
  bool deletion_vectors = false;
};

Result<std::string> ReadChoice(const Options& options, std::string_view key,
                               std::span<const std::string_view> choices) {
  const std::string value = ToLower(options.Get(key, choices.front()));
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return value;
  return Invalid(
      fmt::format("option '{}' is '{}', which is none of {}", key, options.Get(key, ""), fmt::join(choices, ", ")));
}

Result<Settings> ReadSettings(const Options& options) {
  Settings settings;
  BRAID_TRY_ASSIGN(settings.bucket, options.GetInt("bucket", kDynamicBucket));
  BRAID_TRY_ASSIGN(settings.merge_engine, ReadChoice(options, "merge-engine", kMergeEngines));
  BRAID_TRY_ASSIGN(settings.changelog_producer, ReadChoice(options, "changelog-producer", kChangelogProducers));
  BRAID_TRY_ASSIGN(settings.deletion_vectors, options.GetBool("deletion-vectors.enabled", false));
  settings.sequence_fields = SplitNames(options.Get("sequence.field", ""));
  return settings;
}

Status CheckBucket(const TableSchema& schema, const Settings& settings) {
  if (settings.bucket == kDynamicBucket) {
    if (schema.options.Has("bucket-key")) {
      return Invalid("option 'bucket-key' is set, but the table has no fixed buckets (bucket = -1)")
          .Hint("set 'bucket' to a number of buckets, or leave 'bucket-key' out");
    }
    if (!schema.has_primary_key() && schema.options.Has("full-compaction.delta-commits")) {
      return Invalid("option 'full-compaction.delta-commits' needs a primary key or fixed buckets");
    }
    return Ok();
  }
  if (settings.bucket == kPostponedBucket && schema.has_primary_key()) return Ok();
  if (settings.bucket < 1) {
    return Invalid(fmt::format("option 'bucket' is {}; it must be 1 or more, or -1{}", settings.bucket,
                               schema.has_primary_key() ? ", or -2 (postponed)" : ""));
  }
  // Paimon's numbers of buckets have 32 bits.
  if (settings.bucket > std::numeric_limits<std::int32_t>::max()) {
    return Invalid(fmt::format("option 'bucket' is {}; it must be {} or less", settings.bucket,
                               std::numeric_limits<std::int32_t>::max()));
  }
  if (!schema.has_primary_key() && schema.BucketKeys().empty()) {
    return Invalid("a table without a primary key and with fixed buckets needs option 'bucket-key'")
        .Hint("set 'bucket-key' to the columns to distribute rows by, or 'bucket' to -1");
  }
  return Ok();
}

Status CheckChangelog(const TableSchema& schema, const Settings& settings) {
  const std::string& producer = settings.changelog_producer;
  if (producer != "none" && !schema.has_primary_key()) {
    return Invalid(fmt::format("option 'changelog-producer' is '{}', but the table has no primary key", producer))
        .Hint("define a primary key, or leave the option out");
  }
  if (settings.merge_engine == "first-row" && producer != "none" && producer != "lookup") {
    return Invalid(fmt::format("merge engine first-row takes changelog producers none and lookup, not '{}'", producer));
  }
  BRAID_TRY_ASSIGN(const bool read_overwrite, schema.options.GetBool("streaming-read-overwrite", false));
  if (!read_overwrite) return Ok();
  if (!schema.has_primary_key()) {
    return Invalid("option 'streaming-read-overwrite' needs a primary key")
        .Hint("use 'streaming-read-append-overwrite' instead");
  }
  if (producer == "full-compaction" || producer == "lookup") {
    return Invalid(fmt::format(
        "option 'streaming-read-overwrite' would read changes twice with changelog producer '{}'", producer));
  }
  return Ok();
}

Status CheckDeletionVectors(const Settings& settings) {
  if (!settings.deletion_vectors) return Ok();
  if (settings.changelog_producer == "full-compaction") {
    return Invalid(
        "option 'deletion-vectors.enabled' takes changelog producers none, input and lookup, not 'full-compaction'");
  }
  if (settings.merge_engine == "first-row") {
    return Invalid(
               "option 'deletion-vectors.enabled' is of no use with merge engine first-row, which never deletes old "
               "rows")
        .Hint("leave the option out");
  }
  return Ok();
}

Status CheckSequenceFields(const TableSchema& schema, const Settings& settings) {
  const std::vector<std::string>& names = settings.sequence_fields;
  for (const std::string& name : names) {
    if (schema.FindColumn(name) == nullptr)
      return Invalid(fmt::format("option 'sequence.field' names '{}', which is no column", name));
    if (std::count(names.begin(), names.end(), name) > 1) {
      return Invalid(fmt::format("option 'sequence.field' names '{}' twice", name));
    }
    const std::string aggregate = fmt::format("fields.{}.aggregate-function", name);
    if (schema.options.Has(aggregate))
      return Invalid(fmt::format("option '{}' is set, but '{}' is a sequence field", aggregate, name));
  }
  if (names.empty()) return Ok();
  if (settings.merge_engine == "first-row")
    return Invalid("option 'sequence.field' cannot be used with merge engine first-row");
  const auto in_primary_key = [&](const std::string& name) {
    return std::find(schema.primary_keys.begin(), schema.primary_keys.end(), name) != schema.primary_keys.end();
  };
  const auto& partition = schema.partition_keys;
  if (schema.has_primary_key() && !std::all_of(partition.begin(), partition.end(), in_primary_key)) {
    return Invalid(fmt::format(
        "option 'sequence.field' cannot be used when rows move between partitions: the primary key ({}) lacks "
        "partition columns of ({})",
        fmt::join(schema.primary_keys, ", "), fmt::join(partition, ", ")));
  }
  return Ok();
}

// "fields.<column>[,<column>…].<what>" must name columns.
Status CheckFieldOptions(const TableSchema& schema) {
  constexpr std::string_view kPrefix = "fields.";
  for (const auto& [key, value] : schema.options.values()) {
    if (!key.starts_with(kPrefix)) continue;
    const std::string rest = key.substr(kPrefix.size());
    const std::size_t last_dot = rest.rfind('.');
    if (last_dot != std::string::npos && schema.FindColumn(rest.substr(0, last_dot)) != nullptr)
      continue;  // a dot in its name
    for (const std::string& name : SplitNames(rest.substr(0, rest.find('.')))) {
      if (name == "default-aggregate-function" || schema.FindColumn(name) != nullptr) continue;
      return Invalid(fmt::format("option '{}' names '{}', which is no column", key, name));
    }
  }
  return Ok();
}

Status CheckRetention(const Options& options) {
  constexpr std::int64_t kUnlimited = std::numeric_limits<std::int32_t>::max();
  BRAID_TRY_ASSIGN(const std::int64_t snapshot_min, options.GetInt("snapshot.num-retained.min", 10));
  BRAID_TRY_ASSIGN(const std::int64_t snapshot_max, options.GetInt("snapshot.num-retained.max", kUnlimited));
  BRAID_TRY_ASSIGN(const std::int64_t changelog_min, options.GetInt("changelog.num-retained.min", snapshot_min));
  BRAID_TRY_ASSIGN(const std::int64_t changelog_max, options.GetInt("changelog.num-retained.max", snapshot_max));
  const auto check = [](std::string_view what, std::int64_t least, std::int64_t most) -> Status {
    if (least < 1) return Invalid(fmt::format("option '{}.num-retained.min' is {}; it must be 1 or more", what, least));
    if (least > most) {
      return Invalid(fmt::format("option '{0}.num-retained.min' is {1}, which is more than '{0}.num-retained.max', {2}",
                                 what, least, most));
    }
    return Ok();
  };
  BRAID_TRY(check("snapshot", snapshot_min, snapshot_max));
  return check("changelog", changelog_min, changelog_max);
}

Status CheckExpiry(const TableSchema& schema) {
  if (schema.options.Has("partition.expiration-time") && !schema.is_partitioned()) {
    return Invalid("option 'partition.expiration-time' needs a partitioned table");
  }
  const std::optional<std::string> name = schema.options.Find("record-level.time-field");
  if (!name) return Ok();
  const DataField* field = schema.FindColumn(*name);
  if (field == nullptr)
    return Invalid(fmt::format("option 'record-level.time-field' names '{}', which is no column", *name));
  const TypeKind kind = field->type.kind();
  if (kind == TypeKind::kInt || kind == TypeKind::kBigInt || field->type.is_timestamp()) return Ok();
  return Invalid(
      fmt::format("option 'record-level.time-field' names '{}' of type {}; it must be INT, BIGINT or TIMESTAMP", *name,
                  field->type.ToString()));
}

Status CheckRowTracking(const TableSchema& schema, const Settings& settings) {
  BRAID_TRY_ASSIGN(const bool tracking, schema.options.GetBool("row-tracking.enabled", false));
  BRAID_TRY_ASSIGN(const bool evolution, schema.options.GetBool("data-evolution.enabled", false));
  if (tracking && settings.bucket != kDynamicBucket) return Invalid("option 'row-tracking.enabled' needs bucket = -1");
  if (tracking && schema.has_primary_key())
    return Invalid("option 'row-tracking.enabled' needs a table without a primary key");
  if (evolution && !tracking) {
    return Invalid("option 'data-evolution.enabled' needs row tracking")
        .Hint("set 'row-tracking.enabled' to 'true' too");
  }
  if (evolution && settings.deletion_vectors) {
    return Invalid("options 'data-evolution.enabled' and 'deletion-vectors.enabled' exclude each other");
  }
  const auto is_blob = [](const DataField& field) { return field.type.kind() == TypeKind::kBlob; };
  const auto blobs = std::count_if(schema.fields.begin(), schema.fields.end(), is_blob);
  if (blobs == 0) return Ok();
  if (!evolution) return Invalid("a table with a BLOB column needs option 'data-evolution.enabled'");
  if (blobs == std::ssize(schema.fields)) return Invalid("a table needs a column that is no BLOB");
  return Ok();
}

// Tables whose rows compactions sort bit by bit.
Status CheckClustering(const TableSchema& schema, const Settings& settings) {
  BRAID_TRY_ASSIGN(const bool incremental, schema.options.GetBool("clustering.incremental", false));
  if (!incremental) return Ok();
  if (schema.has_primary_key()) {
    return Invalid("option 'clustering.incremental' needs a table without a primary key")
        .Hint("files of a table with a key are sorted by it");
  }
  BRAID_TRY_ASSIGN(const bool evolution, schema.options.GetBool("data-evolution.enabled", false));
  if (evolution) return Invalid("options 'data-evolution.enabled' and 'clustering.incremental' exclude each other");
  if (settings.bucket == kDynamicBucket) return Ok();
  BRAID_TRY_ASSIGN(const bool ordered, schema.options.GetBool("bucket-append-ordered", true));
  if (ordered) {
    return Invalid("option 'clustering.incremental' needs bucket = -1 or 'bucket-append-ordered' = 'false'");
  }
  if (settings.deletion_vectors) {
    return Invalid("options 'deletion-vectors.enabled' and 'clustering.incremental' together need bucket = -1");
  }
  return Ok();
}

// What Java does and this version does not.
Status CheckSupported(const Options& options) {
  for (const std::string_view key : {"chain-table.enabled", "pk-clustering-override"}) {
    BRAID_TRY_ASSIGN(const bool enabled, options.GetBool(key, false));
    if (enabled)
      return Error(ErrorCode::kUnsupported, fmt::format("option '{}' is not supported", key)).Hint("leave it out");
  }
  return Ok();
}

}  // namespace

Status CheckOptions(const TableSchema& schema) {
  BRAID_TRY_ASSIGN(const Settings settings, ReadSettings(schema.options));
  BRAID_TRY(CheckBucket(schema, settings));
  BRAID_TRY(CheckFieldOptions(schema));
  BRAID_TRY(CheckSequenceFields(schema, settings));
  BRAID_TRY(CheckChangelog(schema, settings));
  BRAID_TRY(CheckRetention(schema.options));
  BRAID_TRY(CheckExpiry(schema));
  BRAID_TRY(CheckDeletionVectors(settings));
  BRAID_TRY(CheckBlobColumns(schema));
  BRAID_TRY(CheckTableType(schema.options));
  const std::optional<std::string> row_kind_field = schema.options.Find("rowkind.field");
  if (row_kind_field && schema.FindColumn(*row_kind_field) == nullptr) {
    return Invalid(fmt::format("option 'rowkind.field' names '{}', which is no column", *row_kind_field));
  }
  BRAID_TRY(CheckRowTracking(schema, settings));
  BRAID_TRY(CheckClustering(schema, settings));
  return CheckSupported(schema.options);
}

}  // namespace braid
