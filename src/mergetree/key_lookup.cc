#include <utility>

#include <arrow/record_batch.h>

#include "mergetree/key_lookup_internal.h"

namespace braid {
namespace {

/// The greatest key of each file, encoded.
Result<EncodedKeys> EncodeMaxKeys(const KeyEncoder& encoder, const std::vector<DataFileMeta>& files,
                                  const std::vector<DataField>& key_fields) {
  std::vector<DataType> types;
  for (const DataField& field : key_fields) types.push_back(field.type);
  std::vector<std::vector<Datum>> values(key_fields.size());
  for (const DataFileMeta& file : files) {
    BRAID_TRY_ASSIGN(DatumList key, file.max_key.ToDatums(types));
    for (std::size_t i = 0; i < key.size(); ++i) values[i].push_back(std::move(key[i]));
  }
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (std::size_t i = 0; i < key_fields.size(); ++i) {
    BRAID_TRY_ASSIGN(std::shared_ptr<arrow::Array> column, MakeColumn(values[i], types[i]));
    columns.push_back(std::move(column));
  }
  return encoder.Encode(columns, static_cast<std::int64_t>(files.size()));
}

}  // namespace

Result<std::unique_ptr<KeyLookup>> KeyLookup::Make(KeyValueSchema schema, std::vector<LevelRun> levels,
                                                   KeyValueReaderFactory& readers, const BucketDeletions& deletions) {
  BRAID_TRY_ASSIGN(KeyEncoder encoder, KeyEncoder::Make(schema.key_fields));
  std::unique_ptr<KeyLookup> lookup(new KeyLookup(std::move(schema), std::move(encoder), readers, deletions));
  for (LevelRun& level : levels) {
    Cursor cursor;
    cursor.level = level.level;
    cursor.files = level.run.files();
    BRAID_TRY_ASSIGN(cursor.max_keys, EncodeMaxKeys(lookup->encoder_, cursor.files, lookup->schema_.key_fields));
    lookup->cursors_.push_back(std::move(cursor));
  }
  return lookup;
}

int KeyLookup::Compare(const EncodedKeys& a, std::int64_t row_a, const EncodedKeys& b, std::int64_t row_b) const {
  if (a.prefix(row_a) != b.prefix(row_b)) return a.prefix(row_a) < b.prefix(row_b) ? -1 : 1;
  return encoder_.whole() ? 0 : a.bytes(row_a).compare(b.bytes(row_b));
}

Result<std::optional<LookupHit>> KeyLookup::Find(const EncodedKeys& keys, std::int64_t row) {
  for (Cursor& cursor : cursors_) {
    BRAID_TRY_ASSIGN(const bool found, Seek(cursor, keys, row));
    if (!found) continue;
    LookupHit hit{cursor.batch, cursor.row};
    const auto deleted = deletions_.find(*hit.batch->origin.file);
    if (deleted != deletions_.end() && deleted->second.Contains(hit.position())) continue;
    return std::optional(std::move(hit));
  }
  return std::optional<LookupHit>();
}

Result<bool> KeyLookup::Seek(Cursor& cursor, const EncodedKeys& keys, std::int64_t row) {
  while (cursor.file < cursor.files.size()) {
    if (Compare(cursor.max_keys, static_cast<std::int64_t>(cursor.file), keys, row) < 0) {
      cursor.reader.reset();
      cursor.batch.reset();
      ++cursor.file;
      continue;
    }
    if (cursor.batch == nullptr) {
      BRAID_TRY(NextBatch(cursor));
      if (cursor.batch == nullptr) ++cursor.file;  // its rows have all been passed
      continue;
    }
    const EncodedKeys& batch_keys = cursor.batch->keys;
    const auto rows = static_cast<std::int32_t>(cursor.batch->batch.row_count());
    if (Compare(batch_keys, rows - 1, keys, row) < 0) {
      cursor.batch.reset();
      continue;
    }
    // The key lies in this batch: double the step, then halve it.
    std::int32_t low = cursor.row;
    std::int32_t step = 1;
    while (low + step < rows && Compare(batch_keys, low + step - 1, keys, row) < 0) {
      low += step;
      step *= 2;
    }
    std::int32_t high = std::min(low + step, rows);
    while (low < high) {
      const std::int32_t middle = low + (high - low) / 2;
      if (Compare(batch_keys, middle, keys, row) < 0)
        low = middle + 1;
      else
        high = middle;
    }
    cursor.row = low;
    return low < rows && Compare(batch_keys, low, keys, row) == 0;
  }
  return false;
}

Status KeyLookup::NextBatch(Cursor& cursor) {
  if (cursor.reader == nullptr) {
    BRAID_TRY_ASSIGN(cursor.reader, readers_.OpenAllRows(cursor.files[cursor.file], schema_));
  }
  while (true) {
    BRAID_TRY_ASSIGN(std::optional<Batch> batch, cursor.reader->Next());
    if (!batch) {
      cursor.reader.reset();
      return Ok();
    }
    if (batch->row_count() == 0) continue;
    auto loaded = std::make_shared<LookupBatch>();
    BRAID_TRY_ASSIGN(loaded->keys,
                     encoder_.Encode(std::span(batch->rows->columns()).first(schema_.key_count()), batch->row_count()));
    loaded->origin = {.level = cursor.level,
                      .file = std::make_shared<const std::string>(cursor.files[cursor.file].file_name),
                      .first_row = cursor.reader->first_row_of_last_batch()};
    loaded->batch = *std::move(batch);
    cursor.batch = std::move(loaded);
    cursor.row = 0;
    return Ok();
  }
}

}  // namespace braid
