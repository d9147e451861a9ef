// Pictures compared with the ones in goldens/: a new picture test is one line, and its missing
// golden writes itself and fails once. RIDGEPOINT_UPDATE_GOLDENS=1 writes all anew.
#pragma once

#include <array>
#include <string>

#include "ui/plot/output/presets.hpp"

namespace test {

void check_golden(const std::string& name, const plot::Page&, double width, double height,
                  const plot::Style&);
/// Four figures with their overlays, as the window shows them.
struct Shown {
  plot::Figure figure;
  plot::Overlay overlay;
};
void check_golden(const std::string& name, const std::array<Shown, 4>&, double width, double height,
                  const plot::Style&);
/// As an export with these wishes would draw it.
void check_golden(const std::string& name, const plot::Page&, const plot::PictureSpec&);

}  // namespace test
