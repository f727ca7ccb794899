#include <cerrno>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "io/file_error_internal.h"

namespace braid {
namespace {

struct Explanation {
  int error_number;
  ErrorCode code;
  std::string_view why;  // empty: the system's own words
  std::string_view remedy;
};

constexpr std::string_view kGrantAccess =
    "give this user read and write permission on the folder, or use another folder";
constexpr std::string_view kFreeSpace = "free space on that device or move the warehouse to a larger one, then repeat";
constexpr std::string_view kRaiseLimit = "raise the limit of open files (ulimit -n), then repeat";

constexpr Explanation kExplanations[] = {
    {ENOENT, ErrorCode::kNotFound, "it does not exist", ""},
    {ENOTDIR, ErrorCode::kNotFound, "a part of the path is a file, not a folder", ""},
    {EEXIST, ErrorCode::kAlreadyExists, "it exists already", ""},
    {ENOTEMPTY, ErrorCode::kAlreadyExists, "it exists already and is not empty", ""},
    {EACCES, ErrorCode::kPermissionDenied, "permission denied", kGrantAccess},
    {EPERM, ErrorCode::kPermissionDenied, "the operation is not permitted", kGrantAccess},
    {EROFS, ErrorCode::kPermissionDenied, "the file system is mounted read-only",
     "mount it writable, or use another folder"},
    {ENOSPC, ErrorCode::kIo, "no space is left on the device", kFreeSpace},
    {EDQUOT, ErrorCode::kIo, "this user's disk quota is used up",
     "delete files, or have the quota raised, then repeat"},
    {EFBIG, ErrorCode::kIo, "the file would be larger than the file system or a limit (ulimit -f) allows", ""},
    {EMFILE, ErrorCode::kUnavailable, "this process has too many files open", kRaiseLimit},
    {ENFILE, ErrorCode::kUnavailable, "the machine has too many files open", kRaiseLimit},
    {ENOMEM, ErrorCode::kUnavailable, "the machine is out of memory", ""},
    {ENAMETOOLONG, ErrorCode::kInvalidArgument, "the name is too long for the file system",
     "shorten names of tables, partition columns or partition values"},
    {EINVAL, ErrorCode::kInvalidArgument, "", ""},
    {EISDIR, ErrorCode::kIo, "it is a folder, not a file", ""},
    {EIO, ErrorCode::kIo, "the device reported an error", "check the device and the system log"},
    {ESTALE, ErrorCode::kIo, "the network file system lost the file", "check the mount, then repeat"},
};

}  // namespace

Error FileError(std::string_view action, std::string_view path, int error_number) {
  for (const Explanation& known : kExplanations) {
    if (known.error_number != error_number) continue;
    const std::string why = known.why.empty() ? std::generic_category().message(error_number) : std::string(known.why);
    Error error(known.code, fmt::format("cannot {} {}: {}", action, path, why));
    if (known.remedy.empty()) return error;
    return std::move(error).Hint(std::string(known.remedy));
  }
  return Error(ErrorCode::kIo,
               fmt::format("cannot {} {}: {}", action, path, std::generic_category().message(error_number)));
}

}  // namespace braid
