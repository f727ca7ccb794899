#include "format/parquet_int96.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type_traits.h>
#include <fmt/format.h>
#include <parquet/level_conversion.h>

#include "format/arrow_io.h"
#include "types/batch.h"
#include "types/buffer_pool.h"

namespace braid {
namespace {

constexpr std::int64_t kMillisPerDay = 86'400'000;
constexpr std::int64_t kNanosPerMilli = 1'000'000;
constexpr std::int64_t kJulianDayOfEpoch = 2'440'588;

/// Spec data.md §2.3: nanoseconds of the day may be negative.
Timestamp FromInt96(const parquet::Int96& value) {
  std::int64_t nano_of_day = 0;
  std::memcpy(&nano_of_day, value.value.data(), sizeof(nano_of_day));
  const std::int64_t day = static_cast<std::int64_t>(value.value[2]) - kJulianDayOfEpoch;
  std::int64_t milli = nano_of_day / kNanosPerMilli;
  std::int64_t nano = nano_of_day % kNanosPerMilli;
  if (nano < 0) {
    --milli;
    nano += kNanosPerMilli;
  }
  return {day * kMillisPerDay + milli, static_cast<std::int32_t>(nano)};
}

/// Rebuilds an array, putting wide timestamps in the place of its INT96 leaves.
class LeafReplacer {
 public:
  using Leaves = std::vector<std::shared_ptr<parquet::internal::RecordReader>>;
  LeafReplacer(const Leaves& leaves, std::string_view path) : leaves_(leaves), path_(path) {}

  Result<std::shared_ptr<arrow::ArrayData>> Replace(const std::shared_ptr<arrow::ArrayData>& data) {
    if (data->child_data.empty()) {
      const std::size_t leaf = next_leaf_++;
      if (leaf >= leaves_.size())
        return Error(ErrorCode::kInternal, "a Parquet column has more leaves than its schema says");
      return leaves_[leaf] == nullptr ? data : ReplaceLeaf(*data, *leaves_[leaf]);
    }
    std::shared_ptr<arrow::ArrayData> result = data->Copy();
    for (std::shared_ptr<arrow::ArrayData>& child : result->child_data) {
      BRAID_TRY_ASSIGN(child, Replace(child));
    }
    result->type = TypeWithChildren(*data->type, result->child_data);
    return result;
  }

 private:
  static std::shared_ptr<arrow::DataType> TypeWithChildren(
      const arrow::DataType& type, const std::vector<std::shared_ptr<arrow::ArrayData>>& children) {
    arrow::FieldVector fields;
    for (int i = 0; i < type.num_fields(); ++i) {
      fields.push_back(type.field(i)->WithType(children[static_cast<std::size_t>(i)]->type));
    }
    switch (type.id()) {
      case arrow::Type::STRUCT: return arrow::struct_(fields);
      case arrow::Type::MAP: {
        const auto& pair = static_cast<const arrow::StructType&>(*fields[0]->type());
        return arrow::map(pair.field(0)->type(), pair.field(1));
      }
      case arrow::Type::LARGE_LIST: return arrow::large_list(fields[0]);
      default: return arrow::list(fields[0]);
    }
  }

  /// Both readers leave the same gaps for NULLs, so slots go together one by one.
  Result<std::shared_ptr<arrow::ArrayData>> ReplaceLeaf(const arrow::ArrayData& data,
                                                        parquet::internal::RecordReader& reader) {
    const std::shared_ptr<arrow::Array> slots = arrow::MakeArray(data.Copy());
    if (slots->length() != reader.values_written()) {
      return Error(ErrorCode::kInternal, fmt::format("the INT96 values of {} do not go with their levels", path_));
    }
    const auto* raw = reinterpret_cast<const parquet::Int96*>(reader.values());
    BRAID_ARROW_TRY_ASSIGN(
        std::shared_ptr<arrow::Buffer> millis,
        arrow::AllocateBuffer(slots->length() * static_cast<std::int64_t>(sizeof(std::int64_t)), BufferPool()),
        ArrowTask::kReading, path_);
    BRAID_ARROW_TRY_ASSIGN(
        std::shared_ptr<arrow::Buffer> nanos,
        arrow::AllocateBuffer(slots->length() * static_cast<std::int64_t>(sizeof(std::int32_t)), BufferPool()),
        ArrowTask::kReading, path_);
    auto* millis_out = millis->mutable_data_as<std::int64_t>();
    auto* nanos_out = nanos->mutable_data_as<std::int32_t>();
    for (std::int64_t i = 0; i < slots->length(); ++i) {
      const Timestamp value = slots->IsValid(i) ? FromInt96(raw[i]) : Timestamp{};
      millis_out[i] = value.millis;
      nanos_out[i] = value.nanos_of_milli;
    }
    const std::int64_t count = slots->length();
    if (data.offset != 0) return Error(ErrorCode::kInternal, fmt::format("a leaf of {} came as a slice", path_));
    return arrow::ArrayData::Make(ToArrowType(DataType::Timestamp(9)), count, {data.buffers[0]},
                                  {arrow::ArrayData::Make(arrow::int64(), count, {nullptr, std::move(millis)}, 0),
                                   arrow::ArrayData::Make(arrow::int32(), count, {nullptr, std::move(nanos)}, 0)},
                                  slots->null_count());
  }

  const Leaves& leaves_;
  std::string_view path_;
  std::size_t next_leaf_ = 0;
};

}  // namespace

bool HasInt96(const parquet::SchemaDescriptor& schema, const std::vector<int>& leaf_indices) {
  return std::ranges::any_of(
      leaf_indices, [&schema](int leaf) { return schema.Column(leaf)->physical_type() == parquet::Type::INT96; });
}

arrow::Result<std::unique_ptr<Int96ColumnReader>> Int96ColumnReader::Open(parquet::arrow::FileReader& reader,
                                                                          int row_group,
                                                                          const std::vector<int>& leaf_indices,
                                                                          std::string path) {
  auto result = std::unique_ptr<Int96ColumnReader>(new Int96ColumnReader(std::move(path)));
  ARROW_ASSIGN_OR_RAISE(result->structure_, reader.GetRecordBatchReader({row_group}, leaf_indices));
  const std::shared_ptr<parquet::RowGroupReader> group = reader.parquet_reader()->RowGroup(row_group);
  for (const int leaf : leaf_indices) {
    const parquet::ColumnDescriptor* column = reader.parquet_reader()->metadata()->schema()->Column(leaf);
    std::shared_ptr<parquet::internal::RecordReader> values;
    if (column->physical_type() == parquet::Type::INT96) {
      values = parquet::internal::RecordReader::Make(column, parquet::internal::LevelInfo::ComputeLevelInfo(column),
                                                     BufferPool());
      values->SetPageReader(group->GetColumnPageReader(leaf));
    }
    result->leaves_.push_back(std::move(values));
  }
  return result;
}

Result<std::shared_ptr<arrow::Array>> Int96ColumnReader::NextPiece() {
  std::shared_ptr<arrow::RecordBatch> batch;
  BRAID_ARROW_TRY(structure_->ReadNext(&batch), ArrowTask::kReading, path());
  if (batch == nullptr || batch->num_rows() == 0) return std::shared_ptr<arrow::Array>();
  for (const std::shared_ptr<parquet::internal::RecordReader>& leaf : leaves_) {
    if (leaf == nullptr) continue;
    leaf->Reset();
    leaf->ReadRecords(batch->num_rows());
  }
  LeafReplacer replacer(leaves_, path());
  BRAID_TRY_ASSIGN(const std::shared_ptr<arrow::ArrayData> data, replacer.Replace(batch->column_data(0)));
  return arrow::MakeArray(data);
}

}  // namespace braid
