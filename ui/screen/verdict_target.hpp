// What the verdict panel speaks of: the hovered point, the slider's or its prediction; in labs
// without a slider the newest point. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/verdict/predict.hpp"
#include "ui/model/app_state.hpp"

namespace ui {

struct VerdictTarget {
  enum class Kind : std::uint8_t { none, predicted, hovered, probed, newest } kind = Kind::none;
  const engine::Session* session = nullptr;
  const engine::Point* point = nullptr;  ///< null when only predicted
  kernels::Case what;
  const engine::Point* unmeasured = nullptr;  ///< predicted: the skipped or failed try
};

/// The newest point of a case, measured or not; or nullptr.
const engine::Point* newest_of_case(const engine::Session&, const kernels::Case&);

/// Points into the state: valid until it changes.
VerdictTarget verdict_target(const AppState&);

/// One quantity at the slider, as the roofs predict it and as it was measured; empty: not known.
struct ScopeRow {
  std::string name, predicted, measured, share;  ///< share: of the prediction that was reached
};

/// What a part of a runtime goes to, from one share of it to another.
struct TimePart {
  engine::Regime regime = engine::Regime::unknown;
  double from = 0, to = 0;
  bool hidden = false;  ///< it runs behind the largest part
};
/// Where the runtime goes, the parts that fill it first; what is left nothing explains.
std::vector<TimePart> time_parts(const engine::Verdict&);

/// The verdict as the panel shows it.
struct VerdictText {
  std::string caption;  ///< "fp32 fused, 64 ops (under the pointer)"
  std::string place;    ///< "here, AMD EPYC"; empty while one device alone is looked at
  std::string regime;   ///< in big words
  std::string headline;
  engine::Verdict verdict;
  bool measured = false;
  bool integer = false;         ///< its arithmetic is counted in OP
  std::vector<ScopeRow> scope;  ///< empty while the verdict is not about the slider
};
VerdictText verdict_text(const AppState&);

}  // namespace ui
