#include "kernels/kept/sha256.hpp"

#include <sha256.h>

#include <array>
#include <cstdint>

namespace kernels {

std::string sha256(const std::string& bytes) {
  static_assert(SHA256_DIGEST_STRING_LENGTH == sha256_digits + 1);
  std::array<char, SHA256_DIGEST_STRING_LENGTH> digits{};
  SHA256Data(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), digits.data());
  return {digits.data(), sha256_digits};
}

}  // namespace kernels
