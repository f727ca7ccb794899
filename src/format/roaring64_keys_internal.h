#pragma once

// The keys of a 64-bit Roaring bitmap as Java's class Roaring64Bitmap of RoaringBitmap 1.2.1 keeps and writes them: an
// adaptive radix tree (ART). A key is the upper 6 bytes of the numbers, most significant byte first; its leaf says
// which container holds their lower 2 bytes.
//
// A node is written before its children, which follow in the order of their bytes. All numbers are little-endian.
//
//   1 byte   kind: 0 to 3 for an inner node of up to 4, 16, 48 or 256 children, 4 for a leaf
//   2 bytes  number of children, 0 in a leaf
//   1 byte   length of the prefix, which are bytes that all keys below share; then the prefix
//   then     kind 0, 4 bytes, and kind 1, 16 bytes: the children's bytes, ascending. Java keeps them in integers whose
//              most significant byte is the first and writes those little-endian, so each group of 4, or of 8, is
//              backwards
//            kind 2, 256 bytes: for each byte the place of its child in Java's array, 0xFF for none, groups of 8
//              backwards
//            kind 3, 32 bytes: a bit for each byte that has a child, the least significant bit of the first byte for 0
//            kind 4: the key's 6 bytes, then 8 bytes: the number of its container
//
// How a tree came about shows in its bytes: places of children in nodes of kind 2, left-overs behind the children's
// bytes of kinds 0 and 1, and prefixes of leaves (which mean nothing; removals of other keys leave them). They are
// kept.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/little_endian.h"
#include "base/result.h"

namespace braid {

using Roaring64Key = std::array<std::uint8_t, 6>;

/// One thread.
class Roaring64Keys {
 public:
  Roaring64Keys();
  Roaring64Keys(Roaring64Keys&&) noexcept;
  Roaring64Keys& operator=(Roaring64Keys&&) noexcept;
  ~Roaring64Keys();

  /// Errors: kCorruption.
  static Result<Roaring64Keys> Read(LittleEndianReader& in);
  /// There must be a key.
  void AppendTo(std::string& out) const;

  /// The number of the key's container.
  std::optional<std::uint64_t> Find(const Roaring64Key& key) const;
  /// The key must not be there yet.
  void Insert(const Roaring64Key& key, std::uint64_t container);
  /// Every key in order with the number of its container.
  void ForEach(const std::function<void(const Roaring64Key&, std::uint64_t)>& visit) const;

 private:
  struct Node;
  using NodePtr = std::unique_ptr<Node>;

  static Result<NodePtr> ReadNode(LittleEndianReader& in, Roaring64Key& path, std::size_t depth);
  static void AppendNode(const Node& node, std::string& out);
  static NodePtr InsertBelow(NodePtr node, const Roaring64Key& key, std::size_t depth, std::uint64_t container);
  static void Visit(const Node& node, const std::function<void(const Roaring64Key&, std::uint64_t)>& visit);

  NodePtr root_;
};

}  // namespace braid
