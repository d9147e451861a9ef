// Family `rowwise`: one launch over the rows of a matrix, or over its columns.
#include <fmt/format.h>

#include "kernels/cpu/loaded/vector_math.hpp"
#include "kernels/cpu/trials/trials.hpp"
#include "kernels/families/rowwise/rowwise.hpp"

namespace kernels::cpu {
namespace {

/// Elements between two looks at the stop token: about 1 ms of the slowest operator.
constexpr std::uint64_t elements_per_piece = std::uint64_t{1} << 20;

class RowwiseTrial final : public TimedTrial {
 public:
  RowwiseTrial(Machine& machine, const Choice& choice, const Case& c, const std::stop_token& stop)
      : TimedTrial(machine, c, note_of(choice)),
        choice_(choice),
        functions_(math_functions(c.dtype, choice.isa.register_bytes)) {
    if (calls_function(c.op())) note_ += fmt::format("; {}", vector_math_note);
    granule_ = row_block;
    take(Slot::first, c.elements, stop);
    if (second_elements(c) > 0) take(Slot::second, second_elements(c), stop);
    machine.output(output(), bytes(result_elements(c)), c);
  }

 protected:
  void run_once(const std::stop_token& stop) override {
    const std::uint64_t others = second_elements(case_);
    const void* second = others > 0 ? data(Slot::second, bytes(others)) : nullptr;
    const void* in = data(Slot::first, bytes(case_.elements));
    void* out = result().data;
    const bool on_columns = is_on_columns(case_.op());
    const std::uint64_t rows = rows_of(case_), columns = columns_of(case_);
    on_threads(
        machine_.split(on_columns ? columns : rows, row_block,
                       machine_.beyond_caches(footprint_of(case_))),
        piece_of(elements_per_piece, on_columns ? rows : columns, row_block), stop,
        [&](int, Range some) {
          choice_.row.rowwise({in, second, out, some.first, some.count, rows, columns, functions_});
        });
  }
  Result result() const override {
    const std::uint64_t elements = result_elements(case_);
    return {data(output(), bytes(elements)), elements};
  }

 private:
  std::uint64_t bytes(std::uint64_t elements) const { return elements * size_of(case_.dtype); }
  Slot output() const { return second_elements(case_) > 0 ? Slot::third : Slot::second; }

  Choice choice_;
  MathFunctions functions_;
};

}  // namespace

extern const FamilyOnCpu rowwise_on_cpu{
    .family = Family::rowwise, .why_not = why_no_operators, .prepare = prepare_with<RowwiseTrial>};

}  // namespace kernels::cpu
