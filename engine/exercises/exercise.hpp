// Exercises: a question about this machine whose answer the user gives before it is measured. A
// small file each in assets/exercises.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/session/session.hpp"
#include "engine/verdict/predict.hpp"

namespace engine {

/// What the user places.
enum class ExerciseKind : std::uint8_t {
  knee,    ///< the ops per element at which the runtime begins to grow
  rate,    ///< the FLOP/s that a point attains
  factor,  ///< how many times as long one point takes as another
  regime   ///< what bounds a point
};

/// Which points of a run an exercise speaks of: those that have all that is named.
struct PointPick {
  std::optional<kernels::Family> family{};
  std::string ops{};  ///< as kernels::name_of(Ops); empty: any
  std::optional<kernels::Fusion> fusion{};
  std::optional<kernels::By> by{};
  std::vector<std::pair<std::string, std::uint64_t>> sizes{};  ///< by axis: kernels::size()
};

struct Exercise {
  std::string name{};  ///< of its file, without the ending
  std::string title, source, question;
  std::string why{};  ///< what explains the answer, said after it was measured
  Spec spec{};        ///< the lab and its knobs
  ExerciseKind kind = ExerciseKind::knee;
  PointPick of{}, than{};  ///< `than`: what a factor compares with
};

/// What the user says: a number, or a regime.
using Guess = std::variant<double, Regime>;

/// What was measured.
struct MeasuredAnswer {
  std::optional<Guess> value{};        ///< nothing: `why_not` says why
  std::optional<Interval> interval{};  ///< of a number
  std::string why_not{};
};

/// The limits of a number, and the step to the next one, as factors.
struct GuessRange {
  double low = 1, high = 1, step = 1;
};
GuessRange range_of(ExerciseKind);

/// `source` names the text in messages. Throws BadInput.
Exercise read_exercise(std::string_view text, const std::string& source);
/// Those of a folder, by the names of the files; what cannot be read is a sentence in `problems`.
/// Exercises of labs that this program does not have are left out.
std::vector<Exercise> read_exercises(const std::filesystem::path& folder,
                                     std::vector<std::string>& problems);

/// The answer of the session's newest run of the exercise's lab that is newer than a run.
MeasuredAnswer answer_of(const Exercise&, const Session&, std::uint64_t after_run);

/// "16 ops", "1.20 TFLOP/s", "4x as long", "bandwidth-bound".
std::string text_of(const Exercise&, const Guess&);
/// "You said 16 ops; the knee is at 22 (20 to 24): within a factor of 1.4."
std::string distance_in_words(const Exercise&, const Guess&, const MeasuredAnswer&);

}  // namespace engine
