// Avro data files (format/avro_format.h): whole ones, and records under the schema of columns of every type.

#include <vector>

#include <arrow/record_batch.h>

#include "format/avro_format.h"
#include "fuzz/avro_records.h"
#include "fuzz/columns.h"
#include "fuzz/fuzz_target.h"
#include "io/memory_file_system.h"
#include "types/row_json.h"

using namespace braid;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::size_t choice = input.Choose(4);
  // Avro holds no nanoseconds.
  const std::vector<DataField> fields = fuzz::Columns(choice / 2, 6);
  std::string bytes(input.rest());
  if (choice % 2 == 1) {
    const auto schema = MakeAvroSchemaJson(fields);
    fuzz::Require(schema.has_value(), schema ? "" : schema.error().ToString());
    const auto record_count = static_cast<std::int64_t>(input.Choose(8));
    bytes = fuzz::AvroFileOf(*schema, record_count, input.rest());
  }
  MemoryFileSystem fs;
  fuzz::Require(fs.Replace("/f.avro", bytes).has_value(), "memory refuses a file");
  const auto reader = OpenAvroReader(fs, "/f.avro", {.columns = fields, .filter = nullptr});
  if (!fuzz::IsRead(reader)) return 0;
  fuzz::ReadRows(**reader, fields);
  return 0;
}
