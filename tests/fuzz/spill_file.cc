// Sorted rows in local files (mergetree/spill_file_internal.h): written and read again, and with the file damaged.

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <arrow/record_batch.h>
#include <unistd.h>

#include "fuzz/fuzz_target.h"
#include "mergetree/spill_file_internal.h"
#include "types/column_selection.h"
#include "types/row_json.h"

using namespace braid;
namespace files = std::filesystem;

namespace {

DataField Field(int id, const char* name, DataType type) {
  return {FieldId(id), name, std::move(type), {}, {}};
}

KeyValueSchema SchemaOf() {
  KeyValueSchema schema;
  schema.key_fields = {Field(0, "k", DataType::BigInt().NotNull()), Field(1, "t", DataType::String().NotNull())};
  schema.value_fields = schema.key_fields;
  schema.value_fields.push_back(Field(2, "d", DataType::Decimal(20, 2)));
  schema.value_fields.push_back(Field(3, "a", DataType::Array(DataType::String())));
  schema.value_fields.push_back(Field(4, "m", DataType::Map(DataType::String(), DataType::Int())));
  schema.value_fields.push_back(Field(5, "r", DataType::Row({Field(6, "x", DataType::Boolean()), Field(7, "y", DataType::Timestamp(9))})));
  schema.requested_values = schema.value_fields.size();
  return schema;
}

std::vector<Batch> Rows(const KeyValueSchema& schema) {
  std::vector<Batch> batches;
  for (int batch = 0; batch < 3; ++batch) {
    std::vector<DatumList> rows;
    for (int i = 0; i < 40; ++i) {
      const int k = batch * 40 + i;
      DatumList list;
      for (int n = 0; n < i % 3; ++n) list.emplace_back("element " + std::to_string(n));
      DatumList pairs;
      pairs.emplace_back(DatumList{Datum("key"), Datum(k)});
      rows.push_back({k, "text " + std::to_string(k % 7), i % 5 == 0 ? Datum() : Datum(Decimal{k * 100}), Datum(std::move(list)),
                      Datum(std::move(pairs)), i % 4 == 0 ? Datum() : Datum(DatumList{Datum(true), Datum(Timestamp{1'700'000'000'000 + k, 5})})});
    }
    const auto values = MakeBatch(schema.value_fields, rows);
    fuzz::Require(values.has_value(), "rows cannot be made");
    auto numbered = NumberRows(schema, *values, batch * 40);
    fuzz::Require(numbered.has_value(), "rows cannot be numbered");
    batches.push_back(*std::move(numbered));
  }
  return batches;
}

// All that there is to see, so that nothing outside of buffers goes unnoticed.
std::string Print(const KeyValueSchema& schema, const SpillFile& file) {
  std::string text;
  const auto reader = file.Open();
  if (!fuzz::IsRead(reader)) return text;
  for (;;) {
    const auto batch = (*reader)->Next();
    if (!fuzz::IsRead(batch) || !*batch) return text;
    std::vector<int> columns;
    for (std::size_t value = 0; value < schema.value_fields.size(); ++value) columns.push_back(schema.value_column(value));
    const Batch values = TakeColumns(**batch, columns);
    for (std::int64_t row = 0; row < values.row_count(); ++row) {
      text += RowKindName(values.kind(row));
      AppendRowJson(values, row, schema.value_fields, text);
    }
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string kFolder = "/dev/shm/braid-fuzz-spill-" + std::to_string(::getpid());
  static const KeyValueSchema kSchema = SchemaOf();
  static const std::vector<Batch> kRows = Rows(kSchema);
  fuzz::Input input(data, size);
  const char* const codecs[] = {"none", "lz4", "zstd"};
  const SpillCodec codec{.compression = codecs[input.Choose(3)]};
  {
    const auto rows = MakeBatchReader(kRows);
    const auto written = SpillFile::Write(kSchema, kFolder, codec, *rows);
    fuzz::Require(written.has_value(), "rows cannot be spilled");
    const std::string path = files::directory_iterator(kFolder)->path();
    if (input.Choose(64) == 0) {
      const std::string whole = Print(kSchema, **written);
      fuzz::Require(std::count(whole.begin(), whole.end(), '\n') == 0 && whole.size() > 120 * 40, "rows are missing");
    }
    std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
    const std::size_t length = files::file_size(path);
    if (input.Choose(16) == 0) {
      stream << input.rest();
    } else {
      while (input.rest().size() >= 3) {
        const std::size_t offset = input.Choose(256) * 256 + input.Choose(256);
        stream.seekp(static_cast<std::streamoff>(offset % length));
        stream.put(static_cast<char>(input.Choose(256)));
      }
    }
    stream.close();
    static_cast<void>(Print(kSchema, **written));
  }
  fuzz::Require(files::is_empty(kFolder), "a file is left");
  return 0;
}
