// Rows in Paimon's binary layout (types/binary_row.h): partitions, keys and bounds in manifests.

#include <vector>

#include "fuzz/fuzz_target.h"
#include "types/binary_row.h"
#include "types/row_json.h"

using namespace braid;

namespace {

DataField Field(int id, const char* name, DataType type) {
  return {FieldId(id), name, std::move(type), {}, {}};
}

const std::vector<std::vector<DataType>>& Rows() {
  static const DataType text = DataType::String();
  static const std::vector<std::vector<DataType>> rows = {
      {DataType::Int(), text, DataType::Decimal(30, 2), DataType::Timestamp(9), DataType::Array(text),
       DataType::Map(text, DataType::BigInt()), DataType::Boolean(), DataType::Bytes()},
      {text},
      {DataType::Date(), DataType::TinyInt(), DataType::SmallInt(), DataType::Float(), DataType::Double(), DataType::Time(3)},
      {DataType::Row({Field(0, "x", text), Field(1, "y", DataType::Array(DataType::Decimal(38, 0)))}), DataType::Variant()},
      {DataType::Array(DataType::Array(DataType::TinyInt())), DataType::Multiset(text), DataType::Vector(DataType::Float(), 3)},
      {DataType::Array(DataType::Boolean()), DataType::TimestampLtz(3), DataType::Decimal(5, 2), DataType::Char(3)},
      {DataType::Array(DataType::Row({Field(0, "a", DataType::TimestampLtz(9)), Field(1, "b", DataType::Map(text, text))}))},
      {}};
  return rows;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::vector<DataType>& types = Rows()[input.Choose(Rows().size())];
  const auto row = BinaryRow::Deserialize(input.rest());
  if (!fuzz::IsRead(row)) return 0;
  fuzz::Require(row->Serialize() == input.rest(), "a row's bytes are not what it was read from");
  static_cast<void>(row->Hash());
  for (int field = -1; field <= row->arity() && field < 20; ++field) {
    if (field >= 0) static_cast<void>(row->IsNull(field));
    if (!types.empty()) fuzz::IsRead(row->Get(field, types[static_cast<std::size_t>(field + 1) % types.size()]));
  }
  const auto values = row->ToDatums(types);
  if (!fuzz::IsRead(values)) return 0;
  const auto text_of = [&](const DatumList& list) {
    std::string json;
    for (std::size_t i = 0; i < types.size(); ++i) AppendDatumJson(list[i], types[i], json);
    return json;
  };
  const auto again = BinaryRow::Deserialize(BinaryRow::Make(types, *values).Serialize());
  fuzz::Require(again.has_value(), "a row that was made cannot be read");
  const auto same = again->ToDatums(types);
  fuzz::Require(same.has_value() && text_of(*same) == text_of(*values), "a row made of values holds others");
  return 0;
}
