#include "kernels/case.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "kernels/families/family.hpp"
#include "kernels/operator_flops.hpp"
#include "kernels/units.hpp"

namespace kernels {
namespace {

constexpr std::array<std::string_view, 2> fusion_names{"fused", "unfused"};
constexpr std::array<std::string_view, 2> units_names{"vector", "matrix"};
constexpr std::array<std::string_view, 2> data_names{"random", "zeros"};
constexpr std::array<std::string_view, 3> by_names{"own", "library", "generated"};

template <typename Enum, std::size_t count>
std::optional<Enum> named(const std::array<std::string_view, count>& names, std::string_view name) {
  for (std::size_t i = 0; i < count; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Fusion fusion) { return fusion_names[static_cast<std::size_t>(fusion)]; }
std::string_view name_of(Units units) { return units_names[static_cast<std::size_t>(units)]; }
std::string_view name_of(Data data) { return data_names[static_cast<std::size_t>(data)]; }

std::optional<Fusion> fusion_named(std::string_view name) {
  return named<Fusion>(fusion_names, name);
}
std::optional<Units> units_named(std::string_view name) { return named<Units>(units_names, name); }

std::optional<Data> data_named(std::string_view name) { return named<Data>(data_names, name); }

std::string text_of(const Shape& shape) {
  std::string text;
  for (const ShapeChoice& choice : shape) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", choice.axis, choice.value);
  }
  return text;
}

std::string_view name_of(By by) { return by_names[static_cast<std::size_t>(by)]; }
std::optional<By> by_named(std::string_view name) { return named<By>(by_names, name); }

std::optional<std::uint64_t> size(const Case& c, std::string_view axis) {
  if (axis == "elements") return c.elements;
  if (axis == "repeat") return c.repeat;
  const auto index = c.family->axis(axis);
  return index ? std::optional(c.more[*index]) : std::nullopt;
}

Case with(Case c, std::string_view axis, std::uint64_t value) {
  if (axis == "elements") {
    c.elements = value;
  } else if (axis == "repeat") {
    c.repeat = value;
  } else if (const auto index = c.family->axis(axis)) {
    c.more[*index] = value;
  } else {
    throw std::invalid_argument(fmt::format("{} has no axis {}", c.family->name, axis));
  }
  return c;
}

Work work_of(const Case& c, std::string_view kind) {
  Work work = c.family->work(c);
  const bool of_gpu = kind == cuda_operator_flops.kind;
  if (c.family->flops != nullptr)
    work.flops = c.family->flops(c, of_gpu ? cuda_operator_flops : cpu_operator_flops);
  return work;
}

double footprint_of(const Case& c) {
  return c.family->footprint != nullptr ? c.family->footprint(c) : 0;
}

std::string describe(const Case& c) {
  std::string text = fmt::format("{}", name_of(c.family));
  const Role role = c.family->role;
  if (role == Role::overhead) return text + fmt::format(" repeat {}", c.repeat);
  text += fmt::format(" {} {}", text_of(c.ops), name_of(c.dtype));
  if (c.units == Units::matrix) text += " matrix";
  if (c.family->fuses) text += fmt::format(" {}", name_of(c.fusion));
  if (role != Role::bandwidth || c.repeat > 1) text += fmt::format(" repeat {}", c.repeat);
  for (std::size_t i = 0; i < c.family->axes.size(); ++i)
    if (c.more[i] > 0) text += fmt::format(" {} {}", c.family->axes[i].name, c.more[i]);
  if (c.elements > 0) {
    text += fmt::format(", {} elements", units::count(static_cast<double>(c.elements)));
  }
  if (c.data == Data::zeros) text += ", zeros";
  if (!c.shape.empty()) text += fmt::format(", {}", text_of(c.shape));
  return text;
}

}  // namespace kernels
