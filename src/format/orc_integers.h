#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace braid {

/// Decodes a stream of ORC integers: run-length encoding of version 1 or 2 (ORC specification v1, "Run Length
/// Encoding"). Never reads beyond the bytes, whatever they hold. One thread.
class OrcIntegerReader {
 public:
  OrcIntegerReader(std::string bytes, bool version_two, bool is_signed)
      : bytes_(std::move(bytes)), version_two_(version_two), signed_(is_signed) {}

  /// The next integer (the bits of an unsigned one); nullopt if the stream is at its end or damaged.
  std::optional<std::int64_t> Next();

 private:
  // Each decodes one run into run_, false if the stream is damaged.
  bool ReadRun();
  bool ReadRunOfVersionOne();
  bool ReadShortRepeat(unsigned first);
  bool ReadDirect(unsigned first);
  bool ReadPatchedBase(unsigned first);
  bool ReadDelta(unsigned first);

  bool ReadByte(unsigned& value);
  bool ReadBigEndian(unsigned byte_count, std::uint64_t& value);
  bool ReadVarint(std::uint64_t& value);
  bool ReadPacked(unsigned width, std::size_t count, std::vector<std::uint64_t>& values);
  std::int64_t Decode(std::uint64_t bits) const;

  std::string bytes_;
  std::size_t position_ = 0;
  bool version_two_;
  bool signed_;
  std::vector<std::int64_t> run_;
  std::size_t next_in_run_ = 0;
};

/// Decodes a stream of ORC booleans: bits in bytes with run-length encoding. One thread.
class OrcBooleanReader {
 public:
  explicit OrcBooleanReader(std::string bytes) : bytes_(std::move(bytes)) {}
  /// The next bit; nullopt if the stream is at its end.
  std::optional<bool> Next();

 private:
  std::optional<unsigned> NextByte();

  std::string bytes_;
  std::size_t position_ = 0;
  std::size_t literals_left_ = 0;
  std::size_t repeats_left_ = 0;
  unsigned repeated_ = 0;
  unsigned current_ = 0;
  unsigned bits_left_ = 0;
};

}  // namespace braid
