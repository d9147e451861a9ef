#include "kernels/cpu/trials/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kernels::cpu {
namespace {

constexpr std::string_view work = "work", from_queue = "pieces from a queue",
                           equal_shares = "equal shares";

}  // namespace

void add_value(ShapeAxis& axis, std::string value) {
  if (std::ranges::find(axis.values, value) == axis.values.end()) {
    axis.values.push_back(std::move(value));
  }
}

void sort_numbers(ShapeAxis& axis) {
  std::sort(axis.values.begin() + 1, axis.values.end(),
            [](const std::string& x, const std::string& y) { return std::stoi(x) < std::stoi(y); });
}

ShapeAxis width_axis(const std::vector<const Choice*>& choices) {
  ShapeAxis axis{std::string(width_axis_name), {}};
  for (const Choice* choice : choices) add_value(axis, choice->isa.name);
  return axis;
}

const Choice& choice_named(const std::vector<const Choice*>& choices, const std::string& name) {
  return **std::ranges::find_if(choices,
                                [&](const Choice* choice) { return choice->isa.name == name; });
}

void add_work_axis(std::vector<ShapeAxis>& axes, const Machine& machine) {
  if (!machine.cores_differ()) return;
  axes.push_back({std::string(work), {std::string(from_queue), std::string(equal_shares)}});
}

Chosen::Chosen(std::vector<ShapeAxis> axes, const Case& c) : axes_(std::move(axes)), case_(c) {
  for (const ShapeChoice& choice : c.shape) {
    const auto axis = std::ranges::find(axes_, choice.axis, &ShapeAxis::name);
    if (axis == axes_.end()) {
      throw Unsupported(fmt::format("{} {}: the CPU has no such choice for {}", choice.axis,
                                    choice.value, describe(case_)));
    }
    if (std::ranges::find(axis->values, choice.value) == axis->values.end()) {
      throw Unsupported(fmt::format("{} {}: expected one of {}", choice.axis, choice.value,
                                    fmt::join(axis->values, ", ")));
    }
  }
}

std::string Chosen::value(std::string_view name, std::string_view otherwise) const {
  if (const std::string_view choice = chosen_on(name, case_); !choice.empty())
    return std::string(choice);
  for (const ShapeAxis& axis : axes_) {
    if (axis.name == name) return axis.values.front();
  }
  return std::string(otherwise);
}

Schedule Chosen::schedule() const {
  return value(work, equal_shares) == from_queue ? Schedule::queue : Schedule::shares;
}

Unsupported not_built(const Case& c) {
  return Unsupported(fmt::format("no kernel of this shape is built: {}", describe(c)));
}

}  // namespace kernels::cpu
