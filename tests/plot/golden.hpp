// Pictures compared with the ones in goldens/: a new picture test is one line, and its missing
// golden writes itself and fails once. RIDGEPOINT_UPDATE_GOLDENS=1 writes all anew.
#pragma once

#include <string>

#include "ui/plot/draw.hpp"

namespace test {

void check_golden(const std::string& name, const plot::Page&, double width, double height,
                  const plot::Style&);

}  // namespace test
