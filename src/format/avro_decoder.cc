#include "format/avro_decoder.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/buffer_builder.h>
#include <arrow/builder.h>
#include <arrow/util/decimal.h>
#include <fmt/format.h>

#include "types/batch.h"
#include "types/buffer_pool.h"

namespace braid {
namespace {

Error OutOfMemory(const arrow::Status& status) {
  return Error(ErrorCode::kUnavailable, fmt::format("cannot hold the values of a batch: {}", status.message()));
}

/// A value's type without its union, and the union's branches.
struct Resolved {
  std::int32_t node = 0;
  std::int64_t null_branch = -1;
  std::int64_t value_branch = -1;  // -1: no union
};

std::optional<Resolved> Resolve(const AvroSchema& schema, std::int32_t node) {
  const AvroNode& type = schema.node(node);
  if (type.kind != AvroKind::kUnion) return Resolved{.node = node};
  if (type.children.size() > 2) return std::nullopt;
  Resolved resolved;
  for (std::size_t i = 0; i < type.children.size(); ++i) {
    const auto branch = static_cast<std::int64_t>(i);
    if (schema.node(type.children[i]).kind == AvroKind::kNull) {
      resolved.null_branch = branch;
    } else {
      resolved.node = type.children[i];
      resolved.value_branch = branch;
    }
  }
  return resolved.value_branch < 0 ? std::nullopt : std::optional(resolved);
}

/// Handles the union; the rest reads values that are there.
class NullableDecoder : public AvroDecoder {
 public:
  explicit NullableDecoder(const Resolved& resolved) : resolved_(resolved) {}

  void Read(AvroCursor& cursor) final {
    if (resolved_.value_branch >= 0) {
      const std::int64_t branch = cursor.Long();
      if (branch == resolved_.null_branch) return AppendNull();
      if (branch != resolved_.value_branch) return cursor.Fail("a union has no such branch");
    }
    ReadValue(cursor);
  }

 protected:
  virtual void ReadValue(AvroCursor& cursor) = 0;

  /// Remembers the first failure of a builder; Finish reports it.
  void Check(const arrow::Status& status) {
    if (!status.ok() && status_.ok()) status_ = status;
  }
  const arrow::Status& status() const { return status_; }

 private:
  Resolved resolved_;
  arrow::Status status_;
};

/// A leaf, built by one of Arrow's builders. Get reads the value from the cursor.
template <typename Builder, typename Get>
class LeafDecoder : public NullableDecoder {
 public:
  LeafDecoder(const Resolved& resolved, const DataType& type, Get get)
      : NullableDecoder(resolved), builder_(ToArrowType(type), BufferPool()), get_(std::move(get)) {}

  void AppendNull() override { Check(builder_.AppendNull()); }
  Result<std::shared_ptr<arrow::Array>> Finish() override {
    std::shared_ptr<arrow::Array> result;
    Check(builder_.Finish(&result));
    if (!status().ok()) return OutOfMemory(status());
    return result;
  }

 protected:
  void ReadValue(AvroCursor& cursor) override { Check(builder_.Append(get_(cursor))); }

 private:
  Builder builder_;
  Get get_;
};

template <typename Builder, typename Get>
std::unique_ptr<AvroDecoder> MakeLeaf(const Resolved& resolved, const DataType& type, Get get) {
  return std::make_unique<LeafDecoder<Builder, Get>>(resolved, type, std::move(get));
}

/// What all columns with children share.
class ParentDecoder : public NullableDecoder {
 public:
  ParentDecoder(const Resolved& resolved, const DataType& type) : NullableDecoder(resolved), type_(type) {}

 protected:
  void AppendValidity(bool valid) { Check(validity_.Append(valid)); }

  /// The array of the values so far with these buffers behind the validity, and children.
  Result<std::shared_ptr<arrow::Array>> Build(std::vector<std::shared_ptr<arrow::Buffer>> buffers,
                                              arrow::ArrayDataVector children) {
    const std::int64_t length = validity_.length();
    const std::int64_t null_count = validity_.false_count();
    arrow::Result<std::shared_ptr<arrow::Buffer>> bitmap = validity_.Finish();
    if (!bitmap.ok()) return OutOfMemory(bitmap.status());
    if (!status().ok()) return OutOfMemory(status());
    buffers.insert(buffers.begin(), null_count == 0 ? nullptr : std::move(bitmap).ValueUnsafe());
    return arrow::MakeArray(
        arrow::ArrayData::Make(ToArrowType(type_), length, std::move(buffers), std::move(children), null_count));
  }
  const DataType& type() const { return type_; }

 private:
  DataType type_;
  arrow::TypedBufferBuilder<bool> validity_;
};

/// ARRAY and VECTOR, and MAP and MULTISET in both of their forms: what differs is how an item is read.
class ItemsDecoder : public ParentDecoder {
 public:
  /// `items` has the element, or key and value. With `text_keys` the file has Avro's map.
  ItemsDecoder(const Resolved& resolved, const DataType& type, std::vector<std::unique_ptr<AvroDecoder>> items)
      : ParentDecoder(resolved, type), items_(std::move(items)) {
    Check(offsets_.Append(0));
  }

  void AppendNull() override { EndItems(false); }

  Result<std::shared_ptr<arrow::Array>> Finish() override {
    arrow::ArrayDataVector children;
    for (const std::unique_ptr<AvroDecoder>& item : items_) {
      BRAID_TRY_ASSIGN(const std::shared_ptr<arrow::Array> child, item->Finish());
      children.push_back(child->data());
    }
    if (items_.size() == 2) {
      if (children.front()->GetNullCount() > 0) return Error(ErrorCode::kCorruption, "a map has a NULL key");
      const std::shared_ptr<arrow::DataType> map = ToArrowType(type());
      const std::shared_ptr<arrow::DataType> pair = static_cast<const arrow::MapType&>(*map).value_type();
      children = {arrow::ArrayData::Make(pair, count_, {nullptr}, std::move(children), 0)};
    }
    arrow::Result<std::shared_ptr<arrow::Buffer>> offsets = offsets_.Finish();
    if (!offsets.ok()) return OutOfMemory(offsets.status());
    count_ = 0;
    Check(offsets_.Append(0));
    return Build({std::move(offsets).ValueUnsafe()}, std::move(children));
  }

 protected:
  void ReadValue(AvroCursor& cursor) override {
    while (const std::size_t count = cursor.ItemCount()) {
      for (std::size_t i = 0; i < count && cursor.ok(); ++i) {
        for (const std::unique_ptr<AvroDecoder>& item : items_) item->Read(cursor);
        ++count_;
      }
    }
    EndItems(true);
  }

 private:
  void EndItems(bool valid) {
    if (count_ > std::numeric_limits<std::int32_t>::max()) Check(arrow::Status::CapacityError("too many items"));
    Check(offsets_.Append(static_cast<std::int32_t>(count_)));
    AppendValidity(valid);
  }

  std::vector<std::unique_ptr<AvroDecoder>> items_;
  arrow::TypedBufferBuilder<std::int32_t> offsets_;
  std::int64_t count_ = 0;
};

class RowDecoder : public ParentDecoder {
 public:
  /// One step a field of the writer's record; `column` says which field of the type it is, or is null to pass over it.
  struct Step {
    std::int32_t node = 0;
    AvroDecoder* column = nullptr;  // one of columns_
  };
  RowDecoder(const Resolved& resolved, const DataType& type, const AvroSchema& schema, std::vector<Step> steps,
             std::vector<std::unique_ptr<AvroDecoder>> columns)
      : ParentDecoder(resolved, type), schema_(schema), steps_(std::move(steps)), columns_(std::move(columns)) {}

  void AppendNull() override {
    for (const std::unique_ptr<AvroDecoder>& column : columns_) column->AppendNull();
    AppendValidity(false);
  }
  Result<std::shared_ptr<arrow::Array>> Finish() override {
    arrow::ArrayDataVector children;
    for (const std::unique_ptr<AvroDecoder>& column : columns_) {
      BRAID_TRY_ASSIGN(const std::shared_ptr<arrow::Array> child, column->Finish());
      children.push_back(child->data());
    }
    return Build({}, std::move(children));
  }

 protected:
  void ReadValue(AvroCursor& cursor) override {
    for (const Step& step : steps_) {
      if (step.column != nullptr) {
        step.column->Read(cursor);
      } else {
        cursor.Skip(schema_, step.node);
      }
    }
    AppendValidity(true);
  }

 private:
  const AvroSchema& schema_;  // the reader's, outlives its decoders
  std::vector<Step> steps_;
  std::vector<std::unique_ptr<AvroDecoder>> columns_;
};

/// Makes the decoder of one column.
class DecoderMaker {
 public:
  DecoderMaker(std::string column, const AvroSchema& schema) : column_(std::move(column)), schema_(schema) {}

  Result<std::unique_ptr<AvroDecoder>> Make(std::int32_t node, const DataType& type) const {
    const std::optional<Resolved> resolved = Resolve(schema_, node);
    if (!resolved) return Mismatch(schema_.node(node), type);
    const AvroNode& stored = schema_.node(resolved->node);
    switch (type.kind()) {
      case TypeKind::kArray:
      case TypeKind::kVector: {
        if (stored.kind != AvroKind::kArray) return Mismatch(stored, type);
        std::vector<std::unique_ptr<AvroDecoder>> items(1);
        BRAID_TRY_ASSIGN(items[0], Make(stored.children[0], type.element()));
        return std::make_unique<ItemsDecoder>(*resolved, type, std::move(items));
      }
      case TypeKind::kMap: return MakeMap(*resolved, type, type.key(), type.element());
      case TypeKind::kMultiset: return MakeMap(*resolved, type, type.element(), DataType::Int().NotNull());
      case TypeKind::kRow: return MakeRow(*resolved, type);
      case TypeKind::kVariant: return Mismatch(stored, type);
      default: return MakeLeafOf(*resolved, stored, type);
    }
  }

 private:
  Error Mismatch(const AvroNode& stored, const DataType& type) const {
    return Error(ErrorCode::kCorruption, fmt::format("column {} is stored as {}, which cannot be read as {}", column_,
                                                     AvroKindName(stored.kind), type.ToString()));
  }

  Result<std::unique_ptr<AvroDecoder>> MakeMap(const Resolved& resolved, const DataType& type, const DataType& key,
                                               const DataType& value) const {
    const AvroNode& stored = schema_.node(resolved.node);
    std::vector<std::unique_ptr<AvroDecoder>> items(2);
    if (stored.kind == AvroKind::kMap && key.is_text()) {
      items[0] = MakeLeaf<arrow::StringBuilder>(Resolved{}, key, [](AvroCursor& cursor) { return cursor.Bytes(); });
      BRAID_TRY_ASSIGN(items[1], Make(stored.children[0], value));
    } else {
      if (stored.kind != AvroKind::kArray) return Mismatch(stored, type);
      const AvroNode& pair = schema_.node(stored.children[0]);
      if (pair.kind != AvroKind::kRecord || pair.children.size() != 2) return Mismatch(stored, type);
      BRAID_TRY_ASSIGN(items[0], Make(pair.children[0], key));
      BRAID_TRY_ASSIGN(items[1], Make(pair.children[1], value));
    }
    return std::make_unique<ItemsDecoder>(resolved, type, std::move(items));
  }

  Result<std::unique_ptr<AvroDecoder>> MakeRow(const Resolved& resolved, const DataType& type) const {
    const AvroNode& stored = schema_.node(resolved.node);
    if (stored.kind != AvroKind::kRecord) return Mismatch(stored, type);
    std::vector<RowDecoder::Step> steps(stored.children.size());
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i].node = stored.children[i];
    std::vector<std::unique_ptr<AvroDecoder>> columns;
    for (const DataField& field : type.fields()) {
      const DecoderMaker child(fmt::format("{}.{}", column_, field.name), schema_);
      const auto found = std::ranges::find(stored.names, field.name);
      if (found == stored.names.end()) {
        return Error(ErrorCode::kCorruption, fmt::format("column {} is missing", child.column_));
      }
      RowDecoder::Step& step = steps[static_cast<std::size_t>(found - stored.names.begin())];
      BRAID_TRY_ASSIGN(std::unique_ptr<AvroDecoder> column, child.Make(step.node, field.type));
      step.column = column.get();
      columns.push_back(std::move(column));
    }
    return std::make_unique<RowDecoder>(resolved, type, schema_, std::move(steps), std::move(columns));
  }

  template <typename Builder>
  static std::unique_ptr<AvroDecoder> MakeInteger(const Resolved& resolved, const DataType& type) {
    using Value = typename Builder::value_type;
    return MakeLeaf<Builder>(resolved, type, [](AvroCursor& cursor) {
      const std::int64_t value = cursor.Long();
      if (!std::in_range<Value>(value)) cursor.Fail("an integer does not fit its column");
      return static_cast<Value>(value);
    });
  }

  Result<std::unique_ptr<AvroDecoder>> MakeLeafOf(const Resolved& resolved, const AvroNode& stored,
                                                  const DataType& type) const {
    const bool integer = stored.kind == AvroKind::kInt || stored.kind == AvroKind::kLong;
    const bool bytes = stored.kind == AvroKind::kBytes || stored.kind == AvroKind::kString;
    switch (type.kind()) {
      case TypeKind::kBoolean:
        if (stored.kind != AvroKind::kBoolean) break;
        return MakeLeaf<arrow::BooleanBuilder>(resolved, type, [](AvroCursor& cursor) { return cursor.Boolean(); });
      case TypeKind::kTinyInt:
        if (integer) return MakeInteger<arrow::Int8Builder>(resolved, type);
        break;
      case TypeKind::kSmallInt:
        if (integer) return MakeInteger<arrow::Int16Builder>(resolved, type);
        break;
      case TypeKind::kInt:
        if (integer) return MakeInteger<arrow::Int32Builder>(resolved, type);
        break;
      case TypeKind::kBigInt:
        if (integer) return MakeInteger<arrow::Int64Builder>(resolved, type);
        break;
      case TypeKind::kDate:
        if (integer) return MakeInteger<arrow::Date32Builder>(resolved, type);
        break;
      case TypeKind::kTime:
        if (stored.kind == AvroKind::kInt) return MakeInteger<arrow::Time32Builder>(resolved, type);
        break;
      case TypeKind::kFloat:
        if (stored.kind != AvroKind::kFloat) break;
        return MakeLeaf<arrow::FloatBuilder>(resolved, type, [](AvroCursor& cursor) { return cursor.Float(); });
      case TypeKind::kDouble:
        if (stored.kind != AvroKind::kDouble) break;
        return MakeLeaf<arrow::DoubleBuilder>(resolved, type, [](AvroCursor& cursor) { return cursor.Double(); });
      case TypeKind::kChar:
      case TypeKind::kVarChar:
        if (!bytes) break;
        return MakeLeaf<arrow::StringBuilder>(resolved, type, [](AvroCursor& cursor) { return cursor.Bytes(); });
      case TypeKind::kBinary:
      case TypeKind::kVarBinary:
      case TypeKind::kBlob:
        if (!bytes) break;
        return MakeLeaf<arrow::BinaryBuilder>(resolved, type, [](AvroCursor& cursor) { return cursor.Bytes(); });
      case TypeKind::kDecimal:
        if (stored.kind != AvroKind::kBytes || stored.scale != type.scale()) break;
        return MakeDecimal(resolved, type);
      case TypeKind::kTimestamp:
      case TypeKind::kTimestampLtz:
        if (stored.kind == AvroKind::kLong && type.precision() <= 6) return MakeTimestamp(resolved, stored, type);
        break;
      default: break;
    }
    return Mismatch(stored, type);
  }

  static std::unique_ptr<AvroDecoder> MakeDecimal(const Resolved& resolved, const DataType& type) {
    const int precision = type.precision();
    return MakeLeaf<arrow::Decimal128Builder>(resolved, type, [precision](AvroCursor& cursor) {
      const std::string_view bytes = cursor.Bytes();
      const auto value =
          arrow::Decimal128::FromBigEndian(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                           static_cast<std::int32_t>(std::min<std::size_t>(bytes.size(), 99)));
      if (!cursor.ok()) return arrow::Decimal128();
      if (!value.ok() || !value->FitsInPrecision(precision)) {
        cursor.Fail("a decimal does not fit its column");
        return arrow::Decimal128();
      }
      return *value;
    });
  }

  static std::unique_ptr<AvroDecoder> MakeTimestamp(const Resolved& resolved, const AvroNode& stored,
                                                    const DataType& type) {
    const bool wants_millis = type.precision() <= 3;
    const bool has_millis = stored.logical_type.ends_with("-millis");
    const bool has_micros = stored.logical_type.ends_with("-micros");
    if (wants_millis && has_micros) {
      return MakeLeaf<arrow::TimestampBuilder>(resolved, type, [](AvroCursor& cursor) {
        const std::int64_t value = cursor.Long();
        return value / 1000 - (value % 1000 < 0 ? 1 : 0);
      });
    }
    if (!wants_millis && has_millis) {
      return MakeLeaf<arrow::TimestampBuilder>(resolved, type, [](AvroCursor& cursor) {
        const std::int64_t value = cursor.Long();
        std::int64_t micros = 0;
        if (__builtin_mul_overflow(value, std::int64_t{1000}, &micros))
          cursor.Fail("a timestamp does not fit its column");
        return micros;
      });
    }
    return MakeLeaf<arrow::TimestampBuilder>(resolved, type, [](AvroCursor& cursor) { return cursor.Long(); });
  }

  std::string column_;
  const AvroSchema& schema_;
};

}  // namespace

Result<std::unique_ptr<AvroDecoder>> AvroDecoder::Make(std::string_view column, const AvroSchema& schema,
                                                       std::int32_t node, const DataType& type) {
  return DecoderMaker(std::string(column), schema).Make(node, type);
}

}  // namespace braid
