#include "table/target_file_size.h"

namespace braid {

Result<std::int64_t> AppendTargetFileBytes(const Options& options) {
  return options.GetMemorySize("target-file-size", std::int64_t{256} << 20);
}

Result<std::int64_t> BlobTargetFileBytes(const Options& options) {
  BRAID_TRY_ASSIGN(const std::int64_t target, AppendTargetFileBytes(options));
  return options.GetMemorySize("blob.target-file-size", target);
}

}  // namespace braid
