#include "table/writable.h"

#include <string>

#include <fmt/format.h>

#include "base/text.h"

namespace braid {

Status CheckWritable(const Table& table) {
  const auto unsupported = [&](std::string_view feature) {
    return Error(ErrorCode::kUnsupported, fmt::format("{} has {}, which this version reads but does not write", table.name(), feature))
        .Hint("write it with Flink or Spark; docs/compatibility.md shows what is supported");
  };
  for (const char* option : {"primary-key.nullable", "blob-as-descriptor"}) {
    BRAID_TRY_ASSIGN(const bool enabled, table.options().GetBool(option, false));
    if (enabled) return unsupported(fmt::format("'{}'='true'", option));
  }
  for (const char* option :
       {"global-index.external-path", "blob-descriptor-field", "blob-view-field", "blob-external-storage-field"}) {
    if (table.options().Has(option)) return unsupported(fmt::format("the option '{}'", option));
  }
  for (const std::string& name : Split(table.options().Get("blob-field", ""), ',')) {
    const DataField* field = table.schema().FindColumn(Trim(name));
    if (field != nullptr && field->type.kind() != TypeKind::kBlob) return unsupported(fmt::format("'blob-field'='{}', which is no BLOB column", name));
  }
  // A producer of a newer version: its readers would wait for changes that nobody writes.
  const std::string producer = ToLower(table.options().Get("changelog-producer", "none"));
  if (producer != "none" && producer != "input" && producer != "lookup" && producer != "full-compaction") {
    return unsupported(fmt::format("'changelog-producer'='{}'", producer));
  }
  const std::string type = table.options().Get("type", "table");
  if (type != "table" && type != "materialized-table") return unsupported(fmt::format("'type'='{}'", type));
  return Ok();
}

}  // namespace braid
