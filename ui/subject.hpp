// What the verdict panel speaks of: the hovered, the probed or the newest point, or the slider's
// prediction. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/predict.hpp"
#include "ui/app_state.hpp"
#include "ui/memo.hpp"

namespace ui {

struct Subject {
  enum class Kind : std::uint8_t { none, predicted, hovered, probed, newest } kind = Kind::none;
  const engine::Session* session = nullptr;
  const engine::Point* point = nullptr;  ///< null when only predicted
  kernels::Case what;
  const engine::Point* unmeasured =
      nullptr;  ///< predicted: the skipped or failed try, with its reason
};

/// The newest points of a session, looked for again only when it changes.
class NewestPoints {
 public:
  /// The newest one that is measured and no probe, or nullptr.
  const engine::Point* measured(const AppState&, const engine::Session&);
  /// The newest one of this case, measured or not, or nullptr.
  const engine::Point* of_case(const AppState&, const engine::Session&, const kernels::Case&);
  /// The newest one of its family, dtype and units, measured or not, or nullptr.
  const engine::Point* of_kind(const AppState&, const engine::Session&, const kernels::Case&);

 private:
  using Place = std::optional<std::size_t>;  ///< among the session's points

  Memo<std::uint64_t, Place> measured_;                           // by version
  Memo<std::pair<std::uint64_t, kernels::Case>, Place> of_case_;  // by version and case
  Memo<std::pair<std::uint64_t, kernels::Case>, Place> of_kind_;
};

/// Points into the state: valid until it changes.
Subject subject_of(const AppState&, NewestPoints&);

/// One quantity at the slider, as the roofs predict it and as it was measured; empty: not known.
struct ScopeRow {
  std::string name, predicted, measured, share;  ///< share: of the prediction that was reached
};

/// The verdict as the panel shows it.
struct VerdictText {
  std::string caption;  ///< "hovered: fp32 fused, repeat 64"
  std::string place;    ///< "here, AMD EPYC"; empty while one device alone is looked at
  std::string regime;   ///< in big words
  std::string headline;
  engine::Verdict verdict;
  bool measured = false;
  std::vector<ScopeRow> scope;  ///< empty while the slider is not the subject
};
VerdictText verdict_text(const AppState&, NewestPoints&);
/// The same for once.
VerdictText verdict_text(const AppState&);

}  // namespace ui
