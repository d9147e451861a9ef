// What others measured on GPUs, to compare with; references, no limits. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/session/session.hpp"

namespace app {

/// A published range of a roof: byte/s, FLOP/s, launches/s; both ends alike where one was published.
struct Published {
  double low = 0;
  double high = 0;
  std::string_view source;
};

/// What was published of a roof on this GPU; nothing where the table of published.cpp has no row.
std::optional<Published> published_for(const kernels::DeviceInfo&, const engine::Roof&);

}  // namespace app
