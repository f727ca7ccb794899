// Parquet data files (format/parquet_format.h): what Braid reads itself of them, and what it does about the library's complaints.

#include "format/parquet_format.h"
#include "fuzz/columns.h"
#include "fuzz/fuzz_target.h"
#include "io/memory_file_system.h"

using namespace braid;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::size_t choice = input.Choose(4);
  const std::vector<DataField> fields = fuzz::Columns(choice % 2, 9);
  FileReadRequest request{.columns = fields, .filter = nullptr, .drops_rows = choice >= 2};
  // Few rows of the seeds pass.
  if (request.drops_rows) request.filter = Predicate::Leaf(Predicate::Op::kIsNull, fields[0].name, fields[0].type);
  MemoryFileSystem fs;
  fuzz::Require(fs.Replace("/f.parquet", input.rest()).has_value(), "memory refuses a file");
  const auto reader = OpenParquetReader(fs, "/f.parquet", request);
  if (!fuzz::IsRead(reader)) return 0;
  fuzz::ReadRows(**reader, fields);
  return 0;
}
