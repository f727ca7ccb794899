#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <arrow/type_fwd.h>

#include "base/result.h"
#include "format/orc_codec.h"
#include "format/orc_stripe_bytes.h"

namespace braid {

/// The bytes of one stream, decompressed block by block as they are asked for. One thread at a time.
///
/// A stream that ends early, in the middle of a chunk too, or cannot be read, just has no more bytes, so that decoders
/// carry no errors; Failure tells why.
class OrcStreamReader {
 public:
  /// The most that can be asked for at once: more than any run of integers takes.
  static constexpr std::size_t kMaxPeekBytes = 8192;
  /// Behind what Peek returns so many bytes can be read too, whatever they hold.
  static constexpr std::size_t kPaddingBytes = 8;

  /// A stream without bytes.
  OrcStreamReader() = default;
  /// Bytes in memory, with the chunks of a compressed stream if there is a decompressor.
  explicit OrcStreamReader(std::string bytes, std::shared_ptr<OrcDecompressor> decompressor = nullptr);
  /// A stream of a stripe. Precondition: `extent` is one of those that `source` was made for, or empty.
  OrcStreamReader(std::shared_ptr<OrcStripeBytes> source, OrcExtent extent,
                  std::shared_ptr<OrcDecompressor> decompressor);
  OrcStreamReader(OrcStreamReader&&) noexcept = default;
  OrcStreamReader& operator=(OrcStreamReader&&) noexcept = default;

  /// The bytes that come next: at least so many, unless the stream ends before. Valid until the next call of Peek or
  /// Read.
  std::string_view Peek(std::size_t wanted) {
    if (end_ - next_ < wanted) Fill(wanted);
    return {block_.get() + next_, end_ - next_};
  }
  /// Goes on behind bytes that Peek returned.
  void Consume(std::size_t count) { next_ += count; }
  /// Copies the next bytes; false if there are fewer.
  bool Read(void* to, std::size_t count);

  /// Whether there are no more bytes because of a chunk that cannot be read, or of the storage.
  bool is_damaged() const { return storage_failure_ || !damage_.empty(); }
  /// Why there are no more bytes: the storage's error, or that the file is damaged: `what` if the stream is simply
  /// over.
  Error Failure(std::string_view path, std::string_view what) const;

 private:
  void Fill(std::size_t wanted);
  /// What the next block holds; valid until the next call. nullopt: there is none.
  std::optional<std::string_view> NextBlock();
  std::optional<std::string_view> NextChunk();
  void Append(std::string_view block);
  /// So many bytes as they are in the file; valid until the next call. nullopt if there are fewer.
  std::optional<std::string_view> TakeRaw(std::size_t count);
  /// Puts bytes into the empty raw_; false at the end.
  bool TakePiece();

  std::shared_ptr<OrcStripeBytes> source_;
  OrcExtent rest_;  // of the stream, behind raw_; empty without a source
  std::shared_ptr<OrcDecompressor> decompressor_;
  std::shared_ptr<const arrow::Buffer> range_;  // where raw_ lies
  std::string_view raw_;                        // bytes as they are in the file
  std::string joined_;                          // such bytes of more than one range
  std::optional<Error> storage_failure_;
  std::string_view damage_;  // in words; empty: none

  std::unique_ptr<char[]> block_;  // what is left of the last block, and the present one
  std::size_t capacity_ = 0;
  std::size_t next_ = 0;
  std::size_t end_ = 0;
};

}  // namespace braid
