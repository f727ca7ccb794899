#pragma once

// Lets a test fail where code asks for too much memory at once. Include from one source of a test binary: it replaces the
// operators new and delete, but not under AddressSanitizer, whose own ones know more.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace braid {

/// While it lives, this thread's operator new throws std::bad_alloc for more than so many bytes.
class AllocationLimit {
 public:
  explicit AllocationLimit(std::size_t bytes) : before_(limit()) {
    limit() = bytes;
    was_reached() = false;
  }
  ~AllocationLimit() { limit() = before_; }
  AllocationLimit(const AllocationLimit&) = delete;
  AllocationLimit& operator=(const AllocationLimit&) = delete;

  static std::size_t& limit() {
    static thread_local std::size_t bytes = SIZE_MAX;
    return bytes;
  }
  /// Whether this thread asked for more since the last limit was set: some libraries turn std::bad_alloc into another error.
  static bool& was_reached() {
    static thread_local bool reached = false;
    return reached;
  }

 private:
  std::size_t before_;
};

}  // namespace braid

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define BRAID_OWN_OPERATOR_NEW 0
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define BRAID_OWN_OPERATOR_NEW 0
#endif
#ifndef BRAID_OWN_OPERATOR_NEW
#define BRAID_OWN_OPERATOR_NEW 1
#endif

#if BRAID_OWN_OPERATOR_NEW
// Not inlined: the compiler would see free() of what it knows to come from new.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  const bool is_refused = bytes > braid::AllocationLimit::limit();
  if (is_refused) braid::AllocationLimit::was_reached() = true;
  void* memory = is_refused ? nullptr : std::malloc(bytes > 0 ? bytes : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
#endif
