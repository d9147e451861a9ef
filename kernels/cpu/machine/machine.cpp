#include "kernels/cpu/machine/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <stdexcept>

#include "kernels/cpu/machine/topology.hpp"
#include "kernels/device.hpp"
#include "kernels/units.hpp"

namespace kernels::cpu {
namespace {

Unsupported too_large(const Case& c, double free) {
  return Unsupported(fmt::format("{} needs {}, and {} of memory are free: choose smaller sizes",
                                 describe(c), units::bytes(footprint_of(c)), units::bytes(free)));
}

}  // namespace

CacheBorders cache_borders(double last_level_cache, bool virtual_machine, int cores) {
  const double reachable = reachable_cache(last_level_cache, virtual_machine, cores);
  return {.beyond_caches =
              std::max(reachable, std::min(last_level_cache, std::max(surely_dram, reachable))),
          .in_dram = dram_working_set(last_level_cache, virtual_machine, cores)};
}

Machine::Machine(std::filesystem::path root, std::vector<int> processors, CacheBorders borders,
                 Pace pace)
    : root_(std::move(root)),
      borders_(borders),
      nodes_(memory_nodes(root_, processors)),
      cores_differ_(slow_cores(root_, processors) > 0),
      seed_((std::uint64_t{std::random_device{}()} << 32) | std::random_device{}()),
      contention_(static_cast<int>(processors.size()), std::move(pace)),
      pool_(std::move(processors)) {}

double Machine::free_bytes() const {
  double free = available_memory(root_);
  for (const Kept& kept : kept_) free += kept.buffer.touched_bytes();
  return free;
}

void Machine::check_fits(const Case& c) const {
  const double free = free_bytes();
  if (footprint_of(c) > free) throw too_large(c, free);
}

bool Machine::reserve(Slot slot, std::uint64_t bytes, const Case& c) {
  Kept& kept = at(slot);
  if (bytes <= kept.buffer.capacity()) return false;
  kept.held.reset();
  // Those that this trial does not use again go back only when it does not fit otherwise.
  if (available_memory(root_) + kept.buffer.touched_bytes() < static_cast<double>(bytes)) {
    for (auto later = static_cast<std::size_t>(slot); later < slots; ++later) {
      kept_[later].buffer.release();
      kept_[later].held.reset();
    }
  }
  if (!kept.buffer.reserve(bytes)) throw too_large(c, free_bytes());
  kept.placed = 0;
  kept.placement.clear();
  return true;
}

std::uint64_t Machine::input(Slot slot, const Case& c, std::uint64_t elements,
                             const std::stop_token& stop) {
  reserve(slot, elements * size_of(c.dtype), c);
  Kept& kept = at(slot);
  // As much as a roof reads that runs beside the case, so that neither fills for itself; on several
  // memory nodes the shares of the threads would lie elsewhere.
  const std::uint64_t useful =
      nodes_.size() > 1 ? 0 : std::min<std::uint64_t>(any_bytes_, kept.buffer.capacity());
  const bool there = kept.held && kept.held->dtype == c.dtype && kept.held->data == c.data &&
                     kept.held->elements >= elements;
  const std::uint64_t bytes = elements * size_of(c.dtype);
  if (there && !is_misplaced(kept, bytes)) return kept.held->seed;
  kept.held.reset();  // a fill that is stopped leaves neither
  if (is_misplaced(kept, bytes)) kept.buffer.drop();
  const Held fresh{c.dtype, c.data, ++seed_, std::max(elements, useful / size_of(c.dtype))};
  fill_data(*this, c, kept.buffer.data(), fresh.elements, fresh.seed, stop);
  kept.held = fresh;
  kept.placed = fresh.elements * size_of(c.dtype);
  kept.placement.clear();
  return fresh.seed;
}

void Machine::any_input(Slot slot, const Case& c, std::uint64_t elements,
                        const std::stop_token& stop) {
  const std::uint64_t bytes = elements * size_of(c.dtype);
  any_bytes_ = std::max(any_bytes_, bytes);
  const std::optional<Held>& held = at(slot).held;
  const bool there = held && held->data == c.data && held->elements * size_of(held->dtype) >= bytes;
  if (!there || is_misplaced(at(slot), bytes)) input(slot, c, elements, stop);
}

void Machine::output(Slot slot, std::uint64_t bytes, const Case& c) {
  forget(slot);
  // The system gives pages when they are first written: not during a timed run.
  const bool fresh = reserve(slot, bytes, c);
  Kept& kept = at(slot);
  if (!fresh && !is_misplaced(kept, bytes)) return;
  if (!fresh) kept.buffer.drop();
  fill_bytes(*this, kept.buffer.data(), bytes, 1, 0, {});
  kept.placed = bytes;
  kept.placement.clear();
}

std::string Machine::placement(Slot slot) {
  std::string& text = at(slot).placement;
  if (!text.empty()) return text;
  const double huge = at(slot).buffer.huge_share();
  text = huge > 0.99   ? "huge pages"
         : huge > 0.01 ? fmt::format("{:.0f} % huge pages", 100 * huge)
                       : "no huge pages";
  if (nodes_.size() > 1) text += fmt::format(" on {} memory nodes", nodes_.size());
  return text;
}

char* Machine::data(Slot slot, std::uint64_t bytes) const {
  const Buffer& buffer = at(slot).buffer;
  if (bytes > buffer.capacity())
    throw std::runtime_error("memory ran short, and another kernel took it: choose smaller sizes");
  return buffer.data();
}

Part Machine::next_part(Family family, std::uint64_t of) {
  double& end = part_ends_[family];
  const auto parts = static_cast<double>(of);
  // What was rounded must not repeat a part.
  const auto index = static_cast<std::uint64_t>(end * parts + 1e-6) % of;
  end = static_cast<double>(index + 1) / parts;
  return {index, of};
}

Machine::Checked Machine::checked(const void* kernel, Case c) {
  c.repeat = 0;  // how many ops there are is checked for every case, on a part of it
  return {kernel, c};
}

bool Machine::checked_before(const void* kernel, const Case& c) const {
  return std::ranges::find(checked_, checked(kernel, c)) != checked_.end();
}

void Machine::note_checked(const void* kernel, const Case& c) {
  checked_.push_back(checked(kernel, c));
}

}  // namespace kernels::cpu
