// What the trials of one CPU device share: its threads, its buffers, and how large its caches are.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kernels/case.hpp"
#include "kernels/cpu/machine/memory.hpp"
#include "kernels/cpu/threads/contention.hpp"
#include "kernels/cpu/threads/pool.hpp"
#include "kernels/cpu/threads/share.hpp"

namespace kernels::cpu {

/// Buffers, kept from trial to trial, so that a sweep does not wait for pages. A trial takes them
/// in this order, because those after the one it asks for go back to the system when memory is
/// short. Inputs come before outputs.
enum class Slot : std::uint8_t { first, second, third };
inline constexpr std::size_t slots = 3;

/// How large working sets must be, in byte.
struct CacheBorders {
  double beyond_caches = 0;  ///< no longer held by the caches that this process reaches
  double in_dram = 0;        ///< in DRAM at the start of each run, as docs/lab-notes.md asks for
};

/// Of a last-level cache of this size (0: unknown), of which a virtual machine with `cores` may
/// have a part only.
CacheBorders cache_borders(double last_level_cache, bool virtual_machine, int cores);

class Machine {
 public:
  using Pace = std::function<OpsPerClock()>;

  /// `pace`: of the core that runs the calling thread.
  Machine(std::filesystem::path root, std::vector<int> processors, CacheBorders,
          Pace pace = ops_per_clock);

  Pool& pool() { return pool_; }
  /// What others take of the cores now. The calling thread is pinned (Pool::PinnedCaller).
  Contention contention() { return contention_.look(pool_); }
  /// Looks until they have left, or for as long as it is worth; what is left of them then.
  Contention wait_for_cores(const std::stop_token& stop) { return contention_.wait(pool_, stop); }
  int threads() const { return pool_.threads(); }
  /// memory_nodes(), that of the calling thread, where it is pinned, first.
  const std::vector<int>& nodes() const { return nodes_; }
  /// Some cores are slower than others, so that equal shares would wait for those.
  bool cores_differ() const { return cores_differ_; }
  /// The items of one launch over all threads. What is in caches keeps to the cores that hold it.
  Split split(std::uint64_t items, std::uint64_t granule, bool in_memory) const {
    const bool queue = cores_differ_ && in_memory;
    return {items, granule, threads(), queue ? Schedule::queue : Schedule::shares};
  }
  /// The part of a launch that comes after the last one of this family, whichever trial ran it and
  /// however large it was: so all parts of a tensor have their turn.
  Part next_part(Family, std::uint64_t of);
  /// Bytes that a case may take: those available, and those of buffers that are kept.
  double free_bytes() const;
  /// Linux promises more than it has and ends processes that take it: asked before the first
  /// buffer. Throws Unsupported with both sizes.
  void check_fits(const Case&) const;

  /// An input in a slot: the first `elements` that c.dtype and c.data ask for. Inputs of an earlier
  /// trial that are the same are not filled again. Returns their seed. Throws Unsupported,
  /// Cancelled.
  std::uint64_t input(Slot, const Case& c, std::uint64_t elements, const std::stop_token&);
  /// The same, but random data of any element type will do, if they are as many bytes.
  void any_input(Slot, const Case& c, std::uint64_t elements, const std::stop_token&);
  /// Room for `bytes` that a trial writes. Throws Unsupported.
  void output(Slot, std::uint64_t bytes, const Case&);
  /// What the slot holds is no input any more.
  void forget(Slot slot) { at(slot).held.reset(); }
  /// Where a slot lies now. Trials made later can move it, never shrink it. Throws runtime_error
  /// where memory was so short that it is gone.
  char* data(Slot, std::uint64_t bytes) const;

  /// Whether a kernel was right on all elements of a case of this size before.
  bool checked_before(const void* kernel, const Case&) const;
  void note_checked(const void* kernel, const Case&);

  /// Where the pages of a slot lie, in words: "huge pages", "huge pages on 2 memory nodes".
  std::string placement(Slot);

  /// Data beyond the caches that this process reaches.
  bool beyond_caches(double bytes) const { return bytes > borders_.beyond_caches; }
  /// Data in DRAM at the start of each run.
  bool in_dram(double bytes) const { return bytes >= borders_.in_dram; }

 private:
  std::filesystem::path root_;
  CacheBorders borders_;
  /// Random elements are made from their index, so more of them begin with fewer.
  struct Held {
    Dtype dtype;
    Data data;
    std::uint64_t seed, elements;
  };
  struct Kept {
    Buffer buffer;
    std::optional<Held> held{};  ///< nothing: no input
    std::uint64_t placed = 0;    ///< bytes whose pages each thread wrote its share of; 0: none
    /// In words, where it was asked for since pages were written last: the system takes long to
    /// tell.
    std::string placement{};
  };
  struct Checked {
    const void* kernel;
    Case what;
    bool operator==(const Checked&) const = default;
  };

  Kept& at(Slot slot) { return kept_[static_cast<std::size_t>(slot)]; }
  const Kept& at(Slot slot) const { return kept_[static_cast<std::size_t>(slot)]; }
  /// True where it got fresh pages.
  bool reserve(Slot, std::uint64_t bytes, const Case&);
  /// Threads of other shares wrote the pages first, so they may lie on the wrong memory node.
  bool is_misplaced(const Kept& kept, std::uint64_t bytes) const {
    return nodes_.size() > 1 && kept.placed != bytes;
  }
  static Checked checked(const void* kernel, Case);

  std::vector<int> nodes_;
  bool cores_differ_;
  std::uint64_t seed_;
  std::array<Kept, slots> kept_;
  std::uint64_t any_bytes_ = 0;  // the most that any_input() asked for
  std::vector<Checked> checked_;
  std::map<Family, double> part_ends_;  // where the last part of a launch ended; 1 is its end
  ContentionProbe contention_;
  Pool pool_;  // last member: its threads use the rest
};

/// Elements per thread are multiples of this: whole blocks of every chain kernel (8 or 12 registers
/// of 2 to 32 elements), whole cache lines of every dtype.
inline constexpr std::uint64_t element_granule = 384;

/// Fills `elements` of a tensor with random_element(dtype, seed, i), each thread its share.
void fill_random(Machine&, Dtype, void* data, std::uint64_t elements, std::uint64_t seed,
                 std::stop_token);

/// Fills a tensor with the integers -8 to 7 (random_int8): sums of products that nothing rounds.
void fill_integers(Machine&, Dtype, void* data, std::uint64_t elements, std::uint64_t seed,
                   std::stop_token);

/// Fills it with what a case asks for.
void fill_data(Machine&, const Case&, void* data, std::uint64_t elements, std::uint64_t seed,
               std::stop_token);

/// Sets all bytes of a tensor of elements of `element_bytes`, each thread its share.
void fill_bytes(Machine&, void* data, std::uint64_t elements, std::uint64_t element_bytes,
                int value, std::stop_token);

/// The byte that results of this dtype are filled with before a check: of a floating-point number
/// it makes a NaN, of an integer one that is no small sum.
constexpr int poison_of(Dtype dtype) { return info_of(dtype).integer ? 0x80 : 0xff; }

/// Elements (at most a few per thread) that still are poison; an integer may be so by right. Throws
/// Cancelled.
std::vector<std::uint64_t> poisoned_elements(Machine&, Dtype, const void* data,
                                             std::uint64_t elements, std::stop_token);

}  // namespace kernels::cpu
