#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "meta/column_edit_internal.h"

namespace braid {
namespace {

// Walks down a path; `depth` parts of it lead to where the walk stands.
class Walk {
 public:
  Walk(const ColumnPath& path, std::size_t end, const TypeEdit& edit) : path_(path), end_(end), edit_(edit) {}

  Result<DataType> Visit(const DataType& type, std::size_t depth) const {
    if (depth == end_) return edit_(type);
    const std::string& step = path_[depth];
    switch (type.kind()) {
      case TypeKind::kRow: {
        std::vector<DataField> fields(type.fields().begin(), type.fields().end());
        BRAID_TRY_ASSIGN(const std::size_t position, FindSibling(fields, step, path_));
        BRAID_TRY_ASSIGN(fields[position].type, Visit(fields[position].type, depth + 1));
        return DataType::Row(std::move(fields)).WithNullability(type.nullable());
      }
      case TypeKind::kArray: {
        BRAID_TRY(Expect("element", step, type));
        BRAID_TRY_ASSIGN(DataType element, Visit(type.element(), depth + 1));
        return DataType::Array(std::move(element)).WithNullability(type.nullable());
      }
      case TypeKind::kMap: {
        BRAID_TRY(Expect("value", step, type));
        BRAID_TRY_ASSIGN(DataType value, Visit(type.element(), depth + 1));
        return DataType::Map(type.key(), std::move(value)).WithNullability(type.nullable());
      }
      default:
        return Error(
            ErrorCode::kInvalidArgument,
            fmt::format("'{}' leads into a column of type {}, which has no fields", PathText(path_), type.ToString()));
    }
  }

 private:
  Status Expect(std::string_view wanted, const std::string& step, const DataType& type) const {
    if (step == wanted) return Ok();
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("'{}' has '{}' where it enters a column of type {}; only '{}' can be changed there",
                             PathText(path_), step, type.ToString(), wanted));
  }

  const ColumnPath& path_;
  const std::size_t end_;
  const TypeEdit& edit_;
};

Status EditAt(std::vector<DataField>& columns, const ColumnPath& path, std::size_t end, const TypeEdit& edit) {
  // A table's columns are the fields of one ROW.
  BRAID_TRY_ASSIGN(const DataType edited, Walk(path, end, edit).Visit(DataType::Row(columns), 0));
  columns.assign(edited.fields().begin(), edited.fields().end());
  return Ok();
}

}  // namespace

std::string PathText(std::span<const std::string> path) {
  return Join(path, ".");
}

Result<std::size_t> FindSibling(const std::vector<DataField>& siblings, const std::string& name,
                                const ColumnPath& path) {
  if (const std::optional<std::size_t> position = FindField(siblings, name)) return *position;
  Error error(ErrorCode::kNotFound, path.size() == 1
                                        ? fmt::format("there is no column '{}'", name)
                                        : fmt::format("there is no column '{}': no field '{}'", PathText(path), name));
  std::vector<std::string> names;
  for (const DataField& field : siblings) names.push_back(field.name);
  const std::optional<std::string> nearest = NearestName(name, names);
  return nearest ? std::move(error).Hint(fmt::format("did you mean '{}'?", *nearest)) : error;
}

Status EditSiblings(std::vector<DataField>& columns, const ColumnPath& path, const FieldsEdit& edit) {
  if (path.empty()) return Error(ErrorCode::kInvalidArgument, "a change must name a column");
  const auto edit_row = [&](const DataType& type) -> Result<DataType> {
    if (type.kind() != TypeKind::kRow) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' lies in a column of type {}, which has no fields",
                                                            PathText(path), type.ToString()));
    }
    std::vector<DataField> fields(type.fields().begin(), type.fields().end());
    BRAID_TRY(edit(fields));
    return DataType::Row(std::move(fields)).WithNullability(type.nullable());
  };
  return EditAt(columns, path, path.size() - 1, edit_row);
}

Status EditType(std::vector<DataField>& columns, const ColumnPath& path, const TypeEdit& edit) {
  if (path.empty()) return Error(ErrorCode::kInvalidArgument, "a change must name a column");
  return EditAt(columns, path, path.size(), edit);
}

}  // namespace braid
