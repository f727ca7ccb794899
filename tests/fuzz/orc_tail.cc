// The parts of ORC files (format/orc_*): runs, blocks, the tail, footers of stripes.

#include "format/orc_tail.h"

#include <array>
#include <cstdint>
#include <string>

#include "format/orc_run_length_reader.h"
#include "fuzz/fuzz_target.h"
#include "io/memory_file_system.h"

using namespace braid;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::size_t choice = input.Choose(6);
  if (choice < 4) {
    OrcIntegerReader integers(OrcStreamReader(std::string(input.rest())), choice % 2 == 1, choice / 2 == 1);
    std::array<std::int64_t, 700> values;
    while (integers.Read(values)) {
    }
    return 0;
  }
  if (choice == 4) {
    OrcBooleanReader booleans{OrcStreamReader(std::string(input.rest()))};
    std::array<std::uint8_t, 40> bits;
    while (booleans.Read(bits.data(), 3, 301)) {
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
    for (const OrcStripeFooter::Stream& stream : footer->streams) {
      fuzz::IsRead(ReadOrcBytes(**file, *tail, stream.offset, stream.bytes, "/f.orc"));
    }
  }
  return 0;
}
