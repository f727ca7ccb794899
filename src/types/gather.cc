// Rows and columns picked: TakeRows, Interleave, TakeColumns. The type of a column is looked at once a column, not once a
// row.

#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "types/arrow_layout_internal.h"
#include "types/arrow_status_internal.h"
#include "types/batch.h"
#include "types/buffer_pool.h"
#include "types/column_selection.h"

namespace braid {

namespace {

using Columns = std::span<const std::shared_ptr<arrow::Array>>;
using ArrayResult = Result<std::shared_ptr<arrow::Array>>;

/// Which elements to take, in order: positions[i] of column sources[i]; of the only column if there are no sources.
struct Selection {
  std::span<const std::int32_t> sources;
  std::span<const std::int32_t> positions;

  std::int64_t size() const { return static_cast<std::int64_t>(positions.size()); }

  /// Calls body(i, source, position) for each; the loop over one column alone never loads a source.
  template <typename Body>
  void ForEach(const Body& body) const {
    const std::size_t count = positions.size();
    if (sources.empty()) {
      for (std::size_t i = 0; i < count; ++i) body(i, std::size_t{0}, positions[i]);
    } else {
      for (std::size_t i = 0; i < count; ++i) body(i, static_cast<std::size_t>(sources[i]), positions[i]);
    }
  }
};

ArrayResult Gather(Columns columns, const Selection& selection);

Result<std::shared_ptr<arrow::Buffer>> Allocate(std::int64_t bytes) {
  BRAID_TRY_ASSIGN(std::unique_ptr<arrow::Buffer> buffer, CheckArrow(arrow::AllocateBuffer(bytes, BufferPool())));
  return std::shared_ptr<arrow::Buffer>(std::move(buffer));
}

Result<std::shared_ptr<arrow::Buffer>> AllocateBits(std::int64_t count) {
  BRAID_TRY_ASSIGN(std::shared_ptr<arrow::Buffer> buffer, Allocate(arrow::bit_util::BytesForBits(count)));
  std::memset(buffer->mutable_data(), 0, static_cast<std::size_t>(buffer->size()));
  return buffer;
}

/// Bits of the columns, picked. `set_count` is the number of ones.
struct GatheredBits {
  std::shared_ptr<arrow::Buffer> bits;
  std::int64_t set_count = 0;
};

Result<GatheredBits> GatherBits(const std::vector<ValidityBits>& from, const Selection& selection) {
  GatheredBits gathered;
  BRAID_TRY_ASSIGN(gathered.bits, AllocateBits(selection.size()));
  std::uint8_t* out = gathered.bits->mutable_data();
  const ValidityBits* columns = from.data();
  std::int64_t set_count = 0;
  selection.ForEach([=, &set_count](std::size_t i, std::size_t source, std::int32_t position) {
    const auto bit = static_cast<unsigned>(columns[source].Get(position));
    out[i >> 3] = static_cast<std::uint8_t>(out[i >> 3] | (bit << (i & 7)));
    set_count += bit;
  });
  gathered.set_count = set_count;
  return gathered;
}

/// Validity of the picked elements: no buffer if no column has a NULL.
struct Validity {
  std::vector<ValidityBits> columns;
  std::shared_ptr<arrow::Buffer> bits;
  std::int64_t null_count = 0;
};

Result<Validity> GatherValidity(Columns columns, const Selection& selection) {
  Validity validity;
  bool has_nulls = false;
  for (const auto& column : columns) {
    validity.columns.emplace_back(*column);
    has_nulls = has_nulls || validity.columns.back().bits != nullptr;
  }
  if (!has_nulls) return validity;
  BRAID_TRY_ASSIGN(GatheredBits gathered, GatherBits(validity.columns, selection));
  validity.null_count = selection.size() - gathered.set_count;
  if (validity.null_count > 0) validity.bits = std::move(gathered.bits);
  return validity;
}

template <typename T>
std::vector<const T*> RawValuesOf(Columns columns) {
  std::vector<const T*> raw;
  raw.reserve(columns.size());
  for (const auto& column : columns) raw.push_back(RawValues<T>(*column));
  return raw;
}

/// T is any type as wide as the elements.
template <typename T>
ArrayResult GatherFixedWidth(Columns columns, const Selection& selection) {
  BRAID_TRY_ASSIGN(const Validity validity, GatherValidity(columns, selection));
  BRAID_TRY_ASSIGN(std::shared_ptr<arrow::Buffer> values, Allocate(selection.size() * std::int64_t{sizeof(T)}));
  const std::vector<const T*> raw = RawValuesOf<T>(columns);
  const T* const* from = raw.data();
  T* out = reinterpret_cast<T*>(values->mutable_data());
  selection.ForEach([=](std::size_t i, std::size_t source, std::int32_t position) { out[i] = from[source][position]; });
  return arrow::MakeArray(arrow::ArrayData::Make(columns[0]->type(), selection.size(),
                                                 {validity.bits, std::move(values)}, validity.null_count));
}

ArrayResult GatherBooleans(Columns columns, const Selection& selection) {
  BRAID_TRY_ASSIGN(const Validity validity, GatherValidity(columns, selection));
  std::vector<ValidityBits> raw(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto& buffer = columns[i]->data()->buffers[1];
    raw[i].bits = buffer == nullptr ? nullptr : buffer->data();
    raw[i].offset = columns[i]->offset();
  }
  BRAID_TRY_ASSIGN(GatheredBits values, GatherBits(raw, selection));
  return arrow::MakeArray(arrow::ArrayData::Make(columns[0]->type(), selection.size(),
                                                 {validity.bits, std::move(values.bits)}, validity.null_count));
}

/// Offsets of the picked elements, from the lengths of the elements in the columns. NULL elements become empty.
struct GatheredOffsets {
  std::shared_ptr<arrow::Buffer> buffer;
  std::int32_t total = 0;
};

Result<GatheredOffsets> GatherOffsets(const std::vector<const std::int32_t*>& raw, const Validity& validity,
                                      const Selection& selection) {
  GatheredOffsets gathered;
  BRAID_TRY_ASSIGN(gathered.buffer, Allocate((selection.size() + 1) * std::int64_t{sizeof(std::int32_t)}));
  std::int32_t* out = reinterpret_cast<std::int32_t*>(gathered.buffer->mutable_data());
  const std::int32_t* const* from = raw.data();
  std::int64_t total = 0;
  out[0] = 0;
  const auto add = [out, &total](std::size_t i, std::int32_t length) {
    total += length;
    out[i + 1] = static_cast<std::int32_t>(total);
  };
  if (validity.bits == nullptr) {
    selection.ForEach([=](std::size_t i, std::size_t source, std::int32_t position) {
      add(i, from[source][position + 1] - from[source][position]);
    });
  } else {
    const ValidityBits* valid = validity.columns.data();
    selection.ForEach([=](std::size_t i, std::size_t source, std::int32_t position) {
      add(i, valid[source].Get(position) ? from[source][position + 1] - from[source][position] : 0);
    });
  }
  if (total > std::numeric_limits<std::int32_t>::max()) return FromArrow(arrow::Status::CapacityError(""));
  gathered.total = static_cast<std::int32_t>(total);
  return gathered;
}

ArrayResult GatherBytes(Columns columns, const Selection& selection) {
  BRAID_TRY_ASSIGN(const Validity validity, GatherValidity(columns, selection));
  const std::vector<const std::int32_t*> raw = RawValuesOf<std::int32_t>(columns);
  BRAID_TRY_ASSIGN(GatheredOffsets offsets, GatherOffsets(raw, validity, selection));
  BRAID_TRY_ASSIGN(std::shared_ptr<arrow::Buffer> bytes, Allocate(offsets.total));
  std::vector<const std::uint8_t*> raw_bytes;
  for (const auto& column : columns) raw_bytes.push_back(RawBytes(*column));

  std::uint8_t* out = bytes->mutable_data();
  const auto* ends = reinterpret_cast<const std::int32_t*>(offsets.buffer->data());
  const std::int32_t* const* from = raw.data();
  const std::uint8_t* const* from_bytes = raw_bytes.data();
  selection.ForEach([=](std::size_t i, std::size_t source, std::int32_t position) {
    const std::int32_t length = ends[i + 1] - ends[i];
    if (length == 0) return;
    std::memcpy(out + ends[i], from_bytes[source] + from[source][position], static_cast<std::size_t>(length));
  });
  return arrow::MakeArray(arrow::ArrayData::Make(columns[0]->type(), selection.size(),
                                                 {validity.bits, std::move(offsets.buffer), std::move(bytes)},
                                                 validity.null_count));
}

/// Lists and maps, which differ only in what their elements are.
ArrayResult GatherLists(Columns columns, const Selection& selection) {
  BRAID_TRY_ASSIGN(const Validity validity, GatherValidity(columns, selection));
  const std::vector<const std::int32_t*> raw = RawValuesOf<std::int32_t>(columns);
  BRAID_TRY_ASSIGN(GatheredOffsets offsets, GatherOffsets(raw, validity, selection));

  std::vector<std::int32_t> sources;
  std::vector<std::int32_t> positions(static_cast<std::size_t>(offsets.total));
  if (!selection.sources.empty()) sources.resize(positions.size());
  const auto* ends = reinterpret_cast<const std::int32_t*>(offsets.buffer->data());
  selection.ForEach([&](std::size_t i, std::size_t source, std::int32_t position) {
    const auto begin = static_cast<std::size_t>(ends[i]);
    const auto length = static_cast<std::size_t>(ends[i + 1]) - begin;
    if (length == 0) return;
    const std::int32_t first = raw[source][position];
    for (std::size_t j = 0; j < length; ++j) positions[begin + j] = first + static_cast<std::int32_t>(j);
    if (!sources.empty()) std::fill_n(&sources[begin], length, static_cast<std::int32_t>(source));
  });

  std::vector<std::shared_ptr<arrow::Array>> elements;
  for (const auto& column : columns) elements.push_back(arrow::MakeArray(column->data()->child_data[0]));
  BRAID_TRY_ASSIGN(const std::shared_ptr<arrow::Array> child, Gather(elements, {sources, positions}));
  return arrow::MakeArray(arrow::ArrayData::Make(columns[0]->type(), selection.size(),
                                                 {validity.bits, std::move(offsets.buffer)}, {child->data()},
                                                 validity.null_count));
}

ArrayResult GatherStructs(Columns columns, const Selection& selection) {
  BRAID_TRY_ASSIGN(const Validity validity, GatherValidity(columns, selection));
  std::vector<std::shared_ptr<arrow::ArrayData>> children;
  for (int i = 0; i < columns[0]->type()->num_fields(); ++i) {
    std::vector<std::shared_ptr<arrow::Array>> parts;
    for (const auto& column : columns) parts.push_back(static_cast<const arrow::StructArray&>(*column).field(i));
    BRAID_TRY_ASSIGN(const std::shared_ptr<arrow::Array> child, Gather(parts, selection));
    children.push_back(child->data());
  }
  return arrow::MakeArray(arrow::ArrayData::Make(columns[0]->type(), selection.size(), {validity.bits},
                                                 std::move(children), validity.null_count));
}

/// Columns of different types would be read beyond their buffers.
Status CheckSameTypes(Columns columns) {
  const arrow::DataType& first = *columns[0]->type();
  for (const auto& column : columns) {
    const arrow::DataType& type = *column->type();
    if (type.id() == first.id() && type.num_fields() == first.num_fields()) continue;
    return Error(ErrorCode::kInternal,
                 fmt::format("columns of {} and {} cannot be put into one", first.ToString(), type.ToString()));
  }
  return Ok();
}

ArrayResult Gather(Columns columns, const Selection& selection) {
  using Wide = std::array<std::uint64_t, 2>;
  BRAID_TRY(CheckSameTypes(columns));
  // A row that is alone in its batch may be a long one: it is not copied.
  if (selection.size() == 1) {
    const auto& column = columns[selection.sources.empty() ? 0 : static_cast<std::size_t>(selection.sources[0])];
    if (column->length() == 1) return column;
  }
  switch (columns[0]->type_id()) {
    case arrow::Type::BOOL: return GatherBooleans(columns, selection);
    case arrow::Type::INT8: return GatherFixedWidth<std::uint8_t>(columns, selection);
    case arrow::Type::INT16: return GatherFixedWidth<std::uint16_t>(columns, selection);
    case arrow::Type::INT32:
    case arrow::Type::FLOAT:
    case arrow::Type::DATE32:
    case arrow::Type::TIME32: return GatherFixedWidth<std::uint32_t>(columns, selection);
    case arrow::Type::INT64:
    case arrow::Type::DOUBLE:
    case arrow::Type::TIMESTAMP: return GatherFixedWidth<std::uint64_t>(columns, selection);
    case arrow::Type::DECIMAL128: return GatherFixedWidth<Wide>(columns, selection);
    case arrow::Type::STRING:
    case arrow::Type::BINARY: return GatherBytes(columns, selection);
    case arrow::Type::LIST:
    case arrow::Type::MAP: return GatherLists(columns, selection);
    case arrow::Type::STRUCT: return GatherStructs(columns, selection);
    default:
      return Error(ErrorCode::kInternal,
                   fmt::format("rows of the Arrow type {} cannot be picked", columns[0]->type()->ToString()));
  }
}

bool IsOneRange(std::span<const std::int32_t> positions) {
  for (std::size_t i = 1; i < positions.size(); ++i) {
    if (positions[i] != positions[i - 1] + 1) return false;
  }
  return !positions.empty();
}

}  // namespace

Result<std::shared_ptr<arrow::Array>> Interleave(std::span<const std::shared_ptr<arrow::Array>> columns,
                                                 std::span<const std::int32_t> sources,
                                                 std::span<const std::int32_t> positions) {
  BRAID_CHECK(!columns.empty() && sources.size() == positions.size());
  if (columns.size() == 1) sources = {};
  return Gather(columns, {sources, positions});
}

Batch TakeColumns(const Batch& batch, std::span<const int> positions) {
  arrow::FieldVector fields;
  std::vector<std::shared_ptr<arrow::Array>> arrays;
  for (const int position : positions) {
    fields.push_back(batch.rows->schema()->field(position));
    arrays.push_back(batch.rows->column(position));
  }
  return {arrow::RecordBatch::Make(arrow::schema(std::move(fields)), batch.row_count(), std::move(arrays)), batch.kinds};
}

Result<Batch> TakeRows(const Batch& batch, std::span<const std::int32_t> positions) {
  const auto count = static_cast<std::int64_t>(positions.size());
  // What a filter lets pass is often all of a batch: share it then.
  if (IsOneRange(positions)) {
    const std::int64_t first = positions[0];
    if (first == 0 && count == batch.row_count()) return batch;
    Batch slice;
    slice.rows = batch.rows->Slice(first, count);
    if (batch.kinds != nullptr) slice.kinds = std::static_pointer_cast<arrow::Int8Array>(batch.kinds->Slice(first, count));
    return slice;
  }
  const Selection selection{{}, positions};
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (const auto& column : batch.rows->columns()) {
    BRAID_TRY_ASSIGN(std::shared_ptr<arrow::Array> taken, Gather(std::span(&column, 1), selection));
    columns.push_back(std::move(taken));
  }
  Batch out;
  out.rows = arrow::RecordBatch::Make(batch.rows->schema(), count, std::move(columns));
  if (batch.kinds != nullptr) {
    const std::shared_ptr<arrow::Array> kinds = batch.kinds;
    BRAID_TRY_ASSIGN(const std::shared_ptr<arrow::Array> taken, Gather(std::span(&kinds, 1), selection));
    out.kinds = std::static_pointer_cast<arrow::Int8Array>(taken);
  }
  return out;
}

}  // namespace braid
