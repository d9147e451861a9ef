// What can be chosen of the shape of a kernel, and what a case chooses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/cpu/machine/machine.hpp"
#include "kernels/cpu/trials/tables.hpp"
#include "kernels/device.hpp"

namespace kernels::cpu {

/// Names of axes that several families have; a value that says that there is nothing.
inline constexpr std::string_view width_axis_name = "width", no_choice = "none";

void add_value(ShapeAxis&, std::string value);
/// The default first, then ascending.
void sort_numbers(ShapeAxis&);
/// The instruction sets.
ShapeAxis width_axis(const std::vector<const Choice*>&);
const Choice& choice_named(const std::vector<const Choice*>&, const std::string& instruction_set);
/// On cores of unequal speed both ways to split work are measured, so that both numbers can be
/// seen.
void add_work_axis(std::vector<ShapeAxis>&, const Machine&);

/// What a case chooses on the axes there are. Throws Unsupported for axes and values that do not
/// exist.
class Chosen {
 public:
  Chosen(std::vector<ShapeAxis> axes, const Case&);

  /// The choice, the default of the axis, or `otherwise` when there is no such axis.
  std::string value(std::string_view name, std::string_view otherwise = no_choice) const;
  int number(std::string_view name, std::string_view otherwise) const {
    return std::stoi(value(name, otherwise));
  }
  /// On the axis of add_work_axis().
  Schedule schedule() const;

 private:
  std::vector<ShapeAxis> axes_;
  const Case& case_;
};

/// For combinations of values that no kernel has.
Unsupported not_built(const Case&);

}  // namespace kernels::cpu
