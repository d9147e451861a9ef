// A value whose changes can be seen without comparing it.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace ui {

/// A number that no call before has returned.
inline std::uint64_t new_version() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

/// Equal versions mean equal values, in whichever objects: the only ways to another value give it
/// another version, and a copy is equal and keeps its own.
template <class T>
class Versioned {
 public:
  Versioned() = default;
  Versioned(T value) : value_(std::move(value)) {}
  // A moved-from value has changed, too.
  Versioned(const Versioned&) = default;
  Versioned& operator=(const Versioned&) = default;
  Versioned(Versioned&& other) noexcept
      : value_(std::move(other.value_)), version_(std::exchange(other.version_, new_version())) {}
  Versioned& operator=(Versioned&& other) noexcept {
    value_ = std::move(other.value_);
    version_ = std::exchange(other.version_, new_version());
    return *this;
  }
  ~Versioned() = default;

  const T& operator*() const { return value_; }
  const T* operator->() const { return &value_; }
  /// To change it at once, not to keep.
  T& edit() {
    version_ = new_version();
    return value_;
  }
  std::uint64_t version() const { return version_; }

 private:
  T value_{};
  std::uint64_t version_ = new_version();
};

}  // namespace ui
