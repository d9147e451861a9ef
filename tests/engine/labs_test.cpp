// The verdict of each lab, of results that are made up: the claim holds, does not, cannot be told.
#include <doctest/doctest.h>

#include "tests/engine/made_results.hpp"

using namespace engine;
using test::Made;
using Says = LabVerdict::Says;

namespace {

double at_two_flops_an_instruction(const Point& point) {
  const double per_op = 1e-12 * static_cast<double>(point.what.elements);
  return per_op * static_cast<double>(point.what.repeat);
}

double at_equal_flops(const Point& point) { return point.work.flops * 1e-12; }

}  // namespace
