#include "table/writable.h"

#include <string>

#include <fmt/format.h>

#include "base/text.h"
#include "meta/blob_columns.h"

namespace braid {

Status CheckWritable(const Table& table) {
  const auto unsupported = [&](std::string_view feature) {
    return Error(ErrorCode::kUnsupported, fmt::format("{} has {}, which this version reads but does not write", table.name(), feature))
        .Hint("write it with Flink or Spark; docs/compatibility.md shows what is supported");
  };
  BRAID_TRY_ASSIGN(const bool nullable_keys, table.options().GetBool("primary-key.nullable", false));
  if (nullable_keys) return unsupported("'primary-key.nullable'='true'");
  for (const char* option : {"global-index.external-path", "blob-view-field"}) {
    if (table.options().Has(option)) return unsupported(fmt::format("the option '{}'", option));
  }
  for (const std::string& name : BlobFields(table.options())) {
    const DataField* field = table.schema().FindColumn(name);
    if (field != nullptr && field->type.kind() != TypeKind::kBlob) return unsupported(fmt::format("'blob-field'='{}', which is no BLOB column", name));
  }
  // A producer of a newer version: its readers would wait for changes that nobody writes.
  const std::string producer = ToLower(table.options().Get("changelog-producer", "none"));
  if (producer != "none" && producer != "input" && producer != "lookup" && producer != "full-compaction") {
    return unsupported(fmt::format("'changelog-producer'='{}'", producer));
  }
  return Ok();
}

}  // namespace braid
