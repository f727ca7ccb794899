#pragma once

#include <memory>
#include <optional>
#include <utility>

namespace braid {

/// An optional that takes one word while it is empty, for members that are seldom there in values of which there are
/// many. Used like std::optional, which it converts from and to; copies are deep.
template <typename T>
class OptionalBox {
 public:
  using value_type = T;

  OptionalBox() = default;
  OptionalBox(std::nullopt_t) {}                                           // NOLINT(google-explicit-constructor)
  OptionalBox(T value) : value_(std::make_unique<T>(std::move(value))) {}  // NOLINT(google-explicit-constructor)
  OptionalBox(std::optional<T> value)                                      // NOLINT(google-explicit-constructor)
      : value_(value ? std::make_unique<T>(*std::move(value)) : nullptr) {}
  OptionalBox(const OptionalBox& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  OptionalBox(OptionalBox&&) noexcept = default;
  OptionalBox& operator=(const OptionalBox& other) { return *this = OptionalBox(other); }
  OptionalBox& operator=(OptionalBox&&) noexcept = default;
  OptionalBox& operator=(T value) {
    value_ = std::make_unique<T>(std::move(value));
    return *this;
  }
  ~OptionalBox() = default;

  explicit operator bool() const { return value_ != nullptr; }
  bool has_value() const { return value_ != nullptr; }
  const T& operator*() const { return *value_; }
  T& operator*() { return *value_; }
  const T* operator->() const { return value_.get(); }
  T* operator->() { return value_.get(); }
  T value_or(T other) const { return value_ ? *value_ : std::move(other); }
  operator std::optional<T>() const {  // NOLINT(google-explicit-constructor)
    return value_ ? std::optional<T>(*value_) : std::nullopt;
  }

  friend bool operator==(const OptionalBox& a, const OptionalBox& b) {
    return a.has_value() == b.has_value() && (!a || *a == *b);
  }
  friend bool operator==(const OptionalBox& box, std::nullopt_t) { return !box; }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace braid
