#include "meta/manifest_container.h"

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "format/avro_format.h"
#include "format/file_format.h"
#include "format/orc_format.h"
#include "format/parquet_format.h"
#include "io/memory_file_system.h"
#include "meta/manifest_codec.h"

namespace braid {
namespace {

constexpr std::string_view kInMemory = "/records.avro";

AvroCompressor& ThreadCompressor() {
  thread_local AvroCompressor compressor;  // its context is costly to make
  return compressor;
}

Error NameFile(std::string_view path, const Error& error) {
  return Error(error.code(), fmt::format("{} cannot be read: {}", path, error.message())).Hint(error.hint());
}

// The records as Java declares them; ids only matter in being different.
class FieldMaker {
 public:
  DataField operator()(std::string name, DataType type) {
    return {.id = FieldId(next_id_++), .name = std::move(name), .type = std::move(type), .description = {}, .default_value = {}};
  }

 private:
  std::int32_t next_id_ = 0;
};

DataType Required(DataType type) {
  return type.NotNull();
}

DataType StatsType() {
  FieldMaker field;
  return Required(DataType::Row({field("_MIN_VALUES", Required(DataType::Bytes())), field("_MAX_VALUES", Required(DataType::Bytes())),
                                 field("_NULL_COUNTS", DataType::Array(DataType::BigInt()))}));
}

DataType Names() {
  return DataType::Array(Required(DataType::String()));
}

// The fields of a data file that each form of Paimon wrote: of 1.3 and later, of 1.0 on, of 0.9 and before.
constexpr std::size_t kFileFieldCounts[] = {20, 18, 16};

DataType DataFileType(std::size_t field_count) {
  FieldMaker field;
  std::vector<DataField> fields = {
      field("_FILE_NAME", Required(DataType::String())),
      field("_FILE_SIZE", Required(DataType::BigInt())),
      field("_ROW_COUNT", Required(DataType::BigInt())),
      field("_MIN_KEY", Required(DataType::Bytes())),
      field("_MAX_KEY", Required(DataType::Bytes())),
      field("_KEY_STATS", StatsType()),
      field("_VALUE_STATS", StatsType()),
      field("_MIN_SEQUENCE_NUMBER", Required(DataType::BigInt())),
      field("_MAX_SEQUENCE_NUMBER", Required(DataType::BigInt())),
      field("_SCHEMA_ID", Required(DataType::BigInt())),
      field("_LEVEL", Required(DataType::Int())),
      field("_EXTRA_FILES", Required(Names())),
      field("_CREATION_TIME", DataType::Timestamp(3)),
      field("_DELETE_ROW_COUNT", DataType::BigInt()),
      field("_EMBEDDED_FILE_INDEX", DataType::Bytes()),
      field("_FILE_SOURCE", DataType::TinyInt()),
      field("_VALUE_STATS_COLS", Names()),
      field("_EXTERNAL_PATH", DataType::String()),
      field("_FIRST_ROW_ID", DataType::BigInt()),
      field("_WRITE_COLS", Names()),
  };
  fields.resize(field_count, field("", DataType::Int()));
  return Required(DataType::Row(std::move(fields)));
}

std::vector<DataField> ManifestListFields() {
  FieldMaker field;
  return {field("_VERSION", Required(DataType::Int())),
          field("_FILE_NAME", Required(DataType::String())),
          field("_FILE_SIZE", Required(DataType::BigInt())),
          field("_NUM_ADDED_FILES", Required(DataType::BigInt())),
          field("_NUM_DELETED_FILES", Required(DataType::BigInt())),
          field("_PARTITION_STATS", StatsType()),
          field("_SCHEMA_ID", Required(DataType::BigInt())),
          field("_MIN_BUCKET", DataType::Int()),
          field("_MAX_BUCKET", DataType::Int()),
          field("_MIN_LEVEL", DataType::Int()),
          field("_MAX_LEVEL", DataType::Int()),
          field("_MIN_ROW_ID", DataType::BigInt()),
          field("_MAX_ROW_ID", DataType::BigInt())};
}

std::vector<DataField> ManifestFields(std::size_t file_fields) {
  FieldMaker field;
  return {field("_VERSION", Required(DataType::Int())),      field("_KIND", Required(DataType::TinyInt())),
          field("_PARTITION", Required(DataType::Bytes())),  field("_BUCKET", Required(DataType::Int())),
          field("_TOTAL_BUCKETS", Required(DataType::Int())), field("_FILE", DataFileType(file_fields))};
}

std::vector<DataField> IndexManifestFields() {
  FieldMaker field;
  FieldMaker of_vector;
  FieldMaker of_index;
  const DataType vector = DataType::Row({of_vector("f0", Required(DataType::String())), of_vector("f1", Required(DataType::Int())),
                                         of_vector("f2", Required(DataType::Int())), of_vector("_CARDINALITY", DataType::BigInt())});
  const DataType index = DataType::Row(
      {of_index("_ROW_RANGE_START", Required(DataType::BigInt())), of_index("_ROW_RANGE_END", Required(DataType::BigInt())),
       of_index("_INDEX_FIELD_ID", Required(DataType::Int())), of_index("_EXTRA_FIELD_IDS", DataType::Array(Required(DataType::Int()))),
       of_index("_INDEX_META", DataType::Bytes())});
  return {field("_VERSION", Required(DataType::Int())),
          field("_KIND", Required(DataType::TinyInt())),
          field("_PARTITION", Required(DataType::Bytes())),
          field("_BUCKET", Required(DataType::Int())),
          field("_INDEX_TYPE", Required(DataType::String())),
          field("_FILE_NAME", Required(DataType::String())),
          field("_FILE_SIZE", Required(DataType::BigInt())),
          field("_ROW_COUNT", Required(DataType::BigInt())),
          field("_DELETIONS_VECTORS_RANGES", DataType::Array(vector)),
          field("_EXTERNAL_PATH", DataType::String()),
          field("_GLOBAL_INDEX", index)};
}

// The forms that files may have, the newest first, which is the one written.
std::vector<std::vector<DataField>> FormsOf(ManifestRecords records) {
  switch (records) {
    case ManifestRecords::kManifestList: return {ManifestListFields()};
    case ManifestRecords::kIndexManifest: return {IndexManifestFields()};
    case ManifestRecords::kManifest: break;
  }
  std::vector<std::vector<DataField>> forms;
  for (const std::size_t count : kFileFieldCounts) forms.push_back(ManifestFields(count));
  return forms;
}

std::string_view SchemaOf(ManifestRecords records) {
  switch (records) {
    case ManifestRecords::kManifestList: return kManifestListSchema;
    case ManifestRecords::kIndexManifest: return kIndexManifestSchema;
    case ManifestRecords::kManifest: break;
  }
  return kManifestSchema;
}

// Copies the rows of one file into a new one of another format. Returns the size of that.
Result<std::int64_t> Copy(const FileFormat& from, const FileSystem& from_fs, std::string_view from_path, const FileFormat& to, FileSystem& to_fs,
                          std::string_view to_path, const std::vector<DataField>& fields, const Options& options) {
  BRAID_TRY_ASSIGN(const auto reader, from.OpenReader(from_fs, from_path, {.columns = fields, .filter = nullptr}));
  BRAID_TRY_ASSIGN(const auto writer, to.OpenWriter(to_fs, to_path, fields, options));
  for (;;) {
    BRAID_TRY_ASSIGN(const std::optional<Batch> batch, reader->Next());
    if (!batch) break;
    BRAID_TRY(writer->Write(*batch));
  }
  BRAID_TRY_ASSIGN(const WrittenFile written, writer->Finish());
  return written.size_bytes;
}

Result<std::string> ReadAsAvro(const FileFormat& format, const FileSystem& fs, const std::string& path, const std::vector<DataField>& fields) {
  MemoryFileSystem memory;
  BRAID_TRY_ASSIGN([[maybe_unused]] const std::int64_t size,
                   Copy(format, fs, path, AvroFormat(), memory, kInMemory, fields, Options(Options::Map{{"file.compression", "null"}})));
  return memory.ReadAll(kInMemory);
}

// The format that the file's first bytes tell; nullptr: Avro, or none.
const FileFormat* OtherFormatOf(std::string_view bytes) {
  if (bytes.starts_with("ORC")) return &OrcFormat();
  return bytes.starts_with("PAR1") ? &ParquetFormat() : nullptr;
}

Result<AvroContainerWriter::Options> AvroOptions(const ManifestWriteOptions& options) {
  AvroContainerWriter::Options avro{.zstd_level = options.zstd_level};
  if (options.compression == "zstd") return avro;
  BRAID_TRY_ASSIGN(avro.codec, ParseAvroCodec(options.compression).Context("while reading the option manifest.compression"));
  return avro;
}

class AvroWriter : public ManifestContainerWriter {
 public:
  AvroWriter(std::unique_ptr<OutputFile> file, std::string_view schema, const AvroContainerWriter::Options& options)
      : writer_(std::move(file), schema, options, ThreadCompressor()) {}

  std::string& block() override { return writer_.block(); }
  Status EndRecord() override { return writer_.EndRecord(); }
  std::int64_t flushed_bytes() const override { return writer_.flushed_bytes(); }
  Result<std::int64_t> Finish() override { return writer_.Finish(); }

 private:
  AvroContainerWriter writer_;
};

// Keeps the records in memory until all are there.
class ConvertingWriter : public ManifestContainerWriter {
 public:
  static Result<std::unique_ptr<ManifestContainerWriter>> Make(FileSystem& fs, std::string path, ManifestRecords records, const FileFormat& format,
                                                               const ManifestWriteOptions& options) {
    std::unique_ptr<ConvertingWriter> writer(new ConvertingWriter(fs, std::move(path), records, format, options));
    BRAID_TRY_ASSIGN(auto file, writer->memory_.Create(kInMemory));
    writer->avro_.emplace(std::move(file), SchemaOf(records), AvroContainerWriter::Options{.codec = AvroCodec::kNull}, ThreadCompressor());
    return std::unique_ptr<ManifestContainerWriter>(std::move(writer));
  }

  std::string& block() override { return avro_->block(); }
  Status EndRecord() override { return avro_->EndRecord(); }
  std::int64_t flushed_bytes() const override { return avro_->flushed_bytes(); }
  Result<std::int64_t> Finish() override {
    BRAID_TRY_ASSIGN([[maybe_unused]] const std::int64_t size, avro_->Finish());
    const Options options(Options::Map{{"file.compression", options_.compression},
                           {"file.compression.zstd-level", std::to_string(options_.zstd_level)}});
    return Copy(AvroFormat(), memory_, kInMemory, format_, fs_, path_, FormsOf(records_).front(), options);
  }

 private:
  ConvertingWriter(FileSystem& fs, std::string path, ManifestRecords records, const FileFormat& format, const ManifestWriteOptions& options)
      : fs_(fs), path_(std::move(path)), records_(records), format_(format), options_(options) {}

  FileSystem& fs_;
  std::string path_;
  ManifestRecords records_;
  const FileFormat& format_;
  ManifestWriteOptions options_;
  MemoryFileSystem memory_;
  std::optional<AvroContainerWriter> avro_;
};

}  // namespace

Result<AvroContainer> OpenManifestContainer(const FileSystem& fs, const std::string& path, ManifestRecords records) {
  BRAID_TRY_ASSIGN(std::string bytes, fs.ReadAll(path));
  if (const FileFormat* format = OtherFormatOf(bytes)) {
    std::optional<Error> first;  // a file of the newest form names what is wrong with it best
    for (const std::vector<DataField>& form : FormsOf(records)) {
      Result<std::string> avro = ReadAsAvro(*format, fs, path, form);
      if (!avro && !first) first = avro.error();
      if (!avro) continue;
      bytes = *std::move(avro);
      first.reset();
      break;
    }
    if (first) return NameFile(path, *first);
  }
  Result<AvroContainer> container = AvroContainer::Open(std::move(bytes));
  if (!container) return NameFile(path, container.error());
  return container;
}

Result<std::unique_ptr<ManifestContainerWriter>> CreateManifestContainer(FileSystem& fs, const std::string& path, ManifestRecords records,
                                                                         const ManifestWriteOptions& options) {
  if (options.format != AvroFormat().identifier()) {
    BRAID_TRY_ASSIGN(const FileFormat* format, FindFileFormat(options.format).Context("while reading the option manifest.format"));
    return ConvertingWriter::Make(fs, path, records, *format, options);
  }
  BRAID_TRY_ASSIGN(const AvroContainerWriter::Options avro, AvroOptions(options));
  BRAID_TRY_ASSIGN(std::unique_ptr<OutputFile> file, fs.Create(path));
  return std::unique_ptr<ManifestContainerWriter>(std::make_unique<AvroWriter>(std::move(file), SchemaOf(records), avro));
}

}  // namespace braid
