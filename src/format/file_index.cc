#include "format/file_index.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "format/big_endian_internal.h"
#include "format/column_index_internal.h"
#include "format/row_selection_internal.h"

namespace braid {
namespace {

using Op = Predicate::Op;
using Rows = Result<std::optional<Roaring>>;

constexpr std::int64_t kMagic = 1493475289347502;
constexpr std::int32_t kVersion = 1;
constexpr std::int32_t kEmpty = -1;            // start of an index without body
constexpr std::size_t kFixedHeadBytes = 8 + 4 + 4;  // magic, version and the head's length

// Whether an index that saw no value rules every row out.
bool NeedsAValue(Op op) {
  switch (op) {
    case Op::kEqual:
    case Op::kIn:
    case Op::kLess:
    case Op::kLessOrEqual:
    case Op::kGreater:
    case Op::kGreaterOrEqual:
    case Op::kBetween:
    case Op::kIsNotNull:
    case Op::kStartsWith:
    case Op::kEndsWith:
    case Op::kContains:
    case Op::kLike: return true;
    default: return false;
  }
}

class Evaluation {
 public:
  Evaluation(const std::vector<FileIndexPart>& parts, std::int64_t row_count) : parts_(parts), row_count_(row_count) {}

  Rows Select(const Predicate& condition) const {
    switch (condition.op()) {
      case Op::kAnd: return All(condition.children());
      case Op::kOr: return Any(condition.children());
      case Op::kTrue: return std::optional<Roaring>();
      case Op::kFalse: return std::optional(Roaring());
      default: return Leaf(condition);
    }
  }

 private:
  Rows All(const std::vector<PredicatePtr>& children) const {
    std::optional<Roaring> all;
    for (const PredicatePtr& child : children) {
      BRAID_TRY_ASSIGN(std::optional<Roaring> rows, Select(*child));
      Narrow(all, std::move(rows));
      if (all && all->isEmpty()) break;
    }
    return all;
  }

  Rows Any(const std::vector<PredicatePtr>& children) const {
    Roaring any;
    for (const PredicatePtr& child : children) {
      BRAID_TRY_ASSIGN(const std::optional<Roaring> rows, Select(*child));
      if (!rows) return std::optional<Roaring>();
      any |= *rows;
    }
    return std::optional(std::move(any));
  }

  Rows Leaf(const Predicate& leaf) const {
    std::optional<Roaring> all;
    for (const FileIndexPart& part : parts_) {
      if (part.column != leaf.column()) continue;
      BRAID_TRY_ASSIGN(std::optional<Roaring> rows,
                       Ask(part, leaf).Context(fmt::format("in the {} index of column '{}'", part.kind, part.column)));
      Narrow(all, std::move(rows));
      if (all && all->isEmpty()) break;
    }
    return all;
  }

  Rows Ask(const FileIndexPart& part, const Predicate& leaf) const {
    if (!part.body) return NeedsAValue(leaf.op()) ? std::optional(Roaring()) : std::nullopt;
    const IndexKind* kind = FindIndexKind(part.kind);
    if (kind == nullptr || !kind->takes(leaf.type())) return std::optional<Roaring>();
    BRAID_TRY_ASSIGN(const auto index, kind->open(*part.body, leaf.type(), row_count_));
    return index->Select(leaf);
  }

  static void Narrow(std::optional<Roaring>& all, std::optional<Roaring> rows) {
    if (!rows) return;
    if (all) {
      *all &= *rows;
    } else {
      all = std::move(rows);
    }
  }

  const std::vector<FileIndexPart>& parts_;
  std::int64_t row_count_;
};

// Parts of one column, which stand together.
std::span<const FileIndexPart> FirstColumn(std::span<const FileIndexPart> parts) {
  std::size_t count = 1;
  while (count < parts.size() && parts[count].column == parts.front().column) ++count;
  return parts.first(count);
}

// The head behind its fixed part; bodies begin `head_bytes` into the container.
Result<std::string> EncodeColumns(std::span<const FileIndexPart> parts, std::size_t head_bytes) {
  std::string columns;
  std::int32_t column_count = 0;
  std::size_t at = head_bytes;
  for (std::span<const FileIndexPart> rest = parts; !rest.empty(); ++column_count) {
    const std::span<const FileIndexPart> column = FirstColumn(rest);
    BRAID_TRY(AppendText(column.front().column, columns));
    AppendBigEndian(static_cast<std::int32_t>(column.size()), columns);
    for (const FileIndexPart& part : column) {
      BRAID_TRY(AppendText(part.kind, columns));
      AppendBigEndian(part.body ? static_cast<std::int32_t>(at) : kEmpty, columns);
      AppendBigEndian(static_cast<std::int32_t>(part.body ? part.body->size() : 0), columns);
      at += part.body ? part.body->size() : 0;
    }
    rest = rest.subspan(column.size());
  }
  if (at > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    return Error(ErrorCode::kInvalidArgument, "the indexes of one data file take more than 2 GB");
  }
  std::string head;
  AppendBigEndian(column_count, head);
  head += columns;
  AppendBigEndian(std::int32_t{0}, head);  // bytes that a later version may add
  return head;
}

Error Damaged(const char* what) { return Error(ErrorCode::kCorruption, std::string("a file index ") + what); }

Result<std::optional<std::string>> BodyAt(std::string_view bytes, std::int32_t start, std::int32_t length) {
  if (start == kEmpty) return std::optional<std::string>();
  BigEndianReader in(bytes);
  BRAID_TRY(in.Take(start));
  BRAID_TRY_ASSIGN(const std::string_view body, in.Take(length));
  return std::optional(std::string(body));
}

}  // namespace

Result<std::string> EncodeFileIndex(std::span<const FileIndexPart> parts) {
  BRAID_TRY_ASSIGN(const std::string unplaced, EncodeColumns(parts, 0));
  const std::size_t head_bytes = kFixedHeadBytes + unplaced.size();
  BRAID_TRY_ASSIGN(const std::string columns, EncodeColumns(parts, head_bytes));
  std::string bytes;
  AppendBigEndian(kMagic, bytes);
  AppendBigEndian(kVersion, bytes);
  AppendBigEndian(static_cast<std::int32_t>(head_bytes), bytes);
  bytes += columns;
  for (const FileIndexPart& part : parts) bytes += part.body.value_or("");
  return bytes;
}

Result<std::vector<FileIndexPart>> ParseFileIndexParts(std::string_view bytes) {
  BigEndianReader in(bytes);
  BRAID_TRY_ASSIGN(const auto magic, in.Read<std::int64_t>());
  if (magic != kMagic) return Damaged("does not begin as one");
  BRAID_TRY_ASSIGN(const auto version, in.Read<std::int32_t>());
  if (version != kVersion) {
    return Error(ErrorCode::kUnsupported, fmt::format("a file index has format version {}; this program reads {}", version, kVersion))
        .Hint("read the table with 'file-index.read.enabled'='false'");
  }
  BRAID_TRY(in.Read<std::int32_t>());  // the head's length
  BRAID_TRY_ASSIGN(const auto column_count, in.Read<std::int32_t>());
  std::vector<FileIndexPart> parts;
  std::size_t body_bytes = 0;
  for (std::int32_t i = 0; i < column_count; ++i) {
    BRAID_TRY_ASSIGN(const std::string column, in.ReadText());
    BRAID_TRY_ASSIGN(const auto part_count, in.Read<std::int32_t>());
    for (std::int32_t j = 0; j < part_count; ++j) {
      BRAID_TRY_ASSIGN(std::string kind, in.ReadText());
      BRAID_TRY_ASSIGN(const auto start, in.Read<std::int32_t>());
      BRAID_TRY_ASSIGN(const auto length, in.Read<std::int32_t>());
      BRAID_TRY_ASSIGN(std::optional<std::string> body, BodyAt(bytes, start, length));
      body_bytes += body ? body->size() : 0;
      if (body_bytes > bytes.size()) return Damaged("has indexes that lie over each other");
      parts.push_back({.column = column, .kind = std::move(kind), .body = std::move(body)});
    }
  }
  return parts;
}

Result<FileIndex> FileIndex::Parse(std::string_view bytes) {
  BRAID_TRY_ASSIGN(std::vector<FileIndexPart> parts, ParseFileIndexParts(bytes));
  return FileIndex(std::move(parts));
}

Result<std::optional<RowSelection>> FileIndex::Select(const Predicate& condition, std::int64_t row_count) const {
  // Positions are Java's ints.
  if (row_count > std::numeric_limits<std::int32_t>::max()) return std::optional<RowSelection>();
  BRAID_TRY_ASSIGN(std::optional<Roaring> rows, Evaluation(parts_, row_count).Select(condition));
  if (!rows) return std::optional<RowSelection>();
  return std::optional(RowSelection(std::make_shared<const RowSelection::Rows>(RowSelection::Rows{*std::move(rows)})));
}

}  // namespace braid
