// Files of BLOB columns (format/blob_format.h).

#include <arrow/record_batch.h>

#include "format/blob_format.h"
#include "fuzz/fuzz_target.h"
#include "io/memory_file_system.h"

using namespace braid;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::int64_t batch_rows = static_cast<std::int64_t>(input.Choose(16)) + 1;
  const std::vector<DataField> fields = {{FieldId(0), "b", DataType::Blob(), {}, {}}};
  MemoryFileSystem fs;
  fuzz::Require(fs.Replace("/f.blob", input.rest()).has_value(), "memory refuses a file");
  const auto reader = BlobFormat().OpenReader(fs, "/f.blob", {.columns = fields, .filter = nullptr, .batch_rows = batch_rows});
  if (!fuzz::IsRead(reader)) return 0;
  const auto batches = ReadAllBatches(**reader);
  if (!fuzz::IsRead(batches)) return 0;
  const auto writer = BlobFormat().OpenWriter(fs, "/again.blob", fields, Options());
  fuzz::Require(writer.has_value(), "a file cannot be written");
  for (const Batch& batch : *batches) fuzz::Require((*writer)->Write(batch).has_value(), "values that were read cannot be written");
  fuzz::Require((*writer)->Finish().has_value(), "a file cannot be finished");
  const auto again = BlobFormat().OpenReader(fs, "/again.blob", {.columns = fields, .filter = nullptr, .batch_rows = batch_rows});
  fuzz::Require(again.has_value(), "a written file cannot be opened");
  const auto same = ReadAllBatches(**again);
  fuzz::Require(same.has_value() && same->size() == batches->size(), "a written file cannot be read");
  for (std::size_t i = 0; i < same->size(); ++i) {
    fuzz::Require((*same)[i].rows->Equals(*(*batches)[i].rows), "a file written and read again holds other values");
  }
  return 0;
}
