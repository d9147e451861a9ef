#include <doctest/doctest.h>

#include <stdexcept>

#include "codegen.hpp"

namespace codegen {
namespace {

// Two nested loops; the inner one has three fmas, a reload of a spilled value and a store.
constexpr const char* text = R"(
kernel.o:     file format elf64-x86-64

0000000000000000 <double kernels::cpu::(anonymous namespace)::peak<kernels::cpu::(anonymous namespace)::Fp32>(unsigned long)>:
   0:	xor    %eax,%eax
   2:	vfmadd132ps %zmm1,%zmm2,%zmm3
   8:	vfmadd231ps %zmm1,%zmm2,%zmm4
   e:	vfmadd213ps 0x40(%rsp),%zmm2,%zmm5
  14:	vmovaps %zmm5,0x80(%rsp)
  1c:	nopl   0x0(%rax)
  20:	sub    $0x1,%rdi
  24:	jne    2 <double kernels::cpu::(anonymous namespace)::peak<kernels::cpu::(anonymous namespace)::Fp32>(unsigned long)+0x2>
  26:	dec    %rsi
  28:	jne    0 <double kernels::cpu::(anonymous namespace)::peak<kernels::cpu::(anonymous namespace)::Fp32>(unsigned long)>
  2a:	ret

0000000000000030 <f()>:
  30:	vaddps %ymm0,%ymm1,%ymm1
  34:	vsqrtps %ymm1,%ymm1
  38:	jmp    30 <f()>
)";

TEST_CASE("a listing is read into functions, instructions and innermost loops") {
  const Listing listing = parse_listing(text);
  REQUIRE(listing.size() == 2);
  CHECK(listing[0].name == "peak<Fp32>(unsigned long)");
  CHECK(listing[0].body.size() == 11);
  CHECK(listing[0].body[1].mnemonic == "fmaddps");
  CHECK(listing[0].body[7].target == 2);
  CHECK(listing[0].body[3].touches_memory());
  CHECK_FALSE(listing[0].body[3].writes_memory());
  CHECK(listing[0].body[4].writes_memory());
  const auto loops = innermost_loops(listing[0]);
  REQUIRE(loops.size() == 1);
  CHECK(loops[0].front().address == 2);
  CHECK(loops[0].back().address == 0x24);
  CHECK(find_function(listing, "f(") == &listing[1]);
  CHECK(find_function(listing, "g(") == nullptr);
}

TEST_CASE("what differs from the demand is named: counts, loads, stores, registers and strangers") {
  const Listing listing = parse_listing(text);
  const Demand demand{.arithmetic = {{"fmaddps", 3}}, .registers = "%zmm", .loads = 1};
  const Loop loop = hot_loop(listing[0], demand);
  REQUIRE_FALSE(loop.empty());
  const auto stores = problems_in(loop, demand);
  REQUIRE(stores.size() == 1);
  CHECK(stores[0].starts_with("a store: 14"));
  const Demand more{.arithmetic = {{"fmaddps", 24}}, .registers = "%zmm", .loads = 0};
  const auto folded = problems_in(loop, more);
  REQUIRE(folded.size() == 3);
  CHECK(folded[1] == "1 loads instead of 0");
  CHECK(folded[2] == "3 x fmaddps instead of 24");
  const Demand add{.arithmetic = {{"addps", 1}}, .registers = "%zmm"};
  const auto others = problems_in(hot_loop(listing[1], add), add);
  REQUIRE(others.size() == 2);
  CHECK(others[0].starts_with("not in %zmm registers: 30"));
  CHECK(others[1].starts_with("unexpected 34"));
}

TEST_CASE("a kernel without the loop is noticed") {
  const Demand demand{.arithmetic = {{"mulpd", 8}}, .registers = "%zmm"};
  const Loop none = hot_loop(parse_listing(text)[0], demand);
  CHECK(none.empty());
  CHECK(problems_in(none, demand) == std::vector<std::string>{"0 x mulpd instead of 8"});
}

TEST_CASE("an object that can't be disassembled is an error") {
  CHECK_THROWS_AS(disassemble("/bin/false", "nothing.o"), std::runtime_error);
}

}  // namespace
}  // namespace codegen
