#include "kernels/cpu/amx.hpp"

namespace kernels::cpu {

bool amx_usable(std::string& why_not) {
  why_not = "AMX exists on x86-64 processors under Linux only";
  return false;
}

}  // namespace kernels::cpu
