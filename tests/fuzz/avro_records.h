#pragma once

// Avro containers around records of a fuzzer's making, so that it need not find out about lengths, sync markers and
// compression before it gets to the records.

#include <string>
#include <string_view>

#include "format/avro_container.h"
#include "format/avro_cursor.h"

namespace braid::fuzz {

/// An uncompressed container with one block.
inline std::string AvroFileOf(std::string_view schema, std::int64_t record_count, std::string_view records) {
  const std::string sync(kAvroSyncBytes, 's');
  std::string bytes(kAvroMagic);
  AvroEncoder encoder(bytes);
  encoder.StartItems(1);
  encoder.Bytes("avro.schema");
  encoder.Bytes(schema);
  encoder.EndItems();
  bytes += sync;
  encoder.Long(record_count);
  encoder.Bytes(records);
  return bytes + sync;
}

}  // namespace braid::fuzz
