#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/options.h"
#include "base/result.h"
#include "io/file_system.h"

namespace braid {

/// A folder and what it lies in.
struct Storage {
  std::shared_ptr<FileSystem> files;
  std::string root;  ///< without a trailing '/'; a path of `files`
};

/// Whether a path or address is of this machine's own files.
bool IsLocal(std::string_view address);

/// Opens what an address means, without a request: a path or file:…, s3:// s3a:// s3n:// oss://, and, for reading alone,
/// gs:// abfs:// abfss:// hdfs://. Options: those of ReadS3Settings; `fs.azure.account.key`.
/// Errors: kUnsupported for other schemes; kInvalidArgument for what is no address or lacks settings.
Result<Storage> OpenStorage(std::string_view address, const Options& options);

/// Ends what the libraries of storages run in the background. Once for the process, before main returns, when no file of a
/// bucket is used any more; opening one afterwards fails. Does nothing if none was opened.
void CloseStorageLibraries();

}  // namespace braid
