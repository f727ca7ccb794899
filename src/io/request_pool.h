#pragma once

#include "base/thread_pool.h"
#include "io/file_system.h"

namespace braid {

/// The pool on which to call a storage several times at once: that for computing where a call is no wait, else one of
/// 64 threads, which wait for answers.
ThreadPool& PoolFor(const FileSystem& file_system);

}  // namespace braid
