// The tables of kernels, filled with host functions: the bodies of the kernels where they are plain
// C++, the direct product for tiles (their lanes have tests of their own).
#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulation.hpp"
#include "fake_runtime.hpp"
#include "kernels/cuda/bodies/pattern.hpp"
#include "kernels/cuda/runtime/open_reason.hpp"
#include "kernels/cuda/trials/matrix_peak_kernel.hpp"
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/peak/matrix_peak_body.hpp"
#include "kernels/families/peak/peak_list.hpp"
#include "kernels/families/stream/ring_body.hpp"
#include "kernels/families/stream/stream_body.hpp"
#include "kernels/families/tile/tile.hpp"
#include "kernels/random.hpp"

namespace kernels::cuda {
namespace {

// `body` is what each thread does.
template <class Body>
const void* chain_function(Body body) {
  return fake_cuda::add<ChainArguments>([body](ChainArguments args, std::uint64_t blocks) {
    const fake_cuda::State& state = fake_cuda::state();
    const ChainArguments given = args;
    if (state.before_chain) state.before_chain(&args);
    launch_on_host(blocks, chain_threads, [&](Place place) { body(args, place, blocks); });
    if (state.after_chain) state.after_chain(&given);
  });
}

template <class Lanes, class Op, int vectors>
const void* chain_of_blocks() {
  return chain_function([](const ChainArguments& args, Place place, std::uint64_t) {
    chain_thread<Lanes, Op, vectors>(args, place);
  });
}

template <class Lanes, class Op>
ChainKernel chain_row() {
  return {Op::op,
          {chain_of_blocks<Lanes, Op, few_vectors>(), chain_of_blocks<Lanes, Op, many_vectors>(),
           chain_function([](const ChainArguments& args, Place place, std::uint64_t blocks) {
             NoQueue queue;
             chain_queue_thread<Lanes, Op>(args, place, blocks, queue);
           })}};
}

template <class Lanes, class... Ops>
ChainKernels rows(std::tuple<Ops...>) {
  static const ChainKernels kernels{chain_row<Lanes, Ops>()...};
  return kernels;
}

std::uint64_t bits_of(const auto& value) {
  std::uint64_t bits = 0;
  static_assert(sizeof(value) <= sizeof(bits));
  std::memcpy(&bits, &value, sizeof(value));
  return bits;
}

// Where chains end, by operands and length, then by where they start.
template <class Chain, class Op>
auto& known_ends() {
  using Ends = std::unordered_map<std::uint64_t, Chain>;
  static std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>, Ends> ends;
  return ends;
}

// The chain that is looked at, of every thread. Equal starts have equal ends. A value that an op
// leaves alone stays, and of two that alternate the number of ops left tells which it is.
template <class Lanes, class Op, PeakForm form, int chains>
void picked_chains(const PeakArguments& args, std::uint64_t blocks) {
  using Chain = typename Lanes::Chain;
  constexpr int vectors = (chains + Lanes::chains - 1) / Lanes::chains;
  const PeakOperands<Chain, form> operands(args, 0);
  auto& ends = known_ends<Chain, Op>()[{bits_of(operands.a), bits_of(operands.b), args.repeat}];
  launch_on_host(blocks, block_threads, [&](Place place) {
    const std::uint64_t thread = (args.first_block + place.block) * place.threads + place.thread;
    Chain x[vectors * Lanes::chains];
    for (std::uint64_t v = 0; v < vectors; ++v) {
      Lanes::unpack(args.input[(thread * vectors + v) & args.input_mask], x + v * Lanes::chains);
    }
    const auto [end, fresh] = ends.try_emplace(bits_of(x[args.pick]), x[args.pick]);
    Chain before = end->second;
    for (std::uint32_t left = args.repeat; fresh && left > 0; --left) {
      const Chain next = Op::apply(end->second, operands.a, operands.b);
      if (bits_of(next) == bits_of(end->second)) break;
      const bool alternates = bits_of(next) == bits_of(before) && left < args.repeat;
      if (alternates && left % 2 == 0) break;
      before = std::exchange(end->second, next);
      if (alternates) break;
    }
    static_cast<Chain*>(args.out)[thread] = end->second;
  });
}

template <Dtype dtype, class Lanes>
std::vector<PeakKernel> make_peaks() {
  std::vector<PeakKernel> rows;
  visit_peaks<dtype>([&]<class Op, PeakForm form, int chains, int unroll>() {
    const auto kernel = [](const PeakArguments& args, std::uint64_t blocks) {
      if (fake_cuda::state().repeats_once) {
        return picked_chains<Lanes, Op, form, chains>(args, blocks);
      }
      launch_on_host(blocks, block_threads, [&](Place place) {
        peak_thread<Lanes, Op, form, chains, unroll>(args, place);
      });
    };
    rows.push_back({Op::op, form, chains, unroll, fake_cuda::add<PeakArguments>(kernel)});
  });
  return rows;
}

template <Dtype dtype, class Lanes>
std::vector<PeakKernel> peaks() {
  static const std::vector<PeakKernel> kernels = make_peaks<dtype, Lanes>();
  return kernels;
}

double value_at(Dtype dtype, const void* data, std::size_t i) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const unsigned char*>(data) + i * size_of(dtype), size_of(dtype));
  return decode(dtype, bits);
}

// A B of one tile, row major. Each element is decoded once.
using Product = std::array<double, tile_rows * tile_columns>;

std::vector<double> values_at(Dtype dtype, const void* data, std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = value_at(dtype, data, i);
  return values;
}

Product product(Dtype dtype, const void* a, const void* b) {
  const std::size_t depth = tile_depth(dtype);
  const std::vector<double> rows = values_at(dtype, a, tile_rows * depth);
  const std::vector<double> columns = values_at(dtype, b, depth * tile_columns);
  Product sums{};
  for (std::size_t row = 0; row < tile_rows; ++row) {
    for (std::size_t k = 0; k < depth; ++k) {
      for (std::size_t column = 0; column < tile_columns; ++column)
        sums[row * tile_columns + column] +=
            rows[row * depth + k] * columns[k * tile_columns + column];
    }
  }
  return sums;
}

template <class Sum>
void multiply_tiles(Dtype dtype, const TileArguments& args) {
  auto* d = static_cast<Sum*>(args.d);
  for (std::uint64_t tile = 0; tile < args.tiles; ++tile) {
    for (const double sum : product(dtype, args.a + tile * tile_a_vectors, args.b)) {
      const double start = args.accumulate ? static_cast<double>(*d) : 0;
      *d++ = static_cast<Sum>(start + args.repeat * sum);
    }
  }
}

const void* tile_kernel(Dtype dtype) {
  return fake_cuda::add<TileArguments>([dtype](const TileArguments& args, std::uint64_t) {
    if (dtype == Dtype::fp64) multiply_tiles<double>(dtype, args);
    if (dtype == Dtype::int8) multiply_tiles<std::int32_t>(dtype, args);
    if (dtype != Dtype::fp64 && dtype != Dtype::int8) multiply_tiles<float>(dtype, args);
  });
}

// Every unit of a matrix peak, each accumulator at the place that the kernel's layout gives it.
template <class Sum, int count, class PlaceOf>
void matrix_peak(Dtype dtype, int a_tiles, const MatrixPeakArguments& args, PlaceOf place_of) {
  constexpr std::size_t b_bytes = tile_row_bytes * tile_columns;
  std::map<std::pair<std::uint64_t, int>, Product> products;  // by tiles of A and B
  for (std::uint64_t turn = 0; turn < args.units; ++turn) {
    const std::uint64_t unit = args.first_unit + turn;
    for (int thread = 0; thread < tile_threads; ++thread) {
      Sum d[count] = {};
      for (int i = 0; i < (args.every ? count : 1); ++i) {
        const AccumulatorPlace at = place_of(thread, i);
        const std::uint64_t tile =
            (unit * static_cast<std::uint64_t>(a_tiles) + static_cast<std::uint64_t>(at.a_tile)) &
            args.tile_mask;
        const auto [found, fresh] = products.try_emplace({tile, at.b_tile});
        if (fresh) {
          const auto* const b = static_cast<const unsigned char*>(args.b) +
                                static_cast<std::size_t>(at.b_tile) * b_bytes;
          found->second = product(dtype, args.a + tile * tile_a_vectors, b);
        }
        const auto in_d =
            static_cast<std::size_t>(at.row) * tile_columns + static_cast<std::size_t>(at.column);
        d[i] = static_cast<Sum>(args.repeat * found->second[in_d]);
      }
      store_accumulators(args, unit, thread, d);
    }
  }
}

template <int count, class PlaceOf>
const void* peak_kernel(Dtype dtype, int a_tiles, PlaceOf place_of) {
  return fake_cuda::add<MatrixPeakArguments>([=](const MatrixPeakArguments& args, std::uint64_t) {
    if (dtype == Dtype::fp64) return matrix_peak<double, count>(dtype, a_tiles, args, place_of);
    if (dtype == Dtype::int8) {
      return matrix_peak<std::int32_t, count>(dtype, a_tiles, args, place_of);
    }
    matrix_peak<float, count>(dtype, a_tiles, args, place_of);
  });
}

// As mma_layout.hpp has it, written anew.
template <int tiles>
const void* warp_peak_kernel(Dtype dtype) {
  return peak_kernel<tiles * 16>(dtype, 4 * tiles, [](int thread, int i) {
    const int lane = thread % 32, in_tile = i % 16;
    return AccumulatorPlace{thread / 32 * tiles + i / 16, 0, lane / 4 + in_tile % 4 / 2 * 8,
                            in_tile / 4 * 8 + lane % 4 * 2 + in_tile % 2};
  });
}

template <int columns>
WgmmaKernel warpgroup_row(Dtype dtype, bool a_in_registers) {
  return {
      dtype, columns, a_in_registers, peak_kernel<columns / 2>(dtype, 4, [](int thread, int i) {
        const int lane = thread % 32, column = i / 4 * 8 + lane % 4 * 2 + i % 2;
        return AccumulatorPlace{thread / 32, column / 32, lane / 4 + i / 2 % 2 * 8, column % 32};
      })};
}

// What is computed of passes that are alike, and how often it counts.
std::pair<RingArguments, std::uint32_t> passes_of(RingArguments ring) {
  if (!fake_cuda::state().repeats_once) return {ring, 1};
  const std::uint32_t passes = std::exchange(ring.repeat, 1);
  return {ring, passes};
}

// As the kernels: one sum for each warp.
template <class Body>
void sum_of_warps(std::uint32_t* sums, std::uint64_t blocks, std::uint32_t threads, Body body) {
  const std::uint64_t warps = threads / 32;
  std::fill_n(sums, blocks * warps, 0U);
  launch_on_host(blocks, threads, [&](Place place) {
    sums[place.block * warps + place.thread / 32] += body(place);
  });
}

template <Op op, int in_flight, int width>
StreamKernel stream_row() {
  if constexpr (only_reads(op)) {
    return {op, in_flight, width,
            fake_cuda::add<ReadArguments>([](const ReadArguments& args, std::uint64_t blocks) {
              sum_of_warps(args.sums, blocks, block_threads, [&](Place place) {
                return stream_thread<op, in_flight, width>(args.stream, place);
              });
            })};
  } else {
    return {op, in_flight, width,
            fake_cuda::add<StreamArguments>([](const StreamArguments& args, std::uint64_t blocks) {
              launch_on_host(blocks, block_threads, [&](Place place) {
                stream_thread<op, in_flight, width>(args, place);
              });
            })};
  }
}

template <Op op, int in_flight, bool past_l1>
RingKernel ring_row() {
  return {op, in_flight,
          fake_cuda::add<RingArguments>([](const RingArguments& args, std::uint64_t blocks) {
            const auto [ring, passes] = passes_of(args);
            const auto body = [&](Place place) {
              return passes * ring_thread<op, in_flight, past_l1>(ring, place, blocks);
            };
            if constexpr (only_reads(op)) {
              sum_of_warps(args.sums, blocks, ring_threads, body);
            } else {
              launch_on_host(blocks, ring_threads, body);
            }
          })};
}

template <int in_flight>
RingKernel shared_row() {
  return {
      Op::shared, in_flight,
      fake_cuda::add<RingArguments>([](const RingArguments& args, std::uint64_t blocks) {
        const auto [arguments, passes] = passes_of(args);
        std::vector<std::vector<Vector>> shared(blocks, std::vector<Vector>(shared_vectors));
        launch_on_host(blocks, ring_threads, [&](Place place) {
          shared_stage(arguments, {arguments, place, blocks}, shared[place.block].data(), place);
        });
        sum_of_warps(args.sums, blocks, ring_threads, [&](Place place) {
          return passes * shared_read<in_flight>(arguments, {arguments, place, blocks},
                                                 shared[place.block].data(), place);
        });
      })};
}

// Calls visit<dtype>(), so that its loops know the type.
template <class Visit>
void for_dtype(Dtype dtype, Visit visit) {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    ((dtypes[i].dtype == dtype ? visit.template operator()<dtypes[i].dtype>() : void()), ...);
  }
  (std::make_index_sequence<dtypes.size()>{});
}

// At least so many random elements, remembered: tests fill tensors with the same ones again and
// again.
const unsigned char* random_elements(Dtype dtype, std::uint64_t seed, std::uint64_t count) {
  constexpr std::size_t most_bytes = 512 << 20;
  static std::size_t kept = 0;
  static std::map<std::pair<Dtype, std::uint64_t>, std::vector<unsigned char>> known;
  const std::size_t each = size_of(dtype);
  if (kept > most_bytes) {
    known.clear();
    kept = 0;
  }
  std::vector<unsigned char>& bytes = known[{dtype, seed}];
  kept += std::max(bytes.size(), count * each) - bytes.size();
  const std::uint64_t first = bytes.size() / each;
  if (count > first) {
    bytes.resize(count * each);
    for_dtype(
        dtype, [&]<Dtype of>() __attribute__((flatten)) {
          for (std::uint64_t i = first; i < count; ++i) {
            const std::uint64_t bits = random_bits(of, seed, i);
            std::memcpy(bytes.data() + i * size_of(of), &bits, size_of(of));
          }
        });
  }
  return bytes.data();
}

void fill(const FillArguments& args, std::uint64_t) {
  std::memcpy(args.out, random_elements(args.dtype, args.seed, args.elements),
              args.elements * size_of(args.dtype));
}

void find_poison(const FindArguments& args, std::uint64_t) {
  const std::vector<unsigned char> pattern(args.element_bytes, args.poison);
  for (std::uint64_t i = 0; i < args.elements; ++i) {
    const auto* const element =
        static_cast<const unsigned char*>(args.data) + i * args.element_bytes;
    if (*element != args.poison) continue;  // nearly all
    if (std::memcmp(element, pattern.data(), args.element_bytes) != 0) continue;
    if (args.found->count < Suspects::most_listed) args.found->index[args.found->count] = i;
    ++args.found->count;
  }
}

void sum_random(const SumArguments& args, std::uint64_t) {
  const unsigned char* word = random_elements(Dtype::fp32, args.seed, args.elements);
  for (std::uint64_t i = 0; i < args.elements; ++i, word += sizeof(std::uint32_t)) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, word, sizeof(bits));
    *args.sum += bits;
  }
}

}  // namespace

ChainKernels fp64_kernels() { return rows<Packed<double>>(WideChainOps{}); }
ChainKernels fp32_kernels() { return rows<Packed<float>>(WideChainOps{}); }
ChainKernels int32_kernels() { return rows<Packed<Wrapping>>(ChainOps{}); }
ChainKernels fp16_kernels() { return rows<Packed<HostPair<Dtype::fp16>, 2>>(ChainOps{}); }
ChainKernels bf16_kernels() { return rows<Packed<HostPair<Dtype::bf16>, 2>>(ChainOps{}); }

std::vector<PeakKernel> fp64_peaks() { return peaks<Dtype::fp64, Packed<double>>(); }
std::vector<PeakKernel> fp32_peaks() { return peaks<Dtype::fp32, Packed<float>>(); }
std::vector<PeakKernel> int32_peaks() { return peaks<Dtype::int32, Packed<Wrapping>>(); }
std::vector<PeakKernel> int8_peaks() { return peaks<Dtype::int8, Packed<Int8Quad>>(); }
std::vector<PeakKernel> fp16_peaks() {
  return peaks<Dtype::fp16, Packed<HostPair<Dtype::fp16>, 2>>();
}
std::vector<PeakKernel> bf16_peaks() {
  return peaks<Dtype::bf16, Packed<HostPair<Dtype::bf16>, 2>>();
}

std::array<TileKernel, 5> tile_vector_kernels() {
  const auto row = [](Dtype dtype) { return TileKernel{dtype, tile_kernel(dtype)}; };
  static const std::array kernels{row(Dtype::fp64), row(Dtype::fp32), row(Dtype::fp16),
                                  row(Dtype::bf16), row(Dtype::int8)};
  return kernels;
}

std::array<MatrixKernel, 6> matrix_kernels() {
  const auto row = [](Dtype dtype) {
    return MatrixKernel{dtype,
                        tile_kernel(dtype),
                        {warp_peak_kernel<2>(dtype), warp_peak_kernel<1>(dtype),
                         warp_peak_kernel<4>(dtype), warp_peak_kernel<8>(dtype)}};
  };
  static const std::array kernels{row(Dtype::fp64), row(Dtype::tf32), row(Dtype::fp16),
                                  row(Dtype::bf16), row(Dtype::fp8),  row(Dtype::int8)};
  return kernels;
}

std::vector<WgmmaKernel> wgmma_kernels() {
  static std::vector<WgmmaKernel> rows;
  if (!rows.empty()) return rows;
  for (const Dtype dtype : {Dtype::tf32, Dtype::fp16, Dtype::bf16, Dtype::fp8, Dtype::int8}) {
    for (const bool in_registers : {false, true}) {
      rows.push_back(warpgroup_row<256>(dtype, in_registers));
      rows.push_back(warpgroup_row<128>(dtype, in_registers));
      rows.push_back(warpgroup_row<64>(dtype, in_registers));
      rows.push_back(warpgroup_row<32>(dtype, in_registers));
    }
  }
  return rows;
}

const void* pattern_function() {
  static const void* const function =
      fake_cuda::add<PatternArguments>([](const PatternArguments& args, std::uint64_t) {
        const std::size_t bytes = size_of(args.dtype);
        if (args.pattern == Pattern::random)
          return fill({args.out, args.elements, args.seed, args.dtype}, 1);
        for (std::uint64_t i = 0; i < args.elements; ++i) {
          const std::uint64_t bits = pattern_bits(args.pattern, args.dtype, args.seed, i);
          std::memcpy(static_cast<unsigned char*>(args.out) + i * bytes, &bits, bytes);
        }
      });
  return function;
}

std::vector<StreamKernel> stream_kernels() {
  static std::vector<StreamKernel> rows;
  if (!rows.empty()) return rows;
  visit_streams<true>([&]<Op op, int in_flight, int width>() {
    rows.push_back(stream_row<op, in_flight, width>());
  });
  return rows;
}

std::vector<RingKernel> ring_kernels() {
  static std::vector<RingKernel> rows;
  if (!rows.empty()) return rows;
  rows = {shared_row<4>(), shared_row<8>()};
  visit_rings([&]<Op op, int in_flight, bool past_l1>() {
    rows.push_back(ring_row<op, in_flight, past_l1>());
  });
  return rows;
}

std::vector<BuiltCode> built_code() { return built_code_of("75 80 90"); }

ServiceKernels service_kernels() {
  static const ServiceKernels kernels{
      .empty = fake_cuda::add_kernel(0, [](const void*, std::uint64_t) {}),
      .hold = fake_cuda::add_hold(),
      .fill = fake_cuda::add<FillArguments>(fill),
      .find_poison = fake_cuda::add<FindArguments>(find_poison),
      .sum_random = fake_cuda::add<SumArguments>(sum_random),
      .architecture = fake_cuda::add<int*>(
          [](int* const& architecture, std::uint64_t) { *architecture = 900; })};
  return kernels;
}

}  // namespace kernels::cuda
