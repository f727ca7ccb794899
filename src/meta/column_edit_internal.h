#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "meta/schema_change.h"
#include "types/data_type.h"

namespace braid {

/// Changes the fields of one level.
using FieldsEdit = std::function<Status(std::vector<DataField>& siblings)>;
/// Changes one type.
using TypeEdit = std::function<Result<DataType>(const DataType& type)>;

/// Lets `edit` change the fields among which the column of this path stands or will stand: the table's columns, or the
/// fields of a ROW. Errors: kNotFound if a step of the path is missing, kInvalidArgument if it leads into no ROW.
Status EditSiblings(std::vector<DataField>& columns, const ColumnPath& path, const FieldsEdit& edit);

/// Lets `edit` change the type at this path, which may end at "element" or "value". Errors: as above.
Status EditType(std::vector<DataField>& columns, const ColumnPath& path, const TypeEdit& edit);

/// The field of that name among its siblings. Errors: kNotFound, whose hint names the nearest; `path` is for the
/// message.
Result<std::size_t> FindSibling(const std::vector<DataField>& siblings, const std::string& name,
                                const ColumnPath& path);

/// "r.x"
std::string PathText(std::span<const std::string> path);

}  // namespace braid
