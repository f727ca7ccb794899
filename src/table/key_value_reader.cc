#include "table/key_value_reader.h"

#include <utility>

namespace braid {

namespace {

class KeyValueReader : public FileReader {
 public:
  KeyValueReader(std::unique_ptr<FileReader> columns, const KeyValueSchema& schema) : columns_(std::move(columns)), schema_(schema) {}

  Result<std::optional<Batch>> Next() override {
    BRAID_TRY_ASSIGN(std::optional<Batch> batch, columns_->Next());
    if (!batch) return std::optional<Batch>();
    BRAID_TRY_ASSIGN(Batch key_value, ToKeyValueBatch(schema_, *batch->rows));
    return std::optional(std::move(key_value));
  }
  std::int64_t first_row_of_last_batch() const override { return columns_->first_row_of_last_batch(); }

 private:
  std::unique_ptr<FileReader> columns_;
  KeyValueSchema schema_;
};

}  // namespace

std::unique_ptr<FileReader> MakeKeyValueReader(std::unique_ptr<FileReader> columns, const KeyValueSchema& schema) {
  return std::make_unique<KeyValueReader>(std::move(columns), schema);
}

}  // namespace braid
