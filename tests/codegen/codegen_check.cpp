#include "codegen_check.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace codegen {
namespace {

/// SSE2 multiplies 32-bit integers with two 64-bit products and joins their low halves.
bool emulates_multiplication(const std::string& file,
                             const std::map<std::string, int>& arithmetic) {
  return file == "baseline.cpp" && arithmetic.contains("pmulld");
}

}  // namespace

Demand demand_of(const Object& object, std::map<std::string, int> arithmetic, int loads) {
  Demand demand{.arithmetic = std::move(arithmetic), .registers = object.registers, .loads = loads};
  if (emulates_multiplication(object.file, demand.arithmetic)) {
    auto product = demand.arithmetic.extract("pmulld");
    product.key() = "pmuludq";
    product.mapped() *= 2;
    demand.arithmetic.insert(std::move(product));
    demand.helpers = {"psrlq", "pshufd", "punpckldq"};
  }
  // Roots are those of magnitudes.
  if (demand.arithmetic.contains("sqrtps")) demand.helpers = {"andps", "andnps"};
  if (demand.arithmetic.contains("sqrtpd")) demand.helpers = {"andpd", "andnpd"};
  return demand;
}

void check_no_problems(const std::vector<std::string>& problems) {
  for (const std::string& problem : problems) FAIL_CHECK(problem);
}

const Function& function_of(const Listing& listing, const std::string& name_start) {
  const Function* function = find_function(listing, name_start);
  REQUIRE_MESSAGE(function != nullptr, "no function " << name_start);
  return *function;
}

std::string op_argument(kernels::Op op) {
  std::string argument;
  bool begins = true;
  for (const char sign : name_of(op)) {
    const bool letter = 'a' <= sign && sign <= 'z';
    if (letter) argument += begins ? static_cast<char>(sign - 'a' + 'A') : sign;
    begins = !letter;
  }
  return argument;
}

int count_starting(const Function& function, std::string_view start) {
  return static_cast<int>(std::ranges::count_if(function.body, [&](const Instruction& instruction) {
    return instruction.mnemonic.starts_with(start);
  }));
}

}  // namespace codegen
