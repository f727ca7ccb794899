#include "format/file_format.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "format/avro_format.h"
#include "format/blob_format.h"
#include "format/orc_format.h"
#include "format/parquet_format.h"

namespace braid {
namespace {

/// Every format, each with one line.
std::span<const FileFormat* const> AllFormats() {
  static const std::array formats = {
      &ParquetFormat(),
      &OrcFormat(),
      &AvroFormat(),
  };
  return formats;
}

std::string ToLower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

/// Extensions that text formats append for their compression (spec metadata.md §1.3).
bool IsCompressionExtension(std::string_view extension) {
  constexpr std::array<std::string_view, 9> kExtensions = {"gz",  "bz2",  "deflate", "snappy", "lz4",
                                                           "zst", "zstd", "lzo",     "br"};
  return std::ranges::find(kExtensions, extension) != kExtensions.end();
}

/// The text behind the last dot, which is cut off `name`; empty if there is none.
std::string_view TakeExtension(std::string_view& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {};
  const std::string_view extension = name.substr(dot + 1);
  name = name.substr(0, dot);
  return extension;
}

}  // namespace

Result<const FileFormat*> FindFileFormat(std::string_view identifier) {
  const std::string wanted = ToLower(identifier);
  std::string known;
  for (const FileFormat* format : AllFormats()) {
    if (format->identifier() == wanted) return format;
    known += known.empty() ? "" : ", ";
    known += format->identifier();
  }
  return Error(ErrorCode::kUnsupported, fmt::format("data files of format '{}' are not supported", identifier))
      .Hint(fmt::format("formats that can be read and written: {}", known));
}

Result<const FileFormat*> FormatOfFileName(std::string_view file_name) {
  std::string_view rest = file_name;
  std::string_view extension = TakeExtension(rest);
  if (IsCompressionExtension(extension)) extension = TakeExtension(rest);
  // Slices of compacted changelog files: "….cc-parquet" (spec data.md §1.5).
  constexpr std::string_view kCompactedChangelog = "cc-";
  if (extension.starts_with(kCompactedChangelog)) extension.remove_prefix(kCompactedChangelog.size());
  if (extension.empty()) {
    return Error(ErrorCode::kUnsupported, fmt::format("the name of data file {} tells no format", file_name));
  }
  if (extension == BlobFormat().identifier()) return &BlobFormat();
  return FindFileFormat(extension).Context(fmt::format("while choosing how to read {}", file_name));
}

}  // namespace braid
