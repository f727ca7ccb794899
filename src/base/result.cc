#include "base/result.h"

#include <cstdio>
#include <cstdlib>

namespace braid {

std::string_view ErrorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument: return "invalid-argument";
    case ErrorCode::kNotFound: return "not-found";
    case ErrorCode::kAlreadyExists: return "already-exists";
    case ErrorCode::kConflict: return "conflict";
    case ErrorCode::kCommitUnknown: return "commit-unknown";
    case ErrorCode::kCorruption: return "corruption";
    case ErrorCode::kIo: return "io";
    case ErrorCode::kUnavailable: return "unavailable";
    case ErrorCode::kUnsupported: return "unsupported";
    case ErrorCode::kPermissionDenied: return "permission-denied";
    case ErrorCode::kCancelled: return "cancelled";
    case ErrorCode::kInternal: return "internal";
  }
  return "internal";
}

Error Error::Hint(std::string hint) && {
  hint_ = std::move(hint);
  return std::move(*this);
}

Error Error::Hint(std::string hint) const& { return Error(*this).Hint(std::move(hint)); }

Error Error::Id(std::string_view id) && {
  id_ = id;
  return std::move(*this);
}

Error Error::Context(std::string what) && {
  context_.push_back(std::move(what));
  return std::move(*this);
}

Error Error::Context(std::string what) const& { return Error(*this).Context(std::move(what)); }

std::string Error::ToString() const {
  std::string text = message_;
  for (const std::string& line : context_) text += "\n  " + line;
  if (!hint_.empty()) text += "\n  try: " + hint_;
  return text;
}

namespace internal {

void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "braid: this is a bug of Braid; please report it: %s does not hold (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace internal

}  // namespace braid
