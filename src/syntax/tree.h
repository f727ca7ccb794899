#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace braid::syntax {

/// Where a node begins in the text that it was parsed from, in bytes.
///
/// All positions are equal to each other, so that trees compare by what they say and not by where they stood.
struct Position {
  std::size_t offset = 0;

  friend bool operator==(Position, Position) { return true; }
};

/// A child node: immutable, shared, possibly absent; == compares what it points to. Any thread may read it.
template <typename T>
class Child {
 public:
  Child() = default;

  static Child Make(T value) {
    Child child;
    child.node_ = std::make_shared<const T>(std::move(value));
    return child;
  }

  /// False for an absent child, such as the WHERE of a query without one.
  explicit operator bool() const { return node_ != nullptr; }
  const T& operator*() const { return *node_; }
  const T* operator->() const { return node_.get(); }
  /// Null if absent; lives as long as some Child points to it.
  const T* get() const { return node_.get(); }

  friend bool operator==(const Child& a, const Child& b) {
    if (a.node_ == b.node_) return true;
    return a.node_ != nullptr && b.node_ != nullptr && *a.node_ == *b.node_;
  }

 private:
  std::shared_ptr<const T> node_;
};

/// A name as written, without back quotes. Case is kept: columns and tables match case-sensitively.
struct Identifier {
  Position position;
  std::string name;

  friend bool operator==(const Identifier&, const Identifier&) = default;
};

/// `catalog.database.table` or fewer parts; `t$snapshots` is one part. Never empty in a parsed tree.
struct QualifiedName {
  std::vector<Identifier> parts;

  Position position() const { return parts.empty() ? Position{} : parts.front().position; }
  const std::string& last() const { return parts.back().name; }

  friend bool operator==(const QualifiedName&, const QualifiedName&) = default;
};

/// One 'key' = 'value' of WITH (...), SET (...) or a hint.
struct Property {
  Position position;
  std::string key;
  std::string value;

  friend bool operator==(const Property&, const Property&) = default;
};

struct Expression;
struct Query;
struct Statement;
using ExpressionPtr = Child<Expression>;
using QueryPtr = Child<Query>;
using StatementPtr = Child<Statement>;

}  // namespace braid::syntax
