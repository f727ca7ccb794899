#include "mergetree/merge_reader.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "mergetree/group_merger_internal.h"
#include "mergetree/key_encoding_internal.h"
#include "types/batch_bytes.h"

namespace braid {
namespace {

/// Encodes the keys and user-defined sequences of key-value batches.
struct RowOrder {
  KeyEncoder keys;
  std::optional<KeyEncoder> sequences;
  std::vector<int> sequence_columns;

  static Result<RowOrder> Make(const KeyValueSchema& schema) {
    BRAID_TRY_ASSIGN(KeyEncoder keys, KeyEncoder::Make(schema.key_fields));
    RowOrder order{std::move(keys), std::nullopt, {}};
    std::vector<DataField> fields;
    for (const std::size_t value : schema.sequence_fields) {
      fields.push_back(schema.value_fields[value]);
      order.sequence_columns.push_back(schema.value_column(value));
    }
    if (!fields.empty()) {
      BRAID_TRY_ASSIGN(order.sequences, KeyEncoder::Make(fields, schema.sequence_descending));
    }
    return order;
  }

  Result<EncodedKeys> EncodeKeysOf(const arrow::RecordBatch& rows, std::size_t key_count) const {
    const auto& columns = rows.columns();
    return keys.Encode(std::span(columns).first(key_count), rows.num_rows());
  }

  Result<EncodedKeys> EncodeSequencesOf(const arrow::RecordBatch& rows) const {
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (const int column : sequence_columns) columns.push_back(rows.column(column));
    return sequences->Encode(columns, rows.num_rows());
  }
};

int CompareEncoded(const EncodedKeys& a, std::int64_t row_a, const EncodedKeys& b, std::int64_t row_b, bool whole) {
  if (a.prefix(row_a) != b.prefix(row_b)) return a.prefix(row_a) < b.prefix(row_b) ? -1 : 1;
  return whole ? 0 : a.bytes(row_a).compare(b.bytes(row_b));
}

Error NotAscending() {
  return Error(ErrorCode::kCorruption, "the rows of a data file are not in key order");
}

/// K-way merge by a tree of losers: each inner node holds the run that lost there, so that moving the winner on costs
/// one comparison a level. Comparisons look at 8 bytes of the key first, which stand side by side in `heads_`.
class MergeReader : public BatchReader {
 public:
  MergeReader(std::size_t key_count, RowOrder order, std::vector<std::unique_ptr<RunReader>> runs,
              std::unique_ptr<GroupMerger> merger, std::int64_t batch_rows)
      : key_count_(key_count), order_(std::move(order)), merger_(std::move(merger)), batch_rows_(batch_rows) {
    runs_.resize(runs.size());
    for (std::size_t run = 0; run < runs.size(); ++run) runs_[run].reader = std::move(runs[run]);
    heads_.resize(runs_.size());
    tree_.resize(runs_.size());
  }

  Result<std::optional<Batch>> Next() override {
    if (!started_) BRAID_TRY(Start());
    while (!runs_.empty() && !runs_[tree_[0]].exhausted) {
      groups_.Clear();
      BRAID_TRY(order_.keys.whole() ? FillGroups<true>() : FillGroups<false>());
      BRAID_TRY_ASSIGN(Batch batch, merger_->Merge(groups_));
      DropUsedSources();
      if (batch.row_count() > 0) return std::optional(std::move(batch));
    }
    return std::optional<Batch>();
  }

 private:
  struct Run {
    std::unique_ptr<RunReader> reader;
    EncodedKeys keys;
    EncodedKeys sequences;  // if there are sequence fields
    std::int32_t source = -1;
    std::int32_t row = 0;
    std::int32_t rows = 0;
    std::int64_t row_bytes = 0;  // of a row of the batch, about
    bool exhausted = false;
  };

  Status Start() {
    started_ = true;
    const std::size_t count = runs_.size();
    if (count == 0) return Ok();
    for (std::size_t run = 0; run < count; ++run) BRAID_TRY(LoadBatch(run));
    std::vector<std::size_t> winners(2 * count);
    for (std::size_t run = 0; run < count; ++run) winners[count + run] = run;
    for (std::size_t node = count - 1; node >= 1; --node) {
      const std::size_t left = winners[2 * node];
      const std::size_t right = winners[2 * node + 1];
      const bool left_wins = order_.keys.whole() ? Less<true>(left, right) : Less<false>(left, right);
      winners[node] = left_wins ? left : right;
      tree_[node] = left_wins ? right : left;
    }
    tree_[0] = winners[1];
    return Ok();
  }

  /// Moves a run to its next batch that has rows.
  Status LoadBatch(std::size_t index) {
    Run& run = runs_[index];
    while (true) {
      BRAID_TRY_ASSIGN(std::optional<Batch> batch, run.reader->Next());
      if (!batch) {
        run.exhausted = true;
        heads_[index] = std::numeric_limits<std::uint64_t>::max();
        run.reader.reset();  // lets go of the file early
        return Ok();
      }
      if (batch->row_count() == 0) continue;
      BRAID_TRY_ASSIGN(EncodedKeys keys, order_.EncodeKeysOf(*batch->rows, key_count_));
      // The key of the group being filled may lie in the old batch.
      if (run.rows > 0) {
        if (keys.prefix(0) < run.keys.prefix(run.rows - 1)) return NotAscending();
        used_keys_.push_back(std::move(run.keys));
      }
      run.keys = std::move(keys);
      if (order_.sequences) {
        BRAID_TRY_ASSIGN(run.sequences, order_.EncodeSequencesOf(*batch->rows));
      }
      run.rows = static_cast<std::int32_t>(batch->row_count());
      run.row_bytes = BytesOf(*batch->rows).used / batch->row_count();
      run.row = 0;
      run.source = merger_->AddSource(*std::move(batch), run.reader->origin());
      heads_[index] = run.keys.prefix(0);
      return Ok();
    }
  }

  template <bool kWhole>
  bool Less(std::size_t a, std::size_t b) const {
    if (heads_[a] != heads_[b]) return heads_[a] < heads_[b];
    return LessBehindPrefix<kWhole>(a, b);
  }

  template <bool kWhole>
  bool LessBehindPrefix(std::size_t a, std::size_t b) const {
    const Run& left = runs_[a];
    const Run& right = runs_[b];
    if (left.exhausted || right.exhausted) return !left.exhausted;
    if constexpr (!kWhole) {
      const int keys = left.keys.bytes(left.row).compare(right.keys.bytes(right.row));
      if (keys != 0) return keys < 0;
    }
    if (order_.sequences) {
      const int sequences =
          CompareEncoded(left.sequences, left.row, right.sequences, right.row, order_.sequences->whole());
      if (sequences != 0) return sequences < 0;
    }
    const MergeSource& left_rows = merger_->source(left.source);
    const MergeSource& right_rows = merger_->source(right.source);
    const std::int64_t left_number = left_rows.sequence_numbers[left.row];
    const std::int64_t right_number = right_rows.sequence_numbers[right.row];
    if (left_number != right_number) return left_number < right_number;
    const bool left_adds = IsAdd(left_rows.kind(left.row));
    const bool right_adds = IsAdd(right_rows.kind(right.row));
    if (left_adds != right_adds) return right_adds;
    return a < b;
  }

  template <bool kWhole>
  void Replay(std::size_t run) {
    for (std::size_t node = (run + runs_.size()) / 2; node >= 1; node /= 2) {
      if (Less<kWhole>(tree_[node], run)) std::swap(tree_[node], run);
    }
    tree_[0] = run;
  }

  /// Takes rows off the runs until `batch_rows` groups are whole, or those that are whole take as much as a batch may.
  template <bool kWhole>
  Status FillGroups() {
    std::uint64_t key_prefix = 0;
    std::string_view key_bytes;
    std::int64_t groups = 0;
    std::int64_t bytes = 0;
    while (true) {
      const std::size_t winner = tree_[0];
      Run& run = runs_[winner];
      if (run.exhausted) break;
      bool starts_group = groups == 0 || heads_[winner] != key_prefix;
      if constexpr (!kWhole) starts_group = starts_group || run.keys.bytes(run.row) != key_bytes;
      if (starts_group) {
        if (groups > 0) groups_.group_ends.push_back(groups_.row_count());
        if (groups == batch_rows_ || bytes >= kMaxBatchBytes) return Ok();
        // A long row comes alone, so that it need not be copied.
        if (groups > 0 && run.row_bytes >= kMaxBatchBytes) return Ok();
        ++groups;
        key_prefix = heads_[winner];
        if constexpr (!kWhole) key_bytes = run.keys.bytes(run.row);
      }
      groups_.row_sources.push_back(run.source);
      groups_.positions.push_back(run.row);
      bytes += run.row_bytes;
      if (++run.row < run.rows) {
        const std::uint64_t next = run.keys.prefix(run.row);
        if (next < heads_[winner]) return NotAscending();
        heads_[winner] = next;
      } else {
        BRAID_TRY(LoadBatch(winner));
      }
      Replay<kWhole>(winner);
    }
    groups_.group_ends.push_back(groups_.row_count());
    return Ok();
  }

  void DropUsedSources() {
    std::vector<std::int32_t> kept;
    for (Run& run : runs_) {
      if (run.exhausted) continue;
      kept.push_back(run.source);
      run.source = static_cast<std::int32_t>(kept.size()) - 1;
    }
    merger_->KeepSources(kept);
    used_keys_.clear();
  }

  const std::size_t key_count_;
  const RowOrder order_;
  const std::unique_ptr<GroupMerger> merger_;
  const std::int64_t batch_rows_;
  bool started_ = false;
  std::vector<Run> runs_;
  std::vector<std::uint64_t> heads_;  // key prefix of each run's current row
  std::vector<std::size_t> tree_;     // 0: the winner; i: the loser of inner node i
  RowGroups groups_;
  std::vector<EncodedKeys> used_keys_;
};

/// A batch that was taken off a run.
struct TakenBatch {
  Batch batch;
  BatchOrigin origin;
};

/// Yields batches that were taken off a run before what is left of it.
class ResumingReader : public RunReader {
 public:
  ResumingReader(std::vector<TakenBatch> first, std::unique_ptr<RunReader> rest)
      : first_(std::move(first)), rest_(std::move(rest)) {}

  Result<std::optional<Batch>> Next() override {
    if (position_ == first_.size()) {
      resumed_ = true;
      return rest_->Next();
    }
    return std::optional(std::move(first_[position_++].batch));
  }
  BatchOrigin origin() const override { return resumed_ ? rest_->origin() : first_[position_ - 1].origin; }

 private:
  std::vector<TakenBatch> first_;
  std::size_t position_ = 0;
  bool resumed_ = false;
  std::unique_ptr<RunReader> rest_;
};

/// Rows that are of no file.
class UnfiledRun : public RunReader {
 public:
  explicit UnfiledRun(std::unique_ptr<BatchReader> rows) : rows_(std::move(rows)) {}
  Result<std::optional<Batch>> Next() override { return rows_->Next(); }
  BatchOrigin origin() const override { return {}; }

 private:
  std::unique_ptr<BatchReader> rows_;
};

/// A single run passes through uncopied as long as no key repeats; from the first repetition on it is merged like
/// several.
class SingleRunReader : public BatchReader {
 public:
  SingleRunReader(KeyValueSchema schema, RowOrder order, std::unique_ptr<RunReader> run,
                  std::shared_ptr<const MergeFunction> function, MergeOptions options)
      : schema_(std::move(schema)),
        order_(std::move(order)),
        run_(std::move(run)),
        function_(std::move(function)),
        options_(options),
        merger_(schema_, function_, options_) {}

  Result<std::optional<Batch>> Next() override {
    while (merge_ == nullptr) {
      if (!current_) {
        BRAID_TRY_ASSIGN(current_, Load());
      }
      if (!current_) return std::optional<Batch>();
      BRAID_TRY_ASSIGN(std::optional<Loaded> next, Load());
      BRAID_TRY_ASSIGN(const bool ascends, Ascends(*current_, next));
      if (!ascends) {
        std::vector<TakenBatch> taken = {std::move(current_->taken)};
        if (next) taken.push_back(std::move(next->taken));
        std::vector<std::unique_ptr<RunReader>> runs;
        runs.push_back(std::make_unique<ResumingReader>(std::move(taken), std::move(run_)));
        merge_ = std::make_unique<MergeReader>(schema_.key_count(), order_, std::move(runs),
                                               std::make_unique<GroupMerger>(schema_, function_, options_),
                                               options_.batch_rows);
        break;
      }
      BRAID_TRY_ASSIGN(Batch batch, merger_.PassThrough(current_->taken.batch));
      current_ = std::move(next);
      if (batch.row_count() > 0) return std::optional(std::move(batch));
    }
    return merge_->Next();
  }

 private:
  struct Loaded {
    TakenBatch taken;
    EncodedKeys keys;
  };

  Result<std::optional<Loaded>> Load() {
    while (true) {
      BRAID_TRY_ASSIGN(std::optional<Batch> batch, run_->Next());
      if (!batch) return std::optional<Loaded>();
      if (batch->row_count() == 0) continue;
      BRAID_TRY_ASSIGN(EncodedKeys keys, order_.EncodeKeysOf(*batch->rows, schema_.key_count()));
      return std::optional(Loaded{{*std::move(batch), run_->origin()}, std::move(keys)});
    }
  }

  /// Whether each key of the batch is less than the one behind it, the next batch's first included.
  Result<bool> Ascends(const Loaded& loaded, const std::optional<Loaded>& next) const {
    const bool whole = order_.keys.whole();
    const std::int64_t rows = loaded.taken.batch.row_count();
    int greatest = -1;
    for (std::int64_t row = 1; row < rows; ++row) {
      greatest = std::max(greatest, CompareEncoded(loaded.keys, row - 1, loaded.keys, row, whole));
    }
    if (next) greatest = std::max(greatest, CompareEncoded(loaded.keys, rows - 1, next->keys, 0, whole));
    if (greatest > 0) return NotAscending();
    return greatest < 0;
  }

  KeyValueSchema schema_;
  RowOrder order_;
  std::unique_ptr<RunReader> run_;
  std::shared_ptr<const MergeFunction> function_;
  MergeOptions options_;
  GroupMerger merger_;
  std::optional<Loaded> current_;
  std::unique_ptr<MergeReader> merge_;
};

class ConcatenatingReader : public BatchReader {
 public:
  explicit ConcatenatingReader(std::vector<OpenReader> readers) : readers_(std::move(readers)) {}

  Result<std::optional<Batch>> Next() override {
    while (true) {
      if (current_ == nullptr) {
        if (next_ == readers_.size()) return std::optional<Batch>();
        BRAID_TRY_ASSIGN(current_, readers_[next_]());
        ++next_;
      }
      BRAID_TRY_ASSIGN(std::optional<Batch> batch, current_->Next());
      if (batch) return batch;
      current_.reset();
    }
  }

 private:
  std::vector<OpenReader> readers_;
  std::size_t next_ = 0;
  std::unique_ptr<BatchReader> current_;
};

}  // namespace

Result<std::unique_ptr<BatchReader>> MakeMergeReader(KeyValueSchema schema,
                                                     std::vector<std::unique_ptr<BatchReader>> runs,
                                                     std::shared_ptr<const MergeFunction> function,
                                                     MergeOptions options) {
  std::vector<std::unique_ptr<RunReader>> unfiled;
  for (auto& run : runs) unfiled.push_back(MakeUnfiledRun(std::move(run)));
  return MakeMergeReader(std::move(schema), std::move(unfiled), std::move(function), options);
}

Result<std::unique_ptr<BatchReader>> MakeMergeReader(KeyValueSchema schema,
                                                     std::vector<std::unique_ptr<RunReader>> runs,
                                                     std::shared_ptr<const MergeFunction> function,
                                                     MergeOptions options) {
  BRAID_TRY_ASSIGN(RowOrder order, RowOrder::Make(schema));
  std::unique_ptr<BatchReader> reader;
  if (runs.size() == 1) {
    reader = std::make_unique<SingleRunReader>(std::move(schema), std::move(order), std::move(runs[0]),
                                               std::move(function), options);
  } else {
    const std::size_t key_count = schema.key_count();
    auto merger = std::make_unique<GroupMerger>(std::move(schema), std::move(function), options);
    reader = std::make_unique<MergeReader>(key_count, std::move(order), std::move(runs), std::move(merger),
                                           options.batch_rows);
  }
  return reader;
}

Result<std::unique_ptr<BatchReader>> MakeMergeReader(const KeyValueSchema& schema,
                                                     std::vector<std::unique_ptr<RunReader>> runs,
                                                     std::unique_ptr<GroupMerger> merger, std::int64_t batch_rows) {
  BRAID_TRY_ASSIGN(RowOrder order, RowOrder::Make(schema));
  std::unique_ptr<BatchReader> reader = std::make_unique<MergeReader>(schema.key_count(), std::move(order),
                                                                      std::move(runs), std::move(merger), batch_rows);
  return reader;
}

std::unique_ptr<RunReader> MakeUnfiledRun(std::unique_ptr<BatchReader> rows) {
  return std::make_unique<UnfiledRun>(std::move(rows));
}

std::unique_ptr<BatchReader> MakeConcatenatingReader(std::vector<OpenReader> readers) {
  return std::make_unique<ConcatenatingReader>(std::move(readers));
}

}  // namespace braid
