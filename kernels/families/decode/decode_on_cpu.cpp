// Family `decode`: one launch over the rows of the packed weights.
#include "kernels/cpu/trials/trials.hpp"
#include "kernels/families/decode/decode.hpp"

namespace kernels::cpu {
namespace {

/// fma between two looks at the stop token: about 1 ms of a slow core.
constexpr std::uint64_t decode_fma_per_piece = std::uint64_t{1} << 22;
/// None that a slot's inputs have: these count from 1.
constexpr std::uint64_t decode_x_seed = std::uint64_t{1} << 32;

class DecodeTrial final : public TimedTrial {
 public:
  DecodeTrial(Machine& machine, const Choice& choice, const Case& c, const std::stop_token& stop)
      : TimedTrial(machine, c, note_of(choice)), choice_(choice), size_(decode_size(c)) {
    granule_ = decode_rows;
    inputs_.push_back({Slot::first, packed_elements(size_)});
    if (size_.scaled()) inputs_.push_back({Slot::second, size_.scales()});
    // A run takes as long whatever the bits are; a check fills them with what they have to be. So a
    // sweep over widths does not fill them anew for each point.
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      machine.any_input(inputs_[i].slot, as_input(i), inputs_[i].elements, stop);
    machine.output(Slot::third, 4 * results(), c);
    // Beside the slots, which are three.
    const std::uint64_t vectors = size_.batch * size_.columns;
    if (!x_.reserve(4 * vectors)) throw Unsupported("the system has no memory for its vectors");
    for (std::uint64_t i = 0; i < vectors; ++i)
      x_.data<float>()[i] = static_cast<float>(random_element(Dtype::fp32, decode_x_seed, i));
  }

 protected:
  void run_once(const std::stop_token& stop) override {
    DecodeSlice all{.weights = data(Slot::first, 4 * size_.words()),
                    .scales = nullptr,
                    .x = x_.data<float>(),
                    .y = reinterpret_cast<float*>(result().data),
                    .first = 0,
                    .rows = 0,
                    .all_rows = size_.rows,
                    .columns = size_.columns,
                    .batch = size_.batch,
                    .bits = size_.bits};
    if (size_.scaled())
      all.scales = reinterpret_cast<const std::uint16_t*>(data(Slot::second, 2 * size_.scales()));
    on_threads(split(), piece_of(decode_fma_per_piece, size_.columns * size_.batch, decode_rows),
               stop, [&](int, Range some) {
                 DecodeSlice share = all;
                 share.first = some.first;
                 share.rows = some.count;
                 choice_.row.as<DecodeFunction>()(share);
               });
  }
  std::optional<Split> in_parts() const override { return split(); }
  Result result() const override { return {data(Slot::third, 4 * results()), results()}; }

  void fill(Contents, const std::stop_token& stop) override {
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      inputs_[i].seed = machine_.input(inputs_[i].slot, as_input(i), inputs_[i].elements, stop);
  }
  double input(std::size_t which, std::uint64_t index) const override {
    if (which == decode_vectors) return random_element(Dtype::fp32, decode_x_seed, index);
    return random_element(dtype_of(which), inputs_[which].seed, index);
  }

 private:
  Split split() const {
    return machine_.split(size_.rows, decode_rows, machine_.beyond_caches(footprint_of(case_)));
  }
  std::uint64_t results() const { return size_.batch * size_.rows; }
  Dtype dtype_of(std::size_t which) const {
    return which == decode_weights ? packed_dtype(size_) : Dtype::bf16;
  }

  /// The case as the machine fills an input for it.
  Case as_input(std::size_t which) const {
    Case of_input = case_;
    of_input.dtype = dtype_of(which);
    return of_input;
  }

  Choice choice_;
  DecodeSize size_;
  Buffer x_;
};

}  // namespace

extern const FamilyOnCpu decode_on_cpu{.family = Family::decode,
                                       .prepare = prepare_with<DecodeTrial>};

}  // namespace kernels::cpu
