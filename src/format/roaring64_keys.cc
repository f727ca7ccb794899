#include <algorithm>
#include <bit>
#include <vector>

#include "format/roaring64_keys_internal.h"

namespace braid {
namespace {

enum Kind : std::uint8_t { kUpTo4, kUpTo16, kUpTo48, kUpTo256, kLeaf };

constexpr std::array<std::size_t, 4> kMostChildren = {4, 16, 48, 256};
constexpr std::uint8_t kNoPlace = 0xFF;
constexpr std::size_t kGroup = 8;  // bytes of one of Java's integers, but for nodes of up to 4

Error Damaged() {
  return Error(ErrorCode::kCorruption, "bytes that should be the keys of a 64-bit Roaring bitmap are not");
}

/// The bytes with each group in reverse.
std::string GroupsReversed(std::string_view bytes, std::size_t group) {
  std::string reversed(bytes);
  for (std::size_t at = 0; at < reversed.size(); at += group) {
    std::reverse(reversed.begin() + static_cast<std::ptrdiff_t>(at),
                 reversed.begin() + static_cast<std::ptrdiff_t>(std::min(at + group, reversed.size())));
  }
  return reversed;
}

bool Ascends(std::string_view bytes) {
  const auto not_above = [](char a, char b) { return static_cast<std::uint8_t>(a) >= static_cast<std::uint8_t>(b); };
  return std::adjacent_find(bytes.begin(), bytes.end(), not_above) == bytes.end();
}

}  // namespace

struct Roaring64Keys::Node {
  Kind kind = kLeaf;
  std::string prefix;
  // Inner nodes.
  std::string bytes;              // one for each child, ascending as unsigned numbers
  std::vector<NodePtr> children;  // in the order of `bytes`
  std::string left_over;          // kUpTo4 and kUpTo16: what stands behind the bytes
  std::string places;             // kUpTo48: one for each child
  // Leaves.
  Roaring64Key key{};
  std::uint64_t container = 0;

  static NodePtr Leaf(const Roaring64Key& key, std::uint64_t container) {
    auto leaf = std::make_unique<Node>();
    leaf->key = key;
    leaf->container = container;
    return leaf;
  }

  static NodePtr UpTo4(std::string prefix) {
    auto node = std::make_unique<Node>();
    node->kind = kUpTo4;
    node->prefix = std::move(prefix);
    node->left_over.assign(kMostChildren[kUpTo4], '\0');
    return node;
  }

  std::ptrdiff_t IndexOf(std::uint8_t byte) const {
    const std::size_t at = bytes.find(static_cast<char>(byte));
    return at == std::string::npos ? -1 : static_cast<std::ptrdiff_t>(at);
  }

  void Add(std::uint8_t byte, NodePtr child) {
    if (bytes.size() == kMostChildren[kind]) Grow();
    const auto above = std::find_if(bytes.begin(), bytes.end(),
                                    [byte](char other) { return static_cast<std::uint8_t>(other) > byte; });
    const std::ptrdiff_t at = above - bytes.begin();
    if (kind == kUpTo48) places.insert(places.begin() + at, FreePlace());
    bytes.insert(above, static_cast<char>(byte));
    children.insert(children.begin() + at, std::move(child));
    if (!left_over.empty()) left_over.erase(0, 1);
  }

 private:
  void Grow() {
    kind = static_cast<Kind>(kind + 1);
    left_over.assign(kind == kUpTo16 ? kMostChildren[kUpTo16] - bytes.size() : 0, '\0');
    places.clear();
    if (kind == kUpTo48) {
      for (std::size_t i = 0; i < bytes.size(); ++i) places += static_cast<char>(i);
    }
  }

  // The place behind the children if that is free, else the first free one.
  char FreePlace() const {
    const auto is_free = [this](char place) { return places.find(place) == std::string::npos; };
    auto place = static_cast<char>(places.size());
    if (is_free(place)) return place;
    for (place = 0; !is_free(place);) ++place;
    return place;
  }
};

Roaring64Keys::Roaring64Keys() = default;
Roaring64Keys::Roaring64Keys(Roaring64Keys&&) noexcept = default;
Roaring64Keys& Roaring64Keys::operator=(Roaring64Keys&&) noexcept = default;
Roaring64Keys::~Roaring64Keys() = default;

Result<Roaring64Keys> Roaring64Keys::Read(LittleEndianReader& in) {
  Roaring64Keys keys;
  Roaring64Key path{};
  BRAID_TRY_ASSIGN(keys.root_, ReadNode(in, path, 0));
  return keys;
}

// Of `path`, `depth` bytes are known from the nodes above. An inner node adds one at least, which bounds the recursion.
Result<Roaring64Keys::NodePtr> Roaring64Keys::ReadNode(LittleEndianReader& in, Roaring64Key& path, std::size_t depth) {
  auto node = std::make_unique<Node>();
  const auto kind = in.Read<std::uint8_t>();
  const std::size_t count = in.Read<std::uint16_t>();
  const std::size_t prefix_length = in.Read<std::uint8_t>();
  if (kind > kLeaf || prefix_length > path.size()) return Damaged();
  node->kind = static_cast<Kind>(kind);
  node->prefix = in.Take(prefix_length);
  if (node->kind == kLeaf) {
    const std::string_view key = in.Take(node->key.size());
    node->container = in.Read<std::uint64_t>();
    if (in.failed() || count != 0) return Damaged();
    std::copy(key.begin(), key.end(), node->key.begin());
    const auto known = path.begin() + static_cast<std::ptrdiff_t>(depth);
    if (!std::equal(path.begin(), known, node->key.begin())) return Damaged();
    return node;
  }

  if (depth + prefix_length >= path.size() || count == 0 || count > kMostChildren[kind]) return Damaged();
  if (node->kind == kUpTo256) {
    const std::string_view bits = in.Take(32);
    for (std::size_t byte = 0; byte < 8 * bits.size(); ++byte) {
      if ((static_cast<std::uint8_t>(bits[byte / 8]) >> byte % 8 & 1) != 0) node->bytes += static_cast<char>(byte);
    }
  } else if (node->kind == kUpTo48) {
    const std::string places = GroupsReversed(in.Take(256), kGroup);
    for (std::size_t byte = 0; byte < places.size(); ++byte) {
      const auto place = static_cast<std::uint8_t>(places[byte]);
      if (place == kNoPlace) continue;
      if (place >= kMostChildren[kUpTo48] || node->places.find(places[byte]) != std::string::npos) return Damaged();
      node->bytes += static_cast<char>(byte);
      node->places += places[byte];
    }
  } else {
    node->bytes = GroupsReversed(in.Take(kMostChildren[kind]), std::min(kGroup, kMostChildren[kind]));
    if (in.failed()) return Damaged();
    node->left_over = node->bytes.substr(count);
    node->bytes.resize(count);
  }
  if (in.failed() || node->bytes.size() != count || !Ascends(node->bytes)) return Damaged();

  std::copy(node->prefix.begin(), node->prefix.end(), path.begin() + static_cast<std::ptrdiff_t>(depth));
  depth += prefix_length;
  for (const char byte : node->bytes) {
    path[depth] = static_cast<std::uint8_t>(byte);
    BRAID_TRY_ASSIGN(NodePtr child, ReadNode(in, path, depth + 1));
    node->children.push_back(std::move(child));
  }
  return node;
}

void Roaring64Keys::AppendTo(std::string& out) const { AppendNode(*root_, out); }

void Roaring64Keys::AppendNode(const Node& node, std::string& out) {
  AppendLittleEndian(node.kind, out);
  AppendLittleEndian(static_cast<std::uint16_t>(node.children.size()), out);
  AppendLittleEndian(static_cast<std::uint8_t>(node.prefix.size()), out);
  out += node.prefix;
  switch (node.kind) {
    case kUpTo4:
    case kUpTo16: out += GroupsReversed(node.bytes + node.left_over, std::min(kGroup, kMostChildren[node.kind])); break;
    case kUpTo48: {
      std::string places(256, static_cast<char>(kNoPlace));
      for (std::size_t i = 0; i < node.bytes.size(); ++i) {
        places[static_cast<std::uint8_t>(node.bytes[i])] = node.places[i];
      }
      out += GroupsReversed(places, kGroup);
      break;
    }
    case kUpTo256: {
      std::string bits(32, '\0');
      for (const char child : node.bytes) {
        const auto byte = static_cast<std::uint8_t>(child);
        bits[byte / 8] = static_cast<char>(static_cast<std::uint8_t>(bits[byte / 8]) | 1U << byte % 8);
      }
      out += bits;
      break;
    }
    case kLeaf:
      out.append(node.key.begin(), node.key.end());
      AppendLittleEndian(node.container, out);
      break;
  }
  for (const NodePtr& child : node.children) AppendNode(*child, out);
}

std::optional<std::uint64_t> Roaring64Keys::Find(const Roaring64Key& key) const {
  const Node* node = root_.get();
  for (std::size_t depth = 0; node != nullptr && node->kind != kLeaf; ++depth) {
    // A key that differs within the prefix differs from the leaf too.
    depth += node->prefix.size();
    const std::ptrdiff_t at = node->IndexOf(key[depth]);
    node = at < 0 ? nullptr : node->children[static_cast<std::size_t>(at)].get();
  }
  return node != nullptr && node->key == key ? std::optional(node->container) : std::nullopt;
}

void Roaring64Keys::Insert(const Roaring64Key& key, std::uint64_t container) {
  root_ = InsertBelow(std::move(root_), key, 0, container);
}

// What takes the node's place. `depth` bytes of the key led to the node.
Roaring64Keys::NodePtr Roaring64Keys::InsertBelow(NodePtr node, const Roaring64Key& key, std::size_t depth,
                                                  std::uint64_t container) {
  if (node == nullptr) return Node::Leaf(key, container);
  const std::string rest(key.begin() + static_cast<std::ptrdiff_t>(depth), key.end());
  if (node->kind == kLeaf) {
    const std::string other(node->key.begin() + static_cast<std::ptrdiff_t>(depth), node->key.end());
    const auto shared =
        static_cast<std::size_t>(std::mismatch(rest.begin(), rest.end(), other.begin()).first - rest.begin());
    NodePtr parent = Node::UpTo4(rest.substr(0, shared));
    node->prefix.clear();
    parent->Add(static_cast<std::uint8_t>(other[shared]), std::move(node));
    parent->Add(static_cast<std::uint8_t>(rest[shared]), Node::Leaf(key, container));
    return parent;
  }
  const auto shared = static_cast<std::size_t>(
      std::mismatch(node->prefix.begin(), node->prefix.end(), rest.begin()).first - node->prefix.begin());
  if (shared < node->prefix.size()) {
    NodePtr parent = Node::UpTo4(rest.substr(0, shared));
    const auto byte = static_cast<std::uint8_t>(node->prefix[shared]);
    node->prefix.erase(0, shared + 1);
    parent->Add(byte, std::move(node));
    parent->Add(static_cast<std::uint8_t>(rest[shared]), Node::Leaf(key, container));
    return parent;
  }
  depth += shared;
  const std::ptrdiff_t at = node->IndexOf(key[depth]);
  if (at < 0) {
    node->Add(key[depth], Node::Leaf(key, container));
  } else {
    NodePtr& child = node->children[static_cast<std::size_t>(at)];
    child = InsertBelow(std::move(child), key, depth + 1, container);
  }
  return node;
}

void Roaring64Keys::ForEach(const std::function<void(const Roaring64Key&, std::uint64_t)>& visit) const {
  if (root_ != nullptr) Visit(*root_, visit);
}

void Roaring64Keys::Visit(const Node& node, const std::function<void(const Roaring64Key&, std::uint64_t)>& visit) {
  if (node.kind == kLeaf) visit(node.key, node.container);
  for (const NodePtr& child : node.children) Visit(*child, visit);
}

}  // namespace braid
