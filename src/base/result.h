#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace braid {

/// What the caller can do about an error. Branch on these, never on text.
enum class ErrorCode : std::uint8_t {
  kInvalidArgument,   ///< the request is wrong; changing it helps
  kNotFound,          ///< the named thing does not exist
  kAlreadyExists,     ///< the named thing exists already
  kConflict,          ///< another commit won: re-read and retry
  kCommitUnknown,     ///< a commit may have landed: clean up nothing
  kCorruption,        ///< stored bytes are damaged or contradict each other
  kIo,                ///< the storage failed
  kUnavailable,       ///< the same request may work later
  kUnsupported,       ///< valid, but not done by this version
  kPermissionDenied,  ///< the storage refused access
  kCancelled,         ///< stopped on request
  kInternal,          ///< a bug of Braid
};

/// The code's stable spelling, e.g. "not-found"; used in JSON output.
std::string_view ErrorCodeName(ErrorCode code);

/// A failure: code, message in the user's terms, what was being done (innermost first), and a remedy.
class Error {
 public:
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  /// What was going on, innermost first ("while reading …").
  const std::vector<std::string>& context() const { return context_; }
  /// What the user can try; empty if nothing is known.
  const std::string& hint() const { return hint_; }
  /// A name of what went wrong that never changes, as "branch.exists"; empty if it has none.
  const std::string& id() const { return id_; }

  /// Returns the error with a remedy; a second call replaces the first.
  Error Hint(std::string hint) &&;
  Error Hint(std::string hint) const&;
  /// Returns the error with an id.
  Error Id(std::string_view id) &&;
  /// Returns the error with one more line of what was being done.
  Error Context(std::string what) &&;
  Error Context(std::string what) const&;

  /// Renders "message\n  context…\n  try: hint", without a leading "error:".
  std::string ToString() const;

 private:
  ErrorCode code_;
  std::string message_;
  std::vector<std::string> context_;
  std::string hint_;
  std::string id_;
};

/// A value or the error that prevented it. Member names follow std::expected, so that a later switch is easy.
template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  // NOLINTBEGIN(google-explicit-constructor): a function returns either one as it is.
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  // NOLINTEND(google-explicit-constructor)
  template <typename U>
    requires(std::is_convertible_v<U &&, T> && !std::is_same_v<std::remove_cvref_t<U>, Result> &&
             !std::is_same_v<std::remove_cvref_t<U>, T> && !std::is_same_v<std::remove_cvref_t<U>, Error>)
  Result(U&& value)  // NOLINT(google-explicit-constructor)
      : state_(std::in_place_index<0>, std::forward<U>(value)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  Error& error() & { return std::get<1>(state_); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

  /// Adds to the error what was being done; a value passes unchanged.
  Result Context(std::string what) && {
    if (has_value()) return std::move(*this);
    return std::move(*this).error().Context(std::move(what));
  }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }

  Error& error() & { return *error_; }
  const Error& error() const& { return *error_; }
  Error&& error() && { return *std::move(error_); }

  Result Context(std::string what) && {
    if (has_value()) return {};
    return std::move(*error_).Context(std::move(what));
  }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

/// The success of a function that returns Status.
inline Status Ok() { return {}; }

namespace internal {
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);
}  // namespace internal

// Evaluates a Status expression and returns its error from the enclosing function.
#define BRAID_TRY(expression)                                         \
  do {                                                                \
    if (auto braid_status = (expression); !braid_status) {            \
      return std::move(braid_status).error();                         \
    }                                                                 \
  } while (false)

#define BRAID_CONCAT_INNER(a, b) a##b
#define BRAID_CONCAT(a, b) BRAID_CONCAT_INNER(a, b)

// Evaluates a Result expression; returns its error from the enclosing function or assigns its value.
#define BRAID_TRY_ASSIGN(declaration, expression) \
  BRAID_TRY_ASSIGN_INNER(BRAID_CONCAT(braid_result_, __LINE__), declaration, expression)
#define BRAID_TRY_ASSIGN_INNER(result, declaration, expression) \
  auto result = (expression);                                   \
  if (!result) return std::move(result).error();                \
  declaration = std::move(result).value()

// Guards an invariant of our own and aborts; user input and stored bytes never reach it.
#define BRAID_CHECK(condition) \
  ((condition) ? (void)0 : ::braid::internal::CheckFailed(#condition, __FILE__, __LINE__))

}  // namespace braid
