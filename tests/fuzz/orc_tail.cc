// What Braid itself decodes of ORC files: the tail, footers of stripes, and columns of timestamps (format/orc_tail.h).

#include <arrow/array.h>

#include "format/orc_integers.h"
#include "format/orc_tail.h"
#include "format/orc_timestamps.h"
#include "fuzz/fuzz_target.h"
#include "io/memory_file_system.h"

using namespace braid;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::size_t choice = input.Choose(6);
  if (choice < 4) {
    OrcIntegerReader integers(std::string(input.rest()), choice % 2 == 1, choice / 2 == 1);
    while (integers.Next()) {
    }
    return 0;
  }
  if (choice == 4) {
    OrcBooleanReader booleans{std::string(input.rest())};
    while (booleans.Next()) {
    }
    return 0;
  }
  MemoryFileSystem fs;
  fuzz::Require(fs.Replace("/f.orc", input.rest()).has_value(), "memory refuses a file");
  const auto file = fs.Open("/f.orc");
  fuzz::Require(file.has_value(), "memory has no file");
  const auto tail = ReadOrcTail(**file, "/f.orc");
  if (!fuzz::IsRead(tail)) return 0;
  for (const OrcTail::Stripe& stripe : tail->stripes) {
    const auto footer = ReadOrcStripeFooter(**file, *tail, stripe, "/f.orc");
    if (!fuzz::IsRead(footer)) continue;
    static_cast<void>(WritesUtc(*footer));
    for (std::uint32_t column = 0; column < 30; ++column) {
      const auto reader = OrcTimestampReader::Open(**file, *tail, *footer, column, "/f.orc");
      if (!fuzz::IsRead(reader)) continue;
      fuzz::IsRead((*reader)->Read(100, "/f.orc"));
    }
  }
  return 0;
}
