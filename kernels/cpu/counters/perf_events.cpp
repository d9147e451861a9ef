#include "kernels/cpu/counters/perf_events.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#include "kernels/cpu/machine/topology.hpp"

namespace kernels::cpu {
namespace {

namespace fs = std::filesystem;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {
    if (number < 0) throw std::system_error(errno, std::generic_category());
  }
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

class KernelPerfGroup final : public PerfGroup {
 public:
  KernelPerfGroup(std::span<const PerfEvent> events, int processor) {
    for (const PerfEvent& event : events) {
      perf_event_attr asked{};
      asked.size = sizeof asked;
      asked.type = event.type;
      asked.config = event.config;
      asked.read_format =
          PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
      const int leader = events_.empty() ? -1 : events_.front().number();
      events_.emplace_back(static_cast<int>(
          syscall(SYS_perf_event_open, &asked, -1, processor, leader, PERF_FLAG_FD_CLOEXEC)));
    }
  }

  PerfCounts read() override {
    constexpr std::size_t head = 3;  // how many, ns enabled, ns running
    constexpr double nanosecond = 1e-9;
    std::vector<std::uint64_t> words(head + events_.size());
    const ssize_t bytes = ::read(events_.front().number(), words.data(), words.size() * 8);
    if (bytes < 0) throw std::system_error(errno, std::generic_category());
    if (static_cast<std::size_t>(bytes) != words.size() * 8)
      throw std::system_error(ENODATA, std::generic_category());
    return {nanosecond * static_cast<double>(words[1]),
            nanosecond * static_cast<double>(words[2]),
            {words.begin() + head, words.end()}};
  }

 private:
  std::vector<Descriptor> events_;
};

template <typename T>
std::optional<T> number_of(std::string_view text) {
  const char* const end = text.data() + text.size();
  T value{};
  std::from_chars_result read{};
  if constexpr (std::is_integral_v<T>) {
    const bool hex = text.starts_with("0x");
    read = std::from_chars(text.data() + (hex ? 2 : 0), end, value, hex ? 16 : 10);
  } else {
    read = std::from_chars(text.data(), end, value);
  }
  return read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
}

/// The value of a term such as `umask` in the bits of `config` that its format names, such as
/// "config:8-15" or "config:8-15,32-55", the lowest first.
std::optional<std::uint64_t> in_bits_of(const fs::path& format, std::uint64_t value) {
  constexpr std::string_view where = "config:";
  const std::string text = first_line_of(format);
  if (!text.starts_with(where)) return std::nullopt;
  std::istringstream ranges(text.substr(where.size()));
  std::uint64_t config = 0;
  for (std::string range; std::getline(ranges, range, ',');) {
    const std::size_t dash = range.find('-');
    const auto low = number_of<unsigned>(range.substr(0, dash));
    const auto high = dash == std::string::npos ? low : number_of<unsigned>(range.substr(dash + 1));
    if (!low || !high || *low > *high || *high > 63) return std::nullopt;
    for (unsigned bit = *low; bit <= *high; ++bit, value >>= 1U) config |= (value & 1U) << bit;
  }
  return value == 0 ? std::optional(config) : std::nullopt;
}

/// Of terms such as "event=0x04,umask=0x03".
std::optional<std::uint64_t> config_of(const fs::path& folder, const std::string& terms) {
  std::uint64_t config = 0;
  std::istringstream in(terms);
  for (std::string term; std::getline(in, term, ',');) {
    const std::size_t equals = term.find('=');
    if (equals == std::string::npos) return std::nullopt;
    const auto value = number_of<std::uint64_t>(std::string_view(term).substr(equals + 1));
    const auto bits = value ? in_bits_of(folder / "format" / term.substr(0, equals), *value)
                            : std::optional<std::uint64_t>();
    if (!bits) return std::nullopt;
    config |= *bits;
  }
  return terms.empty() ? std::nullopt : std::optional(config);
}

}  // namespace

std::unique_ptr<PerfGroup> open_perf_group(std::span<const PerfEvent> events, int processor) {
  return std::make_unique<KernelPerfGroup>(events, processor);
}

NamedEvent named_event(const fs::path& folder, std::string_view name) {
  constexpr double mebibyte = 1 << 20;
  const fs::path file = folder / "events" / name;
  const auto type = number_of<std::uint32_t>(first_line_of(folder / "type"));
  const auto config = config_of(folder, first_line_of(file));
  const auto scale = number_of<double>(first_line_of(fs::path(file).concat(".scale")));
  if (!type || !config || !scale || first_line_of(fs::path(file).concat(".unit")) != "MiB")
    return {};
  return {{*type, *config}, *scale * mebibyte, parse_cpu_list(first_line_of(folder / "cpumask"))};
}

}  // namespace kernels::cpu
