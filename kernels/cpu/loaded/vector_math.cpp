#include "kernels/cpu/loaded/vector_math.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

namespace kernels::cpu {
namespace {

#ifdef __aarch64__
constexpr std::string_view of_16_bytes = "advsimd";
#else
constexpr std::string_view of_16_bytes = "sse2";
#endif

/// Stays until the process ends, like what points into it.
void* library() {
  static void* const handle = dlopen("libsleef.so.3", RTLD_NOW | RTLD_LOCAL);
  return handle;
}

/// The end of a name: Sleef_cosf16_u10avx512f.
std::string_view suffix_of(int register_bytes) {
  return register_bytes == 64 ? "avx512f" : register_bytes == 32 ? "avx2" : of_16_bytes;
}

}  // namespace

std::string why_no_vector_math() {
  if (library() != nullptr) return "";
  return "needs the library SLEEF (libsleef.so.3), which was not found: install libsleef3";
}

std::string vector_math_file() {
  link_map* map = nullptr;
  if (library() == nullptr || dlinfo(library(), RTLD_DI_LINKMAP, &map) != 0) return "";
  return map->l_name;
}

MathFunctions math_functions(Dtype dtype, int register_bytes) {
  if (library() == nullptr) return {};
  const auto function = [&](std::string_view name) {
    const std::string symbol = fmt::format(
        "Sleef_{}{}{}_u10{}", name, dtype == Dtype::fp64 ? 'd' : 'f',
        static_cast<std::size_t>(register_bytes) / size_of(dtype), suffix_of(register_bytes));
    return reinterpret_cast<void (*)()>(dlsym(library(), symbol.c_str()));
  };
  return {function("exp"), function("cos"), function("tanh"), function("erf")};
}

}  // namespace kernels::cpu
