#pragma once

#include <memory>
#include <string>

#include "io/file_system.h"
#include "io/s3_settings.h"

namespace braid {

/// Files of an S3-compatible store. Paths are "scheme://bucket/key"; the scheme does not matter. What differs from
/// folders of a machine:
/// - CreateAtomically is a PUT that the store carries out only if no object is there; if its answer is lost, the object is
///   looked at. Before the first one the store is tested with an object below `root`, once: kUnsupported if it writes over
///   what is there all the same.
/// - Create does not look whether the object exists: names of data files are never used twice. An object appears when it
///   is closed, whole.
/// - There are no folders: CreateDirectories leaves an empty object "<key>/", as other engines do; Rename, Exchange and
///   Link are kUnsupported.
/// - TryLock renews its object while it is held. If that fails for too long, what lies below the lock's folder cannot be
///   changed any more (kUnavailable).
/// Makes no request. Arrow's library starts with the first listing, large upload or look at AWS's own credentials.
std::shared_ptr<FileSystem> MakeS3FileSystem(S3Settings settings, std::string root);

}  // namespace braid
