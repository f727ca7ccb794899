#include <cstdint>
#include <utility>
#include <vector>

#include "format/orc_column_writer.h"

namespace braid {
namespace {

/// A column with others below it.
class ParentColumn : public OrcColumnWriter {
 public:
  void EndRowGroup() override {
    OrcColumnWriter::EndRowGroup();
    for (const auto& child : children_) child->EndRowGroup();
  }
  void FinishStripe(OrcStripe& stripe) override {
    OrcColumnWriter::FinishStripe(stripe);
    for (const auto& child : children_) child->FinishStripe(stripe);
  }
  void AppendFileStatistics(std::vector<const OrcStatistics*>& statistics) const override {
    OrcColumnWriter::AppendFileStatistics(statistics);
    for (const auto& child : children_) child->AppendFileStatistics(statistics);
  }
  std::int64_t encoded_bytes() const override {
    std::int64_t bytes = OrcColumnWriter::encoded_bytes();
    for (const auto& child : children_) bytes += child->encoded_bytes();
    return bytes;
  }
  std::int64_t memory_bytes() const override {
    std::int64_t bytes = OrcColumnWriter::memory_bytes();
    for (const auto& child : children_) bytes += child->memory_bytes();
    return bytes;
  }

 protected:
  using Children = std::vector<std::unique_ptr<OrcColumnWriter>>;
  ParentColumn(std::uint32_t column, const OrcColumnSettings& settings, Children children, OrcEncoding encoding)
      : OrcColumnWriter(column, settings, std::monostate(), encoding), children_(std::move(children)) {}

  /// Writes children of `data` from this place in it on.
  void WriteChildren(const arrow::ArrayData& data, std::int64_t start, std::int64_t count) {
    for (std::size_t i = 0; i < children_.size(); ++i) {
      const arrow::ArrayData& child = *data.child_data[i];
      children_[i]->Write(child, child.offset + start, count);
    }
  }

 private:
  Children children_;
};

class RowColumn : public ParentColumn {
 public:
  RowColumn(std::uint32_t column, const OrcColumnSettings& settings, Children children)
      : ParentColumn(column, settings, std::move(children), OrcEncoding::kDirect) {}

  void Write(const arrow::ArrayData& data, std::int64_t start, std::int64_t count) override {
    WritePresence(data, start, count);
    ForEachRange(data, start, count,
                 [&](std::int64_t first, std::int64_t length) { WriteChildren(data, first, length); });
  }

 protected:
  void AddPositions(OrcPositions&) const override {}
  FinishedStreams FinishStreams() override { return {}; }
  std::vector<const OrcStreamWriter*> streams() const override { return {}; }
};

/// ARRAY, MAP and MULTISET: how many elements each has, and the elements of all one after the other.
class ListColumn : public ParentColumn {
 public:
  ListColumn(std::uint32_t column, const OrcColumnSettings& settings, Children children, bool has_pairs)
      : ParentColumn(column, settings, std::move(children), OrcEncoding::kDirectV2),
        has_pairs_(has_pairs),
        lengths_(settings.compressor, false) {}

  void Write(const arrow::ArrayData& data, std::int64_t start, std::int64_t count) override {
    WritePresence(data, start, count);
    const auto* offsets = data.GetValues<std::int32_t>(1, 0);
    ForEachRange(data, start, count, [&](std::int64_t first, std::int64_t length) {
      for (std::int64_t i = first; i < first + length; ++i) lengths_.Write(offsets[i + 1] - offsets[i]);
      const std::int64_t element_count = offsets[first + length] - offsets[first];
      if (!has_pairs_) return WriteChildren(data, offsets[first], element_count);
      const arrow::ArrayData& pairs = *data.child_data[0];
      WriteChildren(pairs, pairs.offset + offsets[first], element_count);
    });
  }

 protected:
  void AddPositions(OrcPositions& positions) const override { lengths_.AddPositions(positions); }
  FinishedStreams FinishStreams() override { return {{OrcStreamKind::kLength, lengths_.Finish()}}; }
  std::vector<const OrcStreamWriter*> streams() const override { return {&lengths_.stream()}; }

 private:
  bool has_pairs_;  // keys and values lie in a struct
  OrcIntegerWriter lengths_;
};

}  // namespace

std::unique_ptr<OrcColumnWriter> MakeOrcNestedWriter(const DataType& type, const OrcColumnSettings& settings,
                                                     std::uint32_t& next_column) {
  const std::uint32_t column = next_column++;
  std::vector<std::unique_ptr<OrcColumnWriter>> children;
  const auto add = [&](const DataType& child) {
    children.push_back(MakeOrcColumnWriter(child, settings, next_column));
  };
  if (type.kind() == TypeKind::kRow) {
    for (const DataField& field : type.fields()) add(field.type);
    return std::make_unique<RowColumn>(column, settings, std::move(children));
  }
  if (type.kind() == TypeKind::kMap) add(type.key());
  add(type.element());
  if (type.kind() == TypeKind::kMultiset) add(DataType::Int());
  return std::make_unique<ListColumn>(column, settings, std::move(children), type.kind() != TypeKind::kArray);
}

}  // namespace braid
