// Family `transfer` within a host: by one thread, as programs do it.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <string>

#include "kernels/cpu/machine/memory.hpp"
#include "kernels/cpu/machine/topology.hpp"
#include "kernels/cpu/trials/trials.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/transfer/transfer.hpp"

namespace kernels::cpu {
namespace {

constexpr unsigned char mark = 0x5a, poison = 0xff;

double page_size() { return static_cast<double>(sysconf(_SC_PAGESIZE)); }

/// The first byte that is not marked; their number where all are.
std::uint64_t first_unmarked(const unsigned char* bytes, std::uint64_t count) {
  return static_cast<std::uint64_t>(
      std::find_if(bytes, bytes + count, [](unsigned char one) { return one != mark; }) - bytes);
}

class TransferTrial final : public TimedTrial {
 public:
  TransferTrial(Machine& machine, const Case& c)
      : TimedTrial(machine, c), transfer_(transfer_of(c)) {
    if (transfer_ == Transfer::fresh) values_ = {{std::string(page_value), page_size()}};
    if (!is_copy() && transfer_ != Transfer::again) return;
    place(to_, poison);
    if (!is_copy()) return;
    if (transfer_ == Transfer::remote_copy)
      place_on_other_node(from_);
    else
      place(from_, 0);
    fill_transfer(from_->data(), c.elements, 1);
  }

  Check verify(std::stop_token stop) override {
    if (to_) std::memset(to_->data(), poison, to_->bytes());
    wrong_ = case_.elements;
    run_untimed(stop);
    if (is_copy()) wrong_ = first_difference();
    if (transfer_ == Transfer::again) wrong_ = first_unmarked(bytes_of(*to_), to_->bytes());
    if (wrong_ == case_.elements) return {.ok = true};
    return {false, fmt::format("byte {} of {} was not written", wrong_, case_.elements)};
  }

 protected:
  void run_once(const std::stop_token&) override {
    switch (transfer_) {
      case Transfer::copy:
      case Transfer::remote_copy:
        std::memcpy(to_->data(), from_->data(), to_->bytes());
        return;
      case Transfer::again:
        std::memset(to_->data(), mark, to_->bytes());
        return;
      default:
        write_fresh();
    }
  }

 private:
  bool is_copy() const { return transfer_ == Transfer::copy || transfer_ == Transfer::remote_copy; }

  static const unsigned char* bytes_of(const Pages& pages) {
    return reinterpret_cast<const unsigned char*>(pages.data());
  }

  /// Pages that the calling thread writes first: they lie on the memory node of the thread that
  /// copies, which is pinned to the first processor, too.
  void place(std::optional<Pages>& pages, unsigned char contents) {
    const Pool::PinnedCaller pinned(machine_.pool());
    pages.emplace(case_.elements, PageSize::usual);
    std::memset(pages->data(), contents, pages->bytes());
  }

  /// Pages on the next memory node. Throws Unsupported.
  void place_on_other_node(std::optional<Pages>& pages) {
    const int node = machine_.nodes().at(1);
    pages.emplace(case_.elements, PageSize::usual);
    if (!pages->prefer(node)) throw Unsupported("the system lets no program choose a memory node");
    std::memset(pages->data(), 0, pages->bytes());
    if (!pages->lie_on(node))
      throw Unsupported(fmt::format("memory node {} has no room for it: choose fewer bytes", node));
  }

  std::uint64_t first_difference() const {
    const unsigned char *to = bytes_of(*to_), *from = bytes_of(*from_);
    return static_cast<std::uint64_t>(std::mismatch(to, to + to_->bytes(), from).first - to);
  }

  void write_fresh() {
    const bool huge = transfer_ == Transfer::fresh_huge;
    const Pages pages(case_.elements, huge ? PageSize::huge : PageSize::small);
    std::memset(pages.data(), mark, pages.bytes());
    if (is_untimed()) wrong_ = first_unmarked(bytes_of(pages), pages.bytes());
  }

  Transfer transfer_;
  std::optional<Pages> from_, to_;
  std::uint64_t wrong_ = 0;
};

/// Whether Linux gives huge pages where a program asks for them.
bool gives_huge_pages() {
  const std::string modes = first_line_of("/sys/kernel/mm/transparent_hugepage/enabled");
  return !modes.empty() && modes.find("[never]") == std::string::npos;
}

std::unique_ptr<Trial> prepare(const Asked& asked) {
  if (is_of_gpu(transfer_of(asked.c)))
    throw Unsupported(fmt::format("{} is measured on a GPU", words_of(transfer_of(asked.c))));
  // Beside larger pages huge ones are larger, too.
  if (transfer_of(asked.c) == Transfer::fresh_huge && page_size() != 4096)
    throw Unsupported("huge pages of 2 MiB are those of systems with pages of 4 KiB");
  if (transfer_of(asked.c) == Transfer::fresh_huge && !gives_huge_pages())
    throw Unsupported("this system gives no huge pages (transparent_hugepage is never)");
  if (transfer_of(asked.c) == Transfer::remote_copy && asked.machine.nodes().size() < 2)
    throw Unsupported("the cores of this device lie on one memory node");
  try {
    return std::make_unique<TransferTrial>(asked.machine, asked.c);
  } catch (const std::bad_alloc&) {
    throw Unsupported("the system has no memory for it: choose fewer bytes");
  }
}

}  // namespace

extern const FamilyOnCpu transfer_on_cpu{
    .family = Family::transfer,
    .note = "memcpy and memset of the C library, by one thread",
    .dtype = Dtype::int8,
    .prepare = prepare};

}  // namespace kernels::cpu
