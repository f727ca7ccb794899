#include <cerrno>

#include <gtest/gtest.h>

#include "io/file_error_internal.h"

namespace braid {
namespace {

TEST(FileErrorTest, NamesThePathAndWhatTheCallerCanDo) {
  struct Case {
    int error_number;
    ErrorCode code;
    std::string text;
  };
  const std::vector<Case> cases = {
      {ENOENT, ErrorCode::kNotFound, "cannot write /w/f: it does not exist"},
      {EEXIST, ErrorCode::kAlreadyExists, "cannot write /w/f: it exists already"},
      {ENOSPC, ErrorCode::kIo, "no space is left on the device\n  try: free space on that device"},
      {EDQUOT, ErrorCode::kIo, "disk quota is used up\n  try: delete files"},
      {EACCES, ErrorCode::kPermissionDenied, "permission denied\n  try: give this user"},
      {EROFS, ErrorCode::kPermissionDenied, "mounted read-only\n  try: mount it writable"},
      {EMFILE, ErrorCode::kUnavailable, "too many files open\n  try: raise the limit"},
      {ENAMETOOLONG, ErrorCode::kInvalidArgument, "too long for the file system\n  try: shorten"},
      {EIO, ErrorCode::kIo, "the device reported an error"},
      {ENXIO, ErrorCode::kIo, "No such device or address"},  // one without words of ours
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const Error error = FileError("write", "/w/f", c.error_number);
    EXPECT_EQ(error.code(), c.code);
    EXPECT_NE(error.ToString().find(c.text), std::string::npos) << error.ToString();
  }
}

}  // namespace
}  // namespace braid
