#pragma once

#include <cstdint>

#include "base/options.h"
#include "base/result.h"

namespace braid {

/// The size at which an append table goes on in another data file: `target-file-size`, by default 256 MiB. Errors:
/// kInvalidArgument for what is no size.
Result<std::int64_t> AppendTargetFileBytes(const Options& options);
/// The same of files of BLOB values: `blob.target-file-size`, by default as large.
Result<std::int64_t> BlobTargetFileBytes(const Options& options);

}  // namespace braid
