#pragma once

#include <memory>
#include <string>

#include "base/options.h"
#include "io/file_system.h"

namespace braid {

/// Reads what lies below an address that Arrow knows: gs, abfs, hdfs. Arrow gives these no creation of a file that one of
/// several racing writers wins, so every change is kUnsupported. Errors: kInvalidArgument, kIo in Arrow's words.
Result<std::shared_ptr<FileSystem>> OpenArrowFileSystem(const std::string& root, const Options& options);

}  // namespace braid
