#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

#include "meta/manifest.h"

namespace braid {

/// Data files in order, shared: copies of a list have the same files, and so may many lists of one plan. Immutable; the
/// files live as long as any copy of the list. Without statistics where a plan made it.
class DataFileList {
 public:
  class const_iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = DataFileMeta;
    using difference_type = std::ptrdiff_t;
    using pointer = const DataFileMeta*;
    using reference = const DataFileMeta&;

    const_iterator() = default;
    explicit const_iterator(const DataFileMeta* const* at) : at_(at) {}
    reference operator*() const { return **at_; }
    pointer operator->() const { return *at_; }
    reference operator[](difference_type n) const { return *at_[n]; }
    const_iterator& operator++() { return *this += 1; }
    const_iterator& operator--() { return *this += -1; }
    const_iterator operator++(int) { return const_iterator(at_++); }
    const_iterator operator--(int) { return const_iterator(at_--); }
    const_iterator& operator+=(difference_type n) {
      at_ += n;
      return *this;
    }
    const_iterator& operator-=(difference_type n) { return *this += -n; }
    friend const_iterator operator+(const_iterator it, difference_type n) { return it += n; }
    friend const_iterator operator+(difference_type n, const_iterator it) { return it += n; }
    friend const_iterator operator-(const_iterator it, difference_type n) { return it -= n; }
    friend difference_type operator-(const_iterator a, const_iterator b) { return a.at_ - b.at_; }
    friend auto operator<=>(const const_iterator&, const const_iterator&) = default;

   private:
    const DataFileMeta* const* at_ = nullptr;
  };
  using iterator = const_iterator;
  using value_type = DataFileMeta;
  using const_reference = const DataFileMeta&;
  using size_type = std::size_t;

  DataFileList() = default;
  DataFileList(std::vector<DataFileMeta> files);  // NOLINT(google-explicit-constructor): a list by value
  /// `owner` keeps alive what `files` points to, and its elements.
  DataFileList(std::shared_ptr<const void> owner, std::span<const DataFileMeta* const> files)
      : owner_(std::move(owner)), files_(files) {}

  std::size_t size() const { return files_.size(); }
  bool empty() const { return files_.empty(); }
  const DataFileMeta& operator[](std::size_t position) const { return *files_[position]; }
  const DataFileMeta& front() const { return *files_.front(); }
  const DataFileMeta& back() const { return *files_.back(); }
  const_iterator begin() const { return const_iterator(files_.data()); }
  const_iterator end() const { return const_iterator(files_.data() + files_.size()); }

  std::vector<DataFileMeta> ToVector() const { return {begin(), end()}; }

 private:
  std::shared_ptr<const void> owner_;
  std::span<const DataFileMeta* const> files_;
};

inline DataFileList::DataFileList(std::vector<DataFileMeta> files) {
  struct Files {
    std::vector<DataFileMeta> metas;
    std::vector<const DataFileMeta*> pointers;
  };
  auto owner = std::make_shared<Files>();
  owner->metas = std::move(files);
  owner->pointers.reserve(owner->metas.size());
  for (const DataFileMeta& meta : owner->metas) owner->pointers.push_back(&meta);
  files_ = owner->pointers;
  owner_ = std::move(owner);
}

}  // namespace braid
