#pragma once

// Random tables for the model test: columns, keys and what decides the rows; options that must not; values and filters.
// Include only from tests.

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "table/table_model_testing.h"

namespace braid {

/// Draws what a table is and what is written to it. The same seed draws the same.
class TableShapes {
 public:
  explicit TableShapes(unsigned seed) : random_(seed) {}

  int Below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random_); }
  bool Chance(int percent) { return Below(100) < percent; }
  template <typename T>
  const T& Pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(Below(static_cast<int>(from.size())))];
  }

  TableShape Shape() {
    TableShape shape;
    if (Chance(60))
      shape.primary_keys = Chance(30) ? std::vector<std::string>{"k", "k2"} : std::vector<std::string>{"k"};
    shape.columns.emplace_back("k", Pick(KeyTypes()));
    shape.columns.emplace_back("k2", Pick(KeyTypes()));
    for (int i = 0; i < Below(3); ++i) {
      const std::string name = "p" + std::to_string(i);
      shape.columns.emplace_back(name, Pick(PartitionTypes()));
      shape.partition_keys.push_back(name);
      if (shape.has_key()) shape.primary_keys.push_back(name);
    }
    const int values = 1 + Below(5);
    for (int i = 0; i < values; ++i) shape.columns.emplace_back("v" + std::to_string(i), AnyType(2));
    std::shuffle(shape.columns.begin(), shape.columns.end(), random_);
    if (shape.has_key()) AddMergeEngine(shape);
    return shape;
  }

  /// Options that leave the rows as they are.
  Options::Map FreeOptions(const TableShape& shape) {
    Options::Map options;
    const std::string format = Pick<std::string>({"parquet", "orc", "avro"});
    options["file.format"] = format;
    options["file.compression"] = Pick<std::string>({"zstd", "snappy"});
    options["target-file-size"] = Pick<std::string>({"1 kb", "3 kb", "128 mb"});
    options["manifest.merge-min-count"] = std::to_string(2 + Below(5));
    options["manifest.target-file-size"] = Pick<std::string>({"1 kb", "8 mb"});
    options["manifest.format"] = Chance(80) ? "avro" : Pick<std::string>({"orc", "parquet"});
    options["metadata.stats-mode"] = Pick<std::string>({"none", "counts", "truncate(2)", "truncate(16)", "full"});
    if (Chance(40)) AddFileIndex(shape, options);
    if (Chance(40))
      options["snapshot.num-retained.min"] = options["snapshot.num-retained.max"] = std::to_string(1 + Below(5));
    shape.has_key() ? AddKeyOptions(shape, options) : AddAppendOptions(options);
    return options;
  }

  Datum Value(const DataType& type) {
    if (type.nullable() && Chance(12)) return Datum();
    switch (type.kind()) {
      case TypeKind::kBoolean: return Datum(Chance(50));
      case TypeKind::kTinyInt: return Pick<int>({-128, -1, 0, 1, 2, 127});
      case TypeKind::kSmallInt: return Pick<int>({-32768, -1, 0, 1, 2, 300, 32767});
      case TypeKind::kInt: return Chance(90) ? Datum(Below(8)) : Datum(Pick<int>({-2147483648, 2147483647}));
      case TypeKind::kBigInt: return Chance(90) ? Datum(Below(8)) : Datum(std::int64_t{1} << (33 + Below(30)));
      case TypeKind::kFloat:
        return Datum(Pick<float>({-1.5F, 0.0F, 2.25F, 3.0e20F, std::numeric_limits<float>::infinity()}));
      case TypeKind::kDouble:
        return Datum(Pick<double>({-1.5, 0.0, -0.0, 2.25, 1e300, std::numeric_limits<double>::quiet_NaN()}));
      case TypeKind::kDecimal: return Datum(Decimal{.unscaled = Below(19) - 9});
      case TypeKind::kChar:
      case TypeKind::kVarChar: return Text();
      case TypeKind::kBinary:
      case TypeKind::kVarBinary:
        return Datum(std::string(static_cast<std::size_t>(Below(4)), static_cast<char>(Below(256))));
      case TypeKind::kDate: return Pick<int>({-719162, -1, 0, 19000, 19001});
      case TypeKind::kTime: return Pick<int>({0, 1000, 86399000});
      case TypeKind::kTimestamp:
      case TypeKind::kTimestampLtz: return Time(type.precision());
      case TypeKind::kArray: {
        DatumList list;
        for (int i = Below(4); i > 0; --i) list.push_back(Value(type.element()));
        return Datum(std::move(list));
      }
      case TypeKind::kMap: {
        DatumList entries;
        for (int i = 0; i < Below(3); ++i) {
          DatumList entry;
          entry.emplace_back("key" + std::to_string(i));
          entry.push_back(Value(type.element()));
          entries.emplace_back(std::move(entry));
        }
        return Datum(std::move(entries));
      }
      default: {
        DatumList fields;
        for (const DataField& field : type.fields()) fields.push_back(Value(field.type));
        return Datum(std::move(fields));
      }
    }
  }

  /// A value of a column as it is written: keys and aggregated columns draw from fewer.
  Datum ValueOf(const TableShape& shape, const DataField& field) {
    const bool is_summed = shape.functions.contains(field.name) && shape.functions.at(field.name) == "sum";
    if (is_summed) return Chance(15) ? Datum() : Datum(Below(9) - 4);
    return Value(field.type);
  }

  /// A condition on some columns; nullptr if there is none to test.
  PredicatePtr Filter(const std::vector<DataField>& fields, int depth = 2) {
    if (depth > 0 && Chance(45)) {
      std::vector<PredicatePtr> children;
      for (int i = 0; i < 2; ++i) {
        if (PredicatePtr child = Filter(fields, depth - 1)) children.push_back(std::move(child));
      }
      if (children.empty()) return nullptr;
      return Chance(50) ? Predicate::And(std::move(children)) : Predicate::Or(std::move(children));
    }
    const DataField& field = Pick(fields);
    using Op = Predicate::Op;
    if (field.type.is_nested()) return nullptr;
    if (Chance(15)) return Predicate::Leaf(Chance(50) ? Op::kIsNull : Op::kIsNotNull, field.name, field.type);
    const DataType type = field.type.NotNull();
    if (field.type.is_text() && Chance(20))
      return Predicate::Leaf(Op::kStartsWith, field.name, field.type, {Datum(Pick<std::string>({"a", "ab", "z", ""}))});
    if (Chance(20))
      return Predicate::Leaf(Chance(70) ? Op::kIn : Op::kNotIn, field.name, field.type,
                             {Value(type), Value(type), Value(type)});
    if (Chance(10)) {
      Datum low = Value(type);
      Datum high = Value(type);
      if (CompareDatums(high, low) < 0) std::swap(low, high);
      return Predicate::Leaf(Op::kBetween, field.name, field.type, {std::move(low), std::move(high)});
    }
    const Op op = Pick<Op>(
        {Op::kEqual, Op::kEqual, Op::kNotEqual, Op::kLess, Op::kLessOrEqual, Op::kGreater, Op::kGreaterOrEqual});
    return Predicate::Leaf(op, field.name, field.type, {Value(type)});
  }

  /// Any type of a column; nested ones up to a depth.
  DataType AnyType(int depth) {
    if (depth > 0 && Chance(25)) {
      switch (Below(3)) {
        case 0: return DataType::Array(AnyType(depth - 1));
        case 1: return DataType::Map(DataType::String().NotNull(), AnyType(depth - 1));
        default:
          return DataType::Row(
              {{.id = FieldId(0), .name = "a", .type = AnyType(depth - 1), .description = {}, .default_value = {}},
               {.id = FieldId(0), .name = "b", .type = AnyType(0), .description = {}, .default_value = {}}});
      }
    }
    const std::vector<DataType> types = {
        DataType::Boolean(),     DataType::TinyInt(),       DataType::SmallInt(),     DataType::Int(),
        DataType::Int(),         DataType::BigInt(),        DataType::Float(),        DataType::Double(),
        DataType::Decimal(5, 2), DataType::Decimal(15, 3),  DataType::Decimal(30, 4), DataType::VarChar(20),
        DataType::String(),      DataType::String(),        DataType::VarBinary(9),   DataType::Bytes(),
        DataType::Date(),        DataType::Time(3),         DataType::Timestamp(0),   DataType::Timestamp(3),
        DataType::Timestamp(6),  DataType::TimestampLtz(3), DataType::TimestampLtz(6)};
    return Pick(types);
  }

  /// A type that holds all values of another and more; the same if none is wider.
  DataType Wider(const DataType& type) {
    const DataType wider = [&] {
      switch (type.kind()) {
        case TypeKind::kTinyInt: return Pick<DataType>({DataType::SmallInt(), DataType::Int(), DataType::BigInt()});
        case TypeKind::kSmallInt: return Pick<DataType>({DataType::Int(), DataType::BigInt()});
        case TypeKind::kInt: return DataType::BigInt();
        case TypeKind::kFloat: return DataType::Double();
        case TypeKind::kDecimal: return DataType::Decimal(type.precision() + 3, type.scale());
        case TypeKind::kVarChar: return DataType::String();
        case TypeKind::kVarBinary: return DataType::Bytes();
        default: return type;
      }
    }();
    return wider.WithNullability(type.nullable());
  }

 private:
  static std::vector<DataType> KeyTypes() {
    return {DataType::Int(),      DataType::BigInt(),      DataType::String(),    DataType::Date(),
            DataType::SmallInt(), DataType::Decimal(5, 2), DataType::Timestamp(3)};
  }
  static std::vector<DataType> PartitionTypes() {
    return {DataType::Int(), DataType::String(), DataType::Date(), DataType::Boolean(), DataType::BigInt()};
  }

  void AddMergeEngine(TableShape& shape) {
    shape.merge_engine =
        Pick<std::string>({"deduplicate", "deduplicate", "first-row", "partial-update", "aggregation"});
    shape.ignores_deletes = Chance(shape.merge_engine == "deduplicate" ? 20 : 50);
    std::vector<std::string> numbers;
    for (auto& [name, type] : shape.columns) {
      if (!name.starts_with("v")) continue;
      if (shape.merge_engine == "aggregation") shape.functions[name] = Function(type);
      if (type.kind() == TypeKind::kInt || type.kind() == TypeKind::kBigInt || type.kind() == TypeKind::kDate)
        numbers.push_back(name);
    }
    if (shape.merge_engine == "deduplicate" && !numbers.empty() && Chance(50)) shape.sequence_field = Pick(numbers);
  }

  std::string Function(const DataType& type) {
    std::vector<std::string> functions = {"last_value", "last_non_null_value", "first_value"};
    const auto add = [&](std::initializer_list<const char*> more) {
      functions.insert(functions.end(), more.begin(), more.end());
    };
    if (type.kind() == TypeKind::kInt || type.kind() == TypeKind::kBigInt) add({"sum", "sum", "max", "min"});
    if (type.is_text()) add({"listagg", "max", "min"});
    if (type.kind() == TypeKind::kBoolean) add({"bool_and", "bool_or"});
    if (type.kind() == TypeKind::kDate || type.is_timestamp() || type.kind() == TypeKind::kDecimal) add({"max", "min"});
    if (type.kind() == TypeKind::kVarChar && type.length() < 100) std::erase(functions, "listagg");
    return Pick(functions);
  }

  void AddFileIndex(const TableShape& shape, Options::Map& options) {
    std::vector<std::string> columns;
    for (const auto& [name, type] : shape.columns) {
      const bool is_indexed = type.is_integer() || type.is_text() || type.kind() == TypeKind::kDate;
      if (is_indexed && !name.starts_with("p")) columns.push_back(name);
    }
    if (columns.empty()) return;
    options["file-index." + Pick<std::string>({"bloom-filter", "bitmap", "range-bitmap"}) + ".columns"] = Pick(columns);
    options["file-index.in-manifest-threshold"] = Pick<std::string>({"0 b", "500 b"});
  }

  void AddKeyOptions(const TableShape& shape, Options::Map& options) {
    options["bucket"] = Pick<std::string>({"1", "2", "3", "-1", "-1", "-2"});
    if (options["bucket"] == "-1") options["dynamic-bucket.target-row-num"] = std::to_string(2 + Below(20));
    const bool first_row = shape.merge_engine == "first-row";
    options["changelog-producer"] = first_row
                                        ? Pick<std::string>({"none", "lookup"})
                                        : Pick<std::string>({"none", "none", "input", "lookup", "full-compaction"});
    options["num-sorted-run.compaction-trigger"] = std::to_string(2 + Below(4));
    options["num-levels"] = std::to_string(2 + Below(4));
    if (Chance(20)) options["data-file.thin-mode"] = "true";
    const bool vectors = !first_row && Chance(30);
    if (vectors) AddDeletionVectors(options);
    if (vectors && options["changelog-producer"] == "input") options["changelog-producer"] = "none";
    if (Chance(15)) options["file.format.per.level"] = "0:avro,1:" + options["file.format"];
    if (!first_row && !vectors && Chance(30)) options["write-only"] = "true";
  }

  void AddAppendOptions(Options::Map& options) {
    options["bucket"] = Pick<std::string>({"-1", "-1", "1", "3"});
    if (options["bucket"] != "-1") options["bucket-key"] = "k";
    if (options["bucket"] == "-1" && Chance(40)) options["row-tracking.enabled"] = "true";
    if (Chance(40)) AddDeletionVectors(options);
    options["compaction.min.file-num"] = std::to_string(2 + Below(3));
  }

  void AddDeletionVectors(Options::Map& options) {
    options["deletion-vectors.enabled"] = "true";
    if (Chance(50)) options["deletion-vectors.bitmap64"] = "true";
  }

  Datum Text() {
    if (Chance(8)) return Datum(std::string(static_cast<std::size_t>(Below(20)), 'q'));
    return Datum(Pick<std::string>({"", "a", "ab", "abc", "b", "z%/=", "\xC3\xA9", "\xF0\x9F\x8C\x8D"}));
  }

  Datum Time(int precision) {
    Timestamp time{.millis = Pick<std::int64_t>({-86'400'000, 0, 1'715'681'730'000, 1'715'681'731'000}),
                   .nanos_of_milli = 0};
    if (time.millis < 0) return Datum(time);  // ORC files take no fractions of a second before 1970
    if (precision >= 3) time.millis += Below(3);
    if (precision >= 6) time.nanos_of_milli = Below(3) * 1000;
    return Datum(time);
  }

  std::mt19937 random_;
};

}  // namespace braid
