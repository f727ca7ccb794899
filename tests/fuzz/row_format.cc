// Records of text files (connectors/row_format.h): CSV, JSON and raw, under several options, and what is written of them.

#include <vector>

#include "connectors/record_reader.h"
#include "connectors/row_format.h"
#include "fuzz/fuzz_target.h"
#include "io/memory_file_system.h"
#include "types/row_json.h"

using namespace braid;

namespace {

DataField Field(int id, const char* name, DataType type) {
  return {FieldId(id), name, std::move(type), {}, {}};
}

struct Format {
  std::vector<DataField> fields;
  std::shared_ptr<const RowFormat> format;
};

std::vector<Format> MakeFormats() {
  const DataType text = DataType::String();
  const std::vector<DataField> flat = {Field(0, "i", DataType::Int()), Field(1, "s", text), Field(2, "d", DataType::Decimal(10, 2)),
                                       Field(3, "t", DataType::TimestampLtz(3)), Field(4, "b", DataType::Bytes()),
                                       Field(5, "a", DataType::Array(DataType::Double()))};
  std::vector<DataField> nested = flat;
  nested.push_back(Field(6, "m", DataType::Map(text, DataType::BigInt())));
  nested.push_back(Field(7, "r", DataType::Row({Field(8, "x", DataType::Date()), Field(9, "y", DataType::Time(3)), Field(10, "z", DataType::Float())})));
  nested.push_back(Field(11, "f", DataType::Boolean()));
  const std::vector<std::pair<std::vector<DataField>, Options::Map>> settings = {
      {flat, {{"format", "csv"}}},
      {flat, {{"format", "csv"}, {"csv.ignore-parse-errors", "true"}, {"csv.escape-character", "\\"}, {"csv.null-literal", "n"}, {"csv.allow-comments", "true"}}},
      {flat, {{"format", "csv"}, {"csv.disable-quote-character", "true"}, {"csv.field-delimiter", "\\t"}}},
      {nested, {{"format", "json"}, {"json.map-null-key.mode", "DROP"}}},
      {nested, {{"format", "json"}, {"json.ignore-parse-errors", "true"}, {"json.timestamp-format.standard", "ISO-8601"}, {"json.map-null-key.mode", "LITERAL"}}},
      {{Field(0, "line", text)}, {{"format", "raw"}}}};
  std::vector<Format> formats;
  for (const auto& [fields, options] : settings) {
    auto format = MakeRowFormat({.fields = fields, .options = Options(options)});
    fuzz::Require(format.has_value(), "the target's own options are refused");
    formats.push_back({fields, *format});
  }
  return formats;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<Format> kFormats = MakeFormats();
  fuzz::Input input(data, size);
  const Format& chosen = kFormats[input.Choose(kFormats.size())];
  MemoryFileSystem fs;
  fuzz::Require(fs.Replace("/rows", input.rest()).has_value(), "memory refuses a file");
  const auto reader = MakeRecordReader(fs, {{"/rows", static_cast<std::int64_t>(input.rest().size())}}, chosen.format);
  const auto batches = ReadAllBatches(*reader);
  if (!fuzz::IsRead(batches)) return 0;
  for (const Batch& batch : *batches) {
    std::string json;
    for (std::int64_t row = 0; row < batch.row_count(); ++row) AppendRowJson(batch, row, chosen.fields, json);
    std::string written;
    if (!fuzz::IsRead(chosen.format->Encode(batch, written))) continue;
  }
  return 0;
}
