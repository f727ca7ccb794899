#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include <arrow/record_batch.h>

#include "mergetree/group_merger_internal.h"
#include "mergetree/key_encoding_internal.h"
#include "mergetree/memory_sort_internal.h"
#include "types/batch_bytes.h"

namespace braid {
namespace {

/// A row to sort: the head of its key and where it lies.
struct SortEntry {
  std::uint64_t prefix;
  std::int32_t source;
  std::int32_t position;
};

/// Stable; looks only at those bytes of the prefix in which the entries differ.
void RadixSort(std::vector<SortEntry>& entries) {
  constexpr int kDigits = 8;
  std::array<std::array<std::uint32_t, 256>, kDigits> counts{};
  for (const SortEntry& entry : entries) {
    for (std::size_t digit = 0; digit < kDigits; ++digit) ++counts[digit][(entry.prefix >> (8 * digit)) & 0xff];
  }
  std::vector<SortEntry> other;
  for (std::size_t digit = 0; digit < kDigits; ++digit) {
    std::array<std::uint32_t, 256>& count = counts[digit];
    const std::size_t shift = 8 * digit;
    if (count[(entries[0].prefix >> shift) & 0xff] == entries.size()) continue;
    std::uint32_t begin = 0;
    for (std::uint32_t& bucket : count) begin += std::exchange(bucket, begin);
    other.resize(entries.size());
    for (const SortEntry& entry : entries) other[count[(entry.prefix >> shift) & 0xff]++] = entry;
    entries.swap(other);
  }
}

class MemorySort {
 public:
  MemorySort(const KeyValueSchema& schema, KeyEncoder keys) : schema_(schema), key_encoder_(std::move(keys)) {}

  static Result<MemorySort> Make(const KeyValueSchema& schema) {
    BRAID_TRY_ASSIGN(KeyEncoder keys, KeyEncoder::Make(schema.key_fields));
    MemorySort sort(schema, std::move(keys));
    if (!schema.sequence_fields.empty()) {
      std::vector<DataField> fields;
      for (const std::size_t value : schema.sequence_fields) fields.push_back(schema.value_fields[value]);
      BRAID_TRY_ASSIGN(sort.sequence_encoder_, KeyEncoder::Make(fields, schema.sequence_descending));
    }
    return sort;
  }

  Status Add(const Batch& batch) {
    const auto source = static_cast<std::int32_t>(keys_.size());
    const auto& columns = batch.rows->columns();
    BRAID_TRY_ASSIGN(EncodedKeys keys,
                     key_encoder_.Encode(std::span(columns).first(schema_.key_count()), batch.row_count()));
    for (std::int32_t row = 0; row < batch.row_count(); ++row) entries_.push_back({keys.prefix(row), source, row});
    keys_.push_back(std::move(keys));
    row_bytes_.push_back(batch.row_count() == 0 ? 0 : BytesOf(*batch.rows).used / batch.row_count());
    if (sequence_encoder_) {
      std::vector<std::shared_ptr<arrow::Array>> sequence_columns;
      for (const std::size_t value : schema_.sequence_fields) {
        sequence_columns.push_back(columns[static_cast<std::size_t>(schema_.value_column(value))]);
      }
      BRAID_TRY_ASSIGN(EncodedKeys sequences, sequence_encoder_->Encode(sequence_columns, batch.row_count()));
      sequences_.push_back(std::move(sequences));
    }
    return Ok();
  }

  void Sort() {
    if (entries_.empty()) return;
    RadixSort(entries_);
    if (key_encoder_.whole() && !sequence_encoder_) return;
    for (std::size_t begin = 0; begin < entries_.size();) {
      std::size_t end = begin + 1;
      while (end < entries_.size() && entries_[end].prefix == entries_[begin].prefix) ++end;
      if (end - begin > 1) SortEqualPrefixes(std::span(entries_).subspan(begin, end - begin));
      begin = end;
    }
  }

  const std::vector<SortEntry>& entries() const { return entries_; }
  /// About, as that of its batch's rows.
  std::int64_t BytesOfRow(const SortEntry& entry) const { return row_bytes_[static_cast<std::size_t>(entry.source)]; }
  bool SameKey(const SortEntry& a, const SortEntry& b) const {
    return a.prefix == b.prefix && (key_encoder_.whole() || KeyBytes(a) == KeyBytes(b));
  }

 private:
  std::string_view KeyBytes(const SortEntry& entry) const {
    return keys_[static_cast<std::size_t>(entry.source)].bytes(entry.position);
  }

  bool HasLessSequence(const SortEntry& a, const SortEntry& b) const {
    const EncodedKeys& left = sequences_[static_cast<std::size_t>(a.source)];
    const EncodedKeys& right = sequences_[static_cast<std::size_t>(b.source)];
    if (left.prefix(a.position) != right.prefix(b.position)) return left.prefix(a.position) < right.prefix(b.position);
    return !sequence_encoder_->whole() && left.bytes(a.position) < right.bytes(b.position);
  }

  // Stability keeps rows that are equal here in the order of arrival, which is that of their sequence numbers.
  void SortEqualPrefixes(std::span<SortEntry> entries) const {
    std::stable_sort(entries.begin(), entries.end(), [this](const SortEntry& a, const SortEntry& b) {
      if (!key_encoder_.whole()) {
        const int keys = KeyBytes(a).compare(KeyBytes(b));
        if (keys != 0) return keys < 0;
      }
      return sequence_encoder_ && HasLessSequence(a, b);
    });
  }

  const KeyValueSchema& schema_;
  KeyEncoder key_encoder_;
  std::optional<KeyEncoder> sequence_encoder_;
  std::vector<EncodedKeys> keys_;
  std::vector<EncodedKeys> sequences_;
  std::vector<std::int64_t> row_bytes_;  // of each batch's rows, about
  std::vector<SortEntry> entries_;
};

class SortedRowsReader : public BatchReader {
 public:
  /// `merges`: the rows of a key belong together; else every row is kept.
  SortedRowsReader(std::unique_ptr<const KeyValueSchema> schema, MemorySort sort, GroupMerger merger, bool merges,
                   std::int64_t batch_rows)
      : schema_(std::move(schema)),
        sort_(std::move(sort)),
        merger_(std::move(merger)),
        merges_(merges),
        batch_rows_(batch_rows) {}

  Result<std::optional<Batch>> Next() override {
    while (next_ < sort_.entries().size()) {
      FillGroups();
      BRAID_TRY_ASSIGN(Batch batch, merger_.Merge(groups_));
      if (batch.row_count() > 0) return std::optional(std::move(batch));
    }
    return std::optional<Batch>();
  }

 private:
  void FillGroups() {
    groups_.Clear();
    const std::vector<SortEntry>& entries = sort_.entries();
    std::int64_t groups = 0;
    std::int64_t bytes = 0;
    for (; next_ < entries.size(); ++next_) {
      const SortEntry& entry = entries[next_];
      if (groups_.empty() || !merges_ || !sort_.SameKey(entries[next_ - 1], entry)) {
        if (!groups_.empty()) groups_.group_ends.push_back(groups_.row_count());
        if (groups == batch_rows_ || bytes >= kMaxBatchBytes) return;
        // A long row comes alone, so that it need not be copied.
        if (groups > 0 && sort_.BytesOfRow(entry) >= kMaxBatchBytes) return;
        ++groups;
      }
      groups_.row_sources.push_back(entry.source);
      groups_.positions.push_back(entry.position);
      bytes += sort_.BytesOfRow(entry);
    }
    groups_.group_ends.push_back(groups_.row_count());
  }

  std::unique_ptr<const KeyValueSchema> schema_;  // which `sort_` refers to
  MemorySort sort_;
  GroupMerger merger_;
  bool merges_;
  std::int64_t batch_rows_;
  std::size_t next_ = 0;
  RowGroups groups_;
};

}  // namespace

Result<std::unique_ptr<BatchReader>> SortInMemory(const KeyValueSchema& schema, std::vector<Batch> batches,
                                                  std::shared_ptr<const MergeFunction> function,
                                                  const MergeOptions& options) {
  auto own_schema = std::make_unique<const KeyValueSchema>(schema);
  BRAID_TRY_ASSIGN(MemorySort sort, MemorySort::Make(*own_schema));
  const bool merges = function != nullptr;
  GroupMerger merger(schema, std::move(function), options);
  for (Batch& batch : batches) {
    BRAID_TRY(sort.Add(batch));
    merger.AddSource(std::move(batch));
  }
  sort.Sort();
  std::unique_ptr<BatchReader> reader = std::make_unique<SortedRowsReader>(
      std::move(own_schema), std::move(sort), std::move(merger), merges, options.batch_rows);
  return reader;
}

}  // namespace braid
