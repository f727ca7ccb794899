#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/row_selection.h"
#include "types/predicate.h"

namespace braid {

/// One index in a container (spec data.md §12.2).
struct FileIndexPart {
  std::string column;  ///< as the file's schema calls it; values of a MAP's key: "column[key]"
  std::string kind;    ///< "bitmap", …
  std::optional<std::string> body;  ///< nullopt: an index that saw no value

  friend bool operator==(const FileIndexPart&, const FileIndexPart&) = default;
};

/// The container's bytes; parts of a column stand together. Errors: kInvalidArgument for names above 65535 bytes, or
/// 2 GB in all.
Result<std::string> EncodeFileIndex(std::span<const FileIndexPart> parts);
/// Errors: kCorruption; kUnsupported for a container of a later version.
Result<std::vector<FileIndexPart>> ParseFileIndexParts(std::string_view bytes);

/// What the indexes of one data file tell of its rows. Immutable; any thread.
class FileIndex {
 public:
  /// Errors: as ParseFileIndexParts.
  static Result<FileIndex> Parse(std::string_view bytes);

  /// Rows that may pass a condition in the file's own names and types; nullopt: any may. Kinds of indexes that are unknown
  /// tell nothing. Errors: kCorruption, also if an index was made of another number of rows than the file's.
  Result<std::optional<RowSelection>> Select(const Predicate& condition, std::int64_t row_count) const;

 private:
  explicit FileIndex(std::vector<FileIndexPart> parts) : parts_(std::move(parts)) {}
  std::vector<FileIndexPart> parts_;
};

}  // namespace braid
