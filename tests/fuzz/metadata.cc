// Metadata that is JSON or text: snapshots, schemas, tags, consumers, statistics, records of lines (meta/). What was read,
// printed and read again is the same.

#include "fuzz/fuzz_target.h"
#include "io/memory_file_system.h"
#include "meta/column_stats.h"
#include "meta/fork_record.h"
#include "meta/schema_json.h"
#include "meta/snapshot_json.h"
#include "meta/statistics.h"
#include "meta/stores.h"
#include "meta/tag_json.h"
#include "meta/tag_time.h"

using namespace braid;

namespace {

template <typename Value, typename Read, typename Print>
void RoundTrip(const Result<Value>& value, const Read& read, const Print& print) {
  if (!fuzz::IsRead(value)) return;
  const std::string text = print(*value);
  const Result<Value> again = read(text);
  fuzz::Require(again.has_value(), "what was printed cannot be read: " + text);
  fuzz::Require(*again == *value, "what was printed is read as something else: " + text);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::size_t choice = input.Choose(9);
  const std::string_view text = input.rest();
  const TablePaths paths("/t", std::string(kMainBranch));
  MemoryFileSystem fs;
  switch (choice) {
    case 0: RoundTrip(ParseSnapshot(text), ParseSnapshot, PrintSnapshot); break;
    case 1: {
      const auto schema = ParseTableSchema(text);
      RoundTrip(schema, ParseTableSchema, PrintTableSchema);
      if (schema) fuzz::IsRead(ValidateSchema(*schema));
      break;
    }
    case 2: {
      const auto tag = ParseTag("t", text);
      if (!fuzz::IsRead(tag)) break;
      const auto printed = PrintTag(*tag);
      if (!fuzz::IsRead(printed)) break;
      const auto again = ParseTag("t", *printed);
      fuzz::Require(again.has_value() && *again == *tag, "a printed tag is read as something else: " + *printed);
      break;
    }
    case 3: {
      fuzz::Require(fs.Replace("/t/consumer/consumer-c", text).has_value(), "memory refuses a file");
      const auto consumer = ReadConsumer(fs, paths, "c");
      if (fuzz::IsRead(consumer) && *consumer) fuzz::Require(WriteConsumer(fs, paths, **consumer).has_value(), "a consumer cannot be written");
      break;
    }
    case 4:
      fuzz::Require(fs.Replace("/t/statistics/s", text).has_value(), "memory refuses a file");
      fuzz::IsRead(ReadStatistics(fs, paths, "s"));
      break;
    case 5: RoundTrip(ParseForkRecord(text), ParseForkRecord, PrintForkRecord); break;
    case 6: RoundTrip(ParseTableRecord(text), ParseTableRecord, PrintTableRecord); break;
    case 7: {
      const auto time = ParseLocalDateTime(text);
      if (fuzz::IsRead(time)) {
        const auto again = ParseLocalDateTime(FormatLocalDateTime(*time));
        fuzz::Require(again.has_value() && *again == *time, "a printed time is read as another");
      }
      const auto duration = ParseIsoDuration(text);
      if (fuzz::IsRead(duration)) {
        const auto again = ParseIsoDuration(FormatIsoDuration(*duration));
        fuzz::Require(again.has_value() && *again == *duration, "a printed duration is read as another");
      }
      fuzz::IsRead(ParseStatsMode(text));
      break;
    }
    default:
      // Hints, which say where to look first.
      fuzz::Require(fs.Replace("/t/snapshot/LATEST", text).has_value() && fs.Replace("/t/snapshot/EARLIEST", text).has_value(),
                    "memory refuses a file");
      fuzz::IsRead(FindLatestSnapshot(fs, paths));
      fuzz::IsRead(FindEarliestSnapshot(fs, paths));
      break;
  }
  return 0;
}
