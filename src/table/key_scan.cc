#include "table/key_scan.h"

#include <arrow/record_batch.h>

#include "types/binary_row.h"

namespace braid {

ReadRequest RequestOfKeys(const Table& table) {
  ReadRequest request;
  request.projection.emplace();
  for (const DataField& key : table.schema().TrimmedPrimaryKeyFields()) request.projection->push_back(key.name);
  return request;
}

Status ForEachKey(const Table& table, const std::vector<DataSplit>& splits,
                  const std::function<Status(const DataSplit& split, std::string_view key)>& use) {
  const ReadRequest request = RequestOfKeys(table);
  std::vector<DataType> types;
  for (const DataField& key : table.schema().TrimmedPrimaryKeyFields()) types.push_back(key.type);
  for (const DataSplit& split : splits) {
    BRAID_TRY_ASSIGN(const auto reader, ReadSplit(table, split, request));
    for (;;) {
      BRAID_TRY_ASSIGN(const std::optional<Batch> batch, reader->Next());
      if (!batch) break;
      BinaryRowEncoder encoder(types, batch->rows->columns());
      for (std::int64_t row = 0; row < batch->row_count(); ++row) BRAID_TRY(use(split, encoder.Encode(row)));
    }
  }
  return Ok();
}

}  // namespace braid
