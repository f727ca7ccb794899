#include <algorithm>
#include <utility>

#include "mergetree/compaction_task_internal.h"

namespace braid {

Result<CompactResult> CompactionTask::Run() const {
  CompactResult result;
  const Status status = CompactFiles(result);
  if (!status) {
    // The compaction's own error matters; a file that stays is an orphan.
    (void)DeleteWritten(*writers, result);
    return status.error();
  }
  return result;
}

Status CompactionTask::CompactFiles(CompactResult& result) const {
  BRAID_TRY_ASSIGN(std::vector<Section> sections, PartitionIntoSections(unit.files, schema.key_fields));
  std::vector<Section> candidates;
  for (Section& section : sections) {
    if (section.size() > 1) {
      candidates.push_back(std::move(section));
      continue;
    }
    for (const DataFileMeta& file : section[0].files()) {
      if (file.file_size < small_file_bytes) {
        candidates.push_back({SortedRun::Single(file)});
      } else {
        BRAID_TRY(Rewrite(candidates, result));
        BRAID_TRY(Upgrade(file, result));
      }
    }
  }
  return Rewrite(candidates, result);
}

Status CompactionTask::Rewrite(std::vector<Section>& candidates, CompactResult& result) const {
  std::vector<Section> sections = std::exchange(candidates, {});
  if (sections.empty()) return Ok();
  if (sections.size() > 1 || sections[0].size() > 1) return MergeAndWrite(std::move(sections), result);
  for (const DataFileMeta& file : sections[0][0].files()) BRAID_TRY(Upgrade(file, result));
  return Ok();
}

Status CompactionTask::Upgrade(const DataFileMeta& file, CompactResult& result) const {
  const bool may_hold_retractions = file.delete_row_count.value_or(1) > 0;
  if ((unit.output_level == max_level && may_hold_retractions) || force_rewrite) {
    return MergeAndWrite({{SortedRun::Single(file)}}, result);
  }
  if (file.level == unit.output_level) return Ok();
  result.before.push_back(file);
  DataFileMeta upgraded = file;
  upgraded.level = unit.output_level;
  result.after.push_back(std::move(upgraded));
  return Ok();
}

Status CompactionTask::MergeAndWrite(std::vector<Section> sections, CompactResult& result) const {
  std::vector<DataFileMeta> before;
  for (const Section& section : sections) {
    for (const SortedRun& run : section) before.insert(before.end(), run.files().begin(), run.files().end());
  }
  MergeOptions options;
  options.drop_retractions = drop_retractions;
  BRAID_TRY_ASSIGN(const std::unique_ptr<BatchReader> rows,
                   ReadSections(schema, std::move(sections), *readers, function, options));
  BRAID_TRY_ASSIGN(const std::unique_ptr<KeyValueRollingWriter> writer,
                   writers->OpenData(unit.output_level, FileSource::kCompact));
  while (true) {
    BRAID_TRY_ASSIGN(const std::optional<Batch> batch, rows->Next());
    if (!batch) break;
    BRAID_TRY(writer->Write(*batch));
  }
  BRAID_TRY_ASSIGN(std::vector<DataFileMeta> after, writer->Finish());
  std::move(before.begin(), before.end(), std::back_inserter(result.before));
  std::move(after.begin(), after.end(), std::back_inserter(result.after));
  return Ok();
}

Status DeleteWritten(KeyValueWriterFactory& writers, const CompactResult& result) {
  for (const DataFileMeta& file : result.after) {
    const auto same_name = [&](const DataFileMeta& other) { return other.file_name == file.file_name; };
    if (std::any_of(result.before.begin(), result.before.end(), same_name)) continue;
    BRAID_TRY(writers.Delete(file));
  }
  return Ok();
}

}  // namespace braid
