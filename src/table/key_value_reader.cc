#include "table/key_value_reader.h"

#include <utility>

namespace braid {

namespace {

class KeyValueReader : public FileReader {
 public:
  KeyValueReader(std::unique_ptr<FileReader> columns, const KeyValueSchema& schema, std::string file_name)
      : columns_(std::move(columns)), schema_(schema), file_name_(std::move(file_name)) {}

  Result<std::optional<Batch>> Next() override {
    BRAID_TRY_ASSIGN(std::optional<Batch> batch, columns_->Next());
    if (!batch) return std::optional<Batch>();
    BRAID_TRY_ASSIGN(Batch key_value, ToKeyValueBatch(schema_, *batch->rows).Context("while reading " + file_name_));
    return std::optional(std::move(key_value));
  }
  std::int64_t first_row_of_last_batch() const override { return columns_->first_row_of_last_batch(); }

 private:
  std::unique_ptr<FileReader> columns_;
  KeyValueSchema schema_;
  std::string file_name_;
};

}  // namespace

std::unique_ptr<FileReader> MakeKeyValueReader(std::unique_ptr<FileReader> columns, const KeyValueSchema& schema, std::string file_name) {
  return std::make_unique<KeyValueReader>(std::move(columns), schema, std::move(file_name));
}

}  // namespace braid
