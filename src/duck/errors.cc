#include <algorithm>
#include <string>

#include <duckdb/common/error_data.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "duck/errors_internal.h"

namespace braid {
namespace {

// DuckDB keeps these with an exception from the thread that throws to the statement's result.
constexpr const char* kCodeKey = "braid_code";
constexpr const char* kHintKey = "braid_hint";
constexpr const char* kContextKey = "braid_context";  // followed by the line's number

std::optional<Error> OurError(const duckdb::ErrorData& error) {
  const auto& extra = error.ExtraInfo();
  const auto code = extra.find(kCodeKey);
  if (code == extra.end()) return std::nullopt;
  Error ours(static_cast<ErrorCode>(ParseInt64(code->second).value_or(static_cast<int>(ErrorCode::kInternal))),
             error.RawMessage());
  for (int line = 0;; ++line) {
    const auto context = extra.find(kContextKey + std::to_string(line));
    if (context == extra.end()) break;
    ours = std::move(ours).Context(context->second);
  }
  if (const auto hint = extra.find(kHintKey); hint != extra.end()) ours = std::move(ours).Hint(hint->second);
  return ours;
}

/// The message without what helps only users of DuckDB itself: its picture of the line, which shows SQL that the user did
/// not write, and remedies that are DuckDB's own settings.
std::string FirstPart(const std::string& message) {
  constexpr std::string_view kEnds[] = {"\nLINE ",       "Use \"SET ",           "Use SET ",  "Use the setting",
                                        "\n* SET ",      "\nPossible solutions", "\nOr set ", "\nTo enable temporary buffer",
                                        "\nThis limit was set by", " See also https://"};
  std::size_t end = message.size();
  for (const std::string_view mark : kEnds) end = std::min(end, message.find(mark));
  return std::string(Trim(std::string_view(message).substr(0, end)));
}

/// Of `Could not set lock on file "F": Conflicting lock is held in P (PID n).`
Error FileInUse(const std::string& text) {
  constexpr std::string_view kHolder = "lock is held in ";
  std::string message = "a file is in use by another process";
  const std::size_t open = text.find('"');
  const std::size_t close = text.find('"', open + 1);
  if (close != std::string::npos) {
    message = fmt::format("{} is in use by another process", text.substr(open + 1, close - open - 1));
  }
  const std::size_t holder = text.find(kHolder);
  if (holder != std::string::npos) message += ", " + text.substr(holder + kHolder.size());
  while (message.back() == '.') message.pop_back();
  return Error(ErrorCode::kConflict, std::move(message)).Hint("stop the other process, or use another file");
}

ErrorCode CodeOf(duckdb::ExceptionType type) {
  using duckdb::ExceptionType;
  switch (type) {
    case ExceptionType::OUT_OF_RANGE:
    case ExceptionType::CONVERSION:
    case ExceptionType::DECIMAL:
    case ExceptionType::DIVIDE_BY_ZERO:
    case ExceptionType::INVALID_INPUT:
    case ExceptionType::CONSTRAINT:
    case ExceptionType::OBJECT_SIZE:
    case ExceptionType::INVALID_CONFIGURATION:
    case ExceptionType::SETTINGS: return ErrorCode::kInvalidArgument;
    case ExceptionType::OUT_OF_MEMORY: return ErrorCode::kUnavailable;
    case ExceptionType::CATALOG: return ErrorCode::kNotFound;
    case ExceptionType::TRANSACTION: return ErrorCode::kConflict;
    case ExceptionType::IO:
    case ExceptionType::NETWORK:
    case ExceptionType::HTTP: return ErrorCode::kIo;
    case ExceptionType::SERIALIZATION: return ErrorCode::kCorruption;
    case ExceptionType::INTERRUPT: return ErrorCode::kCancelled;
    case ExceptionType::PERMISSION: return ErrorCode::kPermissionDenied;
    case ExceptionType::NOT_IMPLEMENTED: return ErrorCode::kUnsupported;
    default: return ErrorCode::kInternal;
  }
}

}  // namespace

Error FromDuckError(const duckdb::ErrorData& error, std::string_view sql) {
  if (std::optional<Error> ours = OurError(error)) return *std::move(ours);
  const std::string text = FirstPart(error.RawMessage());
  if (text.starts_with("More than one row returned by a subquery")) {
    return Error(ErrorCode::kInvalidArgument, "a subquery that stands for one value gives more than one row")
        .Hint("aggregate it (MAX, COUNT …), or add LIMIT 1");
  }
  const ErrorCode code = CodeOf(error.Type());
  switch (code) {
    case ErrorCode::kCancelled: return Error(code, "the statement was cancelled");
    case ErrorCode::kUnavailable:
      return Error(code, fmt::format("the query needs more memory than the query engine may use: {}", text))
          .Hint("raise the option memory, or give the engine a folder to spill to");
    case ErrorCode::kInvalidArgument: return Error(code, fmt::format("a value cannot be computed: {}", text));
    case ErrorCode::kNotFound: return Error(code, fmt::format("the query engine does not know a name: {}", text));
    case ErrorCode::kConflict:
      return Error(code, fmt::format("another session changed the same data: {}", text))
          .Hint("run the statement again");
    case ErrorCode::kIo:
      if (text.find("lock on file") != std::string::npos) return FileInUse(text);
      return Error(code, fmt::format("the query engine cannot read or write a file: {}", text));
    case ErrorCode::kCorruption:
      return Error(code, fmt::format("stored data of the query engine are damaged: {}", text));
    case ErrorCode::kPermissionDenied:
      return Error(code, fmt::format("the query engine is not allowed to do this: {}", text));
    case ErrorCode::kUnsupported: return Error(code, fmt::format("the query engine cannot do this: {}", text));
    default: break;
  }
  Error internal = Error(ErrorCode::kInternal, fmt::format("the query engine refuses what it was given: {}", text))
                       .Hint("this is a bug of Braid; please report the statement and this message");
  if (sql.empty()) return internal;
  return std::move(internal).Context(fmt::format("while running {}", sql.substr(0, 2000)));
}

void ThrowError(const Error& error) {
  duckdb::unordered_map<duckdb::string, duckdb::string> extra;
  extra[kCodeKey] = std::to_string(static_cast<int>(error.code()));
  if (!error.hint().empty()) extra[kHintKey] = error.hint();
  for (std::size_t line = 0; line < error.context().size(); ++line) {
    extra[kContextKey + std::to_string(line)] = error.context()[line];
  }
  // Any type but INTERNAL and FATAL leaves the database valid; INTERRUPT would be rewritten on the way.
  throw duckdb::Exception(extra, duckdb::ExceptionType::INVALID_INPUT, error.message());
}

}  // namespace braid
