#include "meta/manifest_codec.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "format/avro_codec.h"
#include "format/avro_cursor.h"
#include "format/avro_program.h"

namespace braid {
namespace {

/// Names of the fields of all three kinds of records; those up to kTotalBuckets are the head of a manifest entry.
enum Target : std::int32_t {
  kVersion,
  kKind,
  kPartition,
  kBucket,
  kTotalBuckets,
  kFileName,
  kFileSize,
  kRowCount,
  kMinKey,
  kMaxKey,
  kKeyMin,
  kKeyMax,
  kKeyNulls,
  kValueMin,
  kValueMax,
  kValueNulls,
  kMinSequence,
  kMaxSequence,
  kSchemaId,
  kLevel,
  kExtraFiles,
  kCreationTime,
  kDeleteRowCount,
  kEmbeddedIndex,
  kFileSource,
  kValueStatsCols,
  kExternalPath,
  kFirstRowId,
  kWriteCols,
  kWriteColsSequences,
  kAddedFiles,
  kDeletedFiles,
  kMinBucket,
  kMaxBucket,
  kMinLevel,
  kMaxLevel,
  kMinRowId,
  kMaxRowId,
  kIndexType,
  kVectors,
  kGlobalIndex,
  kVectorFile,
  kVectorOffset,
  kVectorLength,
  kVectorCardinality,
  kRangeStart,
  kRangeEnd,
  kFieldId,
  kExtraFieldIds,
  kIndexMeta,
  kSourceMeta,
};

using enum AvroShape;

constexpr AvroWanted kPartitionStatsFields[] = {{"_MIN_VALUES", kBytes, true, kValueMin},
                                                {"_MAX_VALUES", kBytes, true, kValueMax},
                                                {"_NULL_COUNTS", kIntegers, false, kValueNulls}};
constexpr AvroWanted kKeyStatsFields[] = {{"_MIN_VALUES", kBytes, true, kKeyMin},
                                          {"_MAX_VALUES", kBytes, true, kKeyMax},
                                          {"_NULL_COUNTS", kIntegers, false, kKeyNulls}};

constexpr AvroWanted kManifestListFields[] = {
    {"_VERSION", kInteger, true, kVersion},
    {"_FILE_NAME", kBytes, true, kFileName},
    {"_FILE_SIZE", kInteger, true, kFileSize},
    {"_NUM_ADDED_FILES", kInteger, true, kAddedFiles},
    {"_NUM_DELETED_FILES", kInteger, true, kDeletedFiles},
    {.name = "_PARTITION_STATS", .shape = kRecord, .fields = kPartitionStatsFields},
    {"_SCHEMA_ID", kInteger, true, kSchemaId},
    {"_MIN_BUCKET", kInteger, false, kMinBucket},
    {"_MAX_BUCKET", kInteger, false, kMaxBucket},
    {"_MIN_LEVEL", kInteger, false, kMinLevel},
    {"_MAX_LEVEL", kInteger, false, kMaxLevel},
    {"_MIN_ROW_ID", kInteger, false, kMinRowId},
    {"_MAX_ROW_ID", kInteger, false, kMaxRowId},
};

constexpr AvroWanted kDataFileFields[] = {
    {"_FILE_NAME", kBytes, true, kFileName},
    {"_FILE_SIZE", kInteger, true, kFileSize},
    {"_ROW_COUNT", kInteger, true, kRowCount},
    {"_MIN_KEY", kBytes, true, kMinKey},
    {"_MAX_KEY", kBytes, true, kMaxKey},
    {.name = "_KEY_STATS", .shape = kRecord, .fields = kKeyStatsFields},
    {.name = "_VALUE_STATS", .shape = kRecord, .fields = kPartitionStatsFields},
    {"_MIN_SEQUENCE_NUMBER", kInteger, true, kMinSequence},
    {"_MAX_SEQUENCE_NUMBER", kInteger, true, kMaxSequence},
    {"_SCHEMA_ID", kInteger, true, kSchemaId},
    {"_LEVEL", kInteger, true, kLevel},
    {"_EXTRA_FILES", kByteStrings, true, kExtraFiles},
    {"_CREATION_TIME", kInteger, false, kCreationTime},
    {"_DELETE_ROW_COUNT", kInteger, false, kDeleteRowCount},
    {"_EMBEDDED_FILE_INDEX", kBytes, false, kEmbeddedIndex},
    {"_FILE_SOURCE", kInteger, false, kFileSource},
    {"_VALUE_STATS_COLS", kByteStrings, false, kValueStatsCols},
    {"_EXTERNAL_PATH", kBytes, false, kExternalPath},
    {"_FIRST_ROW_ID", kInteger, false, kFirstRowId},
    {"_WRITE_COLS", kByteStrings, false, kWriteCols},
    {"_WRITE_COLS_SEQUENCES", kIntegers, false, kWriteColsSequences},
};
constexpr AvroWanted kManifestFields[] = {
    {"_VERSION", kInteger, true, kVersion},
    {"_KIND", kInteger, true, kKind},
    {"_PARTITION", kBytes, true, kPartition},
    {"_BUCKET", kInteger, true, kBucket},
    {"_TOTAL_BUCKETS", kInteger, true, kTotalBuckets},
    {.name = "_FILE", .shape = kRecord, .fields = kDataFileFields},
};

constexpr AvroWanted kVectorFields[] = {
    {"f0", kBytes, true, kVectorFile},
    {"f1", kInteger, true, kVectorOffset},
    {"f2", kInteger, true, kVectorLength},
    {"_CARDINALITY", kInteger, false, kVectorCardinality},
};
constexpr AvroWanted kGlobalIndexFields[] = {
    {"_ROW_RANGE_START", kInteger, true, kRangeStart}, {"_ROW_RANGE_END", kInteger, true, kRangeEnd},
    {"_INDEX_FIELD_ID", kInteger, true, kFieldId},     {"_EXTRA_FIELD_IDS", kIntegers, false, kExtraFieldIds},
    {"_INDEX_META", kBytes, false, kIndexMeta},        {"_SOURCE_META", kBytes, false, kSourceMeta},
};
constexpr AvroWanted kIndexManifestFields[] = {
    {"_VERSION", kInteger, true, kVersion},
    {"_KIND", kInteger, true, kKind},
    {"_PARTITION", kBytes, true, kPartition},
    {"_BUCKET", kInteger, true, kBucket},
    {"_INDEX_TYPE", kBytes, true, kIndexType},
    {"_FILE_NAME", kBytes, true, kFileName},
    {"_FILE_SIZE", kInteger, true, kFileSize},
    {"_ROW_COUNT", kInteger, true, kRowCount},
    {"_DELETIONS_VECTORS_RANGES", kRecords, false, kVectors, kVectorFields},
    {"_EXTERNAL_PATH", kBytes, false, kExternalPath},
    {"_GLOBAL_INDEX", kRecordOrNull, false, kGlobalIndex, kGlobalIndexFields},
};

// The address, not the text, tells this failure from the others.
constexpr const char kOldVersion[] = "its records have the form of Paimon before 0.2";

void CheckVersion(AvroCursor& cursor, std::int32_t expected) {
  const std::int32_t version = cursor.Int();
  if (version == expected) return;
  cursor.Fail(version == expected - 1 && version == 1 ? kOldVersion : "_VERSION is not that of a known form");
}

FileKind ReadKind(AvroCursor& cursor) {
  const std::int32_t kind = cursor.Int();
  if (kind != 0 && kind != 1) cursor.Fail("_KIND is neither 0 (added) nor 1 (deleted)");
  return kind == 1 ? FileKind::kDelete : FileKind::kAdd;
}

BinaryRow RowOf(std::string_view bytes, AvroCursor& cursor) {
  Result<BinaryRow> row = BinaryRow::Deserialize(bytes);
  if (row) return std::move(row).value();
  cursor.Fail("a serialized row is damaged");
  return {};
}
BinaryRow ReadRow(AvroCursor& cursor) {
  return RowOf(cursor.Bytes(), cursor);
}
/// Whether these are the row's bytes in a manifest.
bool IsStoredAs(const BinaryRow& row, std::string_view bytes) {
  const auto arity = __builtin_bswap32(static_cast<std::uint32_t>(row.arity()));
  return bytes.size() == sizeof(arity) + row.bytes().size() && std::memcmp(bytes.data(), &arity, sizeof(arity)) == 0 &&
         bytes.substr(sizeof(arity)) == row.bytes();
}

std::string ReadString(AvroCursor& cursor) {
  return std::string(cursor.Bytes());
}

/// A source that we do not know counts as unknown (spec metadata.md §14.2).
std::optional<FileSource> ReadFileSource(AvroCursor& cursor) {
  const std::int64_t source = cursor.Long();
  if (source != 0 && source != 1) return std::nullopt;
  return static_cast<FileSource>(source);
}

void ReadNullableIntegers(const AvroStep& step, AvroCursor& cursor, std::vector<std::optional<std::int64_t>>& out) {
  while (const std::size_t count = cursor.ItemCount()) {
    if (out.empty()) out.reserve(count);  // further blocks grow it by themselves: many of one item would copy it each time
    for (std::size_t i = 0; i < count && cursor.ok(); ++i) {
      if (step.EnterItem(cursor)) {
        out.emplace_back(cursor.Long());
      } else {
        out.emplace_back(std::nullopt);
      }
    }
  }
}

template <typename Item, typename ReadItem>
std::vector<Item> ReadItems(const AvroStep& step, AvroCursor& cursor, const ReadItem& read_item) {
  std::vector<Item> items;
  while (const std::size_t count = cursor.ItemCount()) {
    if (items.empty()) items.reserve(count);
    for (std::size_t i = 0; i < count && cursor.ok(); ++i) {
      if (step.EnterItem(cursor)) {
        items.push_back(read_item(cursor));
      } else {
        cursor.Fail("an item of an array is null");
      }
    }
  }
  return items;
}

std::vector<std::string> ReadStrings(const AvroStep& step, AvroCursor& cursor) {
  return ReadItems<std::string>(step, cursor, ReadString);
}

/// Finds the program for a writer's schema. Most files of a table have the same schema, so the last answer of each
/// thread is kept: planning opens thousands of small manifests, and parsing the schema would take longer than decoding
/// them.
template <const auto& kFields>
Result<std::shared_ptr<const AvroProgram>> ProgramFor(std::string_view schema_json) {
  thread_local std::string last_schema;
  thread_local std::shared_ptr<const AvroProgram> last_program;
  if (last_program != nullptr && last_schema == schema_json) return last_program;
  BRAID_TRY_ASSIGN(AvroSchema schema, AvroSchema::Parse(schema_json));
  BRAID_TRY_ASSIGN(AvroProgram program,
                   AvroProgram::Make(std::make_shared<const AvroSchema>(std::move(schema)), kFields));
  last_schema = schema_json;
  last_program = std::make_shared<const AvroProgram>(std::move(program));
  return last_program;
}

Error BlockError(const AvroBlock& block, const AvroCursor& cursor) {
  // In an old file the first record says so: its version is the first value, perhaps behind a union's branch. Further
  // on, the same number tells that reading has lost its place.
  constexpr std::size_t kFirstVersionBytes = 2;
  if (cursor.failure() == kOldVersion && cursor.failed_at() <= kFirstVersionBytes) {
    return Error(ErrorCode::kUnsupported, kOldVersion).Hint("create the table anew with a later version");
  }
  return {ErrorCode::kCorruption, fmt::format("the block at byte {} is damaged at byte {} of its records: {}",
                                              block.offset, cursor.failed_at(), cursor.failure())};
}

/// Calls `read_record` once for every record of these blocks.
template <typename ReadRecord>
Status ForEachRecord(const AvroContainer& container, std::size_t first, std::size_t last,
                     const ReadRecord& read_record) {
  thread_local AvroDecompressor decompressor;  // its context is costly to make
  for (const AvroBlock& block : container.blocks().subspan(first, last - first)) {
    Result<std::string_view> records = decompressor.Decompress(container.header().codec, block.bytes);
    if (!records) {
      return Error(records.error().code(),
                   fmt::format("the block at byte {}: {}", block.offset, records.error().message()));
    }
    AvroCursor cursor(*records);
    if (static_cast<std::uint64_t>(block.record_count) > records->size())
      cursor.Fail("it holds fewer records than it claims");
    for (std::int64_t i = 0; i < block.record_count && cursor.ok(); ++i) read_record(cursor);
    if (cursor.ok() && !cursor.at_end()) cursor.Fail("bytes follow its last record");
    if (!cursor.ok()) return BlockError(block, cursor);
  }
  return Ok();
}

void ReadManifestListField(const AvroStep& step, AvroCursor& cursor, ManifestFileMeta& meta) {
  switch (step.target) {
    case kVersion: CheckVersion(cursor, 2); break;
    case kFileName: meta.file_name = cursor.Bytes(); break;
    case kFileSize: meta.file_size = cursor.Long(); break;
    case kAddedFiles: meta.num_added_files = cursor.Long(); break;
    case kDeletedFiles: meta.num_deleted_files = cursor.Long(); break;
    case kValueMin: meta.partition_stats.min_values = ReadRow(cursor); break;
    case kValueMax: meta.partition_stats.max_values = ReadRow(cursor); break;
    case kValueNulls: ReadNullableIntegers(step, cursor, meta.partition_stats.null_counts); break;
    case kSchemaId: meta.schema_id = SchemaId(cursor.Long()); break;
    case kMinBucket: meta.min_bucket = cursor.Int(); break;
    case kMaxBucket: meta.max_bucket = cursor.Int(); break;
    case kMinLevel: meta.min_level = cursor.Int(); break;
    case kMaxLevel: meta.max_level = cursor.Int(); break;
    case kMinRowId: meta.min_row_id = cursor.Long(); break;
    case kMaxRowId: meta.max_row_id = cursor.Long(); break;
    default: break;
  }
}

void ReadDataFileField(const AvroStep& step, AvroCursor& cursor, DataFileMeta& file) {
  switch (step.target) {
    case kFileName: file.file_name = cursor.Bytes(); break;
    case kFileSize: file.file_size = cursor.Long(); break;
    case kRowCount: file.row_count = cursor.Long(); break;
    case kMinKey: file.min_key = ReadRow(cursor); break;
    case kMaxKey: file.max_key = ReadRow(cursor); break;
    case kKeyMin: file.key_stats.min_values = ReadRow(cursor); break;
    case kKeyMax: file.key_stats.max_values = ReadRow(cursor); break;
    case kKeyNulls: ReadNullableIntegers(step, cursor, file.key_stats.null_counts); break;
    case kValueMin: file.value_stats.min_values = ReadRow(cursor); break;
    case kValueMax: file.value_stats.max_values = ReadRow(cursor); break;
    case kValueNulls: ReadNullableIntegers(step, cursor, file.value_stats.null_counts); break;
    case kMinSequence: file.min_sequence_number = cursor.Long(); break;
    case kMaxSequence: file.max_sequence_number = cursor.Long(); break;
    case kSchemaId: file.schema_id = SchemaId(cursor.Long()); break;
    case kLevel: file.level = cursor.Int(); break;
    case kExtraFiles: file.extra_files = ReadStrings(step, cursor); break;
    case kCreationTime: file.creation_time_ms = cursor.Long(); break;
    case kDeleteRowCount: file.delete_row_count = cursor.Long(); break;
    case kEmbeddedIndex: file.embedded_index = ReadString(cursor); break;
    case kFileSource: file.file_source = ReadFileSource(cursor); break;
    case kValueStatsCols: file.value_stats_cols = ReadStrings(step, cursor); break;
    case kExternalPath: file.external_path = ReadString(cursor); break;
    case kFirstRowId: file.first_row_id = cursor.Long(); break;
    case kWriteCols: file.write_cols = ReadStrings(step, cursor); break;
    case kWriteColsSequences:
      file.write_cols_sequences = ReadItems<std::int64_t>(step, cursor, [](AvroCursor& items) { return items.Long(); });
      break;
    default: break;
  }
}

/// What others count on without looking: sizes are no less than 0, and row ids do not pass the end of 64 bits.
void CheckSizes(const DataFileMeta& file, AvroCursor& cursor) {
  std::int64_t end = 0;
  if (file.file_size < 0) cursor.Fail("the size of a file is negative");
  if (file.row_count < 0) cursor.Fail("a file's number of rows is negative");
  if (file.first_row_id && (*file.first_row_id < 0 || __builtin_add_overflow(*file.first_row_id, file.row_count, &end))) {
    cursor.Fail("the row ids of a file cannot be");
  }
}

/// Reads manifest entries, asking the filter as soon as an entry's head is known.
class EntryReader {
 public:
  /// Both are borrowed until the reader is gone.
  EntryReader(const AvroProgram& program, const ManifestFilter& filter)
      : program_(program), steps_(program.steps), filter_(filter) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const std::int32_t target = steps_[i].target;
      if (target >= kKind && target <= kTotalBuckets) head_steps_ = i + 1;
      const bool drop =
          (!filter.keep_key_stats && target >= kKeyMin && target <= kKeyNulls) ||
          (!filter.keep_value_stats && ((target >= kValueMin && target <= kValueNulls) || target == kValueStatsCols));
      if (drop) steps_[i].target = AvroStep::kSkip;
    }
  }

  /// Reads the entry in the place of an earlier one, or passes over it; returns whether it was wanted. `partition` is
  /// that of the entry read before: consecutive entries mostly share theirs, and so share its bytes.
  bool Read(AvroCursor& cursor, ManifestEntry& entry, BinaryRow& partition) const {
    Forget(entry.file);
    ManifestEntryHead head;
    for (std::size_t i = 0; i < head_steps_; ++i) ReadField(steps_[i], cursor, entry, head);
    if (filter_.accepts && cursor.ok() && !filter_.accepts(head)) {
      program_.SkipFrom(head_steps_, cursor);
      return false;
    }
    if (!IsStoredAs(partition, head.partition)) partition = RowOf(head.partition, cursor);
    entry.kind = head.kind;
    entry.partition = partition;
    entry.bucket = head.bucket;
    entry.total_buckets = head.total_buckets;
    for (std::size_t i = head_steps_; i < steps_.size(); ++i) ReadField(steps_[i], cursor, entry, head);
    if (cursor.ok()) CheckSizes(entry.file, cursor);
    return true;
  }

 private:
  /// Empties what the file need not set; the rest is overwritten. Vectors keep their memory.
  void Forget(DataFileMeta& file) const {
    if (!filter_.keep_key_stats) file.key_stats = SimpleStats();
    if (!filter_.keep_value_stats) file.value_stats = SimpleStats();
    file.key_stats.null_counts.clear();
    file.value_stats.null_counts.clear();
    file.creation_time_ms = file.delete_row_count = file.first_row_id = std::nullopt;
    file.embedded_index = std::nullopt;
    file.external_path = std::nullopt;
    file.file_source = std::nullopt;
    file.value_stats_cols = std::nullopt;
    file.write_cols = std::nullopt;
    file.write_cols_sequences = std::nullopt;
  }

  void ReadField(const AvroStep& step, AvroCursor& cursor, ManifestEntry& entry, ManifestEntryHead& head) const {
    if (!step.Enter(cursor)) return;
    switch (step.target) {
      case AvroStep::kNothing: break;
      case AvroStep::kSkip: program_.SkipValue(step, cursor); break;
      case kVersion: CheckVersion(cursor, 2); break;
      case kKind: head.kind = ReadKind(cursor); break;
      case kPartition: head.partition = cursor.Bytes(); break;
      case kBucket: head.bucket = BucketId(cursor.Int()); break;
      case kTotalBuckets: head.total_buckets = cursor.Int(); break;
      default: ReadDataFileField(step, cursor, entry.file); break;
    }
  }

  const AvroProgram& program_;
  std::vector<AvroStep> steps_;  // the program's, without what the filter drops
  const ManifestFilter& filter_;
  std::size_t head_steps_ = 0;  // after these, the ManifestEntryHead is known
};

DeletionVectorMeta ReadVector(const AvroProgram& program, AvroCursor& cursor) {
  DeletionVectorMeta vector;
  for (const AvroStep& step : program.steps) {
    if (!step.Enter(cursor)) continue;
    switch (step.target) {
      case AvroStep::kSkip: program.SkipValue(step, cursor); break;
      case kVectorFile: vector.data_file_name = cursor.Bytes(); break;
      case kVectorOffset: vector.offset = cursor.Int(); break;
      case kVectorLength: vector.length = cursor.Int(); break;
      case kVectorCardinality: vector.cardinality = cursor.Long(); break;
      default: break;
    }
  }
  return vector;
}

GlobalIndexMeta ReadGlobalIndex(const AvroProgram& program, AvroCursor& cursor) {
  GlobalIndexMeta index;
  for (const AvroStep& step : program.steps) {
    if (!step.Enter(cursor)) continue;
    switch (step.target) {
      case AvroStep::kSkip: program.SkipValue(step, cursor); break;
      case kRangeStart: index.row_range_start = cursor.Long(); break;
      case kRangeEnd: index.row_range_end = cursor.Long(); break;
      case kFieldId: index.index_field_id = cursor.Int(); break;
      case kExtraFieldIds:
        index.extra_field_ids = ReadItems<std::int32_t>(step, cursor, [](AvroCursor& items) { return items.Int(); });
        break;
      case kIndexMeta: index.index_meta = ReadString(cursor); break;
      case kSourceMeta: index.source_meta = ReadString(cursor); break;
      default: break;
    }
  }
  return index;
}

void ReadIndexField(const AvroProgram& program, const AvroStep& step, AvroCursor& cursor, IndexManifestEntry& entry) {
  const auto inner = [&]() -> const AvroProgram& { return program.programs[static_cast<std::size_t>(step.program)]; };
  switch (step.target) {
    case kVersion: CheckVersion(cursor, 1); break;
    case kKind: entry.kind = ReadKind(cursor); break;
    case kPartition: entry.partition = ReadRow(cursor); break;
    case kBucket: entry.bucket = BucketId(cursor.Int()); break;
    case kIndexType: entry.index_type = cursor.Bytes(); break;
    case kFileName: entry.file_name = cursor.Bytes(); break;
    case kFileSize: entry.file_size = cursor.Long(); break;
    case kRowCount: entry.row_count = cursor.Long(); break;
    case kVectors:
      entry.deletion_vectors =
          ReadItems<DeletionVectorMeta>(step, cursor, [&](AvroCursor& items) { return ReadVector(inner(), items); });
      break;
    case kExternalPath: entry.external_path = ReadString(cursor); break;
    case kGlobalIndex: entry.global_index = ReadGlobalIndex(inner(), cursor); break;
    default: break;
  }
}

}  // namespace

Result<std::vector<ManifestFileMeta>> DecodeManifestList(const AvroContainer& container) {
  BRAID_TRY_ASSIGN(const auto program, ProgramFor<kManifestListFields>(container.header().schema_json));
  std::vector<ManifestFileMeta> manifests;
  BRAID_TRY(ForEachRecord(container, 0, container.blocks().size(), [&](AvroCursor& cursor) {
    ManifestFileMeta& meta = manifests.emplace_back();
    for (const AvroStep& step : program->steps) {
      if (!step.Enter(cursor)) continue;
      if (step.target == AvroStep::kSkip) {
        program->SkipValue(step, cursor);
      } else {
        ReadManifestListField(step, cursor, meta);
      }
    }
  }));
  return manifests;
}

Status DecodeManifest(const AvroContainer& container, std::size_t first, std::size_t last, const ManifestFilter& filter,
                      const std::function<void(ManifestEntry&)>& visit) {
  BRAID_TRY_ASSIGN(const auto program, ProgramFor<kManifestFields>(container.header().schema_json));
  const EntryReader reader(*program, filter);
  ManifestEntry entry;
  BinaryRow partition;
  return ForEachRecord(container, first, last, [&](AvroCursor& cursor) {
    if (reader.Read(cursor, entry, partition) && cursor.ok()) visit(entry);
  });
}

Result<std::vector<IndexManifestEntry>> DecodeIndexManifest(const AvroContainer& container) {
  BRAID_TRY_ASSIGN(const auto program, ProgramFor<kIndexManifestFields>(container.header().schema_json));
  std::vector<IndexManifestEntry> entries;
  BRAID_TRY(ForEachRecord(container, 0, container.blocks().size(), [&](AvroCursor& cursor) {
    IndexManifestEntry& entry = entries.emplace_back();
    for (const AvroStep& step : program->steps) {
      if (!step.Enter(cursor)) continue;
      if (step.target == AvroStep::kSkip) {
        program->SkipValue(step, cursor);
      } else {
        ReadIndexField(*program, step, cursor, entry);
      }
    }
  }));
  return entries;
}

}  // namespace braid
