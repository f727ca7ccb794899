// File indexes (format/file_index.h): the container, and an index of each kind alone on a column of each type.

#include <vector>

#include "format/file_index.h"
#include "fuzz/fuzz_target.h"

using namespace braid;

namespace {

using Op = Predicate::Op;

struct Column {
  DataType type;
  std::vector<Datum> literals;
};

const std::vector<Column>& Columns() {
  static const std::vector<Column> columns = {{DataType::Int(), {3, 7}},
                                              {DataType::String(), {"c1", "s7"}},
                                              {DataType::BigInt(), {-7, 3}},
                                              {DataType::Boolean(), {false, true}},
                                              {DataType::Double(), {-0.0, 1.5}},
                                              {DataType::Timestamp(6), {Timestamp{0, 0}, Timestamp{1'700'000'000'000, 1000}}},
                                              {DataType::Decimal(10, 2), {Decimal{-1}, Decimal{125}}},
                                              {DataType::TinyInt(), {-1, 5}},
                                              {DataType::Bytes(), {"x", "yy"}}};
  return columns;
}

void Ask(const FileIndex& index, const std::string& name, const Column& column, std::int64_t row_count) {
  const auto leaf = [&](Op op, std::vector<Datum> literals) {
    return Predicate::Leaf(op, name, column.type, std::move(literals));
  };
  const Datum& low = column.literals[0];
  const Datum& high = column.literals[1];
  for (const PredicatePtr& condition :
       {leaf(Op::kEqual, {low}), leaf(Op::kIn, {low, high, Datum()}), leaf(Op::kNotEqual, {high}), leaf(Op::kIsNull, {}),
        leaf(Op::kIsNotNull, {}), leaf(Op::kLess, {high}), leaf(Op::kGreaterOrEqual, {low}), leaf(Op::kBetween, {low, high}),
        leaf(Op::kNotBetween, {low, high})}) {
    const auto rows = index.Select(*condition, row_count);
    if (!fuzz::IsRead(rows) || !*rows) continue;
    fuzz::Require((*rows)->row_count() <= row_count && !(*rows)->Contains(row_count), "an index names rows beyond its file");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::size_t choice = input.Choose(4);
  const Column& column = Columns()[input.Choose(Columns().size())];
  if (choice == 0) {
    // A whole container. The golden files' columns, and whatever names it has.
    const auto parts = ParseFileIndexParts(input.rest());
    if (!fuzz::IsRead(parts)) return 0;
    const auto encoded = EncodeFileIndex(*parts);
    if (fuzz::IsRead(encoded)) {
      const auto again = ParseFileIndexParts(*encoded);
      fuzz::Require(again.has_value() && again->size() == parts->size(), "a container written and read again is another");
    }
    const auto index = FileIndex::Parse(input.rest());
    if (!fuzz::IsRead(index)) return 0;
    std::size_t left = 4;
    for (const FileIndexPart& part : *parts) {
      if (left-- == 0) break;
      Ask(*index, part.column, column, 50);
    }
    return 0;
  }
  static const std::vector<std::string> kKinds = {"bloom-filter", "bitmap", "bsi", "range-bitmap"};
  FileIndexPart part{.column = "c", .kind = kKinds[input.Choose(kKinds.size())], .body = std::string(input.rest())};
  const auto encoded = EncodeFileIndex({&part, 1});
  fuzz::Require(encoded.has_value(), "a container of one index cannot be written");
  const auto index = FileIndex::Parse(*encoded);
  fuzz::Require(index.has_value(), "a container of one index cannot be read");
  Ask(*index, "c", column, 50);
  return 0;
}
