// What the kernels' headers use of the standard library, for NVRTC, which has none: declared as far
// as device code needs it. nvrtc.py gives it to NVRTC under the name of every standard header.
#ifndef RIDGEPOINT_STANDARD
#define RIDGEPOINT_STANDARD

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef unsigned long long uintptr_t;

namespace std {
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::memcpy;
using ::size_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;
using ::uintptr_t;
using ptrdiff_t = long long;

struct strong_ordering {
  signed char value;
  static const strong_ordering less, equal, equivalent, greater;
  friend constexpr bool operator==(strong_ordering o, decltype(nullptr)) { return o.value == 0; }
  friend constexpr bool operator<(strong_ordering o, decltype(nullptr)) { return o.value < 0; }
  friend constexpr bool operator!=(strong_ordering o, decltype(nullptr)) { return o.value != 0; }
  constexpr bool operator==(const strong_ordering&) const = default;
};
inline constexpr strong_ordering strong_ordering::less{-1}, strong_ordering::equal{0},
    strong_ordering::equivalent{0}, strong_ordering::greater{1};

template <class T>
inline constexpr bool is_floating_point_v = false;
template <>
inline constexpr bool is_floating_point_v<float> = true;
template <>
inline constexpr bool is_floating_point_v<double> = true;

template <class T, size_t count>
struct array {
  T values[count];
  constexpr T& operator[](size_t i) { return values[i]; }
  constexpr const T& operator[](size_t i) const { return values[i]; }
  constexpr const T* data() const { return values; }
  constexpr const T* begin() const { return values; }
  constexpr const T* end() const { return values + count; }
  static constexpr size_t size() { return count; }
  constexpr bool operator==(const array&) const = default;
};

struct string_view {
  const char* text = nullptr;
  constexpr string_view() = default;
  constexpr string_view(const char* t) : text(t) {}
};

struct string {
  constexpr string() = default;
  constexpr string(const char*) {}
  constexpr bool operator==(const string&) const = default;
};

template <class T>
struct optional {
  T value{};
  constexpr bool operator==(const optional&) const = default;
};

template <class T>
struct vector {
  constexpr vector() = default;
  constexpr vector(initializer_list<T>) {}
  constexpr void push_back(const T&) {}
  constexpr int end() const { return 0; }
  constexpr void insert(int, initializer_list<T>) {}
  constexpr bool operator==(const vector&) const = default;
};

template <class T>
struct span {};

template <class... Ts>
struct tuple {};
}  // namespace std

#endif
