#include "jobs/commit_message_json.h"

#include <array>
#include <map>
#include <utility>

#include "base/text.h"
#include "io/memory_file_system.h"
#include "meta/single_manifest.h"
#include "meta/stores.h"

namespace braid {

namespace {

using Files = std::vector<DataFileMeta> CommitMessage::*;
using Indexes = std::vector<IndexManifestEntry> CommitMessage::*;

constexpr auto kFileLists = std::to_array<std::pair<const char*, Files>>({
    {"new", &CommitMessage::new_files},
    {"deleted", &CommitMessage::deleted_files},
    {"changelog", &CommitMessage::changelog_files},
    {"compactBefore", &CommitMessage::compact_before},
    {"compactAfter", &CommitMessage::compact_after},
    {"compactChangelog", &CommitMessage::compact_changelog_files},
});
constexpr auto kIndexLists = std::to_array<std::pair<const char*, Indexes>>({
    {"newIndex", &CommitMessage::new_index_files},
    {"deletedIndex", &CommitMessage::deleted_index_files},
    {"compactNewIndex", &CommitMessage::compact_new_index_files},
    {"compactDeletedIndex", &CommitMessage::compact_deleted_index_files},
});
using Base = std::optional<DeletionVectorBase> CommitMessage::*;
constexpr auto kBases = std::to_array<std::pair<const char*, Base>>({
    {"deletionBase", &CommitMessage::deletion_base},
    {"compactDeletionBase", &CommitMessage::compact_deletion_base},
});
// A bucket whose message does not say how many there are.
constexpr std::int32_t kUnknownBuckets = std::numeric_limits<std::int32_t>::min();

// A manifest store in memory.
struct Scratch {
  MemoryFileSystem fs;
  TablePaths paths{"/scratch", std::string(kMainBranch)};
  MetadataFileNames names;
  ManifestWriteOptions options{.compression = "zstd", .zstd_level = 1};
};

Result<std::string> EncodeFiles(const std::vector<CommitMessage>& messages, Files list) {
  std::vector<ManifestEntry> entries;
  for (const CommitMessage& message : messages) {
    for (const DataFileMeta& file : message.*list) {
      entries.push_back({.kind = FileKind::kAdd,
                         .partition = message.partition,
                         .bucket = message.bucket,
                         .total_buckets = message.total_buckets.value_or(kUnknownBuckets),
                         .file = file});
    }
  }
  if (entries.empty()) return std::string();
  Scratch scratch;
  BRAID_TRY_ASSIGN(const WrittenMetadata written,
                   WriteSingleManifest(scratch.fs, scratch.paths, scratch.names, entries, scratch.options));
  return scratch.fs.ReadAll(scratch.paths.ManifestFile(written.name));
}

Result<std::string> EncodeIndexes(const std::vector<CommitMessage>& messages, Indexes list) {
  std::vector<IndexManifestEntry> entries;
  for (const CommitMessage& message : messages) {
    for (IndexManifestEntry entry : message.*list) {
      entry.partition = message.partition;
      entry.bucket = message.bucket;
      entries.push_back(std::move(entry));
    }
  }
  if (entries.empty()) return std::string();
  Scratch scratch;
  BRAID_TRY_ASSIGN(const auto written,
                   WriteIndexManifest(scratch.fs, scratch.paths, scratch.names, entries, scratch.options));
  return scratch.fs.ReadAll(scratch.paths.ManifestFile(written.name));
}

// The bases of all messages that have one.
Json EncodeBases(const std::vector<CommitMessage>& messages, Base base) {
  Json::Array array;
  for (const CommitMessage& message : messages) {
    if (!(message.*base)) continue;
    Json one;
    one.Add("messagePartition", ToHex(message.partition.Serialize()));
    one.Add("messageBucket", static_cast<std::int64_t>(message.bucket.value()));
    one.Add("partition", ToHex((message.*base)->partition.Serialize()));
    one.Add("bucket", static_cast<std::int64_t>((message.*base)->bucket.value()));
    if ((message.*base)->index_file) one.Add("indexFile", *(message.*base)->index_file);
    if ((message.*base)->files) {
      Json::Array files;
      for (const std::string& file : *(message.*base)->files) files.emplace_back(file);
      one.Add("files", Json(std::move(files)));
    }
    array.emplace_back(std::move(one));
  }
  return Json(std::move(array));
}

Result<BinaryRow> PartitionOf(const Json& json, const char* key) {
  BRAID_TRY_ASSIGN(const std::string hex, json.GetString(key));
  const std::optional<std::string> bytes = FromHex(hex);
  if (!bytes) return Error(ErrorCode::kCorruption, "a partition is no hexadecimal text");
  return BinaryRow::Deserialize(*bytes);
}

Result<BucketId> BucketOf(const Json& json, const char* key) {
  BRAID_TRY_ASSIGN(const std::int64_t bucket, json.GetInteger(key));
  return BucketId(static_cast<std::int32_t>(bucket));
}

// Messages by bucket.
class MessageBuilder {
 public:
  CommitMessage& Of(const BinaryRow& partition, BucketId bucket) {
    const auto [found, added] = positions_.try_emplace({partition, bucket}, messages_.size());
    if (added) {
      CommitMessage& message = messages_.emplace_back();
      message.partition = partition;
      message.bucket = bucket;
    }
    return messages_[found->second];
  }
  std::vector<CommitMessage> Finish() && { return std::move(messages_); }

 private:
  std::map<std::pair<BinaryRow, BucketId>, std::size_t> positions_;
  std::vector<CommitMessage> messages_;
};

Status DecodeFileNames(const Json& one, DeletionVectorBase& base) {
  const Json* files = one.Find("files");
  if (files == nullptr) return Ok();
  if (!files->is_array()) return Error(ErrorCode::kCorruption, "files that were looked through are no list");
  base.files.emplace();
  for (const Json& file : files->as_array()) {
    if (!file.is_string()) return Error(ErrorCode::kCorruption, "a file that was looked through has no name");
    base.files->insert(file.as_string());
  }
  return Ok();
}

// What a writer placed keys by.
Json EncodePlaces(const CommitMessage& message) {
  Json one;
  one.Add("messagePartition", ToHex(message.partition.Serialize()));
  one.Add("messageBucket", static_cast<std::int64_t>(message.bucket.value()));
  if (message.hash_base) {
    Json::Array files;
    for (const auto& [bucket, file] : message.hash_base->files) {
      Json index;
      index.Add("bucket", static_cast<std::int64_t>(bucket));
      index.Add("name", file.name);
      if (file.external_path) index.Add("externalPath", *file.external_path);
      index.Add("hashCount", file.hash_count);
      files.emplace_back(std::move(index));
    }
    one.Add("hashIndexes", Json(std::move(files)));
  }
  if (message.keys_base) {
    one.Add("snapshot", message.keys_base->snapshot.value());
    one.Add("identity", message.keys_base->identity);
  }
  return one;
}

Status DecodePlaces(const Json& one, MessageBuilder& builder) {
  BRAID_TRY_ASSIGN(const BinaryRow partition, PartitionOf(one, "messagePartition"));
  BRAID_TRY_ASSIGN(const BucketId bucket, BucketOf(one, "messageBucket"));
  CommitMessage& message = builder.Of(partition, bucket);
  if (const Json* files = one.Find("hashIndexes"); files != nullptr) {
    if (!files->is_array()) return Error(ErrorCode::kCorruption, "hash indexes are no list");
    HashIndexBase& base = message.hash_base.emplace();
    for (const Json& index : files->as_array()) {
      BRAID_TRY_ASSIGN(const BucketId of, BucketOf(index, "bucket"));
      HashIndexBase::File& file = base.files[of.value()];
      BRAID_TRY_ASSIGN(file.name, index.GetString("name"));
      BRAID_TRY_ASSIGN(file.external_path, index.FindString("externalPath"));
      BRAID_TRY_ASSIGN(file.hash_count, index.GetInteger("hashCount"));
    }
  }
  BRAID_TRY_ASSIGN(const std::optional<std::string> identity, one.FindString("identity"));
  if (!identity) return Ok();
  BRAID_TRY_ASSIGN(const std::int64_t snapshot, one.GetInteger("snapshot"));
  message.keys_base = KeysBase{SnapshotId(snapshot), *identity};
  return Ok();
}

// The bytes of one list, put where they can be read as a manifest.
Result<std::optional<std::string>> Restore(const Json& json, const char* key, Scratch& scratch) {
  BRAID_TRY_ASSIGN(const std::optional<std::string> hex, json.FindString(key));
  if (!hex) return std::optional<std::string>();
  const std::optional<std::string> bytes = FromHex(*hex);
  if (!bytes) return Error(ErrorCode::kCorruption, "a list of files is no hexadecimal text");
  std::string name = scratch.names.NextManifest();
  BRAID_TRY_ASSIGN(auto file, scratch.fs.Create(scratch.paths.ManifestFile(name)));
  BRAID_TRY(file->Append(*bytes));
  BRAID_TRY(file->Close());
  return std::optional(std::move(name));
}

}  // namespace

Result<Json> EncodeCommitMessages(const std::vector<CommitMessage>& messages) {
  Json json{Json::Object()};
  for (const auto& [key, list] : kFileLists) {
    BRAID_TRY_ASSIGN(const std::string bytes, EncodeFiles(messages, list));
    if (!bytes.empty()) json.Add(key, ToHex(bytes));
  }
  for (const auto& [key, list] : kIndexLists) {
    BRAID_TRY_ASSIGN(const std::string bytes, EncodeIndexes(messages, list));
    if (!bytes.empty()) json.Add(key, ToHex(bytes));
  }
  for (const auto& [key, base] : kBases) {
    Json bases = EncodeBases(messages, base);
    if (!bases.as_array().empty()) json.Add(key, std::move(bases));
  }
  Json::Array places;
  for (const CommitMessage& message : messages) {
    if (message.hash_base || message.keys_base) places.emplace_back(EncodePlaces(message));
  }
  if (!places.empty()) json.Add("places", Json(std::move(places)));
  return json;
}

Result<std::vector<CommitMessage>> DecodeCommitMessages(const Json& json) {
  MessageBuilder builder;
  for (const auto& [key, list] : kFileLists) {
    Scratch scratch;
    BRAID_TRY_ASSIGN(const auto name, Restore(json, key, scratch));
    if (!name) continue;
    BRAID_TRY_ASSIGN(const std::vector<ManifestEntry> entries, ReadManifest(scratch.fs, scratch.paths, *name));
    for (const ManifestEntry& entry : entries) {
      CommitMessage& message = builder.Of(entry.partition, entry.bucket);
      if (entry.total_buckets != kUnknownBuckets) message.total_buckets = entry.total_buckets;
      (message.*list).push_back(entry.file);
    }
  }
  for (const auto& [key, list] : kIndexLists) {
    Scratch scratch;
    BRAID_TRY_ASSIGN(const auto name, Restore(json, key, scratch));
    if (!name) continue;
    BRAID_TRY_ASSIGN(const auto entries, ReadIndexManifest(scratch.fs, scratch.paths, *name));
    for (const IndexManifestEntry& entry : entries) (builder.Of(entry.partition, entry.bucket).*list).push_back(entry);
  }
  for (const auto& [key, base] : kBases) {
    const Json* bases = json.Find(key);
    if (bases == nullptr) continue;
    if (!bases->is_array()) return Error(ErrorCode::kCorruption, "what deletions went by is no list");
    for (const Json& one : bases->as_array()) {
      BRAID_TRY_ASSIGN(const BinaryRow message_partition, PartitionOf(one, "messagePartition"));
      BRAID_TRY_ASSIGN(const BucketId message_bucket, BucketOf(one, "messageBucket"));
      DeletionVectorBase value;
      BRAID_TRY_ASSIGN(value.partition, PartitionOf(one, "partition"));
      BRAID_TRY_ASSIGN(value.bucket, BucketOf(one, "bucket"));
      BRAID_TRY_ASSIGN(value.index_file, one.FindString("indexFile"));
      BRAID_TRY(DecodeFileNames(one, value));
      builder.Of(message_partition, message_bucket).*base = std::move(value);
    }
  }
  if (const Json* places = json.Find("places"); places != nullptr) {
    if (!places->is_array()) return Error(ErrorCode::kCorruption, "what keys were placed by is no list");
    for (const Json& one : places->as_array()) BRAID_TRY(DecodePlaces(one, builder));
  }
  return std::move(builder).Finish();
}

}  // namespace braid
