#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "mergetree/compaction_task_internal.h"
#include "mergetree/data_file_options.h"
#include "types/batch_bytes.h"

namespace braid {
namespace {

// What a compaction takes, about: a batch of each run with its pages, and the open row group with the batch that goes
// into it. Small files take no more than they hold. A lookup goes through its runs once and keeps one batch.
constexpr std::int64_t kRunBytes = std::int64_t{6} << 20;
constexpr std::int64_t kLookupRunBytes = kRunBytes / 2;
constexpr std::int64_t kWriterBytes = std::int64_t{20} << 20;
constexpr std::int64_t kChangelogBytes = kWriterBytes / 2;  // of fewer rows
constexpr std::int64_t kExpansion = 4;                      // of compressed files, about
constexpr std::int64_t kCopiesOfLongRow = 3;                // while it is decoded

std::int64_t ReaderBytes(const SortedRun& run, std::int64_t most) {
  std::int64_t largest = 0;
  for (const DataFileMeta& file : run.files()) largest = std::max(largest, file.file_size);
  return std::min(most, kExpansion * largest);
}

/// How a file moves up without being merged with others.
enum class Upgrade : std::uint8_t {
  kMove,         ///< its level changes, that is all
  kScanAndMove,  ///< its level changes; its rows are looked at for the changelog or deletion vectors
  kRewrite,      ///< its rows are looked at and written anew
};

/// Leaves out rows that deletion vectors name or that are over.
class LiveRows : public KeyValueReaderFactory {
 public:
  LiveRows(const CompactionTask& task, const BucketDeletions& deletions) : task_(task), deletions_(deletions) {}

  Result<std::unique_ptr<BatchReader>> Open(const DataFileMeta& file, bool merged) override {
    const auto found = deletions_.find(file.file_name);
    const bool has_deletions = found != deletions_.end() && !found->second.empty();
    if (!has_deletions && !task_.expiry) return task_.readers->Open(file, merged);
    BRAID_TRY_ASSIGN(std::unique_ptr<FileReader> rows, task_.readers->OpenAllRows(file, task_.schema));
    std::unique_ptr<BatchReader> reader =
        std::make_unique<Reader>(task_, std::move(rows), has_deletions ? found->second : DeletionVector());
    return reader;
  }
  Result<std::unique_ptr<FileReader>> OpenAllRows(const DataFileMeta& file, const KeyValueSchema& schema) override {
    return task_.readers->OpenAllRows(file, schema);
  }

 private:
  class Reader : public BatchReader {
   public:
    Reader(const CompactionTask& task, std::unique_ptr<FileReader> rows, DeletionVector deleted)
        : task_(task), rows_(std::move(rows)), deleted_(std::move(deleted)) {}

    Result<std::optional<Batch>> Next() override {
      BRAID_TRY_ASSIGN(std::optional<Batch> batch, rows_->Next());
      if (!batch) return batch;
      std::vector<std::int32_t> kept;
      for (std::int64_t row = 0; row < batch->row_count(); ++row) {
        if (!deleted_.Contains(rows_->first_row_of_last_batch() + row)) kept.push_back(static_cast<std::int32_t>(row));
      }
      if (static_cast<std::int64_t>(kept.size()) < batch->row_count()) {
        BRAID_TRY_ASSIGN(batch, TakeRows(*batch, kept));
      }
      if (task_.expiry) {
        BRAID_TRY_ASSIGN(batch, task_.expiry->Fresh(*batch, task_.now_ms));
      }
      return batch;
    }

   private:
    const CompactionTask& task_;
    std::unique_ptr<FileReader> rows_;
    DeletionVector deleted_;
  };

  const CompactionTask& task_;
  const BucketDeletions& deletions_;
};

std::vector<DataFileMeta> FilesOf(const std::vector<Section>& sections) {
  std::vector<DataFileMeta> files;
  for (const Section& section : sections) {
    for (const SortedRun& run : section) files.insert(files.end(), run.files().begin(), run.files().end());
  }
  return files;
}

/// A task at work.
class Compaction {
 public:
  Compaction(const CompactionTask& task, CompactResult& result)
      : task_(task), result_(result), deletions_(task.deletions), rows_(task, deletions_) {}

  Status Run() {
    BRAID_TRY_ASSIGN(std::vector<Section> sections, PartitionIntoSections(task_.unit.files, task_.schema.key_fields));
    std::vector<Section> candidates;
    for (Section& section : sections) {
      if (section.size() > 1) {
        candidates.push_back(std::move(section));
        continue;
      }
      for (const DataFileMeta& file : section[0].files()) {
        if (file.file_size < task_.small_file_bytes) {
          candidates.push_back({SortedRun::Single(file)});
        } else {
          BRAID_TRY(Rewrite(candidates));
          BRAID_TRY(MoveUp(file));
        }
      }
    }
    BRAID_TRY(Rewrite(candidates));
    if (deletions_changed_) result_.deletions = std::move(deletions_);
    return Ok();
  }

  /// Writes each file anew on its own, without the rows that are deleted.
  Status RewriteEach() {
    for (const DataFileMeta& file : task_.unit.files) BRAID_TRY(MergeAndWrite({{SortedRun::Single(file)}}));
    if (deletions_changed_) result_.deletions = std::move(deletions_);
    return Ok();
  }

 private:
  Status Rewrite(std::vector<Section>& candidates) {
    std::vector<Section> sections = std::exchange(candidates, {});
    if (sections.empty()) return Ok();
    if (sections.size() > 1 || sections[0].size() > 1) return MergeAndWrite(std::move(sections));
    for (const DataFileMeta& file : sections[0][0].files()) BRAID_TRY(MoveUp(file));
    return Ok();
  }

  bool writes_top() const { return task_.unit.output_level == task_.max_level; }

  Status MoveUp(const DataFileMeta& file) {
    const bool may_hold_retractions = file.delete_row_count.value_or(1) > 0;
    bool expired = false;
    if (task_.expiry) {
      BRAID_TRY_ASSIGN(expired, HoldsExpiredRows(*task_.expiry, *task_.readers, file, task_.now_ms));
    }
    if ((writes_top() && may_hold_retractions) || task_.force_rewrite || expired)
      return MergeAndWrite({{SortedRun::Single(file)}});
    if (file.level == task_.unit.output_level) return Ok();
    const Upgrade upgrade = UpgradeOf(file, may_hold_retractions);
    if (upgrade == Upgrade::kRewrite) {
      return MergeWithChangelog({{SortedRun::Single(file)}}, true, task_.purpose.marks_deletions);
    }
    if (upgrade == Upgrade::kScanAndMove) {
      BRAID_TRY(MergeWithChangelog({{SortedRun::Single(file)}}, false, task_.purpose.marks_deletions));
    }
    result_.before.push_back(file);
    DataFileMeta upgraded = file;
    upgraded.level = task_.unit.output_level;
    result_.after.push_back(std::move(upgraded));
    return Ok();
  }

  Upgrade UpgradeOf(const DataFileMeta& file, bool may_hold_retractions) const {
    const CompactionPurpose& purpose = task_.purpose;
    if (!purpose.rule) return Upgrade::kMove;
    if (*purpose.rule == ChangelogRule::kFullCompaction) return writes_top() ? Upgrade::kScanAndMove : Upgrade::kMove;
    if (file.level != 0) return Upgrade::kMove;
    const auto& others = purpose.levels_of_other_format;
    if (std::find(others.begin(), others.end(), task_.unit.output_level) != others.end()) return Upgrade::kRewrite;
    // Above level 0 of a table with deletion vectors there are no retractions.
    if (purpose.marks_deletions && may_hold_retractions) return Upgrade::kRewrite;
    return writes_top() || purpose.newest_wins ? Upgrade::kScanAndMove : Upgrade::kRewrite;
  }

  Status MergeAndWrite(std::vector<Section> sections) {
    if (NeedsChangelogMerge(sections)) return MergeWithChangelog(std::move(sections), true, task_.drop_retractions);
    const std::vector<DataFileMeta> before = FilesOf(sections);
    MergeOptions options;
    options.drop_retractions = task_.drop_retractions;
    BRAID_TRY_ASSIGN(const std::unique_ptr<BatchReader> rows,
                     ReadSections(task_.schema, std::move(sections), rows_, task_.function, options));
    return WriteAll(*rows, before);
  }

  bool NeedsChangelogMerge(const std::vector<Section>& sections) const {
    if (!task_.purpose.rule) return false;
    if (*task_.purpose.rule == ChangelogRule::kFullCompaction) return writes_top();
    const std::vector<DataFileMeta> files = FilesOf(sections);
    return std::any_of(files.begin(), files.end(), [](const DataFileMeta& file) { return file.level == 0; });
  }

  Status WriteAll(BatchReader& rows, const std::vector<DataFileMeta>& before) {
    BRAID_TRY_ASSIGN(const std::unique_ptr<KeyValueRollingWriter> writer,
                     task_.writers->OpenData(task_.unit.output_level, FileSource::kCompact));
    while (true) {
      BRAID_TRY_ASSIGN(const std::optional<Batch> batch, rows.Next());
      if (!batch) break;
      BRAID_TRY(writer->Write(*batch));
    }
    BRAID_TRY_ASSIGN(std::vector<DataFileMeta> after, writer->Finish());
    std::move(after.begin(), after.end(), std::back_inserter(result_.after));
    result_.before.insert(result_.before.end(), before.begin(), before.end());
    for (const DataFileMeta& file : before)
      deletions_changed_ = deletions_.erase(file.file_name) > 0 || deletions_changed_;
    return Ok();
  }

  /// Merges sections, finding out what changes; `writes`: the result goes to new files, else only the changes matter.
  Status MergeWithChangelog(std::vector<Section> sections, bool writes, bool drop_retractions) {
    const std::vector<DataFileMeta> before = FilesOf(sections);
    std::unique_ptr<KeyValueRollingWriter> changelog;
    if (task_.purpose.writes_changelog) {
      BRAID_TRY_ASSIGN(changelog, task_.writers->OpenChangelog(task_.unit.output_level));
    }
    std::map<std::string, std::vector<std::int64_t>> replaced;
    std::vector<OpenReader> parts;
    for (const Section& section : sections) {
      parts.push_back([&] { return OpenSection(section, drop_retractions, changelog.get(), replaced); });
    }
    const std::unique_ptr<BatchReader> rows = MakeConcatenatingReader(std::move(parts));
    if (writes) {
      BRAID_TRY(WriteAll(*rows, before));
    } else {
      while (true) {
        BRAID_TRY_ASSIGN(const std::optional<Batch> batch, rows->Next());
        if (!batch) break;
      }
    }
    if (changelog != nullptr) {
      BRAID_TRY_ASSIGN(std::vector<DataFileMeta> files, changelog->Finish());
      std::move(files.begin(), files.end(), std::back_inserter(result_.changelog));
    }
    for (const auto& [file, positions] : replaced) {
      deletions_[file] = deletions_[file].With(positions);
      deletions_changed_ = true;
    }
    return Ok();
  }

  Result<std::unique_ptr<BatchReader>> OpenSection(const Section& section, bool drop_retractions,
                                                   KeyValueRollingWriter* changelog,
                                                   std::map<std::string, std::vector<std::int64_t>>& replaced) {
    const CompactionPurpose& purpose = task_.purpose;
    ChangelogMergeConfig config;
    config.rule = *purpose.rule;
    config.max_level = task_.max_level;
    config.drop_retractions = drop_retractions;
    config.merges_lookups = purpose.merges_lookups;
    config.deduplicates = purpose.deduplicates;
    config.compared_values = purpose.compared_values;
    if (changelog != nullptr) config.on_changelog = [changelog](const Batch& batch) { return changelog->Write(batch); };
    if (purpose.marks_deletions) {
      config.on_replaced = [&replaced](const std::string& file, std::int64_t position) {
        replaced[file].push_back(position);
      };
    }
    BRAID_TRY_ASSIGN(KeyLookup * lookup, Lookup());
    BRAID_TRY_ASSIGN(std::unique_ptr<ChangelogMerger> merger,
                     ChangelogMerger::Make(task_.schema, task_.function, std::move(config), lookup));
    std::vector<std::unique_ptr<RunReader>> runs;
    for (const SortedRun& run : section) runs.push_back(MakeFileRun(run, rows_, section.size() > 1));
    return MakeMergeReader(task_.schema, std::move(runs), std::move(merger), MergeOptions{}.batch_rows);
  }

  /// Finds keys in the levels above, for all sections: they come in key order. Null if there is nothing to look in.
  Result<KeyLookup*> Lookup() {
    if (*task_.purpose.rule == ChangelogRule::kFullCompaction || task_.upper.empty()) return nullptr;
    if (lookup_ != nullptr) return lookup_.get();
    KeyValueSchema schema = task_.schema;
    if (!task_.purpose.merges_lookups) {
      schema.value_fields.clear();  // whether and where a key is is all that is asked
      schema.sequence_fields.clear();
      schema.requested_values = 0;
    }
    BRAID_TRY_ASSIGN(lookup_, KeyLookup::Make(std::move(schema), task_.upper, *task_.readers, deletions_));
    return lookup_.get();
  }

  const CompactionTask& task_;
  CompactResult& result_;
  BucketDeletions deletions_;
  bool deletions_changed_ = false;
  LiveRows rows_;
  std::unique_ptr<KeyLookup> lookup_;
};

}  // namespace

Result<CompactionPurpose> CompactionPurpose::FromOptions(const Options& options, const KeyValueSchema& schema,
                                                         int level_count) {
  CompactionPurpose purpose;
  const std::string engine = options.Get("merge-engine", "deduplicate");
  const std::string producer = options.Get("changelog-producer", "none");
  BRAID_TRY_ASSIGN(const bool needs_lookup, NeedsLookup(options));
  BRAID_TRY_ASSIGN(purpose.marks_deletions, options.GetBool("deletion-vectors.enabled", false));
  if (producer == "full-compaction") {
    purpose.rule = ChangelogRule::kFullCompaction;
  } else if (needs_lookup) {
    purpose.rule = engine == "first-row" ? ChangelogRule::kFirstRow : ChangelogRule::kLookup;
  }
  purpose.writes_changelog = producer == "full-compaction" || producer == "lookup";
  purpose.newest_wins = engine == "deduplicate" && schema.sequence_fields.empty();
  // Of first rows it is enough to know that they are there.
  purpose.merges_lookups = purpose.rule != ChangelogRule::kFirstRow &&
                           (!purpose.marks_deletions || purpose.writes_changelog || !purpose.newest_wins);
  BRAID_TRY_ASSIGN(purpose.deduplicates, options.GetBool("changelog-producer.row-deduplicate", false));
  const std::vector<std::string> ignored =
      Split(options.Get("changelog-producer.row-deduplicate-ignore-fields", ""), ',');
  for (std::size_t value = 0; value < schema.value_fields.size(); ++value) {
    const std::string& name = schema.value_fields[value].name;
    if (std::find(ignored.begin(), ignored.end(), name) == ignored.end()) purpose.compared_values.push_back(value);
  }
  BRAID_TRY_ASSIGN(const DataFileOptions lowest, DataFileOptions::ForLevel(options, 0));
  for (int level = 1; level < level_count; ++level) {
    BRAID_TRY_ASSIGN(const DataFileOptions own, DataFileOptions::ForLevel(options, level));
    if (own.format != lowest.format) purpose.levels_of_other_format.push_back(level);
  }
  return purpose;
}

std::int64_t CompactionTask::MemoryBytes() const {
  std::int64_t file_bytes = 0;
  std::int64_t longest_row = 0;
  for (const DataFileMeta& file : unit.files) {
    file_bytes += file.file_size;
    longest_row = std::max(longest_row, file.file_size / std::max<std::int64_t>(file.row_count, 1));
  }
  std::int64_t runs_bytes = 0;
  // Files that are damaged are reported when they are read.
  if (const Result<std::vector<Section>> sections = PartitionIntoSections(unit.files, schema.key_fields)) {
    for (const Section& section : *sections) {
      std::int64_t bytes = 0;
      for (const SortedRun& run : section) bytes += ReaderBytes(run, kRunBytes);
      runs_bytes = std::max(runs_bytes, bytes);
    }
  }
  if (purpose.rule) {
    for (const LevelRun& run : upper) runs_bytes += ReaderBytes(run.run, kLookupRunBytes);
  }
  const std::int64_t most_written = kWriterBytes + (purpose.writes_changelog ? kChangelogBytes : 0);
  const std::int64_t writers_bytes = std::min(most_written, kExpansion * file_bytes);
  const std::int64_t long_row = longest_row >= kMaxBatchBytes ? kCopiesOfLongRow * longest_row : 0;
  return runs_bytes + writers_bytes + long_row;
}

Result<CompactResult> CompactionTask::Run() const {
  // Taken at once, and nothing that a compaction waits for needs memory of the same budget.
  const MemoryShare share(memory, memory == nullptr ? 0 : MemoryBytes());
  CompactResult result;
  Compaction compaction(*this, result);
  const Status status = unit.rewrites_each_file ? compaction.RewriteEach() : compaction.Run();
  if (!status) {
    // The compaction's own error matters; a file that stays is an orphan.
    (void)DeleteWritten(*writers, result);
    return status.error();
  }
  return result;
}

Result<bool> HoldsExpiredRows(const RecordExpiry& expiry, KeyValueReaderFactory& readers, const DataFileMeta& file,
                              std::int64_t now_ms) {
  BRAID_TRY_ASSIGN(const Datum least, readers.LeastValue(file, expiry.time_field()));
  return expiry.IsOver(least, now_ms);
}

Status DeleteWritten(KeyValueWriterFactory& writers, const CompactResult& result) {
  for (const DataFileMeta& file : result.after) {
    const auto same_name = [&](const DataFileMeta& other) { return other.file_name == file.file_name; };
    if (std::any_of(result.before.begin(), result.before.end(), same_name)) continue;
    BRAID_TRY(writers.Delete(file));
  }
  for (const DataFileMeta& file : result.changelog) BRAID_TRY(writers.Delete(file));
  return Ok();
}

}  // namespace braid
