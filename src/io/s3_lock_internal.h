#pragma once

// Exclusive locks on a store that has none: objects that are renewed while they are held.

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "io/file_system.h"
#include "io/s3_objects_internal.h"

namespace braid {

/// The locks that this process holds. What is below a folder whose lock was lost must not be changed any more. Thread-safe.
class S3Leases {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  struct Lease {
    std::string folder;  ///< with a '/' at the end
    TimePoint valid_until;  // guarded by S3Leases::mutex_
  };

  /// Errors: kUnavailable if the path lies below a folder whose lock was not renewed in time.
  Status Check(std::string_view path) const;

  std::shared_ptr<Lease> Add(std::string folder, TimePoint valid_until);
  void Renew(Lease& lease, TimePoint valid_until);
  void Remove(const std::shared_ptr<Lease>& lease);

 private:
  mutable std::mutex mutex_;  // guards what follows
  std::vector<std::shared_ptr<Lease>> held_;
};

/// The lock of the folder two above the object "<folder>/.braid/lock"; null if somebody holds it. It is renewed every 10 s,
/// counts for 30 s, and may be taken over when it was not renewed for 45 s by the store's own clock, so that clocks of
/// machines do not matter.
Result<std::unique_ptr<FileLock>> TryLockObject(std::shared_ptr<const S3Objects> objects,
                                                std::shared_ptr<S3Leases> leases, std::string_view path,
                                                std::string_view owner);

}  // namespace braid
