// Directory names of partitions and buckets (spec metadata.md §1.4).

#include <algorithm>

#include <fmt/format.h>

#include "base/result.h"
#include "base/text.h"
#include "io/file_system.h"
#include "meta/table_paths.h"
#include "meta/tag_time.h"
#include "types/cast.h"

namespace braid {
namespace {

constexpr BucketId kPostponedBucket(-2);

bool IsEscaped(char c) {
  constexpr std::string_view kEscaped = "\"#%'*/:=?\\{}[]^\x7f";
  return static_cast<unsigned char>(c) < 0x20 || kEscaped.find(c) != std::string_view::npos;
}

// What Java's toString gives for Paimon's internal form of the value.
std::string LegacyText(const Datum& value, const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kDate:  // days since 1970-01-01
    case TypeKind::kTime:  // milliseconds of the day
      return fmt::format("{}", value.as_int());
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: {
      const Timestamp time = value.as_timestamp();
      const std::int64_t milli = ((time.millis % 1000) + 1000) % 1000;
      return FormatLocalDateTime(
          {(time.millis - milli) / 1000, static_cast<std::int32_t>(milli * 1'000'000) + time.nanos_of_milli});
    }
    default: return FormatDatum(value, type);
  }
}

}  // namespace

std::string EscapePathPart(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    if (IsEscaped(c)) {
      escaped += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string UnescapePathPart(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto code = text[i] == '%' ? FromHex(text.substr(i + 1, 2)) : std::nullopt;
    if (!code || code->size() != 1) {
      plain += text[i];
      continue;
    }
    plain += *code;
    i += 2;
  }
  return plain;
}

std::string PartitionValueText(const Datum& value, const DataType& type, bool legacy, std::string_view default_name) {
  if (value.is_null()) return std::string(default_name);
  std::string text = legacy ? LegacyText(value, type) : FormatDatum(value, type);
  if (Trim(text).empty()) return std::string(default_name);
  return text;
}

std::string DataLayout::PartitionPath(std::span<const Datum> partition) const {
  BRAID_CHECK(partition.size() == partition_fields.size());
  std::string path;
  for (std::size_t i = 0; i < partition.size(); ++i) {
    const DataField& field = partition_fields[i];
    const std::string value =
        PartitionValueText(partition[i], field.type, legacy_partition_names, default_partition_name);
    if (i > 0) path += '/';
    path.append(EscapePathPart(field.name)).append("=").append(EscapePathPart(value));
  }
  return path;
}

std::string DataLayout::BucketDirectory(std::span<const Datum> partition, BucketId bucket) const {
  const std::string name = bucket == kPostponedBucket ? "bucket-postpone" : fmt::format("bucket-{}", bucket);
  std::string path = PartitionPath(partition);
  path = path.empty() ? name : JoinPath(path, name);
  return data_directory.empty() ? path : JoinPath(data_directory, path);
}

}  // namespace braid
