#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"

namespace braid {

/// A file of a table, and the table's folder, which tells by what file system it is reached.
struct JournalledFile {
  std::string table_root;
  std::string path;

  friend bool operator==(const JournalledFile&, const JournalledFile&) = default;
};

/// The names of files that an epoch has begun to write, on disk before the files are, so that a restart can delete what
/// a crash left behind (spec streaming.md §2.2, step 4). Thread-safe.
class FileJournal {
 public:
  FileJournal();
  ~FileJournal();
  FileJournal(const FileJournal&) = delete;
  FileJournal& operator=(const FileJournal&) = delete;

  /// Goes on in another local file, which is made with the first name.
  void Begin(std::string path);
  /// Notes a name, synced. A folder whose path has a tab or a line end in it cannot be noted (kUnsupported).
  Status Add(const JournalledFile& file);
  /// Paths of a table's files noted since Begin.
  std::vector<std::string> FilesOf(std::string_view table_root) const;
  /// Deletes the journal: the files belong to somebody now.
  Status Clear();

  /// Names in the journal of a process that ended; none if there is no journal. A name that was not written whole is
  /// left out: its file had not been made.
  static Result<std::vector<JournalledFile>> Read(const std::string& path);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The file system of a table, whose new files are noted in the journal first. `journal` outlives it.
std::shared_ptr<FileSystem> MakeJournalledFileSystem(std::shared_ptr<FileSystem> base, std::string table_root,
                                                     FileJournal& journal);

}  // namespace braid
