#pragma once

// Lists of texts as results of ForRows.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <duckdb/common/types/vector.hpp>

#include "duck/rows_internal.h"

namespace braid {

/// Texts and NULLs of one list or of the entries of one map. Storage is reused from row to row.
class TextList {
 public:
  void Add(std::string_view text) {
    bytes_ += text;
    ends_.push_back(bytes_.size());
    nulls_.push_back(false);
  }
  void AddNull() {
    ends_.push_back(bytes_.size());
    nulls_.push_back(true);
  }
  void Clear() {
    bytes_.clear();
    ends_.clear();
    nulls_.clear();
  }
  std::size_t size() const { return ends_.size(); }
  bool is_null(std::size_t i) const { return nulls_[i]; }
  std::string_view operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(bytes_).substr(begin, ends_[i] - begin);
  }

 private:
  std::string bytes_;
  std::vector<std::size_t> ends_;
  std::vector<bool> nulls_;
};

template <>
struct ResultOf<TextList> {
  using Scratch = TextList;
  using Stored = duckdb::list_entry_t;
  static void Reset(TextList& list) { list.Clear(); }
  static duckdb::list_entry_t Store(duckdb::Vector& vector, const TextList& list) {
    const duckdb::idx_t offset = duckdb::ListVector::GetListSize(vector);
    duckdb::ListVector::Reserve(vector, offset + list.size());
    duckdb::Vector& child = duckdb::ListVector::GetEntry(vector);
    for (std::size_t i = 0; i < list.size(); ++i) Set(child, offset + i, list, i);
    duckdb::ListVector::SetListSize(vector, offset + list.size());
    return {offset, list.size()};
  }
  static void Set(duckdb::Vector& vector, duckdb::idx_t row, const TextList& list, std::size_t i) {
    if (list.is_null(i)) {
      duckdb::FlatVector::SetNull(vector, row, true);
    } else {
      duckdb::FlatVector::GetData<duckdb::string_t>(vector)[row] =
          duckdb::StringVector::AddString(vector, list[i].data(), list[i].size());
    }
  }
};

/// Entries of one map of texts: even elements are keys, odd ones values.
struct TextMap {
  TextList entries;
};

template <>
struct ResultOf<TextMap> {
  using Scratch = TextMap;
  using Stored = duckdb::list_entry_t;
  static void Reset(TextMap& map) { map.entries.Clear(); }
  static duckdb::list_entry_t Store(duckdb::Vector& vector, const TextMap& map) {
    const duckdb::idx_t offset = duckdb::ListVector::GetListSize(vector);
    const duckdb::idx_t count = map.entries.size() / 2;
    duckdb::ListVector::Reserve(vector, offset + count);
    for (duckdb::idx_t i = 0; i < count; ++i) {
      ResultOf<TextList>::Set(duckdb::MapVector::GetKeys(vector), offset + i, map.entries, 2 * i);
      ResultOf<TextList>::Set(duckdb::MapVector::GetValues(vector), offset + i, map.entries, 2 * i + 1);
    }
    duckdb::ListVector::SetListSize(vector, offset + count);
    return {offset, count};
  }
};

}  // namespace braid
