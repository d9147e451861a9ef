// Calls every CPU kernel that valgrind can run, each once, for scripts/count_flops.sh. Prints one
// line per call: the kernel, and the FLOP that work_of counts for it. A peak kernel sums its
// accumulators at the end, so it is called with two repeats: what more ops cost is what counts.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "kernels/cpu/machine/processor.hpp"
#include "kernels/cpu/simd/isa.hpp"
#include "kernels/families/reference.hpp"
#include "kernels/families/tile/tile.hpp"

/// The script collects instructions inside this function only.
extern "C" [[gnu::noinline]] void measured_call(void (*body)(const void*), const void* data) {
  body(data);
  asm volatile("" : : : "memory");  // the call is not the last thing, so it stays a call
}

namespace {

using kernels::Case;
using kernels::Family;
using kernels::cpu::Isa;
using kernels::cpu::Row;

constexpr std::size_t alignment = 64, buffer_bytes = std::size_t{1} << 20;
// Whole trips of every kernel's loops.
constexpr std::uint64_t chain_elements = 3 * 1024, tiles = 8;

struct Aligned {
  void operator()(std::uint8_t* data) const {
    ::operator delete[](data, std::align_val_t{alignment});
  }
};
using Buffer = std::unique_ptr<std::uint8_t[], Aligned>;

/// Zeros: finite in every type.
Buffer zeros() {
  auto* data =
      static_cast<std::uint8_t*>(::operator new[](buffer_bytes, std::align_val_t{alignment}));
  std::fill_n(data, buffer_bytes, std::uint8_t{0});
  return Buffer(data);
}

template <class Call>
void measure(const Call& call) {
  measured_call([](const void* data) { (*static_cast<const Call*>(data))(); }, &call);
}

void announce(const Isa& isa, const Row& row, const Case& what, const char* how) {
  fmt::print("{} {} {} {} {} {} {:.0f} {}\n", name_of(row.family), name_of(row.op),
             name_of(row.dtype), isa.name, what.elements, what.repeat, kernels::work_of(what).flops,
             how);
}

Case case_of(const Row& row, std::uint64_t elements, std::uint64_t repeat) {
  Case what;
  what.family = row.family;
  what.ops = row.op;
  what.dtype = row.dtype;
  what.units = row.units;
  what.elements = elements;
  what.repeat = repeat;
  return what;
}

struct Buffers {
  Buffer in = zeros(), more = zeros(), out = zeros();
};

/// The baseline has no instruction that converts fp16.
const char* comparison(const Isa& isa, const Row& row, std::size_t call) {
  const bool converts = row.dtype == kernels::Dtype::fp16 && !isa.fused_multiply_add;
  if (!converts) return "exact";
  return call % 2 == 0 ? "from" : "to";
}

void call_chain(const Isa& isa, const Row& row, const Buffers& buffers) {
  const auto [a, b] = kernels::operands_of(row.op, row.dtype);
  // One op, a part of a trip, whole trips, and trips with a rest.
  std::size_t call = 0;
  for (const std::uint64_t repeat : {1, 3, 64, 100}) {
    measure([&] {
      row.chain({buffers.in.get(), buffers.out.get(), chain_elements, repeat, a, b, false});
    });
    announce(isa, row, case_of(row, chain_elements, repeat), comparison(isa, row, call++));
  }
}

void call_tile(const Isa& isa, const Row& row, const Buffers& buffers) {
  std::size_t call = 0;
  for (const std::uint64_t repeat : {1, 3, 16, 17}) {
    measure([&] {
      row.tile(
          {buffers.in.get(), buffers.more.get(), buffers.out.get(), tiles, repeat, false, false});
    });
    announce(isa, row, case_of(row, tiles * kernels::tile_elements(row.dtype), repeat),
             comparison(isa, row, call++));
  }
}

void call_peaks(const Isa& isa, const Row& row) {
  const auto [a, b] = kernels::operands_of(row.op, row.dtype);
  for (const auto& peak : row.peaks) {
    for (const std::uint64_t repeat : {256, 768}) {
      measure([&] { peak.run(repeat, a, b, kernels::cpu::PeakStart::random); });
      announce(isa, row, case_of(row, peak.chains, repeat), repeat == 256 ? "from" : "to");
    }
  }
}

}  // namespace

int main() {
  const Buffers buffers;
  std::vector<Isa> tables{kernels::cpu::isa_baseline};
  if (kernels::cpu::processor_features().avx2_fma) tables.push_back(kernels::cpu::isa_avx2);
  for (const Isa& isa : tables) {
    for (std::size_t i = 0; i < isa.count; ++i) {
      const Row& row = isa.rows[i];
      if (row.chain != nullptr) call_chain(isa, row, buffers);
      if (row.tile != nullptr && row.units == kernels::Units::vector) call_tile(isa, row, buffers);
      if (row.peaks.count > 0 && row.units == kernels::Units::vector) call_peaks(isa, row);
    }
  }
}
