// Deletion vectors of 32 and 64 bits (format/deletion_vector.h), alone and in files with sizes and checksums.

#include "format/deletion_vector.h"
#include "fuzz/fuzz_target.h"
#include "io/memory_file_system.h"

using namespace braid;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  if (input.Choose(4) == 0) {
    const std::int64_t offset = static_cast<std::int64_t>(input.Choose(256)) - 1;
    MemoryFileSystem fs;
    fuzz::Require(fs.Replace("/index", input.rest()).has_value(), "memory refuses a file");
    fuzz::IsRead(ReadDeletionVector(fs, "/index", offset));
    return 0;
  }
  const auto vector = DeletionVector::Parse(input.rest());
  if (!fuzz::IsRead(vector)) return 0;
  static_cast<void>(vector->Contains(5));
  const std::vector<std::int64_t> more = {5, 70'000};
  fuzz::Require(vector->With(more).cardinality() >= vector->cardinality(), "a vector lost rows");
  for (const bool bitmap64 : {false, true}) {
    const auto encoded = EncodeDeletionVector(*vector, bitmap64);
    if (!fuzz::IsRead(encoded)) continue;
    const auto again = DeletionVector::Parse(std::string_view(encoded->bytes).substr(4, encoded->bytes.size() - 8));
    fuzz::Require(again.has_value() && again->cardinality() == vector->cardinality(), "a vector written and read again is another");
  }
  return 0;
}
