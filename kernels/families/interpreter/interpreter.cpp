// `interpreter`: additions one after the other in Python, and in PyTorch on tensors of one element.
#include "kernels/families/interpreter/interpreter.hpp"

#include <array>

#include "kernels/families/family.hpp"

namespace kernels {
namespace {

constexpr std::array ops{Op::add};
constexpr std::array<std::string_view, 2> programs{"python3", "pytorch"};
constexpr std::array axes{AxisInfo{"program", "", "Who adds.", 1, programs.size(), 1, programs}};

Work work(const Case& c) {
  return {.flops = static_cast<double>(c.repeat), .bytes = 0, .launches = 0};
}

}  // namespace

Case interpreter_case(Interpreter program, std::uint64_t additions) {
  return {.family = Family::interpreter,
          .ops = Op::add,
          .dtype = program == Interpreter::python ? Dtype::fp64 : Dtype::fp32,
          .repeat = additions,
          .more = {static_cast<std::uint64_t>(program)}};
}

extern const FamilyInfo interpreter_family{
    .name = "interpreter",
    .help = "additions in Python, and of tiny tensors in PyTorch",
    .ops = ops,
    .for_labs = true,
    .sized = false,
    .limit = Limit::overhead,
    .step = "addition",
    .steps = "additions",
    .axes = axes,
    .work = work,
    .tag = [](const Case&) { return std::string("addition"); },
    .prepare_on_host = prepare_interpreter,
};

}  // namespace kernels
