#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <arrow/status.h>

#include "format/parquet_runs.h"
#include "format/parquet_values.h"

namespace braid {

inline arrow::Status DamagedPage(std::string_view what) {
  return arrow::Status::Invalid("a page is damaged: ", what);
}

/// Places in a dictionary, a page's.
class ParquetPlaces {
 public:
  /// The page's bytes: how many bits a place has, then runs of places.
  arrow::Status Start(std::string_view bytes) {
    if (bytes.empty()) {  // a page of NULLs
      runs_ = ParquetRunReader();
      return arrow::Status::OK();
    }
    const auto bits = static_cast<std::uint8_t>(bytes.front());
    if (bits > 32) return DamagedPage("places in its dictionary have too many bits");
    runs_ = ParquetRunReader(bytes.substr(1), bits);
    return arrow::Status::OK();
  }

  arrow::Status Skip(std::int64_t count) {
    return runs_.Skip(count) ? arrow::Status::OK() : DamagedPage("it has fewer values than it says");
  }

  /// Calls `take` with spans of the next `count` places, each of them below `dictionary_size`.
  template <typename Take>
  arrow::Status Read(std::int64_t count, std::int64_t dictionary_size, const Take& take) {
    while (count > 0) {
      const std::span<std::uint32_t> places(places_.data(), static_cast<std::size_t>(std::min<std::int64_t>(count, kPlaces)));
      if (!runs_.Read(places)) return DamagedPage("it has fewer values than it says");
      std::uint32_t greatest = 0;
      for (const std::uint32_t place : places) greatest = std::max(greatest, place);
      if (greatest >= static_cast<std::uint64_t>(dictionary_size)) return DamagedPage("a value is not in its dictionary");
      ARROW_RETURN_NOT_OK(take(std::span<const std::uint32_t>(places)));
      count -= static_cast<std::int64_t>(places.size());
    }
    return arrow::Status::OK();
  }

 private:
  static constexpr std::int64_t kPlaces = 1024;

  ParquetRunReader runs_;
  std::array<std::uint32_t, kPlaces> places_;
};

/// Values in plain pages or in a dictionary; what they are is for those that derive from it.
class DictionaryOrPlainValues : public ParquetValues {
 public:
  arrow::Status StartPage(parquet::Encoding::type encoding, std::string_view bytes) override {
    in_dictionary_ = encoding != parquet::Encoding::PLAIN;
    if (in_dictionary_) return places_.Start(bytes);
    plain_ = bytes;
    return arrow::Status::OK();
  }

  arrow::Status Skip(std::int64_t count) override { return in_dictionary_ ? places_.Skip(count) : SkipPlain(count); }

 protected:
  virtual arrow::Status SkipPlain(std::int64_t count) = 0;

  /// Of a dictionary whose values take so many bytes at least.
  static arrow::Status CheckCount(std::int64_t count, std::string_view bytes, std::size_t least_bytes) {
    if (count >= 0 && static_cast<std::uint64_t>(count) <= bytes.size() / least_bytes) return arrow::Status::OK();
    return DamagedPage("a dictionary has fewer values than it says");
  }

  bool in_dictionary_ = false;
  ParquetPlaces places_;
  std::string_view plain_;  // what is left of a plain page
};

}  // namespace braid
