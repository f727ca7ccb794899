#include "jobs/file_journal.h"

#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"
#include "io/storage_traits.h"
#include "jobs/fault_point.h"

namespace braid {

struct FileJournal::State {
  std::string path;
  mutable std::mutex mutex;  // guards what follows
  int descriptor = -1;
  std::vector<JournalledFile> files;
};

namespace {

constexpr char kBehindRoot = '\t';

Error JournalError(const std::string& path) {
  return Error(ErrorCode::kIo, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

class JournalledFileSystem : public FileSystem, public StorageTraits {
 public:
  JournalledFileSystem(std::shared_ptr<FileSystem> base, std::string table_root, FileJournal& journal)
      : base_(std::move(base)), table_root_(std::move(table_root)), journal_(journal) {}

  Result<std::string> ReadAll(std::string_view path) const override { return base_->ReadAll(path); }
  Result<std::unique_ptr<InputFile>> Open(std::string_view path) const override { return base_->Open(path); }
  Result<std::unique_ptr<OutputFile>> Create(std::string_view path) override {
    BRAID_TRY(journal_.Add({.table_root = table_root_, .path = std::string(path)}));
    FaultPoint("epoch.named");
    return base_->Create(path);
  }
  Status CreateAtomically(std::string_view path, std::string_view content) override {
    return base_->CreateAtomically(path, content);
  }
  Status Replace(std::string_view path, std::string_view content) override { return base_->Replace(path, content); }
  Result<std::vector<FileInfo>> List(std::string_view directory) const override { return base_->List(directory); }
  Result<FileStatus> Stat(std::string_view path) const override { return base_->Stat(path); }
  Status Delete(std::string_view path) override { return base_->Delete(path); }
  Status DeleteTree(std::string_view directory) override { return base_->DeleteTree(directory); }
  Result<bool> DeleteEmptyDirectory(std::string_view directory) override {
    return base_->DeleteEmptyDirectory(directory);
  }
  Status Rename(std::string_view from, std::string_view to) override { return base_->Rename(from, to); }
  Status CreateDirectories(std::string_view directory) override { return base_->CreateDirectories(directory); }
  Status SyncFiles(std::span<const std::string> paths) override { return base_->SyncFiles(paths); }
  bool CanRename() const override { return braid::CanRename(*base_); }
  int ParallelCalls() const override { return braid::ParallelCalls(*base_); }
  void Expect(std::span<const std::string> paths) const override { braid::Expect(*base_, paths); }
  Result<bool> Has(std::string_view path) const override { return base_->Exists(path); }
  Status Exchange(std::string_view first, std::string_view second) override { return base_->Exchange(first, second); }
  Status Link(std::string_view existing, std::string_view name) override { return base_->Link(existing, name); }
  Result<std::unique_ptr<FileLock>> TryLock(std::string_view path, std::string_view owner) override {
    return base_->TryLock(path, owner);
  }
  Result<std::unique_ptr<DirectoryHandle>> OpenDirectory(std::string_view path) override {
    return base_->OpenDirectory(path);
  }

 private:
  std::shared_ptr<FileSystem> base_;
  const std::string table_root_;
  FileJournal& journal_;
};

}  // namespace

FileJournal::FileJournal() : state_(std::make_unique<State>()) {}

FileJournal::~FileJournal() {
  if (state_->descriptor >= 0) ::close(state_->descriptor);
}

void FileJournal::Begin(std::string path) {
  const std::scoped_lock lock(state_->mutex);
  if (state_->descriptor >= 0) ::close(std::exchange(state_->descriptor, -1));
  state_->path = std::move(path);
  state_->files.clear();
}

Status FileJournal::Add(const JournalledFile& file) {
  if (file.table_root.find_first_of("\t\n") != std::string::npos) {
    return Error(ErrorCode::kUnsupported,
                 fmt::format("a job cannot write below '{}', whose name has a tab or a line end", file.table_root));
  }
  const std::scoped_lock lock(state_->mutex);
  if (state_->descriptor < 0) {
    state_->descriptor = ::open(state_->path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (state_->descriptor < 0) return JournalError(state_->path);
  }
  const std::string line = fmt::format("{}{}{}\n", file.table_root, kBehindRoot, file.path);
  const off_t end = ::lseek(state_->descriptor, 0, SEEK_END);
  if (::write(state_->descriptor, line.data(), line.size()) != static_cast<ssize_t>(line.size()) ||
      ::fdatasync(state_->descriptor) != 0) {
    Error error = JournalError(state_->path);
    // Half a line would run into the next one.
    static_cast<void>(::ftruncate(state_->descriptor, end));
    return error;
  }
  state_->files.push_back(file);
  return Ok();
}

std::vector<std::string> FileJournal::FilesOf(std::string_view table_root) const {
  const std::scoped_lock lock(state_->mutex);
  std::vector<std::string> paths;
  for (const JournalledFile& file : state_->files) {
    if (file.table_root == table_root) paths.push_back(file.path);
  }
  return paths;
}

Status FileJournal::Clear() {
  const std::scoped_lock lock(state_->mutex);
  state_->files.clear();
  if (state_->descriptor < 0) return Ok();
  ::close(std::exchange(state_->descriptor, -1));
  return LocalFileSystem()->Delete(state_->path);
}

Result<std::vector<JournalledFile>> FileJournal::Read(const std::string& path) {
  Result<std::string> text = LocalFileSystem()->ReadAll(path);
  std::vector<JournalledFile> files;
  if (!text && text.error().code() == ErrorCode::kNotFound) return files;
  if (!text) return std::move(text).error();
  std::vector<std::string> lines = Split(*text, '\n');
  // What follows the last line end is part of a name at most, perhaps another file's. Its file was not made yet.
  lines.pop_back();
  for (const std::string& line : lines) {
    if (line.empty()) continue;
    const std::size_t end = line.find(kBehindRoot);
    // Without a folder it is of an older version, which wrote to this machine alone.
    if (end == std::string::npos) {
      files.push_back({.table_root = {}, .path = line});
      continue;
    }
    files.push_back({.table_root = line.substr(0, end), .path = line.substr(end + 1)});
  }
  return files;
}

std::shared_ptr<FileSystem> MakeJournalledFileSystem(std::shared_ptr<FileSystem> base, std::string table_root,
                                                     FileJournal& journal) {
  return std::make_shared<JournalledFileSystem>(std::move(base), std::move(table_root), journal);
}

}  // namespace braid
