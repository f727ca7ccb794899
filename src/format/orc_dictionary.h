#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace braid {

/// The distinct texts of a column, numbered as they come. One thread at a time.
class OrcDictionary {
 public:
  /// The text's number; a new one if it is new.
  std::uint32_t Add(std::string_view text);
  std::size_t size() const { return entries_.size(); }
  std::string_view text(std::uint32_t number) const {
    return std::string_view(bytes_).substr(entries_[number].offset, entries_[number].byte_count);
  }
  /// Bytes of all texts.
  std::size_t byte_count() const { return bytes_.size(); }
  std::size_t memory_bytes() const;
  /// The numbers in the order of their texts' bytes.
  std::vector<std::uint32_t> Sorted() const;
  void Clear();

 private:
  struct Entry {
    std::size_t offset;
    std::size_t byte_count;
    std::size_t hash;
  };
  void Grow();

  std::string bytes_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;  // by hash, the next ones where taken: number + 1, or 0
};

}  // namespace braid
