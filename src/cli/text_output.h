#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "base/result.h"

namespace braid {

/// Text on its way to a file, in pieces of about 1 MiB: of long values no more than one is in memory. One thread.
class TextOutput {
 public:
  /// `out` outlives this.
  explicit TextOutput(std::FILE* out) : out_(out) {}

  /// What is to be written; to be appended to.
  std::string& text() { return text_; }
  /// Writes the text if it has grown long. Errors: kIo.
  Status WriteLong();
  /// Whether a value is to be appended by AppendPieces, so that it is not in memory once more.
  static bool IsLong(std::string_view value) { return value.size() > kPieceBytes; }
  /// Calls `append(piece, text())` for one piece of a value after the other, and writes in between. Errors: kIo.
  template <typename Append>
  Status AppendPieces(std::string_view value, Append append) {
    while (!value.empty()) {
      const std::string_view piece = value.substr(0, kPieceBytes);
      append(piece, text_);
      value.remove_prefix(piece.size());
      BRAID_TRY(WriteLong());
    }
    return Ok();
  }
  /// Writes the text.
  Status Write();
  /// Lets whoever reads the file see what was written.
  void Flush() { std::fflush(out_); }

 private:
  static constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

  std::FILE* out_;
  std::string text_;
};

}  // namespace braid
