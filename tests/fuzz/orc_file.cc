// ORC data files (format/orc_format.h).

#include "format/orc_format.h"
#include "fuzz/columns.h"
#include "fuzz/fuzz_target.h"
#include "io/memory_file_system.h"

using namespace braid;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::vector<DataField> fields = fuzz::Columns(input.Choose(2), 9);
  MemoryFileSystem fs;
  fuzz::Require(fs.Replace("/f.orc", input.rest()).has_value(), "memory refuses a file");
  const auto reader = OpenOrcReader(fs, "/f.orc", {.columns = fields, .filter = nullptr});
  if (!fuzz::IsRead(reader)) return 0;
  fuzz::ReadRows(**reader, fields);
  return 0;
}
