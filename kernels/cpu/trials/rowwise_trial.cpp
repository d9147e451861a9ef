// Family `rowwise`: one launch over the rows of a matrix, or over its columns.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kernels/cpu/loaded/vector_math.hpp"
#include "kernels/cpu/machine/share.hpp"
#include "kernels/cpu/trials/check_elements.hpp"
#include "kernels/cpu/trials/trials.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/reference.hpp"
#include "kernels/families/rowwise.hpp"
#include "kernels/random.hpp"

namespace kernels::cpu {
namespace {

/// Elements between two looks at the stop token: about 1 ms of the slowest operator.
constexpr std::uint64_t piece = std::uint64_t{1} << 20;
/// Rows that are compared: the first and last of every thread, and random ones.
constexpr std::uint64_t random_rows = 16;

class RowwiseTrial final : public TimedTrial {
 public:
  RowwiseTrial(Machine& machine, const Choice& choice, const Case& c, const std::stop_token& stop)
      : TimedTrial(machine, c, note_of(choice)),
        choice_(choice),
        functions_(math_functions(c.dtype, choice.isa.register_bytes)),
        seed_(machine.input(Slot::first, c, c.elements, stop)) {
    if (const std::string why = refusal_of(c); !why.empty()) throw Unsupported(why);
    if (needs_vector_math(c.op())) note_ += fmt::format("; {}", vector_math_note);
    if (second_elements(c) > 0)
      second_seed_ = machine.input(Slot::second, c, second_elements(c), stop);
    machine.output(output(), result_elements(c) * size(), c);
  }

  Check verify(std::stop_token stop) override {
    const std::uint64_t results = result_elements(case_);
    const int poison = poison_of(case_.dtype);
    fill_bytes(machine_, result(), results, size(), poison, stop);
    run_untimed(stop);
    const auto left = poisoned_elements(machine_, result(), results, size(), poison, stop);
    if (!left.empty())
      return {false, fmt::format("element {} of {} was not written", left.front(), results)};
    Deviation deviation;
    for (const std::uint64_t row : rows_to_check()) {
      if (stop.stop_requested()) throw Cancelled();
      if (Check check = check_row(row, deviation); !check.ok) return check;
    }
    return {.ok = true, .error = deviation.share()};
  }

 protected:
  void run_once(const std::stop_token& stop) override {
    const void* second = second_elements(case_) > 0
                             ? machine_.data(Slot::second, second_elements(case_) * size())
                             : nullptr;
    const void* in = machine_.data(Slot::first, case_.elements * size());
    void* out = result();
    const std::uint64_t at_once =
        std::max<std::uint64_t>(1, piece / line_length() / row_block) * row_block;
    Division rows(machine_.deal(lines(), row_block, machine_.beyond_caches(footprint_of(case_))));
    auto share = [&](int thread) {
      rows.deal(
          thread, at_once, [&] { return stop.stop_requested(); },
          [&](Range some) {
            choice_.row.rowwise({in, second, out, some.first, some.count, rows_of(case_),
                                 columns_of(case_), functions_});
          });
    };
    machine_.pool().launch(share);
  }

 private:
  std::size_t size() const { return size_of(case_.dtype); }
  Slot output() const { return second_elements(case_) > 0 ? Slot::third : Slot::second; }
  char* result() const { return machine_.data(output(), result_elements(case_) * size()); }

  bool on_columns() const { return is_on_columns(case_.op()); }
  /// Rows, or columns of an operator on those.
  std::uint64_t lines() const { return on_columns() ? columns_of(case_) : rows_of(case_); }
  std::uint64_t line_length() const { return on_columns() ? rows_of(case_) : columns_of(case_); }

  std::vector<std::uint64_t> rows_to_check() const {
    const std::uint64_t all = lines();
    std::vector<std::uint64_t> rows{all - 1};
    for (int thread = 0; thread < machine_.threads(); ++thread) {
      const Range share = share_of(all, row_block, thread, machine_.threads());
      rows.push_back(std::min(share.first, all - 1));
      if (share.first > 0) rows.push_back(share.first - 1);
    }
    for (std::uint64_t i = 0; i < random_rows; ++i)
      rows.push_back(random_bits(Dtype::fp64, seed_, i) % all);
    return rows;
  }

  Check check_row(std::uint64_t row, Deviation& deviation) const {
    const RowTensors tensors{
        .input = [&](std::uint64_t i) { return data_element(case_, seed_, i); },
        .second = [&](std::uint64_t i) { return data_element(case_, second_seed_, i); },
        .result =
            [&](std::uint64_t i) { return decode(case_.dtype, bits_at(result(), i, size())); }};
    return kernels::check_row(case_, row, tensors, sleef_error, deviation);
  }

  Choice choice_;
  MathFunctions functions_;
  std::uint64_t seed_, second_seed_ = 0;
};

}  // namespace

std::unique_ptr<Trial> prepare_rowwise(Machine& machine, const Choice& choice, const Case& c,
                                       std::stop_token stop) {
  return std::make_unique<RowwiseTrial>(machine, choice, c, stop);
}

}  // namespace kernels::cpu
