// SHA-256, by libmd.
#pragma once

#include <cstddef>
#include <string>

namespace kernels {

inline constexpr std::size_t sha256_digits = 64;

/// In hexadecimal.
std::string sha256(const std::string& bytes);

}  // namespace kernels
