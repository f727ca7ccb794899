#include "io/s3_file_system.h"

#include <array>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include <arrow/filesystem/s3fs.h>
#include <fmt/format.h>

#include "base/uuid.h"
#include "io/arrow_objects_internal.h"
#include "io/read_ahead_file_internal.h"
#include "io/request_pool.h"
#include "io/s3_lock_internal.h"
#include "io/s3_objects_internal.h"
#include "io/storage.h"
#include "io/storage_traits.h"

namespace braid {

namespace {

constexpr int kParallelCalls = 64;
// Small files are read whole by the request that opens them, and of Parquet and ORC files the footer.
constexpr std::int64_t kEndBytes = std::int64_t{128} << 10;
constexpr std::size_t kExpectedFiles = 256;
constexpr std::size_t kSinglePutBytes = std::size_t{8} << 20;
constexpr std::int64_t kArrowAttempts = 4;

std::string CertificatesFile() {
  if (const char* given = std::getenv("SSL_CERT_FILE"); given != nullptr) return given;
  for (const char* usual : {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"}) {
    if (std::filesystem::exists(usual)) return usual;
  }
  return "";
}

// Once for the process, until CloseStorageLibraries.
arrow::Status StartArrow() {
  static const arrow::Status started = arrow::fs::InitializeS3(arrow::fs::S3GlobalOptions::Defaults());
  return started;
}

// Arrow's view of the store, made when it is first asked for.
class S3Arrow {
 public:
  explicit S3Arrow(S3Settings settings) : settings_(std::move(settings)) {}

  Result<const ArrowObjects*> Files() {
    const std::lock_guard lock(mutex_);
    if (files_) return &*files_;
    BRAID_TRY(MakeOptions());
    arrow::Result<std::shared_ptr<arrow::fs::S3FileSystem>> made = arrow::fs::S3FileSystem::Make(*options_);
    if (!made.ok()) return ArrowError("open", settings_.endpoint, made.status());
    files_.emplace(*std::move(made), [](std::string_view path) -> Result<std::string> {
      BRAID_TRY_ASSIGN(const S3Path parsed, S3Path::Parse(path));
      return parsed.ForArrow();
    });
    return &*files_;
  }

  // Without keys of its own: those that AWS's chain finds, which may change as they run out.
  HttpSignature Credentials() {
    HttpSignature signature{.region = settings_.region, .access_key = settings_.access_key, .secret_key = settings_.secret_key, .session_token = settings_.session_token};
    if (!signature.access_key.empty()) return signature;
    const std::lock_guard lock(mutex_);
    if (arrow::fs::IsS3Finalized() || !MakeOptions()) return signature;
    signature.access_key = options_->GetAccessKey();
    signature.secret_key = options_->GetSecretKey();
    signature.session_token = options_->GetSessionToken();
    return signature;
  }

 private:
  // With the mutex held.
  Status MakeOptions() {
    if (options_) return Ok();
    if (const arrow::Status started = StartArrow(); !started.ok()) {
      return Error(ErrorCode::kIo, "Arrow's library for S3 cannot be started: " + started.message());
    }
    arrow::fs::S3Options options =
        settings_.access_key.empty()
            ? arrow::fs::S3Options::Defaults()
            : arrow::fs::S3Options::FromAccessKey(settings_.access_key, settings_.secret_key, settings_.session_token);
    options.region = settings_.region;
    options.allow_delayed_open = true;
    options.retry_strategy = arrow::fs::S3RetryStrategy::GetAwsStandardRetryStrategy(kArrowAttempts);
    options.force_virtual_addressing = !settings_.path_style;
    options.tls_ca_file_path = CertificatesFile();
    if (const std::size_t scheme = settings_.endpoint.find("://"); scheme != std::string::npos) {
      options.scheme = settings_.endpoint.substr(0, scheme);
      options.endpoint_override = settings_.endpoint.substr(scheme + 3);
    }
    options_ = std::move(options);
    return Ok();
  }

  const S3Settings settings_;
  std::mutex mutex_;  // guards what follows
  std::optional<arrow::fs::S3Options> options_;
  std::optional<ArrowObjects> files_;
};

// One PUT if the file stays small, else an upload in parts.
class S3OutputFile : public OutputFile {
 public:
  S3OutputFile(std::string path, std::shared_ptr<const S3Objects> objects, std::shared_ptr<S3Arrow> arrow)
      : path_(std::move(path)), objects_(std::move(objects)), arrow_(std::move(arrow)) {}
  ~S3OutputFile() override {
    if (parts_ != nullptr && !parts_->closed()) static_cast<void>(parts_->Abort());
  }

  Status Append(std::string_view bytes) override {
    position_ += std::ssize(bytes);
    if (parts_ == nullptr) {
      buffer_.append(bytes);
      if (buffer_.size() <= kSinglePutBytes) return Ok();
      BRAID_TRY_ASSIGN(const ArrowObjects* files, arrow_->Files());
      BRAID_TRY_ASSIGN(parts_, files->OpenOutput(path_));
      const std::string start = std::exchange(buffer_, {});
      return Write(start);
    }
    return Write(bytes);
  }
  std::int64_t position() const override { return position_; }
  Status CloseSynced() override { return Close(); }
  Status Close() override {
    if (parts_ == nullptr) return objects_->Put(path_, buffer_);
    const arrow::Status closed = parts_->Close();
    if (!closed.ok()) return ArrowError("write", path_, closed);
    return Ok();
  }

 private:
  Status Write(std::string_view bytes) {
    const arrow::Status written = parts_->Write(bytes);
    if (!written.ok()) return ArrowError("write", path_, written);
    return Ok();
  }

  const std::string path_;
  const std::shared_ptr<const S3Objects> objects_;
  const std::shared_ptr<S3Arrow> arrow_;
  std::string buffer_;
  std::shared_ptr<arrow::io::OutputStream> parts_;
  std::int64_t position_ = 0;
};

using EndPromise = std::promise<std::shared_ptr<const Result<S3Object>>>;
using EndFuture = std::shared_future<std::shared_ptr<const Result<S3Object>>>;

// Ends of files that were asked for before the files are opened. Those that nobody opens give way to others. Thread-safe.
class ExpectedEnds {
 public:
  // What is to be fulfilled; null if the file is expected already.
  std::shared_ptr<EndPromise> Add(const std::string& path) {
    const std::lock_guard lock(mutex_);
    if (ends_.contains(path)) return nullptr;
    if (order_.size() == kExpectedFiles) {
      ends_.erase(order_.front());
      order_.pop_front();
    }
    auto promise = std::make_shared<EndPromise>();
    ends_.emplace(path, promise->get_future().share());
    order_.push_back(path);
    return promise;
  }

  std::optional<EndFuture> Take(const std::string& path) {
    const std::lock_guard lock(mutex_);
    const auto found = ends_.find(path);
    if (found == ends_.end()) return std::nullopt;
    EndFuture end = std::move(found->second);
    ends_.erase(found);
    std::erase(order_, path);
    return end;
  }

 private:
  std::mutex mutex_;  // guards what follows
  std::map<std::string, EndFuture> ends_;
  std::deque<std::string> order_;  // of their arrival
};

// Of a write whose condition did not hold.
Status RefuseIfIgnored(const S3Objects& objects, const ConditionalPut& put, std::string_view condition) {
  if (put.outcome == PutOutcome::kPreconditionFailed) return Ok();
  if (!put.failure.empty()) return Error(ErrorCode::kUnavailable, put.failure).Hint("repeat it");
  return Error(ErrorCode::kUnsupported,
               fmt::format("{} ignores {}, so that one writer could write over what another has just committed",
                           objects.endpoint(), condition))
      .Hint(
          "reading works here; to write, use a store with conditional writes, such as Amazon S3, MinIO, Ceph or "
          "SeaweedFS");
}

// Whether the store keeps what is there from being written over, tried on an object of that name.
Status ProbeConditions(const S3Objects& objects, const std::string& path) {
  BRAID_TRY_ASSIGN(const ConditionalPut first, objects.PutIfAbsent(path, "1"));
  if (!first.failure.empty()) return Error(ErrorCode::kUnavailable, first.failure).Hint("repeat it");
  BRAID_TRY_ASSIGN(const ConditionalPut again, objects.PutIfAbsent(path, "2"));
  BRAID_TRY_ASSIGN(const ConditionalPut other, objects.PutIfMatch(path, "3", "\"00000000000000000000000000000000\""));
  BRAID_TRY(objects.Delete(path));
  BRAID_TRY(RefuseIfIgnored(objects, again, "If-None-Match"));
  return RefuseIfIgnored(objects, other, "If-Match");
}

class S3FileSystem : public FileSystem, public StorageTraits, public std::enable_shared_from_this<S3FileSystem> {
 public:
  S3FileSystem(S3Settings settings, std::string root)
      : root_(std::move(root)),
        arrow_(std::make_shared<S3Arrow>(settings)),
        objects_(std::make_shared<const S3Objects>(std::move(settings), [arrow = arrow_] { return arrow->Credentials(); })),
        leases_(std::make_shared<S3Leases>()),
        expected_(std::make_unique<ExpectedEnds>()) {}

  Result<std::string> ReadAll(std::string_view path) const override {
    BRAID_TRY_ASSIGN(S3Object object, objects_->Get(path));
    return std::move(object.content);
  }

  Result<std::unique_ptr<InputFile>> Open(std::string_view path) const override {
    const std::optional<EndFuture> expected = expected_->Take(std::string(path));
    Result<S3Object> found = expected ? Result<S3Object>(*expected->get()) : objects_->GetEnd(path, kEndBytes);
    BRAID_TRY_ASSIGN(S3Object end, std::move(found));
    auto fetch = [objects = objects_, name = std::string(path)](std::int64_t offset, std::int64_t byte_count) {
      return objects->GetRange(name, offset, byte_count);
    };
    return std::make_unique<ReadAheadFile>(std::string(path), end.size_bytes, std::move(end.content), std::move(fetch));
  }

  Result<std::unique_ptr<OutputFile>> Create(std::string_view path) override {
    BRAID_TRY(leases_->Check(path));
    StartProbe();  // a commit will follow
    return std::make_unique<S3OutputFile>(std::string(path), objects_, arrow_);
  }

  Status CreateAtomically(std::string_view path, std::string_view content) override {
    BRAID_TRY(leases_->Check(path));
    BRAID_TRY(CheckConditions());
    BRAID_TRY_ASSIGN(const ConditionalPut put, objects_->WriteOnce(path, content, std::nullopt));
    switch (put.outcome) {
      case PutOutcome::kWritten: return Ok();
      case PutOutcome::kPreconditionFailed:
        return Error(ErrorCode::kAlreadyExists, fmt::format("cannot create {}: it exists already", path));
      case PutOutcome::kNotSent:
        return Error(ErrorCode::kUnavailable, put.failure).Hint("check the network, then repeat");
      case PutOutcome::kUnknown: break;
    }
    return Error(ErrorCode::kCommitUnknown, fmt::format("cannot tell whether {} was created: {}", path, put.failure));
  }

  Status Replace(std::string_view path, std::string_view content) override {
    BRAID_TRY(leases_->Check(path));
    return objects_->Put(path, content);
  }

  Result<std::vector<FileInfo>> List(std::string_view directory) const override {
    BRAID_TRY_ASSIGN(const ArrowObjects* files, arrow_->Files());
    return files->List(directory);
  }

  Result<FileStatus> Stat(std::string_view path) const override {
    BRAID_TRY_ASSIGN(const S3Path parsed, S3Path::Parse(path));
    const Result<S3Object> object = objects_->Head(path);
    if (object && parsed.key.empty()) return FileStatus{.is_directory = true};
    if (object) {
      // No store tells who a file is; what is never renamed is its name and what is in it.
      return FileStatus{.is_directory = false, .size_bytes = object->size_bytes, .modified_ms = object->modified_ms,
                        .file_id = std::hash<std::string>()(fmt::format("{} {} {}", path, object->etag, object->modified_ms))};
    }
    if (object.error().code() != ErrorCode::kNotFound) return object.error();
    BRAID_TRY_ASSIGN(const ArrowObjects* files, arrow_->Files());
    BRAID_TRY_ASSIGN(const bool is_folder, files->IsFolder(path));
    if (!is_folder) return Error(ErrorCode::kNotFound, fmt::format("cannot find {}: it does not exist", path));
    return FileStatus{.is_directory = true, .file_id = std::hash<std::string_view>()(path)};
  }

  // What is not there is found out in the time of one request: as a file and as a folder at once.
  Result<bool> Has(std::string_view path) const override {
    BRAID_TRY_ASSIGN(const S3Path parsed, S3Path::Parse(path));
    BRAID_TRY_ASSIGN(const ArrowObjects* files, arrow_->Files());
    static ThreadPool pool(16);  // of its own, since whoever asks may run in the pool for requests
    std::array<bool, 2> found = {};
    BRAID_TRY(ParallelFor(pool, std::ssize(found), [&](std::int64_t i) -> Status {
      if (i == 1) {
        BRAID_TRY_ASSIGN(found[1], files->IsFolder(path));
        return Ok();
      }
      const Result<S3Object> object = objects_->Head(path);
      if (!object && object.error().code() != ErrorCode::kNotFound) return object.error();
      found[0] = object.has_value();
      return Ok();
    }));
    return found[0] || found[1];
  }

  Status Delete(std::string_view path) override {
    BRAID_TRY(leases_->Check(path));
    return objects_->Delete(path);
  }

  Status DeleteTree(std::string_view directory) override {
    BRAID_TRY(leases_->Check(directory));
    BRAID_TRY_ASSIGN(const ArrowObjects* files, arrow_->Files());
    BRAID_TRY(files->DeleteBelow(directory));
    return objects_->Delete(JoinPath(directory, ""));
  }

  Result<bool> DeleteEmptyDirectory(std::string_view directory) override {
    BRAID_TRY_ASSIGN(const std::vector<FileInfo> children, List(directory));
    if (!children.empty()) return false;
    BRAID_TRY(objects_->Delete(JoinPath(directory, "")));
    return true;
  }

  Status Rename(std::string_view from, std::string_view) override {
    return Error(ErrorCode::kUnsupported, fmt::format("cannot rename {}: an object store can only copy and delete, which is not one step", from));
  }

  Status CreateDirectories(std::string_view directory) override { return objects_->Put(JoinPath(directory, ""), ""); }

  // An object is on safe storage when its PUT is answered.
  Status SyncFiles(std::span<const std::string>) override { return Ok(); }

  void Expect(std::span<const std::string> paths) const override {
    for (const std::string& path : paths) {
      if (const auto promise = expected_->Add(path)) {
        PoolFor(*this).Submit([promise, objects = objects_, path] {
          promise->set_value(std::make_shared<const Result<S3Object>>(objects->GetEnd(path, kEndBytes)));
        });
      }
    }
  }

  bool CanRename() const override { return false; }
  int ParallelCalls() const override { return kParallelCalls; }

  Result<std::unique_ptr<FileLock>> TryLock(std::string_view path, std::string_view owner) override {
    BRAID_TRY(CheckConditions());
    return TryLockObject(objects_, leases_, path, owner);
  }

  Result<std::unique_ptr<DirectoryHandle>> OpenDirectory(std::string_view path) override;

 private:
  // Waits for the test, once for the process, that the store keeps what is there from being written over.
  Status CheckConditions() {
    const std::shared_future<Status> probe = StartProbe();
    const Status result = probe.get();
    if (result) return Ok();
    const std::lock_guard lock(probe_mutex_);
    probe_.reset();  // whoever comes next asks again
    return result;
  }

  std::shared_future<Status> StartProbe() {
    const std::lock_guard lock(probe_mutex_);
    if (probe_) return *probe_;
    const auto promise = std::make_shared<std::promise<Status>>();
    probe_ = promise->get_future().share();
    PoolFor(*this).Submit([promise, objects = objects_, path = JoinPath(root_, ".braid-probe-" + RandomUuid())] {
      promise->set_value(ProbeConditions(*objects, path));
    });
    return *probe_;
  }

  const std::string root_;
  const std::shared_ptr<S3Arrow> arrow_;
  const std::shared_ptr<const S3Objects> objects_;
  const std::shared_ptr<S3Leases> leases_;
  const std::unique_ptr<ExpectedEnds> expected_;
  std::mutex probe_mutex_;  // guards probe_
  std::optional<std::shared_future<Status>> probe_;
};

// Nothing moves in an object store, so the path is the folder.
class S3Directory : public DirectoryHandle {
 public:
  S3Directory(std::shared_ptr<FileSystem> files, std::string path) : files_(std::move(files)), path_(std::move(path)) {}

  Status CreateAtomically(std::string_view name, std::string_view content) override {
    return files_->CreateAtomically(JoinPath(path_, name), content);
  }
  Result<bool> Exists(std::string_view name) const override { return files_->Exists(JoinPath(path_, name)); }
  Status Delete(std::string_view name) override { return files_->Delete(JoinPath(path_, name)); }

 private:
  const std::shared_ptr<FileSystem> files_;
  const std::string path_;
};

Result<std::unique_ptr<DirectoryHandle>> S3FileSystem::OpenDirectory(std::string_view path) {
  return std::make_unique<S3Directory>(shared_from_this(), std::string(path));
}

}  // namespace

void CloseStorageLibraries() {
  if (!arrow::fs::IsS3Initialized() || arrow::fs::IsS3Finalized()) return;
  static_cast<void>(arrow::fs::FinalizeS3());  // a failure would only be told in vain
}

std::shared_ptr<FileSystem> MakeS3FileSystem(S3Settings settings, std::string root) {
  return std::make_shared<S3FileSystem>(std::move(settings), std::move(root));
}

}  // namespace braid
