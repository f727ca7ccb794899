// Values of every type as text (types/cast.h): partition folders, default values, columns of text files.

#include <vector>

#include "fuzz/fuzz_target.h"
#include "types/cast.h"
#include "types/data_type.h"
#include "types/row_json.h"

using namespace braid;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<DataType> kTypes = {
      DataType::Boolean(),     DataType::TinyInt(),        DataType::SmallInt(),      DataType::Int(),           DataType::BigInt(),
      DataType::Float(),       DataType::Double(),         DataType::Decimal(10, 2),  DataType::Decimal(38, 38), DataType::Char(4),
      DataType::VarChar(5),    DataType::String(),         DataType::Binary(3),       DataType::Bytes(),         DataType::Date(),
      DataType::Time(3),       DataType::Timestamp(0),     DataType::Timestamp(9),    DataType::TimestampLtz(6),
      DataType::Array(DataType::Int()), DataType::Map(DataType::String(), DataType::Double()),
      DataType::Row({{FieldId(0), "x", DataType::Int(), {}, {}}, {FieldId(1), "y", DataType::String(), {}, {}}})};
  fuzz::Input input(data, size);
  const DataType& from = kTypes[input.Choose(kTypes.size())];
  const DataType& to = kTypes[input.Choose(kTypes.size())];
  const auto value = ParseDatum(input.rest(), from);
  if (!fuzz::IsRead(value)) return 0;
  const std::string text = FormatDatum(*value, from);
  std::string json;
  AppendDatumJson(*value, from, json);
  static_cast<void>(CastDatum(*value, from, to));
  // What was read and printed is read as the same value; printing it gives the same text. Not so dates: like Java, their text
  // has four digits of the year, odd ones before the year 0.
  if (from.is_nested() || value->is_null() || from.is_timestamp() || from.kind() == TypeKind::kDate) return 0;
  const auto again = ParseDatum(text, from);
  fuzz::Require(again.has_value(), "a printed value cannot be read: " + from.ToString() + " " + text);
  fuzz::Require(FormatDatum(*again, from) == text, "a printed value is read as another: " + from.ToString() + " " + text);
  return 0;
}
