#pragma once

// Flink's columns of a Paimon table: those that are stored, and the computed ones and the watermark that Paimon's Flink
// catalog keeps in the table's options ("schema.<position>.expr", "schema.watermark.0.rowtime").

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"
#include "base/result.h"
#include "meta/table_schema.h"
#include "sql/query.h"
#include "syntax/ddl.h"

namespace braid {

struct TableColumn {
  std::string name;
  DataType type;
  std::optional<std::string> expression = std::nullopt;  ///< of a computed column, as SQL
  std::optional<std::string> comment = std::nullopt;
  std::optional<std::string> default_value = std::nullopt;
};

struct TableWatermark {
  std::string column;
  std::string expression;  ///< as SQL
  DataType type;
};

struct TableColumns {
  std::vector<TableColumn> columns;  ///< in the order of CREATE TABLE
  std::optional<TableWatermark> watermark;
  Options options;  ///< the table's, without those that say the above

  bool has_computed() const;
};

/// Reads them from a schema. Computed columns whose options cannot be read are left out.
TableColumns ColumnsOf(const std::vector<DataField>& fields, const Options& options);

/// The options that say the computed columns and the watermark.
Options ColumnOptions(const TableColumns& columns);

/// Whether an option says a computed column or the watermark.
bool IsColumnOption(std::string_view key);

/// What CREATE TABLE says of columns and watermark, types and expressions checked; `fields` are those of a LIKE table,
/// before the statement's own. Defaults are values as text. Errors: kInvalidArgument, kUnsupported (metadata columns),
/// placed.
class SessionState;
Result<TableColumns> AnalyzeColumns(const syntax::CreateTable& statement, TableColumns before, std::string_view text,
                                    SessionState& session);
/// A type, and with it NOT NULL as the definition of a column says. Errors: as for AnalyzeColumns.
Result<DataType> ColumnType(const syntax::TypeName& type, std::string_view text);
/// The DEFAULT of a column as the text that schemas hold.
Result<std::string> DefaultText(const syntax::Expression& value, const DataType& type, std::string_view text,
                                SessionState& session);

/// "SELECT `a`, `a` + 1 AS `b` FROM <table>" with all columns; `table` is SQL.
std::string SelectColumns(const TableColumns& columns, std::string_view table);

}  // namespace braid
