// What others measured on GPUs, to compare with; references, no limits. Pure.
#pragma once

#include <optional>
#include <span>
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

/// A row of the table of published figures, and what its numbers are.
struct PublishedRow {
  enum class Is { rate, seconds, per_clock };

  std::string_view gpu;    ///< words that the driver's name holds, in this order
  std::string_view other;  ///< another one; mostly empty
  std::string_view roof;
  double low, high;
  std::string_view source;
  Is is = Is::rate;
};
std::span<const PublishedRow> published_rows();

/// What was published of a roof on this GPU; nothing where the table of published.cpp has no row.
std::optional<Published> published_for(const kernels::DeviceInfo&, const engine::Roof&);

}  // namespace app
