#include "table/row_kind_column.h"

#include <string>
#include <utility>
#include <vector>

#include <arrow/api.h>
#include <fmt/format.h>

#include "base/text.h"

namespace braid {

std::optional<std::size_t> RowKindColumn(const Table& table) {
  const std::optional<std::string> name = table.options().Find("rowkind.field");
  return name ? FindField(table.schema().fields, *name) : std::nullopt;
}

Result<Batch> TakeKindsFromColumn(const Batch& batch, std::size_t column, const Table& table) {
  const DataField& field = table.schema().fields[column];
  const auto invalid = [&](std::string_view text) {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("column '{}' of {} must hold the kind of each row, but holds {}", field.name, table.name(),
                             text))
        .Hint("the kinds are +I, -U, +U and -D; the option 'rowkind.field' chose the column");
  };
  const auto* texts = dynamic_cast<const arrow::StringArray*>(batch.rows->column(static_cast<int>(column)).get());
  if (texts == nullptr) return invalid(field.type.ToString());
  std::vector<std::int8_t> kinds(static_cast<std::size_t>(texts->length()));
  for (std::int64_t row = 0; row < texts->length(); ++row) {
    if (texts->IsNull(row)) return invalid("NULL");
    const std::string text = texts->GetString(row);
    const std::optional<RowKind> kind = ParseRowKind(ToUpper(text));
    if (!kind) return invalid(fmt::format("'{}'", text));
    kinds[static_cast<std::size_t>(row)] = static_cast<std::int8_t>(*kind);
  }
  return Batch{
      .rows = batch.rows,
      .kinds = std::make_shared<arrow::Int8Array>(texts->length(), arrow::Buffer::FromVector(std::move(kinds)))};
}

}  // namespace braid
