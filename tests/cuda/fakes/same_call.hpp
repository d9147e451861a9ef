// Whether a function can be called through a pointer of our own declaration: as many parameters,
// each of the same class (pointer, integer or enumeration, floating point) and size.
#pragma once

#include <type_traits>

template <class A, class B>
constexpr bool same_value() {
  if constexpr (std::is_void_v<A> || std::is_void_v<B>) {
    return std::is_void_v<A> && std::is_void_v<B>;
  } else {
    return sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B> &&
           std::is_floating_point_v<A> == std::is_floating_point_v<B>;
  }
}

template <class Ours, class Theirs>
struct SameCall : std::false_type {};
template <class R1, class... A1, class R2, class... A2>
struct SameCall<R1 (*)(A1...), R2 (*)(A2...)> {
  static constexpr bool value = [] {
    if constexpr (sizeof...(A1) != sizeof...(A2)) {
      return false;
    } else {
      return same_value<R1, R2>() && (same_value<A1, A2>() && ...);
    }
  }();
};

template <class Ours, class Theirs>
inline constexpr bool same_call = SameCall<Ours, Theirs>::value;
