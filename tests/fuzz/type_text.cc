// Data types, filters and patterns as text (types/), which schemas, options and commands hold.

#include <vector>

#include "fuzz/fuzz_target.h"
#include "types/data_type.h"
#include "types/like_pattern.h"
#include "types/local_time.h"
#include "types/predicate.h"
#include "base/options.h"

using namespace braid;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  static const std::vector<DataField> kFields = {
      {FieldId(0), "a", DataType::Int(), {}, {}},        {FieldId(1), "s", DataType::String(), {}, {}},
      {FieldId(2), "d", DataType::Date(), {}, {}},       {FieldId(3), "n", DataType::Decimal(10, 2), {}, {}},
      {FieldId(4), "t", DataType::Timestamp(6), {}, {}}, {FieldId(5), "f", DataType::Double(), {}, {}}};
  switch (input.Choose(4)) {
    case 0: {
      const auto type = ParseDataType(input.rest());
      if (!fuzz::IsRead(type)) return 0;
      const auto again = ParseDataType(type->ToString());
      fuzz::Require(again.has_value() && *again == *type, "a type printed and read again is another: " + type->ToString());
      return 0;
    }
    case 1: {
      const auto filter = ParseFilter(input.rest(), kFields);
      if (!fuzz::IsRead(filter)) return 0;
      static_cast<void>((*filter)->ToString());
      const std::vector<Datum> row = {7, "some text", 19782, Decimal{125}, Timestamp{1'700'000'000'000, 5000}, 0.5};
      static_cast<void>((*filter)->Test(kFields, row));
      static_cast<void>((*filter)->Test(kFields, std::vector<Datum>(kFields.size())));
      return 0;
    }
    case 2: {
      const std::size_t pattern_bytes = input.Choose(256);
      const auto pattern = LikePattern::Parse(input.rest().substr(0, pattern_bytes));
      if (pattern && pattern_bytes < input.rest().size()) static_cast<void>(pattern->Matches(input.rest().substr(pattern_bytes)));
      return 0;
    }
    default:
      fuzz::IsRead(ParseLocalTime(input.rest()));
      fuzz::IsRead(ParseMemorySize(input.rest()));
      fuzz::IsRead(ParseDuration(input.rest()));
      return 0;
  }
}
