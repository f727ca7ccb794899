#pragma once

// Streams of ORC files in memory and their values one by one, for tests; include only from tests.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "format/orc_run_length_reader.h"
#include "format/orc_stream_writer.h"

namespace braid {

class OrcIntegers {
 public:
  OrcIntegers(std::string bytes, bool version_two, bool is_signed)
      : reader_(OrcStreamReader(std::move(bytes)), version_two, is_signed) {}
  std::optional<std::int64_t> Next() {
    std::int64_t value = 0;
    return reader_.Read({&value, 1}) ? std::optional(value) : std::nullopt;
  }

 private:
  OrcIntegerReader reader_;
};

class OrcBooleans {
 public:
  explicit OrcBooleans(std::string bytes) : reader_(OrcStreamReader(std::move(bytes))) {}
  std::optional<bool> Next() {
    std::uint8_t bits = 0;
    return reader_.Read(&bits, 0, 1) ? std::optional((bits & 1) != 0) : std::nullopt;
  }

 private:
  OrcBooleanReader reader_;
};

/// The bytes of a finished stream.
inline std::string Joined(const OrcStreamBytes& stream) {
  std::string bytes;
  for (const std::string& chunk : stream.chunks) bytes += chunk;
  EXPECT_EQ(static_cast<std::int64_t>(bytes.size()), stream.byte_count);
  return bytes;
}

inline std::string OrcBytes(std::initializer_list<unsigned> bytes) {
  std::string text;
  for (const unsigned byte : bytes) text += static_cast<char>(byte);
  return text;
}

}  // namespace braid
