#include "io/memory_file_system.h"

#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace braid {
namespace {

struct Content {
  std::string bytes;  // guarded by State::mutex
  std::int64_t modified_ms = 0;
  std::uint64_t file_id = 0;
};

std::string WithoutTrailingSlash(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return std::string(path);
}

Error NotFound(std::string_view path) {
  return Error(ErrorCode::kNotFound, fmt::format("cannot find {}: it does not exist", path));
}

Error IsFolder(std::string_view path) {
  return Error(ErrorCode::kIo, fmt::format("{} is a folder, not a file", path));
}

Error AlreadyExists(std::string_view path) {
  return Error(ErrorCode::kAlreadyExists, fmt::format("cannot create {}: it exists already", path));
}

}  // namespace

struct MemoryFileSystem::State {
  explicit State(const Clock& the_clock) : clock(the_clock) {}

  using Files = std::map<std::string, std::shared_ptr<Content>, std::less<>>;

  const Clock& clock;
  std::mutex mutex;  // guards all below
  Files files;
  std::map<std::string, std::uint64_t, std::less<>> directories;  // path → file id
  std::set<std::string, std::less<>> locked;
  std::uint64_t last_file_id = 0;
  std::vector<std::string> reads;

  // All of these: with the mutex held.
  bool IsDirectory(std::string_view path) const { return path.empty() || path == "/" || directories.contains(path); }
  bool IsTaken(std::string_view path) const { return files.contains(path) || IsDirectory(path); }

  Status MakeDirectories(std::string_view directory) {
    if (IsDirectory(directory)) return Ok();
    if (files.contains(directory)) {
      return Error(ErrorCode::kIo,
                   fmt::format("cannot create the folder {}: a file is in its place or above it", directory));
    }
    BRAID_TRY(MakeDirectories(DirectoryName(directory)));
    directories.emplace(directory, ++last_file_id);
    return Ok();
  }

  Result<std::shared_ptr<Content>> Add(const std::string& path, std::string_view bytes) {
    if (IsTaken(path)) return AlreadyExists(path);
    BRAID_TRY(MakeDirectories(DirectoryName(path)));
    auto content = std::make_shared<Content>(Content{std::string(bytes), clock.NowMs(), ++last_file_id});
    files.emplace(path, content);
    return content;
  }

  Result<std::shared_ptr<Content>> Find(std::string_view path) const {
    if (const auto found = files.find(path); found != files.end()) return found->second;
    if (IsDirectory(path)) return IsFolder(path);
    return NotFound(path);
  }

  // Gives a file, or a folder with all below it, another path. Precondition: nothing is there.
  void Move(const std::string& source, const std::string& target) {
    if (auto file = files.extract(source)) {
      file.key() = target;
      files.insert(std::move(file));
      return;
    }
    MoveBelow(files, source, target);
    MoveBelow(directories, source, target);
    auto folder = directories.extract(source);
    folder.key() = target;
    directories.insert(std::move(folder));
  }

  template <typename Entries>
  static void MoveBelow(Entries& entries, const std::string& source, const std::string& target) {
    while (true) {
      const auto [first, last] = Below(entries, source);
      if (first == last) return;
      auto entry = entries.extract(first);
      entry.key() = target + entry.key().substr(source.size());
      entries.insert(std::move(entry));
    }
  }

  // Entries below a folder form one range of the ordered map, since '/' follows every path that it is a prefix of.
  template <typename Ordered>
  static auto Below(Ordered& entries, const std::string& directory) {
    return std::pair(entries.lower_bound(directory + '/'), entries.lower_bound(directory + static_cast<char>('/' + 1)));
  }
};

namespace {

class MemoryInputFile : public InputFile {
 public:
  MemoryInputFile(std::shared_ptr<std::mutex> mutex, std::shared_ptr<const Content> content, std::string path)
      : mutex_(std::move(mutex)),
        content_(std::move(content)),
        size_bytes_(std::ssize(content_->bytes)),
        path_(std::move(path)) {}

  std::int64_t size_bytes() const override { return size_bytes_; }

  Status ReadAt(std::int64_t offset, std::span<std::byte> buffer) const override {
    const std::int64_t end = offset + std::ssize(buffer);
    if (offset < 0 || end > size_bytes_) {
      return Error(ErrorCode::kCorruption,
                   fmt::format("{} ends at byte {}, but bytes {} to {} are needed", path_, size_bytes_, offset, end));
    }
    const std::lock_guard lock(*mutex_);
    if (!buffer.empty()) std::memcpy(buffer.data(), content_->bytes.data() + offset, buffer.size());
    return Ok();
  }

 private:
  const std::shared_ptr<std::mutex> mutex_;
  const std::shared_ptr<const Content> content_;
  const std::int64_t size_bytes_;
  const std::string path_;
};

class MemoryOutputFile : public OutputFile {
 public:
  MemoryOutputFile(std::shared_ptr<std::mutex> mutex, std::shared_ptr<Content> content)
      : mutex_(std::move(mutex)), content_(std::move(content)) {}

  Status Append(std::string_view bytes) override {
    const std::lock_guard lock(*mutex_);
    content_->bytes.append(bytes);
    position_ += static_cast<std::int64_t>(bytes.size());
    return Ok();
  }
  std::int64_t position() const override { return position_; }
  Status CloseSynced() override { return Ok(); }
  Status Close() override { return Ok(); }

 private:
  const std::shared_ptr<std::mutex> mutex_;
  const std::shared_ptr<Content> content_;
  std::int64_t position_ = 0;
};

template <typename State>
class MemoryLock : public FileLock {
 public:
  MemoryLock(std::shared_ptr<State> state, std::string path) : state_(std::move(state)), path_(std::move(path)) {}
  ~MemoryLock() override {
    const std::lock_guard lock(state_->mutex);
    state_->locked.erase(path_);
  }

 private:
  const std::shared_ptr<State> state_;
  const std::string path_;
};

template <typename State>
class MemoryDirectory : public DirectoryHandle {
 public:
  MemoryDirectory(std::shared_ptr<State> state, std::uint64_t file_id, std::string path)
      : state_(std::move(state)), file_id_(file_id), path_(std::move(path)) {}

  Status CreateAtomically(std::string_view name, std::string_view content) override {
    const std::lock_guard lock(state_->mutex);
    const std::optional<std::string> path = Find();
    if (!path) return NotFound(path_);
    BRAID_TRY(state_->Add(JoinPath(*path, name), content));
    return Ok();
  }

  Result<bool> Exists(std::string_view name) const override {
    const std::lock_guard lock(state_->mutex);
    const std::optional<std::string> path = Find();
    return path && state_->files.contains(JoinPath(*path, name));
  }

  Status Delete(std::string_view name) override {
    const std::lock_guard lock(state_->mutex);
    if (const std::optional<std::string> path = Find()) state_->files.erase(JoinPath(*path, name));
    return Ok();
  }

 private:
  // Where the folder is now; with the mutex held.
  std::optional<std::string> Find() const {
    for (const auto& [path, file_id] : state_->directories) {
      if (file_id == file_id_) return path;
    }
    return std::nullopt;
  }

  const std::shared_ptr<State> state_;
  const std::uint64_t file_id_;
  const std::string path_;  // when it was opened
};

}  // namespace

MemoryFileSystem::MemoryFileSystem(const Clock& clock) : state_(std::make_shared<State>(clock)) {}
MemoryFileSystem::~MemoryFileSystem() = default;

Result<std::string> MemoryFileSystem::ReadAll(std::string_view path) const {
  const std::lock_guard lock(state_->mutex);
  BRAID_TRY_ASSIGN(const std::shared_ptr<Content> content, state_->Find(path));
  state_->reads.emplace_back(path);
  return content->bytes;
}

Result<std::unique_ptr<InputFile>> MemoryFileSystem::Open(std::string_view path) const {
  const std::lock_guard lock(state_->mutex);
  BRAID_TRY_ASSIGN(std::shared_ptr<Content> content, state_->Find(path));
  state_->reads.emplace_back(path);
  return std::make_unique<MemoryInputFile>(std::shared_ptr<std::mutex>(state_, &state_->mutex), std::move(content),
                                           std::string(path));
}

Result<std::unique_ptr<OutputFile>> MemoryFileSystem::Create(std::string_view path) {
  const std::lock_guard lock(state_->mutex);
  BRAID_TRY_ASSIGN(std::shared_ptr<Content> content, state_->Add(std::string(path), ""));
  return std::make_unique<MemoryOutputFile>(std::shared_ptr<std::mutex>(state_, &state_->mutex), std::move(content));
}

Status MemoryFileSystem::CreateAtomically(std::string_view path, std::string_view content) {
  const std::lock_guard lock(state_->mutex);
  BRAID_TRY(state_->Add(std::string(path), content));
  return Ok();
}

Status MemoryFileSystem::Replace(std::string_view path, std::string_view content) {
  const std::lock_guard lock(state_->mutex);
  if (state_->IsDirectory(path)) return IsFolder(path);
  BRAID_TRY(state_->MakeDirectories(DirectoryName(path)));
  // A new content, so that readers of the old one keep it.
  state_->files.insert_or_assign(
      std::string(path),
      std::make_shared<Content>(Content{std::string(content), state_->clock.NowMs(), ++state_->last_file_id}));
  return Ok();
}

Result<std::vector<FileInfo>> MemoryFileSystem::List(std::string_view directory) const {
  const std::string folder = WithoutTrailingSlash(directory);
  const std::lock_guard lock(state_->mutex);
  if (state_->files.contains(folder))
    return Error(ErrorCode::kNotFound, fmt::format("cannot list {}: it is a file", folder));
  std::vector<FileInfo> children;
  const std::string prefix = folder == "/" ? "" : folder;
  const auto collect = [&](const std::string& path, bool is_directory) {
    if (path.find('/', prefix.size() + 1) == std::string::npos)
      children.push_back({path.substr(prefix.size() + 1), is_directory});
  };
  const auto [first_file, last_file] = State::Below(state_->files, prefix);
  for (auto it = first_file; it != last_file; ++it) collect(it->first, false);
  const auto [first_folder, last_folder] = State::Below(state_->directories, prefix);
  for (auto it = first_folder; it != last_folder; ++it) collect(it->first, true);
  return children;
}

Result<FileStatus> MemoryFileSystem::Stat(std::string_view path) const {
  const std::string wanted = WithoutTrailingSlash(path);
  const std::lock_guard lock(state_->mutex);
  if (const auto folder = state_->directories.find(wanted); folder != state_->directories.end()) {
    return FileStatus{.is_directory = true, .file_id = folder->second};
  }
  if (state_->IsDirectory(wanted)) return FileStatus{.is_directory = true};
  BRAID_TRY_ASSIGN(const std::shared_ptr<Content> content, state_->Find(wanted));
  return FileStatus{false, std::ssize(content->bytes), content->modified_ms, content->file_id};
}

Status MemoryFileSystem::Delete(std::string_view path) {
  const std::lock_guard lock(state_->mutex);
  if (state_->IsDirectory(path)) return IsFolder(path);
  if (const auto found = state_->files.find(path); found != state_->files.end()) state_->files.erase(found);
  return Ok();
}

Status MemoryFileSystem::DeleteTree(std::string_view directory) {
  const std::string folder = WithoutTrailingSlash(directory);
  const std::lock_guard lock(state_->mutex);
  const auto [first_file, last_file] = State::Below(state_->files, folder);
  state_->files.erase(first_file, last_file);
  const auto [first_folder, last_folder] = State::Below(state_->directories, folder);
  state_->directories.erase(first_folder, last_folder);
  state_->files.erase(folder);
  state_->directories.erase(folder);
  return Ok();
}

Result<bool> MemoryFileSystem::DeleteEmptyDirectory(std::string_view directory) {
  const std::string folder = WithoutTrailingSlash(directory);
  const std::lock_guard lock(state_->mutex);
  if (state_->files.contains(folder))
    return Error(ErrorCode::kNotFound, fmt::format("{} is a file, not a folder", folder));
  const auto [first_file, last_file] = State::Below(state_->files, folder);
  const auto [first_folder, last_folder] = State::Below(state_->directories, folder);
  if (first_file != last_file || first_folder != last_folder) return false;
  state_->directories.erase(folder);
  return true;
}

Status MemoryFileSystem::Rename(std::string_view from, std::string_view to) {
  const std::string source = WithoutTrailingSlash(from);
  const std::string target = WithoutTrailingSlash(to);
  const std::lock_guard lock(state_->mutex);
  if (!state_->IsTaken(source)) return NotFound(source);
  if (state_->IsTaken(target)) return AlreadyExists(target);
  if (target.starts_with(source + '/')) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("cannot move {} into itself ({})", source, target));
  }
  BRAID_TRY(state_->MakeDirectories(DirectoryName(target)));
  state_->Move(source, target);
  return Ok();
}

Status MemoryFileSystem::CreateDirectories(std::string_view directory) {
  const std::lock_guard lock(state_->mutex);
  return state_->MakeDirectories(WithoutTrailingSlash(directory));
}

Status MemoryFileSystem::SyncFiles(std::span<const std::string> paths) {
  const std::lock_guard lock(state_->mutex);
  for (const std::string& path : paths) {
    if (!state_->IsDirectory(path)) BRAID_TRY(state_->Find(path));
  }
  return Ok();
}

Status MemoryFileSystem::Exchange(std::string_view first, std::string_view second) {
  const std::string one = WithoutTrailingSlash(first);
  const std::string other = WithoutTrailingSlash(second);
  const std::lock_guard lock(state_->mutex);
  if (!state_->IsTaken(one)) return NotFound(one);
  if (!state_->IsTaken(other)) return NotFound(other);
  if (one == other) return Ok();
  if (other.starts_with(one + '/') || one.starts_with(other + '/')) {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("cannot exchange {} and {}: one holds the other", one, other));
  }
  const std::string aside = one + "\x01";
  state_->Move(one, aside);
  state_->Move(other, one);
  state_->Move(aside, other);
  return Ok();
}

Status MemoryFileSystem::Link(std::string_view existing, std::string_view name) {
  const std::lock_guard lock(state_->mutex);
  BRAID_TRY_ASSIGN(std::shared_ptr<Content> content, state_->Find(existing));
  if (state_->IsTaken(name)) return AlreadyExists(name);
  BRAID_TRY(state_->MakeDirectories(DirectoryName(name)));
  state_->files.emplace(std::string(name), std::move(content));
  return Ok();
}

Result<std::unique_ptr<FileLock>> MemoryFileSystem::TryLock(std::string_view path, std::string_view owner) {
  const std::lock_guard lock(state_->mutex);
  BRAID_TRY(state_->MakeDirectories(DirectoryName(path)));
  if (!state_->locked.insert(std::string(path)).second) return std::unique_ptr<FileLock>();
  state_->files.insert_or_assign(
      std::string(path),
      std::make_shared<Content>(Content{std::string(owner), state_->clock.NowMs(), ++state_->last_file_id}));
  return std::make_unique<MemoryLock<State>>(state_, std::string(path));
}

Result<std::unique_ptr<DirectoryHandle>> MemoryFileSystem::OpenDirectory(std::string_view path) {
  const std::string wanted = WithoutTrailingSlash(path);
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->directories.find(wanted);
  if (found == state_->directories.end()) return NotFound(wanted);
  return std::make_unique<MemoryDirectory<State>>(state_, found->second, wanted);
}

std::vector<std::string> MemoryFileSystem::AllFiles() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<std::string> paths;
  for (const auto& [path, content] : state_->files) paths.push_back(path);
  return paths;
}

std::vector<std::string> MemoryFileSystem::TakeReads() {
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->reads, {});
}

}  // namespace braid
