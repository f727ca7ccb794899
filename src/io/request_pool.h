#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/thread_pool.h"
#include "io/file_system.h"

namespace braid {

/// The pool on which to call a storage several times at once: that for computing where a call is no wait, else one of
/// 64 threads, which wait for answers.
ThreadPool& PoolFor(const FileSystem& file_system);

/// Calls `call` with 0 to `count` - 1: one after the other where a call of the storage is no wait, else many at once.
/// The first error ends it.
Status CallForEach(const FileSystem& file_system, std::int64_t count, const std::function<Status(std::int64_t)>& call);

/// Makes a few calls that do not need each other's results: one after the other, up to the first error, where a call of
/// the storage is no wait; else all at once, each on a thread of its own, so that tasks of any pool may do so. Waits for
/// all. The error is that of the first in their order.
Status CallTogether(const FileSystem& file_system, std::span<const std::function<Status()>> calls);

}  // namespace braid
