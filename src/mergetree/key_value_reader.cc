// Reading data files of key tables and merging their runs.

#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "mergetree/key_value_file.h"
#include "mergetree/read_ahead.h"

namespace braid {
namespace {

class KeyValueFileReader : public FileReader {
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
  std::int64_t first_row_of_last_batch() const override { return reader_->first_row_of_last_batch(); }

 private:
  KeyValueSchema schema_;
  std::string path_;
  std::unique_ptr<FileReader> reader_;
};

/// The files of a run one after the other, each opened when its turn comes. The factory outlives this.
class FilesOfRun : public RunReader {
 public:
  FilesOfRun(const SortedRun& run, KeyValueReaderFactory& readers, bool merged)
      : files_(run.files()), readers_(readers), merged_(merged) {}

  Result<std::optional<Batch>> Next() override {
    while (true) {
      if (current_ == nullptr) {
        if (next_ == files_.size()) return std::optional<Batch>();
        BRAID_TRY_ASSIGN(current_, readers_.Open(files_[next_], merged_));
        ++next_;
      }
      BRAID_TRY_ASSIGN(std::optional<Batch> batch, current_->Next());
      if (batch) return batch;
      current_.reset();
    }
  }
  BatchOrigin origin() const override {
    BatchOrigin origin;
    origin.level = files_[next_ - 1].level;
    return origin;
  }

 private:
  std::vector<DataFileMeta> files_;
  KeyValueReaderFactory& readers_;
  bool merged_;
  std::size_t next_ = 0;
  std::unique_ptr<BatchReader> current_;
};

Result<std::unique_ptr<BatchReader>> OpenSection(const KeyValueSchema& schema, const Section& section,
                                                 KeyValueReaderFactory& readers,
                                                 std::shared_ptr<const MergeFunction> function,
                                                 const MergeOptions& options) {
  const bool merged = section.size() > 1;
  std::vector<std::unique_ptr<RunReader>> runs;
  for (const SortedRun& run : section) {
    auto files = MakeFileRun(run, readers, merged);
    runs.push_back(options.read_ahead ? ReadAhead(std::move(files)) : std::move(files));
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
  BRAID_TRY_ASSIGN(std::unique_ptr<FileReader> reader, OpenAllRows(file, schema_));
  std::unique_ptr<BatchReader> result = std::move(reader);
  return result;
}

Result<std::unique_ptr<FileReader>> PlainKeyValueReaderFactory::OpenAllRows(const DataFileMeta& file,
                                                                            const KeyValueSchema& schema) {
  const std::string path = file.external_path.value_or(JoinPath(bucket_directory_, file.file_name));
  BRAID_TRY_ASSIGN(const FileFormat* format, FormatOfFileName(file.file_name));
  FileReadRequest request;
  request.columns = KeyValueReadFields(schema);
  BRAID_TRY_ASSIGN(std::unique_ptr<FileReader> reader, format->OpenReader(*file_system_, path, request));
  std::unique_ptr<FileReader> result = std::make_unique<KeyValueFileReader>(schema, path, std::move(reader));
  return result;
}

std::unique_ptr<RunReader> MakeFileRun(const SortedRun& run, KeyValueReaderFactory& readers, bool merged) {
  return std::make_unique<FilesOfRun>(run, readers, merged);
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
