#include "format/file_index_writer.h"

#include <algorithm>
#include <utility>

#include <arrow/array.h>
#include <fmt/format.h>

#include "base/option_lists.h"
#include "base/text.h"
#include "format/column_index_internal.h"
#include "format/file_index.h"
#include "types/batch.h"

namespace braid {
namespace {

constexpr std::string_view kPrefix = "file-index.";
constexpr std::string_view kColumns = ".columns";

// The two halves of "column[key]"; no key for other texts.
std::pair<std::string, std::optional<std::string>> SplitMapKey(std::string_view name) {
  const std::size_t open = name.find('[');
  if (open == std::string_view::npos || !name.ends_with(']')) return {std::string(name), std::nullopt};
  return {std::string(name.substr(0, open)), std::string(name.substr(open + 1, name.size() - open - 2))};
}

std::string NameOf(const WantedFileIndex& index) {
  return index.map_key ? fmt::format("{}[{}]", index.column, *index.map_key) : index.column;
}

Error Refused(std::string_view key, std::string_view why) {
  return Error(ErrorCode::kInvalidArgument, fmt::format("option '{}': {}", key, why));
}

// The type of the values that an index is made of.
Result<DataType> IndexedType(const WantedFileIndex& index, std::string_view key, std::span<const DataField> fields) {
  const std::optional<std::size_t> position = FindField(fields, index.column);
  if (!position) return Refused(key, fmt::format("the table has no column '{}'", index.column));
  const DataType& type = fields[*position].type;
  if (!index.map_key) return type;
  if (type.kind() != TypeKind::kMap || !type.key().is_text()) {
    return Refused(key, fmt::format("'{}' is no MAP with keys of text", index.column));
  }
  return type.element();
}

Status AddColumns(std::string_view key, std::string_view text, std::span<const DataField> fields, FileIndexOptions& wanted) {
  const std::string kind(key.substr(kPrefix.size(), key.size() - kPrefix.size() - kColumns.size()));
  const IndexKind* known = FindIndexKind(kind);
  if (known == nullptr) {
    return Refused(key, "there is no such kind of index").Hint("one of: bloom-filter, bitmap, bsi, range-bitmap");
  }
  for (const std::string& part : ParseList(text)) {
    auto [column, map_key] = SplitMapKey(part);
    WantedFileIndex index{.column = std::move(column), .map_key = std::move(map_key), .kind = kind, .options = {}};
    BRAID_TRY_ASSIGN(const DataType type, IndexedType(index, key, fields));
    if (!known->takes(type)) {
      return Refused(key, fmt::format("a {} index cannot be made of {} {}", kind, NameOf(index), type.ToString()));
    }
    const bool is_new = std::none_of(wanted.indexes.begin(), wanted.indexes.end(), [&](const WantedFileIndex& other) {
      return other.kind == kind && NameOf(other) == NameOf(index);
    });
    if (is_new) wanted.indexes.push_back(std::move(index));
  }
  return Ok();
}

// "file-index.<kind>.<column>.<option>"; options of a MAP column are those of all its keys, each of which may override.
Status AddOption(std::string_view key, const std::string& value, bool of_map, FileIndexOptions& wanted) {
  const std::vector<std::string> parts = Split(key.substr(kPrefix.size()), '.');
  if (parts.size() != 3) return Ok();
  bool is_known = false;
  for (WantedFileIndex& index : wanted.indexes) {
    if (index.kind != parts[0]) continue;
    const bool is_map = index.map_key && index.column == parts[1];
    if (!is_map && NameOf(index) != parts[1]) continue;
    is_known = true;
    if (is_map == of_map) index.options.Set(parts[2], value);
  }
  if (is_known) return Ok();
  return Refused(key, fmt::format("'{}' is not among the columns of '{}{}{}'", parts[1], kPrefix, parts[0], kColumns));
}

class Writer : public FileIndexWriter {
 public:
  Status AddIndex(const WantedFileIndex& wanted, std::span<const DataField> fields) {
    const std::size_t position = *FindField(fields, wanted.column);
    const DataType& type = fields[position].type;
    BRAID_TRY_ASSIGN(auto builder, FindIndexKind(wanted.kind)->build(wanted.map_key ? type.element() : type, wanted.options)
                                       .Context(fmt::format("for the {} index of column '{}'", wanted.kind, NameOf(wanted))));
    parts_.push_back({.position = position, .type = type, .wanted = wanted, .builder = std::move(builder)});
    return Ok();
  }

  void Add(std::span<const std::shared_ptr<arrow::Array>> columns) override {
    for (Part& part : parts_) {
      const arrow::Array& column = *columns[part.position];
      for (std::int64_t row = 0; row < column.length(); ++row) {
        const Datum value = DatumAt(column, row, part.type);
        part.builder->Add(part.wanted.map_key ? ValueOf(value, *part.wanted.map_key) : value);
      }
    }
  }

  Result<std::optional<std::string>> Finish() override {
    std::vector<FileIndexPart> indexes;
    for (Part& part : parts_) {
      std::optional<std::string> body = part.builder->Finish();
      if (body) indexes.push_back({.column = NameOf(part.wanted), .kind = part.wanted.kind, .body = std::move(body)});
    }
    if (indexes.empty()) return std::optional<std::string>();
    BRAID_TRY_ASSIGN(std::string bytes, EncodeFileIndex(indexes));
    return std::optional(std::move(bytes));
  }

 private:
  struct Part {
    std::size_t position;
    DataType type;  // of the column
    WantedFileIndex wanted;
    std::unique_ptr<ColumnIndexBuilder> builder;
  };

  static Datum ValueOf(const Datum& map, const std::string& key) {
    if (map.is_null()) return {};
    for (const Datum& entry : map.as_list()) {
      if (entry.as_list()[0].as_string() == key) return entry.as_list()[1];
    }
    return {};
  }

  std::vector<Part> parts_;
};

}  // namespace

Result<FileIndexOptions> FileIndexOptions::Parse(const Options& options, std::span<const DataField> fields) {
  FileIndexOptions wanted;
  BRAID_TRY_ASSIGN(wanted.max_embedded_bytes, options.GetMemorySize("file-index.in-manifest-threshold", wanted.max_embedded_bytes));
  for (const auto& [key, value] : options.values()) {
    if (key.starts_with(kPrefix) && key.ends_with(kColumns)) BRAID_TRY(AddColumns(key, value, fields, wanted));
  }
  for (const bool of_map : {true, false}) {
    for (const auto& [key, value] : options.values()) {
      if (key.starts_with(kPrefix) && !key.ends_with(kColumns)) BRAID_TRY(AddOption(key, value, of_map, wanted));
    }
  }
  // The container wants the indexes of a column together.
  const auto place = [&](const WantedFileIndex& index) { return std::pair(FindField(fields, index.column), NameOf(index)); };
  std::stable_sort(wanted.indexes.begin(), wanted.indexes.end(),
                   [&](const WantedFileIndex& a, const WantedFileIndex& b) { return place(a) < place(b); });
  return wanted;
}

Result<std::unique_ptr<FileIndexWriter>> FileIndexWriter::Make(const FileIndexOptions& options, std::span<const DataField> fields) {
  if (options.indexes.empty()) return std::unique_ptr<FileIndexWriter>();
  auto writer = std::make_unique<Writer>();
  for (const WantedFileIndex& index : options.indexes) BRAID_TRY(writer->AddIndex(index, fields));
  return std::unique_ptr<FileIndexWriter>(std::move(writer));
}

}  // namespace braid
