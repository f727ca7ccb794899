#include "io/fault_injecting_file_system.h"

#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace braid {

struct FaultInjectingFileSystem::State {
  // Counts a call; the fault that strikes it, if any.
  std::optional<Fault> Next() {
    const std::lock_guard lock(mutex);
    ++calls;
    if (!armed) return std::nullopt;
    if (struck) return *armed == Fault::kStop ? armed : std::nullopt;
    if (calls != struck_at) return std::nullopt;
    struck = true;
    return armed;
  }

  // Makes the call, unless a fault strikes it; `unknown` is the code that kFailAfterwards reports.
  template <typename Call>
  auto Run(std::string_view action, std::string_view path, Call&& call, ErrorCode unknown = ErrorCode::kIo)
      -> decltype(call()) {
    const std::optional<Fault> fault = Next();
    if (!fault) return call();
    if (*fault != Fault::kFailAfterwards) return Injected(ErrorCode::kIo, action, path);
    auto outcome = call();
    if (!outcome) return outcome;
    return Injected(unknown, action, path);
  }

  static Error Injected(ErrorCode code, std::string_view action, std::string_view path) {
    return Error(code, fmt::format("cannot {} {}: injected fault", action, path));
  }

  explicit State(std::shared_ptr<FileSystem> the_inner) : inner(std::move(the_inner)) {}

  const std::shared_ptr<FileSystem> inner;
  std::mutex mutex;  // guards all below
  std::int64_t calls = 0;
  std::optional<Fault> armed;
  std::int64_t struck_at = 0;
  bool struck = false;
};

namespace {

template <typename State>
class FaultyInputFile : public InputFile {
 public:
  FaultyInputFile(std::shared_ptr<State> state, std::unique_ptr<InputFile> inner, std::string path)
      : state_(std::move(state)), inner_(std::move(inner)), path_(std::move(path)) {}

  std::int64_t size_bytes() const override { return inner_->size_bytes(); }
  Status ReadAt(std::int64_t offset, std::span<std::byte> buffer) const override {
    return state_->Run("read", path_, [&] { return inner_->ReadAt(offset, buffer); });
  }

 private:
  const std::shared_ptr<State> state_;
  const std::unique_ptr<InputFile> inner_;
  const std::string path_;
};

template <typename State>
class FaultyOutputFile : public OutputFile {
 public:
  FaultyOutputFile(std::shared_ptr<State> state, std::unique_ptr<OutputFile> inner, std::string path)
      : state_(std::move(state)), inner_(std::move(inner)), path_(std::move(path)) {}

  Status Append(std::string_view bytes) override {
    const auto fault = state_->Next();
    if (!fault) return inner_->Append(bytes);
    if (*fault == FaultInjectingFileSystem::Fault::kTornWrite) {
      BRAID_TRY(inner_->Append(bytes.substr(0, bytes.size() / 2)));
    } else if (*fault == FaultInjectingFileSystem::Fault::kFailAfterwards) {
      BRAID_TRY(inner_->Append(bytes));
    }
    return State::Injected(ErrorCode::kIo, "write", path_);
  }
  std::int64_t position() const override { return inner_->position(); }
  Status CloseSynced() override {
    return state_->Run("sync", path_, [&] { return inner_->CloseSynced(); });
  }
  Status Close() override {
    return state_->Run("close", path_, [&] { return inner_->Close(); });
  }

 private:
  const std::shared_ptr<State> state_;
  const std::unique_ptr<OutputFile> inner_;
  const std::string path_;
};

template <typename State>
class FaultyDirectory : public DirectoryHandle {
 public:
  FaultyDirectory(std::shared_ptr<State> state, std::unique_ptr<DirectoryHandle> inner)
      : state_(std::move(state)), inner_(std::move(inner)) {}

  Status CreateAtomically(std::string_view name, std::string_view content) override {
    return state_->Run(
        "create", name, [&] { return inner_->CreateAtomically(name, content); }, ErrorCode::kCommitUnknown);
  }
  Result<bool> Exists(std::string_view name) const override {
    return state_->Run("find", name, [&] { return inner_->Exists(name); });
  }
  Status Delete(std::string_view name) override {
    return state_->Run("delete", name, [&] { return inner_->Delete(name); });
  }

 private:
  const std::shared_ptr<State> state_;
  const std::unique_ptr<DirectoryHandle> inner_;
};

}  // namespace

FaultInjectingFileSystem::FaultInjectingFileSystem(std::shared_ptr<FileSystem> inner)
    : state_(std::make_shared<State>(std::move(inner))) {}
FaultInjectingFileSystem::~FaultInjectingFileSystem() = default;

void FaultInjectingFileSystem::FailAt(std::int64_t nth, Fault fault) {
  const std::lock_guard lock(state_->mutex);
  state_->armed = fault;
  state_->struck_at = state_->calls + nth;
  state_->struck = false;
}

void FaultInjectingFileSystem::Heal() {
  const std::lock_guard lock(state_->mutex);
  state_->armed.reset();
}

std::int64_t FaultInjectingFileSystem::calls() const {
  const std::lock_guard lock(state_->mutex);
  return state_->calls;
}

bool FaultInjectingFileSystem::struck() const {
  const std::lock_guard lock(state_->mutex);
  return state_->struck;
}

Result<std::string> FaultInjectingFileSystem::ReadAll(std::string_view path) const {
  return state_->Run("read", path, [&] { return state_->inner->ReadAll(path); });
}

Result<std::unique_ptr<InputFile>> FaultInjectingFileSystem::Open(std::string_view path) const {
  BRAID_TRY_ASSIGN(std::unique_ptr<InputFile> file,
                   state_->Run("open", path, [&] { return state_->inner->Open(path); }));
  return std::make_unique<FaultyInputFile<State>>(state_, std::move(file), std::string(path));
}

Result<std::unique_ptr<OutputFile>> FaultInjectingFileSystem::Create(std::string_view path) {
  BRAID_TRY_ASSIGN(std::unique_ptr<OutputFile> file,
                   state_->Run("create", path, [&] { return state_->inner->Create(path); }));
  return std::make_unique<FaultyOutputFile<State>>(state_, std::move(file), std::string(path));
}

Status FaultInjectingFileSystem::CreateAtomically(std::string_view path, std::string_view content) {
  return state_->Run(
      "create", path, [&] { return state_->inner->CreateAtomically(path, content); }, ErrorCode::kCommitUnknown);
}

Status FaultInjectingFileSystem::Replace(std::string_view path, std::string_view content) {
  return state_->Run("replace", path, [&] { return state_->inner->Replace(path, content); });
}

Result<std::vector<FileInfo>> FaultInjectingFileSystem::List(std::string_view directory) const {
  return state_->Run("list", directory, [&] { return state_->inner->List(directory); });
}

Result<FileStatus> FaultInjectingFileSystem::Stat(std::string_view path) const {
  return state_->Run("find", path, [&] { return state_->inner->Stat(path); });
}

Status FaultInjectingFileSystem::Delete(std::string_view path) {
  return state_->Run("delete", path, [&] { return state_->inner->Delete(path); });
}

Status FaultInjectingFileSystem::DeleteTree(std::string_view directory) {
  return state_->Run("delete the folder", directory, [&] { return state_->inner->DeleteTree(directory); });
}

Result<bool> FaultInjectingFileSystem::DeleteEmptyDirectory(std::string_view directory) {
  return state_->Run("delete the folder", directory, [&] { return state_->inner->DeleteEmptyDirectory(directory); });
}

Status FaultInjectingFileSystem::Rename(std::string_view from, std::string_view to) {
  return state_->Run("rename", from, [&] { return state_->inner->Rename(from, to); });
}

Status FaultInjectingFileSystem::CreateDirectories(std::string_view directory) {
  return state_->Run("create the folder", directory, [&] { return state_->inner->CreateDirectories(directory); });
}

Status FaultInjectingFileSystem::SyncFiles(std::span<const std::string> paths) {
  return state_->Run("sync", paths.empty() ? std::string_view("no files") : paths.front(),
                     [&] { return state_->inner->SyncFiles(paths); });
}

Status FaultInjectingFileSystem::Exchange(std::string_view first, std::string_view second) {
  return state_->Run("exchange", first, [&] { return state_->inner->Exchange(first, second); });
}

Status FaultInjectingFileSystem::Link(std::string_view existing, std::string_view name) {
  return state_->Run("link", existing, [&] { return state_->inner->Link(existing, name); });
}

Result<std::unique_ptr<FileLock>> FaultInjectingFileSystem::TryLock(std::string_view path, std::string_view owner) {
  return state_->Run("lock", path, [&] { return state_->inner->TryLock(path, owner); });
}

Result<std::unique_ptr<DirectoryHandle>> FaultInjectingFileSystem::OpenDirectory(std::string_view path) {
  BRAID_TRY_ASSIGN(std::unique_ptr<DirectoryHandle> directory,
                   state_->Run("open", path, [&] { return state_->inner->OpenDirectory(path); }));
  return std::make_unique<FaultyDirectory<State>>(state_, std::move(directory));
}

}  // namespace braid
