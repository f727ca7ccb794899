#include "mergetree/merge_tree_writer.h"

#include <algorithm>
#include <future>
#include <limits>
#include <set>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "mergetree/compaction_task_internal.h"
#include "mergetree/data_file_options.h"
#include "mergetree/ignored_kinds.h"

namespace braid {
namespace {

constexpr std::int64_t kWriteSliceRows = 65536;  // how often the buffer's size is looked at

/// Options of the writer itself.
struct WriterOptions {
  CompactionOptions compaction;
  SortBufferOptions buffer;
  bool write_only = false;
  bool force_compact = false;     // `commit.force-compact`
  bool waits_for_lookup = false;  // `lookup-wait`, of tables with lookup compaction
  bool wait_until_level0_empty = false;
  IgnoredKinds ignored;
  bool writes_changelog = false;
};

Result<WriterOptions> ReadWriterOptions(const MergeTreeWriterConfig& config) {
  const Options& options = config.options;
  WriterOptions result;
  BRAID_TRY_ASSIGN(const bool skip_compaction, options.GetBool("write.compaction-skip", false));
  BRAID_TRY_ASSIGN(result.write_only, options.GetBool("write-only", skip_compaction));
  BRAID_TRY_ASSIGN(result.compaction, CompactionOptions::FromOptions(options));
  BRAID_TRY_ASSIGN(result.buffer, SortBufferOptions::FromOptions(options, config.spill_directory));
  BRAID_TRY_ASSIGN(result.force_compact, options.GetBool("commit.force-compact", false));
  BRAID_TRY_ASSIGN(const bool lookup_wait, options.GetBool("lookup-wait", true));
  BRAID_TRY_ASSIGN(const bool needs_lookup, NeedsLookup(options));
  result.waits_for_lookup = needs_lookup && lookup_wait && !result.write_only;
  // Rows become visible, or their changes known, only when they are above level 0.
  result.wait_until_level0_empty = result.waits_for_lookup && !result.compaction.gentle_interval;
  BRAID_TRY_ASSIGN(result.ignored, IgnoredKinds::FromOptions(options));
  result.writes_changelog = options.Get("changelog-producer", "none") == "input";
  return result;
}

/// When the bucket was last compacted as a whole, as far as its files tell.
std::optional<std::int64_t> LastFullCompactionMs(const std::vector<DataFileMeta>& files, int max_level) {
  std::optional<std::int64_t> last;
  for (const DataFileMeta& file : files) {
    if (file.level != max_level || !file.creation_time_ms) continue;
    last = std::max(last.value_or(std::numeric_limits<std::int64_t>::min()), UtcOfLocalTimeMs(*file.creation_time_ms));
  }
  return last;
}

class BucketWriter : public MergeTreeWriter {
 public:
  BucketWriter(MergeTreeWriterConfig config, WriterOptions options, std::shared_ptr<const MergeFunction> function,
               CompactionPurpose purpose, std::optional<RecordExpiry> expiry, Levels levels,
               std::int64_t max_sequence_number)
      : config_(std::move(config)),
        options_(std::move(options)),
        function_(std::move(function)),
        purpose_(std::move(purpose)),
        expiry_(std::move(expiry)),
        levels_(std::move(levels)),
        picker_(options_.compaction, *config_.clock, LastFullCompactionMs(config_.files, levels_.max_level())),
        buffer_(config_.schema, options_.buffer),
        max_sequence_number_(max_sequence_number) {}

  ~BucketWriter() override { DiscardUncommitted(); }

  Status Write(const Batch& values) override {
    BRAID_TRY_ASSIGN(const Batch accepted, options_.ignored.Drop(values));
    for (std::int64_t offset = 0; offset < accepted.row_count(); offset += kWriteSliceRows) {
      const std::int64_t rows = std::min(kWriteSliceRows, accepted.row_count() - offset);
      Batch slice = accepted;
      if (rows < accepted.row_count()) {
        slice.rows = accepted.rows->Slice(offset, rows);
        if (slice.kinds) slice.kinds = std::static_pointer_cast<arrow::Int8Array>(slice.kinds->Slice(offset, rows));
      }
      BRAID_TRY(buffer_.Add(slice, max_sequence_number_ + 1));
      max_sequence_number_ += rows;
      if (buffer_.is_full()) BRAID_TRY(ReleaseMemory());
    }
    return Ok();
  }

  std::int64_t memory_bytes() const override { return buffer_.memory_bytes(); }

  Status ReleaseMemory() override {
    BRAID_TRY_ASSIGN(const bool spilled, buffer_.Spill());
    if (spilled) return Ok();
    return Flush(false, false);
  }

  Status Compact(bool full) override {
    if (options_.write_only) {
      return Error(ErrorCode::kInvalidArgument, "this writer does not compact: write-only is true")
          .Hint("compact with the dynamic option write-only=false");
    }
    return Flush(true, full);
  }

  Result<BucketChanges> PrepareCommit(bool wait_compaction) override {
    wait_compaction = wait_compaction || options_.waits_for_lookup;
    BRAID_TRY(Flush(wait_compaction, false));
    const bool far_behind = levels_.run_count() > options_.compaction.stop_trigger + 1;
    wait_compaction = wait_compaction || options_.force_compact || far_behind;
    BRAID_TRY(CollectCompaction(wait_compaction));
    while (wait_compaction && options_.wait_until_level0_empty && !levels_.level0().empty()) {
      BRAID_TRY(StartCompaction(false));
      if (!running_.valid()) break;
      BRAID_TRY(CollectCompaction(true));
    }
    return std::exchange(changes_, {});
  }

  bool is_compacting() const override { return running_.valid(); }
  std::int64_t max_sequence_number() const override { return max_sequence_number_; }
  std::vector<DataFileMeta> Files() const override { return levels_.AllFiles(); }

 private:
  Status Flush(bool wait_compaction, bool full) {
    if (buffer_.row_count() > 0) {
      if (levels_.run_count() > options_.compaction.stop_trigger) wait_compaction = true;
      BRAID_TRY(FlushBuffer());
    }
    BRAID_TRY(CollectCompaction(wait_compaction));
    return StartCompaction(full);
  }

  Status FlushBuffer() {
    std::vector<DataFileMeta> changelog;
    if (options_.writes_changelog) {
      BRAID_TRY_ASSIGN(const auto writer, config_.writers->OpenChangelog(0));
      BRAID_TRY_ASSIGN(changelog, WriteSorted(nullptr, *writer));
    }
    BRAID_TRY_ASSIGN(const auto writer, config_.writers->OpenData(0, FileSource::kAppend));
    Result<std::vector<DataFileMeta>> files = WriteSorted(function_, *writer);
    if (!files) {
      for (const DataFileMeta& file : changelog) (void)config_.writers->Delete(file);  // else an orphan
      return std::move(files).error();
    }
    buffer_.Clear();
    std::move(changelog.begin(), changelog.end(), std::back_inserter(changes_.changelog_files));
    for (DataFileMeta& file : *files) {
      levels_.AddLevel0(file);
      changes_.new_files.push_back(std::move(file));
    }
    return Ok();
  }

  Result<std::vector<DataFileMeta>> WriteSorted(const std::shared_ptr<const MergeFunction>& function,
                                                KeyValueRollingWriter& writer) {
    BRAID_TRY_ASSIGN(const std::unique_ptr<BatchReader> rows, buffer_.Sorted(function));
    while (true) {
      BRAID_TRY_ASSIGN(const std::optional<Batch> batch, rows->Next());
      if (!batch) break;
      BRAID_TRY(writer.Write(*batch));
    }
    return writer.Finish();
  }

  /// Starts what is due, unless a compaction runs already.
  Status StartCompaction(bool full) {
    if (options_.write_only || running_.valid()) return Ok();
    const std::vector<LevelRun> runs = levels_.Runs();
    const std::int64_t now_ms = config_.clock->NowMs();
    const auto must_rewrite = [&](const DataFileMeta& file) {
      if (config_.deletions.contains(file.file_name)) return true;
      if (!expiry_) return false;
      const Result<bool> expired = HoldsExpiredRows(*expiry_, *config_.readers, file, now_ms);
      return !expired || *expired;  // what is wrong with the file shows when it is read
    };
    std::optional<CompactUnit> unit =
        full ? picker_.PickFull(levels_.level_count(), runs, must_rewrite) : picker_.Pick(levels_.level_count(), runs);
    if (!unit) return Ok();

    CompactionTask task;
    task.schema = config_.schema;
    task.readers = config_.readers;
    task.writers = config_.writers;
    task.function = function_;
    task.purpose = purpose_;
    task.deletions = config_.deletions;
    task.expiry = expiry_;
    task.now_ms = now_ms;
    for (const LevelRun& run : runs) {
      if (run.level > unit->output_level) task.upper.push_back(run);
    }
    task.max_level = levels_.max_level();
    task.memory = config_.compaction_memory;
    task.small_file_bytes = options_.compaction.small_file_bytes;
    task.force_rewrite = options_.compaction.force_rewrite_all_files;
    task.drop_retractions = unit->output_level != 0 &&
                            (unit->output_level >= levels_.highest_non_empty_level() || purpose_.marks_deletions);
    task.unit = *std::move(unit);
    auto work =
        std::make_shared<std::packaged_task<Result<CompactResult>()>>([task = std::move(task)] { return task.Run(); });
    running_ = work->get_future();
    if (config_.compaction_pool == nullptr) {
      (*work)();
    } else {
      config_.compaction_pool->Submit([work] { (*work)(); });
    }
    return Ok();
  }

  /// Takes over the result of a compaction that has ended, or waits for it.
  Status CollectCompaction(bool wait) {
    if (!running_.valid()) return Ok();
    if (!wait && running_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return Ok();
    BRAID_TRY_ASSIGN(CompactResult result, running_.get().Context("while compacting a bucket"));
    if (Status status = levels_.Update(result.before, result.after); !status) {
      (void)DeleteWritten(*config_.writers, result);
      return status;
    }
    if (result.deletions) {
      config_.deletions = *std::move(result.deletions);
      changes_.deletions = config_.deletions;
    }
    return AddCompaction(result);
  }

  /// Adds to the changes of this checkpoint. A file that an earlier compaction of the same checkpoint made and this one
  /// replaced is known to nobody: it is deleted, unless it is an upgraded file, whose data the commit's other parts
  /// name.
  Status AddCompaction(const CompactResult& result) {
    std::set<std::string> kept;
    for (const DataFileMeta& file : result.after) kept.insert(file.file_name);
    for (const DataFileMeta& file : changes_.compact_before) kept.insert(file.file_name);
    for (const DataFileMeta& file : result.before) {
      const auto made = std::find(changes_.compact_after.begin(), changes_.compact_after.end(), file);
      if (made == changes_.compact_after.end()) {
        changes_.compact_before.push_back(file);
        continue;
      }
      changes_.compact_after.erase(made);
      if (!kept.contains(file.file_name)) BRAID_TRY(config_.writers->Delete(file));
    }
    changes_.compact_after.insert(changes_.compact_after.end(), result.after.begin(), result.after.end());
    changes_.compact_changelog_files.insert(changes_.compact_changelog_files.end(), result.changelog.begin(),
                                            result.changelog.end());
    return Ok();
  }

  void DiscardUncommitted() {
    // A file that cannot be deleted is an orphan; there is nobody left to tell.
    if (running_.valid()) {
      if (const Result<CompactResult> result = running_.get()) (void)DeleteWritten(*config_.writers, *result);
    }
    CompactResult compacted;
    compacted.before = changes_.compact_before;
    compacted.after = changes_.compact_after;
    compacted.changelog = changes_.compact_changelog_files;
    (void)DeleteWritten(*config_.writers, compacted);
    for (const DataFileMeta& file : changes_.new_files) (void)config_.writers->Delete(file);
    for (const DataFileMeta& file : changes_.changelog_files) (void)config_.writers->Delete(file);
  }

  MergeTreeWriterConfig config_;
  WriterOptions options_;
  std::shared_ptr<const MergeFunction> function_;
  CompactionPurpose purpose_;
  std::optional<RecordExpiry> expiry_;
  Levels levels_;
  CompactionPicker picker_;
  SortBuffer buffer_;
  std::int64_t max_sequence_number_;
  BucketChanges changes_;
  std::future<Result<CompactResult>> running_;
};

}  // namespace

bool BucketChanges::empty() const {
  return new_files.empty() && changelog_files.empty() && compact_before.empty() && compact_after.empty() &&
         compact_changelog_files.empty() && !deletions;
}

Result<std::unique_ptr<MergeTreeWriter>> MergeTreeWriter::Make(MergeTreeWriterConfig config) {
  BRAID_TRY_ASSIGN(WriterOptions options, ReadWriterOptions(config));
  BRAID_TRY_ASSIGN(std::shared_ptr<const MergeFunction> function, MakeMergeFunction(config.options, config.schema));
  BRAID_TRY_ASSIGN(CompactionPurpose purpose,
                   CompactionPurpose::FromOptions(config.options, config.schema, options.compaction.level_count));
  BRAID_TRY_ASSIGN(std::optional<RecordExpiry> expiry, RecordExpiry::Make(config.options, config.schema));
  // Who never compacts needs no view of the levels, however many files they have, and does not judge them.
  BRAID_TRY_ASSIGN(Levels levels, Levels::Make(config.schema.key_fields, options.compaction.level_count,
                                               options.write_only ? std::vector<DataFileMeta>() : config.files));
  std::int64_t max_sequence_number = -1;
  for (const DataFileMeta& file : config.files) {
    max_sequence_number = std::max(max_sequence_number, file.max_sequence_number);
  }
  std::unique_ptr<MergeTreeWriter> writer =
      std::make_unique<BucketWriter>(std::move(config), std::move(options), std::move(function), std::move(purpose),
                                     std::move(expiry), std::move(levels), max_sequence_number);
  return writer;
}

}  // namespace braid
