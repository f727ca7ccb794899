// Reading data files of key tables and merging their runs.

#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "format/file_format.h"
#include "mergetree/key_value_file.h"

namespace braid {
namespace {

class KeyValueFileReader : public BatchReader {
 public:
  KeyValueFileReader(KeyValueSchema schema, std::string path, std::unique_ptr<FileReader> reader)
      : schema_(std::move(schema)), path_(std::move(path)), reader_(std::move(reader)) {}

  Result<std::optional<Batch>> Next() override {
    BRAID_TRY_ASSIGN(const std::optional<Batch> read, reader_->Next());
    if (!read) return std::optional<Batch>();
    BRAID_TRY_ASSIGN(Batch batch,
                     ToKeyValueBatch(schema_, *read->rows).Context(fmt::format("while reading {}", path_)));
    return std::optional(std::move(batch));
  }

 private:
  KeyValueSchema schema_;
  std::string path_;
  std::unique_ptr<FileReader> reader_;
};

Result<std::unique_ptr<BatchReader>> OpenSection(const KeyValueSchema& schema, const Section& section,
                                                 KeyValueReaderFactory& readers,
                                                 std::shared_ptr<const MergeFunction> function,
                                                 const MergeOptions& options) {
  const bool merged = section.size() > 1;
  std::vector<std::unique_ptr<BatchReader>> runs;
  for (const SortedRun& run : section) {
    std::vector<OpenReader> files;
    for (const DataFileMeta& file : run.files()) {
      files.push_back([&readers, file, merged] { return readers.Open(file, merged); });
    }
    runs.push_back(MakeConcatenatingReader(std::move(files)));
  }
  return MakeMergeReader(schema, std::move(runs), std::move(function), options);
}

}  // namespace

PlainKeyValueReaderFactory::PlainKeyValueReaderFactory(std::shared_ptr<const FileSystem> file_system,
                                                       std::string bucket_directory, KeyValueSchema schema)
    : file_system_(std::move(file_system)),
      bucket_directory_(std::move(bucket_directory)),
      schema_(std::move(schema)) {}

Result<std::unique_ptr<BatchReader>> PlainKeyValueReaderFactory::Open(const DataFileMeta& file, bool) {
  const std::string path = file.external_path.value_or(JoinPath(bucket_directory_, file.file_name));
  BRAID_TRY_ASSIGN(const FileFormat* format, FormatOfFileName(file.file_name));
  FileReadRequest request;
  request.columns = KeyValueReadFields(schema_);
  BRAID_TRY_ASSIGN(std::unique_ptr<FileReader> reader, format->OpenReader(*file_system_, path, request));
  std::unique_ptr<BatchReader> result = std::make_unique<KeyValueFileReader>(schema_, path, std::move(reader));
  return result;
}

Result<std::unique_ptr<BatchReader>> ReadSections(const KeyValueSchema& schema, std::vector<Section> sections,
                                                  KeyValueReaderFactory& readers,
                                                  std::shared_ptr<const MergeFunction> function,
                                                  const MergeOptions& options) {
  std::vector<OpenReader> parts;
  for (Section& section : sections) {
    parts.push_back([schema, section = std::move(section), &readers, function, options] {
      return OpenSection(schema, section, readers, function, options);
    });
  }
  return MakeConcatenatingReader(std::move(parts));
}

}  // namespace braid
