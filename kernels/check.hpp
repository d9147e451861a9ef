// How results are checked: a family does it once for all devices, through the few things that each
// device does. Knows nothing of how.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kernels/device.hpp"
#include "kernels/families/reference.hpp"

namespace kernels {

/// What the inputs hold: what the case asks for; random numbers also where that is zeros, under
/// which nothing shows what was left out; or numbers whose products and sums nothing rounds.
enum class Contents : std::uint8_t { case_data, random, exact };

/// Consecutive elements, tiles or rows.
struct Window {
  std::uint64_t first = 0, count = 0;
};

/// What a run left of the poison in its results.
struct Covered {
  Check check{.ok = true};  ///< not ok: elements are unwritten, or others were written, too
  std::vector<std::uint64_t> doubtful{};  ///< elements that look unwritten, and may be right
};

/// A prepared case as its family checks it.
class Checkable {
 public:
  virtual ~Checkable() = default;

  virtual const Case& timed() const = 0;
  /// The dtype of the result.
  virtual Dtype result_dtype() const { return timed().dtype; }
  /// What each op of a chain rounds to.
  virtual Arithmetic arithmetic() const { return {timed().dtype}; }
  /// What is timed: of a chain its operands, of a stream the factor of a triad and what it writes.
  virtual Operands operands() const { return {}; }
  /// How far its functions are from exact: sleef_error or cuda_error.
  virtual double function_error() const = 0;
  /// How much the transforms of a convolution can let errors grow (conv.hpp); 0: it has none.
  virtual double growth() const { return 0; }
  /// Places at which samples of a result are taken. A copy from a GPU is for many elements.
  virtual std::uint64_t most_windows() const { return 32; }
  /// Of so many items of a result those with which the share of a thread begins.
  virtual std::vector<std::uint64_t> borders(std::uint64_t) const { return {}; }
  /// The elements of a large case on which all its ops are checked; on the rest a few are.
  virtual std::uint64_t with_all_ops() const { return timed().elements; }
  /// Whether its kernel was right with a few ops on all elements of such a case before.
  virtual bool is_proved() const { return false; }
  virtual void note_proved() {}

  virtual void fill(Contents, const std::stop_token&) = 0;
  /// An element of an input: which input, and its index there.
  virtual double input(std::size_t which, std::uint64_t index) const = 0;
  /// Of the first input, which no other case has.
  virtual std::uint64_t seed() const = 0;
  /// Runs the case, or one of fewer elements or ops, with these operands on poisoned results.
  virtual Covered run_poisoned(const Case&, const Operands&, const std::stop_token&) = 0;
  virtual std::vector<double> read(const Window&) const = 0;
  /// Of a case that reads and writes nothing: runs it; the sums of the words that it read, and of
  /// those that it should have read, modulo 2^32.
  virtual std::pair<std::uint32_t, std::uint32_t> sums(const std::stop_token&) { return {}; }
};

/// About `most` of so many elements, all of them where there are fewer: the first and the last
/// ones, both sides of borders, and others by chance.
std::vector<Window> sampled_windows(const Checkable&, std::uint64_t elements, std::uint64_t most);

/// Compares doubtful elements and about `most` others of `elements`, the first of which is number
/// `first` of the result. Nothing is compared where the check of `covered` is not ok already.
/// `judge`: is given an element and what is there. Throws Cancelled.
Check compare(const Checkable&, const Covered& covered, Window elements, std::uint64_t most,
              const std::stop_token&,
              const std::function<Check(std::uint64_t index, double got)>& judge);

/// The same for all of a case, in which each element goes through `chain` with operands of its own.
Check compare_chain(Checkable&, const Case& chain,
                    const std::function<Operands(std::uint64_t index)>& operands,
                    const std::stop_token&);

/// A check of a family on random data, whatever the case has; then those of the case are back.
template <Check (*check)(Checkable&, const std::stop_token&)>
Check on_random(Checkable& of, const std::stop_token& stop) {
  of.fill(Contents::random, stop);
  const Check found = check(of, stop);
  of.fill(Contents::case_data, stop);
  return found;
}

/// How many elements to compare where the reference takes so many ops for each, and has so many
/// for all: about 20 ms.
std::uint64_t samples_for(std::uint64_t ops_of_one, std::uint64_t ops = 1'000'000);

/// "element 17 of 1000: expected 1.5, got 2.25"
std::string mismatch(std::uint64_t index, std::uint64_t elements, double expected, double got);

}  // namespace kernels
