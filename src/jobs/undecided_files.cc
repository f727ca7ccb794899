#include "jobs/undecided_files.h"

#include <vector>

#include <fmt/format.h>

#include "base/log.h"
#include "io/storage.h"
#include "jobs/file_journal.h"

namespace braid {

namespace {

Status Remove(const JournalledFile& file, std::span<const std::unique_ptr<EpochSink>> sinks, const std::string& job) {
  for (const std::unique_ptr<EpochSink>& sink : sinks) {
    const Table* table = sink->table();
    if (table != nullptr && table->paths().root() == file.table_root) return table->file_system().Delete(file.path);
  }
  if (IsLocal(file.table_root)) return LocalFileSystem()->Delete(file.path);
  Log(LogLevel::kWarning, "a file that no snapshot names is left to the cleaning of orphans",
      fmt::format("job={} file={}", job, file.path));
  return Ok();
}

}  // namespace

Status RemoveUndecidedFiles(const JobFolder& folder, std::span<const std::unique_ptr<EpochSink>> sinks,
                            std::int64_t decided, const std::string& job) {
  BRAID_TRY_ASSIGN(const std::vector<std::int64_t> journals, folder.Journals());
  for (const std::int64_t barrier : journals) {
    const std::string path = folder.JournalFile(barrier);
    if (barrier > decided) {
      BRAID_TRY_ASSIGN(const std::vector<JournalledFile> files, FileJournal::Read(path));
      for (const JournalledFile& file : files) BRAID_TRY(Remove(file, sinks, job));
    }
    BRAID_TRY(LocalFileSystem()->Delete(path));
  }
  return Ok();
}

}  // namespace braid
