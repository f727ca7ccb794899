#include <algorithm>
#include <condition_variable>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "io/s3_lock_internal.h"

namespace braid {

namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kRenewal{10};
constexpr std::chrono::seconds kValid{30};
constexpr std::int64_t kTakeOverAfterS = 45;

// An object that is written only in place of what its holder wrote before.
class HeldObject {
 public:
  HeldObject(std::shared_ptr<const S3Objects> objects, std::string path, std::string owner)
      : objects_(std::move(objects)), path_(std::move(path)), owner_(std::move(owner)) {}

  /// False if somebody else has it.
  Result<bool> Take() {
    Result<S3Object> present = objects_->Get(path_);
    if (!present && present.error().code() != ErrorCode::kNotFound) return std::move(present).error();
    if (!present) return Write(Content(), std::nullopt);
    const bool is_free = present->content.empty() || present->age_s.value_or(0) > kTakeOverAfterS;
    if (!is_free) return false;
    return Write(Content(), present->etag);
  }
  /// False if somebody else took it.
  Result<bool> Renew() { return Write(Content(), etag_); }
  /// An empty object is free.
  Result<bool> Release() { return Write("", etag_); }

 private:
  // Never the same twice: the ETag is often a checksum and must tell one renewal from the next.
  std::string Content() { return fmt::format("{} lease {}", owner_, ++renewals_); }

  Result<bool> Write(const std::string& content, const std::optional<std::string>& etag) {
    BRAID_TRY_ASSIGN(ConditionalPut put, objects_->WriteOnce(path_, content, etag));
    if (put.outcome == PutOutcome::kPreconditionFailed) return false;
    if (put.outcome != PutOutcome::kWritten) {
      return Error(ErrorCode::kUnavailable, put.failure).Hint("check the network, then repeat");
    }
    etag_ = std::move(put.etag);
    if (!etag_.empty()) return true;
    BRAID_TRY_ASSIGN(S3Object present, objects_->Head(path_));
    etag_ = std::move(present.etag);
    return true;
  }

  const std::shared_ptr<const S3Objects> objects_;
  const std::string path_;
  const std::string owner_;
  std::string etag_;
  std::int64_t renewals_ = 0;
};

class S3Lock : public FileLock {
 public:
  S3Lock(HeldObject object, std::shared_ptr<S3Leases> leases, std::shared_ptr<S3Leases::Lease> lease)
      : object_(std::move(object)), leases_(std::move(leases)), lease_(std::move(lease)) {
    renewer_ = std::jthread([this](const std::stop_token& stop) { RenewUntil(stop); });
  }
  ~S3Lock() override {
    renewer_.request_stop();
    renewer_.join();
    leases_->Remove(lease_);
    const Result<bool> released = object_.Release();
    if (!released) Log(LogLevel::kWarning, "lock not released", "folder=" + lease_->folder + " error=" + released.error().message());
  }

 private:
  void RenewUntil(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    while (!stopped.wait_for(lock, stop, kRenewal, [&] { return stop.stop_requested(); })) {
      const auto asked = steady_clock::now();
      const Result<bool> renewed = object_.Renew();
      if (renewed && *renewed) leases_->Renew(*lease_, asked + kValid);
      if (renewed && !*renewed) return;  // somebody else has it
    }
  }

  HeldObject object_;  // the renewer's while it runs
  const std::shared_ptr<S3Leases> leases_;
  const std::shared_ptr<S3Leases::Lease> lease_;
  std::jthread renewer_;
};

}  // namespace

Status S3Leases::Check(std::string_view path) const {
  const auto now = steady_clock::now();
  const std::lock_guard lock(mutex_);
  for (const std::shared_ptr<Lease>& lease : held_) {
    if (!path.starts_with(lease->folder) || now < lease->valid_until) continue;
    return Error(ErrorCode::kUnavailable,
                 fmt::format("cannot change {}: the lock of {} was not renewed for {} s, so another process may hold it", path,
                             lease->folder, kValid.count()))
        .Hint("check the connection to the store, then run the command again; it finishes what was begun");
  }
  return Ok();
}

std::shared_ptr<S3Leases::Lease> S3Leases::Add(std::string folder, TimePoint valid_until) {
  auto lease = std::make_shared<Lease>(Lease{.folder = std::move(folder), .valid_until = valid_until});
  const std::lock_guard lock(mutex_);
  held_.push_back(lease);
  return lease;
}

void S3Leases::Renew(Lease& lease, TimePoint valid_until) {
  const std::lock_guard lock(mutex_);
  lease.valid_until = valid_until;
}

void S3Leases::Remove(const std::shared_ptr<Lease>& lease) {
  const std::lock_guard lock(mutex_);
  std::erase(held_, lease);
}

Result<std::unique_ptr<FileLock>> TryLockObject(std::shared_ptr<const S3Objects> objects,
                                                std::shared_ptr<S3Leases> leases, std::string_view path,
                                                std::string_view owner) {
  const auto asked = steady_clock::now();
  HeldObject object(std::move(objects), std::string(path), std::string(owner));
  BRAID_TRY_ASSIGN(const bool taken, object.Take());
  if (!taken) return std::unique_ptr<FileLock>();
  std::string folder = JoinPath(DirectoryName(DirectoryName(path)), "");
  std::shared_ptr<S3Leases::Lease> lease = leases->Add(std::move(folder), asked + kValid);
  return std::unique_ptr<FileLock>(std::make_unique<S3Lock>(std::move(object), std::move(leases), std::move(lease)));
}

}  // namespace braid
