// Family `overlap` on a CPU: one thread copies chunks into a buffer and back, another computes on
// them. One chunk: the same thread does all of it, one step after the other.
#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <new>
#include <optional>
#include <system_error>
#include <vector>

#include "kernels/cpu/simd/isa.hpp"
#include "kernels/cpu/threads/workers.hpp"
#include "kernels/cpu/trials/trials.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/overlap/overlap.hpp"

namespace kernels::cpu {
namespace {

using Clock = std::chrono::steady_clock;

/// fma between two looks at the stop token: about 1 ms of one thread.
constexpr std::uint64_t ops_per_piece = std::uint64_t{1} << 23;

class OverlapTrial final : public TimedTrial {
 public:
  OverlapTrial(Machine& machine, const Choice& chain, const Case& c)
      : TimedTrial(machine, c, note_of(chain)),
        chain_(chain),
        source_(c.elements),
        in_(c.elements),
        out_(c.elements),
        destination_(c.elements),
        spans_of_chunks_(3 * chunks_of(c)) {
    fill_overlap(source_, 1);
    if (chunks_of(c) == 1) return;
    const std::vector<int>& processors = machine.pool().processors();
    workers_.emplace(std::vector{processors.front(), processors.back()});
  }

  Check verify(std::stop_token stop) override {
    poison_overlap(destination_);
    poison_overlap(out_);
    poison_overlap(in_);
    run_untimed(stop);
    return check_overlap(case_, {case_.dtype, chain_.isa.fused_multiply_add}, source_, destination_,
                         stop);
  }

 protected:
  void run_once(const std::stop_token& stop) override {
    stop_ = &stop;
    begin_ = Clock::now();
    for (std::uint64_t chunk = 0; chunk < chunks_of(case_); ++chunk) start(chunk);
    if (workers_) {
      workers_->wait();
      machine_.pool().caller_slept();
    }
    spans_ = spans_of_chunks_;
    values_ = values_of(spans_);
  }

 private:
  static constexpr int copier = 0, computer = 1;

  /// Each stage hands the chunk on to the next one.
  void start(std::uint64_t chunk) {
    if (!workers_) {
      for (const Stage stage : {Stage::copy_in, Stage::compute, Stage::copy_out})
        do_stage(stage, chunk);
      return;
    }
    workers_->give(copier, [this, chunk] {
      do_stage(Stage::copy_in, chunk);
      workers_->give(computer, [this, chunk] {
        do_stage(Stage::compute, chunk);
        workers_->give(copier, [this, chunk] { do_stage(Stage::copy_out, chunk); });
      });
    });
  }

  void do_stage(Stage stage, std::uint64_t chunk) {
    const double begin = seconds();
    const Chunk at = chunk_of(case_, chunk);
    const std::uint64_t bytes = at.count * sizeof(float);
    if (stage == Stage::copy_in)
      std::memcpy(in_.data() + at.first, source_.data() + at.first, bytes);
    if (stage == Stage::compute) {
      const Operands operands = overlap_operands();
      const auto stopped = [this] { return stop_->stop_requested(); };
      const std::uint64_t piece = piece_of(ops_per_piece, case_.repeat, overlap_granule);
      in_pieces({at.first, at.count}, piece, stopped, [&](Range some) {
        chain_.row.chain({in_.data() + some.first, out_.data() + some.first, some.count,
                          case_.repeat, operands.a, operands.b, false});
      });
    }
    if (stage == Stage::copy_out)
      std::memcpy(destination_.data() + at.first, out_.data() + at.first, bytes);
    spans_of_chunks_[3 * chunk + static_cast<std::size_t>(stage)] =
        span_of(stage, chunk, begin, seconds());
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  Choice chain_;
  std::vector<float> source_, in_, out_, destination_;
  std::vector<Span> spans_of_chunks_;
  Clock::time_point begin_;
  const std::stop_token* stop_ = nullptr;  // of the present run
  std::optional<Workers> workers_;
};

std::unique_ptr<Trial> prepare(const Asked& asked) {
  const Choice& chain = asked.selection.fma_chain(asked.c);
  try {
    return std::make_unique<OverlapTrial>(asked.machine, chain, asked.c);
  } catch (const std::bad_alloc&) {
    throw Unsupported("the system has no memory for it: choose fewer elements");
  } catch (const std::system_error& error) {
    throw Unsupported(fmt::format("its threads cannot be started: {}", error.code().message()));
  }
}

}  // namespace

extern const FamilyOnCpu overlap_on_cpu{.family = Family::overlap,
                                        .note = "a thread that copies beside one that computes",
                                        .prepare = prepare};

}  // namespace kernels::cpu
