#include "cli/text_output.h"

namespace braid {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

}  // namespace

Status TextOutput::WriteLong() {
  return text_.size() < kPieceBytes ? Ok() : Write();
}

Status TextOutput::Write() {
  if (std::fwrite(text_.data(), 1, text_.size(), out_) != text_.size())
    return Error(ErrorCode::kIo, "cannot write the result");
  if (text_.capacity() > 4 * kPieceBytes) {
    text_ = std::string();  // what a long value took
  } else {
    text_.clear();
  }
  return Ok();
}

}  // namespace braid
