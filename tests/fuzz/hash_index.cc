// HASH index files of tables with dynamic buckets: one of any bytes (table/hash_index_file.h), and those of two writers
// merged, against a model (table/hash_index_merge.h).

#include <map>
#include <set>

#include "fuzz/fuzz_target.h"
#include "io/memory_file_system.h"
#include "meta/stores.h"
#include "table/hash_index_file.h"
#include "table/hash_index_merge.h"
#include "table/index_manifest.h"
#include "table/table.h"

using namespace braid;

namespace {

using Buckets = std::map<std::int32_t, std::set<std::int32_t>>;  // hashes by bucket

template <typename T>
T Made(Result<T> result) {
  fuzz::Require(result.has_value(), result.has_value() ? "" : result.error().ToString());
  return std::move(result).value();
}

const Table& TableOf(const std::shared_ptr<MemoryFileSystem>& fs) {
  static const Table kTable = [&] {
    TableDefinition definition;
    definition.fields = {{FieldId(0), "k", DataType::Int(), {}, {}}};
    definition.primary_keys = {"k"};
    definition.options = Options(Options::Map{{"bucket", "-1"}});
    const TableSchema schema = Made(NewTableSchema(definition, 0));
    fuzz::Require(WriteSchema(*fs, TablePaths("/t", std::string(kMainBranch)), schema).has_value(), "memory refuses a file");
    return Made(Table::Open(fs, "/t", "t"));
  }();
  return kTable;
}

void Read(const Table& table, std::string_view bytes, std::size_t rows) {
  IndexManifestEntry entry;
  entry.file_name = "index-0";
  entry.row_count = rows == 0 ? static_cast<std::int64_t>(bytes.size() / 4) : static_cast<std::int64_t>(rows) - 1;
  fuzz::Require(table.file_system().Replace(Made(IndexFilePath(table, entry)), bytes).has_value(), "memory refuses a file");
  const auto hashes = ReadHashIndex(table, entry);
  if (!fuzz::IsRead(hashes)) return;
  MetadataFileNames names;
  const IndexManifestEntry written = Made(WriteHashIndex(table, BinaryRow(), BucketId(0), *hashes, names));
  const std::string path = Made(IndexFilePath(table, written));
  fuzz::Require(Made(table.file_system().ReadAll(path)) == bytes, "an index read and written again is another");
  fuzz::Require(table.file_system().Delete(path).has_value(), "memory keeps a file");
}

// An index of a writer: the hashes that it began with, then its own.
PartitionHashIndex Write(const Table& table, const Buckets& first, const Buckets& more, MetadataFileNames& names) {
  std::map<std::int32_t, std::vector<std::int32_t>> files;
  for (const Buckets* part : {&first, &more}) {
    for (const auto& [bucket, hashes] : *part) files[bucket].insert(files[bucket].end(), hashes.begin(), hashes.end());
  }
  PartitionHashIndex index;
  for (const auto& [bucket, hashes] : files) index.emplace(bucket, Made(WriteHashIndex(table, BinaryRow(), BucketId(bucket), hashes, names)));
  return index;
}

// Each byte is a hash, a bucket and whose it is.
void Merge(const Table& table, std::string_view bytes) {
  Buckets base;
  Buckets others;
  Buckets ours;
  std::map<std::int32_t, std::int32_t> known;   // bucket by hash, of base
  std::set<std::int32_t> seen_by_others;
  std::set<std::int32_t> seen_by_us;
  std::set<std::int32_t> dropped;               // buckets whose index others removed
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    const std::int32_t hash = byte & 0x0F;
    const std::int32_t bucket = byte >> 4 & 3;
    switch (byte >> 6) {
      case 0:
        if (known.emplace(hash, bucket).second) base[bucket].insert(hash);
        break;
      case 1:
        if (!known.contains(hash) && seen_by_others.insert(hash).second) others[bucket].insert(hash);
        break;
      case 2:
        if (!known.contains(hash) && seen_by_us.insert(hash).second) ours[bucket].insert(hash);
        break;
      default:
        if (hash == 0) dropped.insert(bucket);
    }
  }
  // What came first in the input may be a hash that base got afterwards.
  for (Buckets* later : {&others, &ours}) {
    for (auto& [bucket, hashes] : *later) std::erase_if(hashes, [&](std::int32_t hash) { return known.contains(hash); });
    std::erase_if(*later, [](const auto& part) { return part.second.empty(); });
  }
  MetadataFileNames names;
  PartitionHashIndex latest = Write(table, base, {}, names);
  HashIndexBase begun;
  for (const auto& [bucket, entry] : latest) begun.files.emplace(bucket, HashIndexBase::File{.name = entry.file_name, .hash_count = entry.row_count});
  const PartitionHashIndex all_ours = Write(table, base, ours, names);
  PartitionHashIndex added;
  for (const auto& [bucket, hashes] : ours) added.emplace(bucket, all_ours.at(bucket));
  const PartitionHashIndex theirs = Write(table, base, others, names);
  for (const auto& [bucket, hashes] : others) latest.insert_or_assign(bucket, theirs.at(bucket));
  bool moved = false;
  for (const std::int32_t bucket : dropped) {
    if (latest.erase(bucket) == 0) continue;
    moved = moved || base.contains(bucket);
    others.erase(bucket);
  }
  for (const auto& [bucket, hashes] : ours) {
    for (const auto& [other, their_hashes] : others) {
      if (other != bucket) for (const std::int32_t hash : hashes) moved = moved || their_hashes.contains(hash);
    }
  }
  const HashIndexMerge merge = Made(MergeHashIndexes(table, BinaryRow(), begun, added, latest, names));
  fuzz::Require(merge.moved == moved, moved ? "a key that moved is taken for one that stayed" : "a key that stayed is taken for one that moved");
  if (moved) return;
  PartitionHashIndex result = latest;
  for (const IndexManifestEntry& entry : merge.indexes) result.insert_or_assign(entry.bucket.value(), entry);
  Buckets expected;
  for (const Buckets* part : {&base, &others, &ours}) {
    for (const auto& [bucket, hashes] : *part) expected[bucket].insert(hashes.begin(), hashes.end());
  }
  fuzz::Require(result.size() == expected.size(), "a bucket has no index, or one too many");
  for (const auto& [bucket, entry] : result) {
    const std::vector<std::int32_t> hashes = Made(ReadHashIndex(table, entry));
    const std::set<std::int32_t> once(hashes.begin(), hashes.end());
    fuzz::Require(once.size() == hashes.size(), "a hash twice");
    fuzz::Require(once == expected[bucket], "the hashes of both are not those of both");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto kFiles = std::make_shared<MemoryFileSystem>();
  const Table& table = TableOf(kFiles);
  fuzz::Input input(data, size);
  if (input.Choose(4) == 0) {
    const std::size_t rows = input.Choose(8);
    Read(table, input.rest(), rows);
  } else {
    Merge(table, input.rest());
    fuzz::Require(kFiles->DeleteTree("/t/index").has_value(), "memory keeps a folder");
  }
  return 0;
}
