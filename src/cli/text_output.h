#pragma once

#include <cstdio>
#include <string>

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
  /// Writes the text.
  Status Write();
  /// Lets whoever reads the file see what was written.
  void Flush() { std::fflush(out_); }

 private:
  std::FILE* out_;
  std::string text_;
};

}  // namespace braid
