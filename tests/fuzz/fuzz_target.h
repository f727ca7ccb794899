#pragma once

// What fuzzers share. A target is one function that libFuzzer calls with bytes of its making; it may end in a value or in an
// Error, anything else is a finding.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/result.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace braid::fuzz {

/// Ends the process, so that the fuzzer keeps the input, unless it holds.
inline void Require(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "FINDING: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

/// Whether there is a value. An error must be one about the input: none of our own bugs, and with words.
template <typename T>
bool IsRead(const Result<T>& result) {
  if (result.has_value()) return true;
  Require(result.error().code() != ErrorCode::kInternal, result.error().ToString());
  Require(!result.error().message().empty(), "an error says nothing");
  return false;
}

/// Takes the input apart: single bytes that choose, then the rest.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : bytes_(reinterpret_cast<const char*>(data), size) {}

  /// A number below `end`, which is at most 256; 0 when the input is used up.
  std::size_t Choose(std::size_t end) {
    if (bytes_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    return byte % end;
  }
  std::string_view rest() const { return bytes_; }

 private:
  std::string_view bytes_;
};

}  // namespace braid::fuzz
