#pragma once

#include <cstdint>
#include <functional>

#include "base/thread_pool.h"
#include "io/file_system.h"

namespace braid {

/// The pool on which to call a storage several times at once: that for computing where a call is no wait, else one of
/// 64 threads, which wait for answers.
ThreadPool& PoolFor(const FileSystem& file_system);

/// Calls `call` with 0 to `count` - 1: one after the other where a call of the storage is no wait, else many at once.
/// The first error ends it.
Status CallForEach(const FileSystem& file_system, std::int64_t count, const std::function<Status(std::int64_t)>& call);

}  // namespace braid
