#include <optional>

#include "format/avro_cursor.h"
#include "meta/manifest_codec.h"

namespace braid {
namespace {

// Record formats (spec metadata.md §4.1); not versions of the schema.
constexpr int kManifestVersion = 2;
constexpr int kIndexManifestVersion = 1;

#define BRAID_STATS_FIELDS                                                                    \
  R"("fields":[{"name":"_MIN_VALUES","type":"bytes"},{"name":"_MAX_VALUES","type":"bytes"},)" \
  R"({"name":"_NULL_COUNTS","type":["null",{"type":"array","items":["null","long"]}],"default":null}]}})"
#define BRAID_TOP_RECORD R"({"type":"record","name":"record","namespace":"org.apache.paimon.avro.generated","fields":[)"

class RecordEncoder {
 public:
  explicit RecordEncoder(std::string& out) : avro_(out) {}

  AvroEncoder& avro() { return avro_; }

  void Row(const BinaryRow& row) {
    // The form of §5.4 without an intermediate string.
    const auto arity = static_cast<std::uint32_t>(row.arity());
    const char head[] = {static_cast<char>(arity >> 24), static_cast<char>(arity >> 16), static_cast<char>(arity >> 8),
                         static_cast<char>(arity)};
    avro_.Long(static_cast<std::int64_t>(sizeof(head) + row.bytes().size()));
    avro_.Raw({head, sizeof(head)});
    avro_.Raw(row.bytes());
  }

  void Stats(const SimpleStats& stats) {
    Row(stats.min_values);
    Row(stats.max_values);
    avro_.Present(true);  // Java looks into the array without asking whether it is there
    avro_.StartItems(stats.null_counts.size());
    for (const std::optional<std::int64_t>& count : stats.null_counts) OptionalLong(count);
    avro_.EndItems();
  }

  template <typename Number>
  void OptionalLong(const std::optional<Number>& value) {
    avro_.Present(value.has_value());
    if (value) avro_.Long(static_cast<std::int64_t>(*value));
  }
  template <typename Optional>
  void OptionalBytes(const Optional& value) {
    avro_.Present(value.has_value());
    if (value) avro_.Bytes(*value);
  }

  void Strings(const std::vector<std::string>& values) {
    avro_.StartItems(values.size());
    for (const std::string& value : values) avro_.Bytes(value);
    avro_.EndItems();
  }
  void OptionalStrings(const OptionalBox<std::vector<std::string>>& values) {
    avro_.Present(values.has_value());
    if (values) Strings(*values);
  }
  template <typename Optional>
  void OptionalLongs(const Optional& values) {
    avro_.Present(values.has_value());
    if (!values) return;
    avro_.StartItems(values->size());
    for (const auto value : *values) avro_.Long(value);
    avro_.EndItems();
  }

 private:
  AvroEncoder avro_;
};

void EncodeFile(const DataFileMeta& file, RecordEncoder& record) {
  AvroEncoder& avro = record.avro();
  avro.Bytes(file.file_name);
  avro.Long(file.file_size);
  avro.Long(file.row_count);
  record.Row(file.min_key);
  record.Row(file.max_key);
  record.Stats(file.key_stats);
  record.Stats(file.value_stats);
  avro.Long(file.min_sequence_number);
  avro.Long(file.max_sequence_number);
  avro.Long(file.schema_id.value());
  avro.Long(file.level);
  record.Strings(file.extra_files);
  record.OptionalLong(file.creation_time_ms);
  record.OptionalLong(file.delete_row_count);
  record.OptionalBytes(file.embedded_index);
  record.OptionalLong(file.file_source);
  record.OptionalStrings(file.value_stats_cols);
  record.OptionalBytes(file.external_path);
  record.OptionalLong(file.first_row_id);
  record.OptionalStrings(file.write_cols);
  record.OptionalLongs(file.write_cols_sequences);
}

void EncodeVectors(const std::optional<std::vector<DeletionVectorMeta>>& vectors, RecordEncoder& record) {
  AvroEncoder& avro = record.avro();
  avro.Present(vectors.has_value());
  if (!vectors) return;
  avro.StartItems(vectors->size());
  for (const DeletionVectorMeta& vector : *vectors) {
    avro.Present(true);
    avro.Bytes(vector.data_file_name);
    avro.Long(vector.offset);
    avro.Long(vector.length);
    record.OptionalLong(vector.cardinality);
  }
  avro.EndItems();
}

void EncodeGlobalIndex(const std::optional<GlobalIndexMeta>& index, RecordEncoder& record) {
  AvroEncoder& avro = record.avro();
  avro.Present(index.has_value());
  if (!index) return;
  avro.Long(index->row_range_start);
  avro.Long(index->row_range_end);
  avro.Long(index->index_field_id);
  record.OptionalLongs(index->extra_field_ids);
  record.OptionalBytes(index->index_meta);
  record.OptionalBytes(index->source_meta);
}

}  // namespace

constinit const std::string_view kManifestListSchema = BRAID_TOP_RECORD
    R"({"name":"_VERSION","type":"int"},{"name":"_FILE_NAME","type":"string"},{"name":"_FILE_SIZE","type":"long"},)"
    R"({"name":"_NUM_ADDED_FILES","type":"long"},{"name":"_NUM_DELETED_FILES","type":"long"},)"
    R"({"name":"_PARTITION_STATS","type":{"type":"record","name":"record__PARTITION_STATS",)" BRAID_STATS_FIELDS
    ","
    R"({"name":"_SCHEMA_ID","type":"long"},{"name":"_MIN_BUCKET","type":["null","int"],"default":null},)"
    R"({"name":"_MAX_BUCKET","type":["null","int"],"default":null},)"
    R"({"name":"_MIN_LEVEL","type":["null","int"],"default":null},)"
    R"({"name":"_MAX_LEVEL","type":["null","int"],"default":null},)"
    R"({"name":"_MIN_ROW_ID","type":["null","long"],"default":null},)"
    R"({"name":"_MAX_ROW_ID","type":["null","long"],"default":null}]})";

constinit const std::string_view kManifestSchema = BRAID_TOP_RECORD
    R"({"name":"_VERSION","type":"int"},{"name":"_KIND","type":"int"},{"name":"_PARTITION","type":"bytes"},)"
    R"({"name":"_BUCKET","type":"int"},{"name":"_TOTAL_BUCKETS","type":"int"},)"
    R"({"name":"_FILE","type":{"type":"record","name":"record__FILE","fields":[{"name":"_FILE_NAME","type":"string"},)"
    R"({"name":"_FILE_SIZE","type":"long"},{"name":"_ROW_COUNT","type":"long"},{"name":"_MIN_KEY","type":"bytes"},)"
    R"({"name":"_MAX_KEY","type":"bytes"},)"
    R"({"name":"_KEY_STATS","type":{"type":"record","name":"record__FILE__KEY_STATS",)" BRAID_STATS_FIELDS
    ","
    R"({"name":"_VALUE_STATS","type":{"type":"record","name":"record__FILE__VALUE_STATS",)" BRAID_STATS_FIELDS
    ","
    R"({"name":"_MIN_SEQUENCE_NUMBER","type":"long"},{"name":"_MAX_SEQUENCE_NUMBER","type":"long"},)"
    R"({"name":"_SCHEMA_ID","type":"long"},{"name":"_LEVEL","type":"int"},)"
    R"({"name":"_EXTRA_FILES","type":{"type":"array","items":"string"}},)"
    R"({"name":"_CREATION_TIME","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"default":null},)"
    R"({"name":"_DELETE_ROW_COUNT","type":["null","long"],"default":null},)"
    R"({"name":"_EMBEDDED_FILE_INDEX","type":["null","bytes"],"default":null},)"
    R"({"name":"_FILE_SOURCE","type":["null","int"],"default":null},)"
    R"({"name":"_VALUE_STATS_COLS","type":["null",{"type":"array","items":"string"}],"default":null},)"
    R"({"name":"_EXTERNAL_PATH","type":["null","string"],"default":null},)"
    R"({"name":"_FIRST_ROW_ID","type":["null","long"],"default":null},)"
    R"({"name":"_WRITE_COLS","type":["null",{"type":"array","items":"string"}],"default":null},)"
    R"({"name":"_WRITE_COLS_SEQUENCES","type":["null",{"type":"array","items":"long"}],"default":null}]}}]})";

constinit const std::string_view kIndexManifestSchema = BRAID_TOP_RECORD
    R"({"name":"_VERSION","type":"int"},{"name":"_KIND","type":"int"},{"name":"_PARTITION","type":"bytes"},)"
    R"({"name":"_BUCKET","type":"int"},{"name":"_INDEX_TYPE","type":"string"},{"name":"_FILE_NAME","type":"string"},)"
    R"({"name":"_FILE_SIZE","type":"long"},{"name":"_ROW_COUNT","type":"long"},)"
    R"({"name":"_DELETIONS_VECTORS_RANGES","type":["null",{"type":"array","items":["null",)"
    R"({"type":"record","name":"record__DELETIONS_VECTORS_RANGES","fields":[{"name":"f0","type":"string"},)"
    R"({"name":"f1","type":"int"},{"name":"f2","type":"int"},)"
    R"({"name":"_CARDINALITY","type":["null","long"],"default":null}]}]}],"default":null},)"
    R"({"name":"_EXTERNAL_PATH","type":["null","string"],"default":null},)"
    R"({"name":"_GLOBAL_INDEX","type":["null",{"type":"record","name":"record__GLOBAL_INDEX","fields":[)"
    R"({"name":"_ROW_RANGE_START","type":"long"},{"name":"_ROW_RANGE_END","type":"long"},)"
    R"({"name":"_INDEX_FIELD_ID","type":"int"},)"
    R"({"name":"_EXTRA_FIELD_IDS","type":["null",{"type":"array","items":"int"}],"default":null},)"
    R"({"name":"_INDEX_META","type":["null","bytes"],"default":null},)"
    R"({"name":"_SOURCE_META","type":["null","bytes"],"default":null}]}],"default":null}]})";

void EncodeManifestFileMeta(const ManifestFileMeta& meta, std::string& out) {
  RecordEncoder record(out);
  AvroEncoder& avro = record.avro();
  avro.Long(kManifestVersion);
  avro.Bytes(meta.file_name);
  avro.Long(meta.file_size);
  avro.Long(meta.num_added_files);
  avro.Long(meta.num_deleted_files);
  record.Stats(meta.partition_stats);
  avro.Long(meta.schema_id.value());
  record.OptionalLong(meta.min_bucket);
  record.OptionalLong(meta.max_bucket);
  record.OptionalLong(meta.min_level);
  record.OptionalLong(meta.max_level);
  record.OptionalLong(meta.min_row_id);
  record.OptionalLong(meta.max_row_id);
}

void EncodeManifestEntry(const ManifestEntry& entry, std::string& out) {
  RecordEncoder record(out);
  AvroEncoder& avro = record.avro();
  avro.Long(kManifestVersion);
  avro.Long(static_cast<int>(entry.kind));
  record.Row(entry.partition);
  avro.Long(entry.bucket.value());
  avro.Long(entry.total_buckets);
  EncodeFile(entry.file, record);
}

void EncodeIndexManifestEntry(const IndexManifestEntry& entry, std::string& out) {
  RecordEncoder record(out);
  AvroEncoder& avro = record.avro();
  avro.Long(kIndexManifestVersion);
  avro.Long(static_cast<int>(entry.kind));
  record.Row(entry.partition);
  avro.Long(entry.bucket.value());
  avro.Bytes(entry.index_type);
  avro.Bytes(entry.file_name);
  avro.Long(entry.file_size);
  avro.Long(entry.row_count);
  EncodeVectors(entry.deletion_vectors, record);
  record.OptionalBytes(entry.external_path);
  EncodeGlobalIndex(entry.global_index, record);
}

}  // namespace braid
