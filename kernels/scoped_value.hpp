// A value for a while.
#pragma once

#include <utility>

namespace kernels {

/// Puts a value in place; what was there comes back at the end of the scope, however that ends.
template <class T>
class ScopedValue {
 public:
  ScopedValue(T& place, T value) : place_(place), before_(std::exchange(place, std::move(value))) {}
  ~ScopedValue() { place_ = std::move(before_); }
  ScopedValue(const ScopedValue&) = delete;
  ScopedValue& operator=(const ScopedValue&) = delete;

 private:
  T& place_;
  T before_;
};

}  // namespace kernels
