#include "format/parquet_levels.h"

#include <algorithm>
#include <utility>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/util/bit_util.h>
#include <fmt/format.h>

#include "types/batch.h"

namespace braid {
namespace {

constexpr std::int32_t kNoSlot = -1;

/// Everything that one node's array contributes to the levels of the leaves below it.
///
/// An entry is a pair of levels to come. While its definition level equals the node's it is alive, and `slot` is its
/// position in the node's array. An entry that ended above (a NULL) keeps its lower level; it keeps its slot too as
/// long as no repetition follows, because the arrays below a ROW have a slot for it.
struct Entries {
  std::vector<std::int16_t> definitions;
  std::vector<std::int16_t> repetitions;
  std::vector<std::int32_t> slots;
  std::int16_t definition = 0;  // level of entries that are alive
  std::int16_t repetition = 0;
  std::int16_t repeated_definition = 0;  // level of an element of the innermost repetition
};

class Shredder {
 public:
  explicit Shredder(std::string_view column) : column_(column) {}

  Status Shred(const DataType& type, const std::shared_ptr<arrow::Array>& array, Entries entries) {
    BRAID_TRY(Define(type.nullable(), *array, entries));
    switch (type.kind()) {
      case TypeKind::kArray:
      case TypeKind::kVector: {
        const auto& list = static_cast<const arrow::ListArray&>(*array);
        return Shred(type.element(), list.values(), Repeat(list, entries));
      }
      case TypeKind::kMap: return ShredMap(type.key(), type.element(), *array, entries);
      case TypeKind::kMultiset: return ShredMap(type.element(), DataType::Int().NotNull(), *array, entries);
      case TypeKind::kRow: return ShredRow(type, static_cast<const arrow::StructArray&>(*array), std::move(entries));
      case TypeKind::kVariant: {
        const auto& variant = static_cast<const arrow::StructArray&>(*array);
        BRAID_TRY(Shred(DataType::Bytes().NotNull(), variant.field(0), entries));
        return Shred(DataType::Bytes().NotNull(), variant.field(1), std::move(entries));
      }
      default: return AddLeaf(array, std::move(entries));
    }
  }

  std::vector<ParquetLeaf> TakeLeaves() { return std::move(leaves_); }

 private:
  /// Tells NULLs of this node from values.
  Status Define(bool nullable, const arrow::Array& array, Entries& entries) {
    const bool has_nulls = array.null_count() > 0;
    if (!nullable) {
      if (has_nulls && HasAliveNull(array, entries)) {
        return Error(ErrorCode::kInvalidArgument,
                     fmt::format("column {} is NOT NULL, in it or in its nested parts, but a row "
                                 "has NULL there",
                                 column_));
      }
      return Ok();
    }
    const std::int16_t alive = entries.definition++;
    for (std::size_t i = 0; i < entries.slots.size(); ++i) {
      if (entries.definitions[i] != alive) continue;
      if (!has_nulls || array.IsValid(entries.slots[i])) ++entries.definitions[i];
    }
    return Ok();
  }

  static bool HasAliveNull(const arrow::Array& array, const Entries& entries) {
    for (std::size_t i = 0; i < entries.slots.size(); ++i) {
      if (entries.definitions[i] == entries.definition && array.IsNull(entries.slots[i])) return true;
    }
    return false;
  }

  /// The entries of a list's elements: one for each element, and one for each list that is NULL or empty.
  static Entries Repeat(const arrow::ListArray& list, const Entries& lists) {
    Entries elements;
    elements.definition = static_cast<std::int16_t>(lists.definition + 1);
    elements.repetition = static_cast<std::int16_t>(lists.repetition + 1);
    elements.repeated_definition = elements.definition;
    const auto add = [&elements](std::int16_t definition, std::int16_t repetition, std::int32_t slot) {
      elements.definitions.push_back(definition);
      elements.repetitions.push_back(repetition);
      elements.slots.push_back(slot);
    };
    for (std::size_t i = 0; i < lists.slots.size(); ++i) {
      const std::int16_t definition = lists.definitions[i];
      const std::int32_t slot = lists.slots[i];
      if (definition != lists.definition || list.value_length(slot) == 0) {
        add(definition, lists.repetitions[i], kNoSlot);
        continue;
      }
      const std::int32_t first = list.value_offset(slot);
      for (std::int32_t k = 0; k < list.value_length(slot); ++k) {
        add(elements.definition, k == 0 ? lists.repetitions[i] : elements.repetition, first + k);
      }
    }
    return elements;
  }

  Status ShredMap(const DataType& key, const DataType& value, const arrow::Array& array, const Entries& entries) {
    const auto& map = static_cast<const arrow::MapArray&>(array);
    Entries elements = Repeat(map, entries);
    // Not map.keys(): positions count from the start of the struct, which may be a slice of its children.
    const auto& pairs = static_cast<const arrow::StructArray&>(*map.values());
    BRAID_TRY(Shred(key.NotNull(), pairs.field(0), elements));
    return Shred(value, pairs.field(1), std::move(elements));
  }

  Status ShredRow(const DataType& type, const arrow::StructArray& row, Entries entries) {
    int index = 0;
    for (const DataField& field : type.fields()) BRAID_TRY(Shred(field.type, row.field(index++), entries));
    return Ok();
  }

  Status AddLeaf(const std::shared_ptr<arrow::Array>& array, Entries entries) {
    ParquetLeaf leaf;
    leaf.level_count = static_cast<std::int64_t>(entries.slots.size());
    leaf.nullable = entries.definition > entries.repeated_definition;
    std::vector<std::int32_t> slots = entries.slots;
    std::erase(slots, kNoSlot);
    BRAID_TRY_ASSIGN(leaf.values, Gather(array, slots));
    if (leaf.nullable) {
      BRAID_TRY_ASSIGN(leaf.values, WithValidityOfLevels(*leaf.values, entries));
    }
    if (entries.definition > 0) leaf.definition_levels = std::move(entries.definitions);
    if (entries.repetition > 0) leaf.repetition_levels = std::move(entries.repetitions);
    leaves_.push_back(std::move(leaf));
    return Ok();
  }

  /// The leaf with NULL also where a ROW above it is NULL: below one, arrays hold anything.
  static Result<std::shared_ptr<arrow::Array>> WithValidityOfLevels(const arrow::Array& leaf, const Entries& entries) {
    const std::int64_t offset = leaf.offset();
    auto bitmap = arrow::AllocateEmptyBitmap(offset + leaf.length());
    if (!bitmap.ok()) return Error(ErrorCode::kUnavailable, "out of memory for a column");
    const std::shared_ptr<arrow::Buffer> validity = std::move(bitmap).ValueUnsafe();
    std::int64_t slot = 0;
    std::int64_t null_count = 0;
    for (std::size_t i = 0; i < entries.slots.size(); ++i) {
      if (entries.slots[i] == kNoSlot) continue;
      if (entries.definitions[i] == entries.definition) {
        arrow::bit_util::SetBit(validity->mutable_data(), offset + slot);
      } else {
        ++null_count;
      }
      ++slot;
    }
    std::shared_ptr<arrow::ArrayData> data = leaf.data()->Copy();
    data->buffers[0] = validity;
    data->null_count = null_count;
    return arrow::MakeArray(data);
  }

  /// The array's elements at these positions; without copying if they are one stretch, as they nearly always are.
  static Result<std::shared_ptr<arrow::Array>> Gather(const std::shared_ptr<arrow::Array>& array,
                                                      const std::vector<std::int32_t>& slots) {
    const auto gap = [](std::int32_t a, std::int32_t b) { return b != a + 1; };
    if (std::adjacent_find(slots.begin(), slots.end(), gap) == slots.end()) {
      return slots.empty() ? array->Slice(0, 0) : array->Slice(slots.front(), static_cast<std::int64_t>(slots.size()));
    }
    const std::vector<std::int32_t> sources(slots.size(), 0);
    const std::vector<std::shared_ptr<arrow::Array>> arrays = {array};
    return Interleave(arrays, sources, slots);
  }

  std::string_view column_;
  std::vector<ParquetLeaf> leaves_;
};

bool IsFlat(const DataType& type) {
  return !type.is_nested() && type.kind() != TypeKind::kVariant;
}

/// The levels of a column that is its own leaf, without an entry per row.
Result<std::vector<ParquetLeaf>> ShredFlat(std::string_view name, const DataType& type,
                                           const std::shared_ptr<arrow::Array>& column) {
  ParquetLeaf leaf;
  leaf.level_count = column->length();
  leaf.values = column;
  leaf.nullable = type.nullable();
  if (!type.nullable()) {
    if (column->null_count() > 0) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("column {} is NOT NULL, but a row has NULL there", name));
    }
  } else {
    leaf.definition_levels.assign(static_cast<std::size_t>(column->length()), 1);
    if (column->null_count() > 0) {
      for (std::int64_t i = 0; i < column->length(); ++i) {
        leaf.definition_levels[static_cast<std::size_t>(i)] = column->IsValid(i) ? 1 : 0;
      }
    }
  }
  std::vector<ParquetLeaf> leaves;
  leaves.push_back(std::move(leaf));
  return leaves;
}

}  // namespace

Result<std::vector<ParquetLeaf>> ShredColumn(std::string_view name, const DataType& type,
                                             const std::shared_ptr<arrow::Array>& column) {
  if (IsFlat(type)) return ShredFlat(name, type, column);
  Entries entries;
  const auto count = static_cast<std::size_t>(column->length());
  entries.definitions.assign(count, 0);
  entries.repetitions.assign(count, 0);
  entries.slots.resize(count);
  for (std::size_t i = 0; i < count; ++i) entries.slots[i] = static_cast<std::int32_t>(i);
  Shredder shredder(name);
  BRAID_TRY(shredder.Shred(type, column, std::move(entries)));
  return shredder.TakeLeaves();
}

}  // namespace braid
