#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include <arrow/api.h>
#include <arrow/buffer_builder.h>
#include <duckdb/common/types/vector.hpp>
#include <fmt/format.h>

#include "base/result.h"
#include "duck/vectors_internal.h"
#include "types/batch.h"
#include "types/date_time.h"

namespace braid {
namespace {

using duckdb::idx_t;
using Format = duckdb::RecursiveUnifiedVectorFormat;

Error FromArrow(const arrow::Status& status) {
  return Error(status.IsOutOfMemory() ? ErrorCode::kUnavailable : ErrorCode::kInternal,
               fmt::format("cannot collect the rows of a query: {}", status.message()));
}

template <typename T>
Result<std::shared_ptr<arrow::Buffer>> FinishBuffer(arrow::TypedBufferBuilder<T>& builder) {
  arrow::Result<std::shared_ptr<arrow::Buffer>> buffer = builder.Finish();
  if (!buffer.ok()) return FromArrow(buffer.status());
  return *std::move(buffer);
}

#define BRAID_TRY_ARROW(expression)                                                  \
  do {                                                                               \
    if (arrow::Status braid_arrow_status = (expression); !braid_arrow_status.ok()) { \
      return FromArrow(braid_arrow_status);                                          \
    }                                                                                \
  } while (false)

/// The NULLs of a column.
class ValidityCollector {
 public:
  Status Append(const duckdb::UnifiedVectorFormat& format, const RowList& rows) {
    const auto count = static_cast<std::int64_t>(rows.size());
    if (format.validity.AllValid()) {
      BRAID_TRY_ARROW(bits_.Append(count, true));
    } else {
      BRAID_TRY_ARROW(bits_.Reserve(count));
      rows.ForEach(format, [&](idx_t index) { bits_.UnsafeAppend(format.validity.RowIsValidUnsafe(index)); });
    }
    count_ += count;
    return Ok();
  }

  struct Validity {
    std::int64_t count;
    std::int64_t null_count;
    std::shared_ptr<arrow::Buffer> bits;  // null if nothing is NULL
  };
  Result<Validity> Finish() {
    Validity validity{std::exchange(count_, 0), bits_.false_count(), nullptr};
    BRAID_TRY_ASSIGN(validity.bits, FinishBuffer(bits_));
    if (validity.null_count == 0) validity.bits = nullptr;
    return validity;
  }

 private:
  arrow::TypedBufferBuilder<bool> bits_;
  std::int64_t count_ = 0;
};

std::shared_ptr<arrow::Array> MakeArray(const DataType& type, const ValidityCollector::Validity& validity,
                                        std::vector<std::shared_ptr<arrow::Buffer>> buffers,
                                        std::vector<std::shared_ptr<arrow::ArrayData>> children = {}) {
  buffers.insert(buffers.begin(), validity.bits);
  return arrow::MakeArray(arrow::ArrayData::Make(ToArrowType(type), validity.count, std::move(buffers),
                                                 std::move(children), validity.null_count));
}

/// Fixed-width values: `Convert` turns DuckDB's value into Arrow's; NULL rows become zero.
template <typename From, typename To, typename Convert>
class FixedCollector : public ColumnCollector {
 public:
  explicit FixedCollector(DataType type, Convert convert) : type_(std::move(type)), convert_(convert) {}

  Status Append(const Format& format, const RowList& rows) override {
    BRAID_TRY(validity_.Append(format.unified, rows));
    BRAID_TRY_ARROW(values_.Reserve(static_cast<std::int64_t>(rows.size())));
    const From* from = duckdb::UnifiedVectorFormat::GetData<From>(format.unified);
    if (!format.unified.validity.AllValid()) {
      rows.ForEach(format.unified, [&](idx_t index) {
        values_.UnsafeAppend(format.unified.validity.RowIsValidUnsafe(index) ? convert_(from[index]) : To{});
      });
    } else if (std::is_same_v<Convert, std::identity> && rows.IsDense(format.unified)) {
      values_.UnsafeAppend(reinterpret_cast<const To*>(from), static_cast<std::int64_t>(rows.size()));
    } else {
      rows.ForEach(format.unified, [&](idx_t index) { values_.UnsafeAppend(convert_(from[index])); });
    }
    return Ok();
  }

  Result<std::shared_ptr<arrow::Array>> Finish() override {
    BRAID_TRY_ASSIGN(const ValidityCollector::Validity validity, validity_.Finish());
    BRAID_TRY_ASSIGN(std::shared_ptr<arrow::Buffer> values, FinishBuffer(values_));
    return MakeArray(type_, validity, {std::move(values)});
  }

 private:
  DataType type_;
  Convert convert_;
  ValidityCollector validity_;
  arrow::TypedBufferBuilder<To> values_;
};

template <typename From, typename To, typename Convert>
std::unique_ptr<ColumnCollector> MakeFixed(const DataType& type, Convert convert) {
  return std::make_unique<FixedCollector<From, To, Convert>>(type, convert);
}

template <typename T>
std::unique_ptr<ColumnCollector> MakeSame(const DataType& type) {
  return MakeFixed<T, T>(type, std::identity());
}

/// 16 bytes, as Arrow lays decimals out.
struct WideDecimal {
  std::uint64_t low = 0;
  std::int64_t high = 0;
};

template <typename From>
std::unique_ptr<ColumnCollector> MakeNarrowDecimal(const DataType& type) {
  return MakeFixed<From, WideDecimal>(type, [](From value) {
    const std::int64_t wide = value;
    return WideDecimal{static_cast<std::uint64_t>(wide), wide < 0 ? -1 : 0};
  });
}

std::unique_ptr<ColumnCollector> MakeDecimal(const DataType& type) {
  if (type.precision() <= 4) return MakeNarrowDecimal<std::int16_t>(type);
  if (type.precision() <= 9) return MakeNarrowDecimal<std::int32_t>(type);
  if (type.precision() <= 18) return MakeNarrowDecimal<std::int64_t>(type);
  return MakeFixed<duckdb::hugeint_t, WideDecimal>(
      type, [](duckdb::hugeint_t value) { return WideDecimal{value.lower, value.upper}; });
}

class BooleanCollector : public ColumnCollector {
 public:
  Status Append(const Format& format, const RowList& rows) override {
    BRAID_TRY(validity_.Append(format.unified, rows));
    BRAID_TRY_ARROW(values_.Reserve(static_cast<std::int64_t>(rows.size())));
    const bool* from = duckdb::UnifiedVectorFormat::GetData<bool>(format.unified);
    rows.ForEach(format.unified,
                 [&](idx_t index) { values_.UnsafeAppend(format.unified.validity.RowIsValid(index) && from[index]); });
    return Ok();
  }
  Result<std::shared_ptr<arrow::Array>> Finish() override {
    BRAID_TRY_ASSIGN(const ValidityCollector::Validity validity, validity_.Finish());
    BRAID_TRY_ASSIGN(std::shared_ptr<arrow::Buffer> values, FinishBuffer(values_));
    return MakeArray(DataType::Boolean(), validity, {std::move(values)});
  }

 private:
  ValidityCollector validity_;
  arrow::TypedBufferBuilder<bool> values_;
};

/// Lengths of one column of texts or elements stay below 2^31 bytes, since Arrow's offsets are 32 bits wide.
class OffsetCollector {
 public:
  /// Makes room for so many lengths.
  Status Reserve(idx_t count) {
    if (offsets_.length() == 0) BRAID_TRY_ARROW(offsets_.Append(0));
    BRAID_TRY_ARROW(offsets_.Reserve(static_cast<std::int64_t>(count)));
    return Ok();
  }
  /// Precondition: there is room. Offsets too large are found by Check.
  void Append(std::uint64_t length) {
    end_ += length;
    offsets_.UnsafeAppend(static_cast<std::int32_t>(end_));
  }
  Status Check() const {
    if (end_ <= std::uint64_t{2147483647}) return Ok();
    return Error(ErrorCode::kUnsupported, "one batch of a query's rows holds more than 2 GiB in a column")
        .Hint("select shorter values");
  }
  std::uint64_t end() const { return end_; }
  Result<std::shared_ptr<arrow::Buffer>> Finish() {
    end_ = 0;
    BRAID_TRY(Reserve(0));
    return FinishBuffer(offsets_);
  }

 private:
  arrow::TypedBufferBuilder<std::int32_t> offsets_;
  std::uint64_t end_ = 0;
};

class TextCollector : public ColumnCollector {
 public:
  explicit TextCollector(DataType type) : type_(std::move(type)) {}

  Status Append(const Format& format, const RowList& rows) override {
    const duckdb::UnifiedVectorFormat& vector = format.unified;
    BRAID_TRY(validity_.Append(vector, rows));
    BRAID_TRY(offsets_.Reserve(rows.size()));
    const auto* from = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(vector);
    const auto is_valid = [&](idx_t index) { return vector.validity.RowIsValid(index); };
    rows.ForEach(vector, [&](idx_t index) { offsets_.Append(is_valid(index) ? from[index].GetSize() : 0); });
    BRAID_TRY(offsets_.Check());
    BRAID_TRY_ARROW(bytes_.Reserve(static_cast<std::int64_t>(offsets_.end()) - bytes_.length()));
    rows.ForEach(vector, [&](idx_t index) {
      if (is_valid(index)) bytes_.UnsafeAppend(from[index].GetData(), static_cast<std::int64_t>(from[index].GetSize()));
    });
    return Ok();
  }
  std::int64_t text_bytes() const override { return bytes_.length(); }
  Result<std::shared_ptr<arrow::Array>> Finish() override {
    BRAID_TRY_ASSIGN(const ValidityCollector::Validity validity, validity_.Finish());
    BRAID_TRY_ASSIGN(std::shared_ptr<arrow::Buffer> offsets, offsets_.Finish());
    arrow::Result<std::shared_ptr<arrow::Buffer>> bytes = bytes_.Finish();
    if (!bytes.ok()) return FromArrow(bytes.status());
    return MakeArray(type_, validity, {std::move(offsets), *std::move(bytes)});
  }

 private:
  DataType type_;
  ValidityCollector validity_;
  OffsetCollector offsets_;
  arrow::BufferBuilder bytes_;
};

/// TIMESTAMP(7–9), and TIMESTAMP_LTZ of these precisions, whose digits after the microsecond are zero here.
class SplitTimestampCollector : public ColumnCollector {
 public:
  explicit SplitTimestampCollector(DataType type)
      : type_(std::move(type)), per_milli_(type_.kind() == TypeKind::kTimestampLtz ? 1000 : 1'000'000) {}

  Status Append(const Format& format, const RowList& rows) override {
    BRAID_TRY(validity_.Append(format.unified, rows));
    BRAID_TRY_ARROW(millis_.Reserve(static_cast<std::int64_t>(rows.size())));
    BRAID_TRY_ARROW(nanos_.Reserve(static_cast<std::int64_t>(rows.size())));
    const auto* from = duckdb::UnifiedVectorFormat::GetData<std::int64_t>(format.unified);
    rows.ForEach(format.unified, [&](idx_t index) {
      const std::int64_t value = format.unified.validity.RowIsValid(index) ? from[index] : 0;
      const std::int64_t millis = FloorDivide(value, per_milli_);
      millis_.UnsafeAppend(millis);
      nanos_.UnsafeAppend(static_cast<std::int32_t>((value - millis * per_milli_) * (1'000'000 / per_milli_)));
    });
    return Ok();
  }
  Result<std::shared_ptr<arrow::Array>> Finish() override {
    BRAID_TRY_ASSIGN(const ValidityCollector::Validity validity, validity_.Finish());
    BRAID_TRY_ASSIGN(std::shared_ptr<arrow::Buffer> millis, FinishBuffer(millis_));
    BRAID_TRY_ASSIGN(std::shared_ptr<arrow::Buffer> nanos, FinishBuffer(nanos_));
    return MakeArray(type_, validity, {},
                     {arrow::ArrayData::Make(arrow::int64(), validity.count, {nullptr, std::move(millis)}, 0),
                      arrow::ArrayData::Make(arrow::int32(), validity.count, {nullptr, std::move(nanos)}, 0)});
  }

 private:
  DataType type_;
  std::int64_t per_milli_;
  ValidityCollector validity_;
  arrow::TypedBufferBuilder<std::int64_t> millis_;
  arrow::TypedBufferBuilder<std::int32_t> nanos_;
};

std::int64_t TextBytesOf(const std::vector<std::unique_ptr<ColumnCollector>>& parts) {
  std::int64_t bytes = 0;
  for (const auto& part : parts) bytes += part->text_bytes();
  return bytes;
}

/// ARRAY, VECTOR, MAP and MULTISET; the last two have a collector of keys and one of values.
class ListCollector : public ColumnCollector {
 public:
  ListCollector(DataType type, std::vector<std::unique_ptr<ColumnCollector>> parts)
      : type_(std::move(type)), parts_(std::move(parts)) {}

  Status Append(const Format& format, const RowList& rows) override {
    BRAID_TRY(validity_.Append(format.unified, rows));
    BRAID_TRY(offsets_.Reserve(rows.size()));
    const auto* entries = duckdb::UnifiedVectorFormat::GetData<duckdb::list_entry_t>(format.unified);
    std::vector<idx_t> elements;
    rows.ForEach(format.unified, [&](idx_t index) {
      const duckdb::list_entry_t entry =
          format.unified.validity.RowIsValid(index) ? entries[index] : duckdb::list_entry_t(0, 0);
      offsets_.Append(entry.length);
      for (idx_t i = 0; i < entry.length; ++i) elements.push_back(entry.offset + i);
    });
    BRAID_TRY(offsets_.Check());
    element_count_ += static_cast<std::int64_t>(elements.size());
    const Format& child = format.children[0];
    if (parts_.size() == 1) return parts_[0]->Append(child, RowList(elements));
    // A map is a list of structs, whose own selection leads to the fields' rows.
    for (std::size_t i = 0; i < parts_.size(); ++i) BRAID_TRY(parts_[i]->Append(child.children[i], RowList(elements)));
    return Ok();
  }
  std::int64_t text_bytes() const override { return TextBytesOf(parts_); }
  Result<std::shared_ptr<arrow::Array>> Finish() override {
    BRAID_TRY_ASSIGN(const ValidityCollector::Validity validity, validity_.Finish());
    BRAID_TRY_ASSIGN(std::shared_ptr<arrow::Buffer> offsets, offsets_.Finish());
    std::vector<std::shared_ptr<arrow::ArrayData>> children;
    for (const auto& part : parts_) {
      BRAID_TRY_ASSIGN(const std::shared_ptr<arrow::Array> column, part->Finish());
      children.push_back(column->data());
    }
    const std::int64_t count = std::exchange(element_count_, 0);
    if (children.size() == 2 && children[0]->GetNullCount() > 0) {
      return Error(ErrorCode::kUnsupported, "a map in the result has a NULL key, which batches cannot hold")
          .Hint("replace the key with COALESCE");
    }
    if (children.size() == 2) {
      const std::shared_ptr<arrow::DataType> type = ToArrowType(type_);
      children = {arrow::ArrayData::Make(static_cast<const arrow::MapType&>(*type).value_type(), count, {nullptr},
                                         std::move(children), 0)};
    }
    return MakeArray(type_, validity, {std::move(offsets)}, std::move(children));
  }

 private:
  DataType type_;
  std::vector<std::unique_ptr<ColumnCollector>> parts_;
  ValidityCollector validity_;
  OffsetCollector offsets_;
  std::int64_t element_count_ = 0;
};

/// ROW, and VARIANT, which is two BYTES.
class RowCollector : public ColumnCollector {
 public:
  RowCollector(DataType type, std::vector<std::unique_ptr<ColumnCollector>> fields)
      : type_(std::move(type)), fields_(std::move(fields)) {}

  Status Append(const Format& format, const RowList& rows) override {
    BRAID_TRY(validity_.Append(format.unified, rows));
    for (std::size_t i = 0; i < fields_.size(); ++i) BRAID_TRY(fields_[i]->Append(format.children[i], rows));
    return Ok();
  }
  std::int64_t text_bytes() const override { return TextBytesOf(fields_); }
  Result<std::shared_ptr<arrow::Array>> Finish() override {
    BRAID_TRY_ASSIGN(const ValidityCollector::Validity validity, validity_.Finish());
    std::vector<std::shared_ptr<arrow::ArrayData>> children;
    for (const auto& field : fields_) {
      BRAID_TRY_ASSIGN(const std::shared_ptr<arrow::Array> column, field->Finish());
      children.push_back(column->data());
    }
    return MakeArray(type_, validity, {}, std::move(children));
  }

 private:
  DataType type_;
  std::vector<std::unique_ptr<ColumnCollector>> fields_;
  ValidityCollector validity_;
};

Result<std::unique_ptr<ColumnCollector>> MakeNested(const DataType& type) {
  std::vector<DataType> children;
  if (type.kind() == TypeKind::kRow) {
    for (const DataField& field : type.fields()) children.push_back(field.type);
  } else if (type.kind() == TypeKind::kVariant) {
    children = {DataType::Bytes(), DataType::Bytes()};
  } else {
    if (type.kind() == TypeKind::kMap) children.push_back(type.key());
    children.push_back(type.element());
    if (type.kind() == TypeKind::kMultiset) children.push_back(DataType::Int());
  }
  std::vector<std::unique_ptr<ColumnCollector>> collectors;
  for (const DataType& child : children) {
    BRAID_TRY_ASSIGN(std::unique_ptr<ColumnCollector> collector, MakeColumnCollector(child));
    collectors.push_back(std::move(collector));
  }
  if (type.kind() == TypeKind::kRow || type.kind() == TypeKind::kVariant)
    return std::unique_ptr<ColumnCollector>(new RowCollector(type, std::move(collectors)));
  return std::unique_ptr<ColumnCollector>(new ListCollector(type, std::move(collectors)));
}

std::unique_ptr<ColumnCollector> MakeTimestamp(const DataType& type) {
  if (type.precision() > 6) return std::make_unique<SplitTimestampCollector>(type);
  if (type.precision() > 3) return MakeSame<std::int64_t>(type);
  return MakeFixed<std::int64_t, std::int64_t>(type, [](std::int64_t micros) { return FloorDivide(micros, 1000); });
}

}  // namespace

Result<std::unique_ptr<ColumnCollector>> MakeColumnCollector(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kBoolean: return std::unique_ptr<ColumnCollector>(new BooleanCollector());
    case TypeKind::kTinyInt: return MakeSame<std::int8_t>(type);
    case TypeKind::kSmallInt: return MakeSame<std::int16_t>(type);
    case TypeKind::kInt:
    case TypeKind::kDate: return MakeSame<std::int32_t>(type);
    case TypeKind::kBigInt: return MakeSame<std::int64_t>(type);
    case TypeKind::kFloat: return MakeSame<float>(type);
    case TypeKind::kDouble: return MakeSame<double>(type);
    case TypeKind::kDecimal: return MakeDecimal(type);
    case TypeKind::kChar:
    case TypeKind::kVarChar:
    case TypeKind::kBinary:
    case TypeKind::kVarBinary:
    case TypeKind::kBlob: return std::unique_ptr<ColumnCollector>(new TextCollector(type));
    case TypeKind::kTime:
      return MakeFixed<std::int64_t, std::int32_t>(
          type, [](std::int64_t micros) { return static_cast<std::int32_t>(micros / 1000); });
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: return MakeTimestamp(type);
    case TypeKind::kArray:
    case TypeKind::kVector:
    case TypeKind::kMultiset:
    case TypeKind::kMap:
    case TypeKind::kRow:
    case TypeKind::kVariant: return MakeNested(type);
  }
  return Error(ErrorCode::kInternal, fmt::format("no column holds values of type {}", type.ToString()));
}

}  // namespace braid
