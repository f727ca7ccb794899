#include "cli/text_output.h"

#include "base/long_text.h"

namespace braid {

Status TextOutput::WriteLong() {
  return text_.size() < kPieceBytes ? Ok() : Write();
}

Status TextOutput::Write() {
  if (std::fwrite(text_.data(), 1, text_.size(), out_) != text_.size())
    return Error(ErrorCode::kIo, "cannot write the result");
  if (text_.capacity() > 4 * kPieceBytes) {
    Release(text_);  // what a long value took
  } else {
    text_.clear();
  }
  return Ok();
}

}  // namespace braid
