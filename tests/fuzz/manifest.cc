// Manifests, manifest lists and index manifests (meta/manifest_codec.h): whole Avro files, and records under Paimon's own
// schemas; files of Parquet and ORC, too. What was read, written and read again is the same.

#include <vector>

#include "fuzz/avro_records.h"
#include "fuzz/fuzz_target.h"
#include "io/memory_file_system.h"
#include "meta/manifest_codec.h"
#include "meta/stores.h"

using namespace braid;

namespace {

// Decodes, encodes what came, decodes again.
template <typename Value, typename Decode, typename Encode>
void RoundTrip(const AvroContainer& container, std::string_view schema, const Decode& decode, const Encode& encode) {
  const Result<std::vector<Value>> values = decode(container);
  if (!fuzz::IsRead(values)) return;
  std::string records;
  for (const Value& value : *values) encode(value, records);
  const auto again = AvroContainer::Open(fuzz::AvroFileOf(schema, static_cast<std::int64_t>(values->size()), records));
  fuzz::Require(again.has_value(), "a written container cannot be read");
  const Result<std::vector<Value>> same = decode(*again);
  fuzz::Require(same.has_value(), "written records cannot be read");
  fuzz::Require(*same == *values, "records written and read again are others");
}

Result<std::vector<ManifestEntry>> Entries(const AvroContainer& container) {
  std::vector<ManifestEntry> entries;
  BRAID_TRY(DecodeManifest(container, 0, container.blocks().size(), {}, [&](ManifestEntry& entry) { entries.push_back(entry); }));
  return entries;
}

// Files of whatever format they begin like: manifests may also be Parquet and ORC.
void ReadWhole(std::size_t choice, std::string_view bytes) {
  MemoryFileSystem fs;
  const TablePaths paths("/t", std::string(kMainBranch));
  fuzz::Require(fs.Replace(paths.ManifestFile("f"), bytes).has_value(), "memory refuses a file");
  switch (choice) {
    case 6: fuzz::IsRead(ReadManifest(fs, paths, "f")); break;
    case 7: fuzz::IsRead(ReadManifestList(fs, paths, "f")); break;
    default: fuzz::IsRead(ReadIndexManifest(fs, paths, "f")); break;
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::size_t choice = input.Choose(9);
  if (choice >= 6) {
    ReadWhole(choice, input.rest());
    return 0;
  }
  const std::string_view kSchemas[] = {kManifestSchema, kManifestListSchema, kIndexManifestSchema};
  const std::string_view schema = kSchemas[choice / 2];
  std::string bytes;
  if (choice % 2 == 1) {
    const auto record_count = static_cast<std::int64_t>(input.Choose(8));
    bytes = fuzz::AvroFileOf(schema, record_count, input.rest());
  } else {
    bytes = input.rest();
  }
  const auto container = AvroContainer::Open(std::move(bytes));
  if (!fuzz::IsRead(container)) return 0;
  switch (choice / 2) {
    case 0:
      RoundTrip<ManifestEntry>(*container, schema, Entries, EncodeManifestEntry);
      // Planning leaves out what it does not need.
      fuzz::IsRead(DecodeManifest(*container, 0, container->blocks().size(),
                                  {.accepts = [](const ManifestEntryHead& head) { return head.bucket.value() % 2 == 0; },
                                   .keep_key_stats = false,
                                   .keep_value_stats = false},
                                  [](ManifestEntry&) {}));
      break;
    case 1: RoundTrip<ManifestFileMeta>(*container, schema, DecodeManifestList, EncodeManifestFileMeta); break;
    default: RoundTrip<IndexManifestEntry>(*container, schema, DecodeIndexManifest, EncodeIndexManifestEntry); break;
  }
  return 0;
}
