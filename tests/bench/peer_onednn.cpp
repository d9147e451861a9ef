// oneDNN's matrix products, where its headers were there at build time.
#include <fmt/format.h>

#include <cstring>
#include <dnnl.hpp>

#include "tests/bench/peers.hpp"

namespace bench {
namespace {

using dnnl::memory;
using Type = memory::data_type;

constexpr memory::dim edge = 3072;

/// C = A B with the layouts that the library prefers, as a network would use them.
Turn product_turn(Type a_type, Type b_type, Type c_type) {
  try {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(cpu);
    const auto any = [](Type type) {
      return memory::desc({edge, edge}, type, memory::format_tag::any);
    };
    const dnnl::matmul::primitive_desc description(
        dnnl::matmul::desc(any(a_type), any(b_type), any(c_type)), cpu);
    memory a(description.src_desc(), cpu), b(description.weights_desc(), cpu),
        c(description.dst_desc(), cpu);
    for (memory* tensor : {&a, &b}) {
      // 0.75 or 63 in any of the types: nothing that a multiplier could pass over.
      std::memset(tensor->get_data_handle(), 0x3f, tensor->get_desc().get_size());
    }
    const dnnl::matmul product(description);
    const auto multiply = [&] {
      product.execute(stream, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}});
      stream.wait();
    };
    multiply();  // generates the code
    return turn_of(2.0 * edge * edge * edge, multiply);
  } catch (const dnnl::error& error) {  // such as a type that this CPU has no product for
    return {.why = error.what()};
  }
}

}  // namespace

void add_onednn(Peers& peers, const kernels::DeviceInfo& device) {
  if (device.kind != "cpu") return;
  const auto add = [&](const char* roof, const char* type, Type a, Type b, Type c) {
    peers.found.push_back(
        {roof, "oneDNN", fmt::format("{} matmul {}", type, edge),
         "2 M N K operations; theirs a whole matrix product, ours arithmetic in registers",
         [=] { return product_turn(a, b, c); }});
  };
  add("fp32 FMA", "fp32", Type::f32, Type::f32, Type::f32);
  for (const char* roof : {"bf16 dot", "bf16 matrix"}) {
    add(roof, "bf16", Type::bf16, Type::bf16, Type::f32);
  }
  for (const char* roof : {"int8 FMA", "int8 matrix"}) {
    add(roof, "int8", Type::u8, Type::s8, Type::s32);
  }
}

}  // namespace bench
