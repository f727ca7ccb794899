#include "format/avro_cursor.h"

namespace braid {
namespace {

constexpr int kMaxDepth = 64;

}  // namespace

std::int64_t AvroCursor::LongLong() {
  std::uint64_t bits = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (position_ == end_) {
      Fail("the block ends within a value");
      return 0;
    }
    const auto byte = static_cast<unsigned char>(*position_++);
    bits |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return static_cast<std::int64_t>(bits >> 1) ^ -static_cast<std::int64_t>(bits & 1);
  }
  Fail("a number is longer than 64 bits");
  return 0;
}

void AvroCursor::SkipNode(const AvroSchema& schema, std::int32_t position, int depth) {
  if (depth > kMaxDepth) return Fail("values are nested too deep");
  if (!ok()) return;
  const AvroNode& node = schema.node(position);
  // Also keeps records of records without bytes, which fan out at no cost to whoever made them, from taking time.
  if (!node.takes_bytes) return;
  switch (node.kind) {
    case AvroKind::kNull: return;
    case AvroKind::kBoolean: Fixed(1); return;
    case AvroKind::kInt:
    case AvroKind::kLong:
    case AvroKind::kEnum: SkipLong(); return;
    case AvroKind::kFloat: Fixed(4); return;
    case AvroKind::kDouble: Fixed(8); return;
    case AvroKind::kBytes:
    case AvroKind::kString: Bytes(); return;
    case AvroKind::kFixed: Fixed(node.fixed_size); return;
    case AvroKind::kArray:
    case AvroKind::kMap: return SkipItems(schema, node, depth);
    case AvroKind::kUnion: {
      const std::int64_t branch = Long();
      if (branch < 0 || static_cast<std::uint64_t>(branch) >= node.children.size())
        return Fail("a union has no such branch");
      return SkipNode(schema, node.children[static_cast<std::size_t>(branch)], depth + 1);
    }
    case AvroKind::kRecord:
      for (const std::int32_t child : node.children) SkipNode(schema, child, depth + 1);
      return;
  }
}

void AvroCursor::SkipItems(const AvroSchema& schema, const AvroNode& node, int depth) {
  const bool is_map = node.kind == AvroKind::kMap;
  const std::int32_t item = node.children[0];
  while (ok()) {
    const std::int64_t count = Long();
    if (count == 0) return;
    if (count < 0) {
      Fixed(Long());
      continue;
    }
    // Items without bytes need no passing over, and their count cannot be trusted as the length of a loop.
    if (!is_map && !schema.node(item).takes_bytes) continue;
    if (static_cast<std::uint64_t>(count) > remaining()) return Fail("an array is longer than its block");
    for (std::int64_t i = 0; i < count && ok(); ++i) {
      if (is_map) Bytes();
      SkipNode(schema, item, depth + 1);
    }
  }
}

}  // namespace braid
