// Family `transfer` between host and GPU, and to another GPU: the driver copies, or a kernel reads
// and writes memory of the host.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <vector>

#include "kernels/cuda/runtime/host_memory.hpp"
#include "kernels/cuda/runtime/host_time.hpp"
#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/transfer/transfer.hpp"

namespace kernels::cuda {
namespace {

/// Between two looks at the stop token: below 20 ms on any link.
constexpr std::uint64_t piece = 256ULL << 20;

/// Timed by the host, from the call to the end of the copy.
class TransferTrial final : public Trial {
 public:
  TransferTrial(Gpu& gpu, const Case& c)
      : gpu_(gpu), case_(c), transfer_(transfer_of(c)), bytes_(c.elements) {
    const bool pinned = transfer_ != Transfer::to_pageable && transfer_ != Transfer::from_pageable;
    if (transfer_ == Transfer::to_peer) {
      prepare_peer();
      return;
    }
    if (goes_to()) to_.emplace(gpu, bytes_, pinned);
    if (comes_from()) from_.emplace(gpu, bytes_, pinned);
    if (transfer_ != Transfer::both_pinned) return;
    second_.emplace();
    mark_.emplace(Event::Kind::order);
  }

  Sample run(std::stop_token stop) override {
    gpu_.activate();
    const double start = host_seconds();
    for (std::uint64_t at = 0; at < bytes_; at += piece) {
      if (at > 0) gpu_.timer().finish();
      if (stop.stop_requested()) throw Cancelled();
      queue(at, std::min(piece, bytes_ - at));
    }
    gpu_.timer().finish_exactly();
    return {.seconds = host_seconds() - start, .launched = Launched::stream};
  }

  Work work() const override { return work_of(case_, "cuda"); }
  bool cold() const override { return false; }

  /// Every byte, on both sides, after the destination was overwritten.
  Check verify(std::stop_token stop) override {
    gpu_.activate();
    if (peer_) return verify_peer(stop);
    constexpr unsigned char poison = 0xff;
    if (to_) {
      fill_transfer(to_->host.data(), bytes_, gpu_.next_seed());
      gpu_.clear(to_->device, poison);
      gpu_.timer().finish();
    }
    if (from_) {
      gpu_.fill(from_->device.data(), Dtype::int8, bytes_, gpu_.next_seed());
      std::memset(from_->host.data(), poison, bytes_);
    }
    run(stop);
    for (std::optional<Side>* side : {&to_, &from_}) {
      if (!*side) continue;
      const unsigned char* const host = (*side)->host.data();
      const auto wrong = first_difference(
          (*side)->device, stop, [&](std::uint64_t at, std::uint64_t) { return host + at; });
      if (wrong)
        return {false, fmt::format("byte {} of {} differs between host and GPU", *wrong, bytes_)};
    }
    return {.ok = true};
  }

 private:
  struct Side {
    Side(Gpu& gpu, std::uint64_t bytes, bool pinned)
        : host(gpu, bytes, pinned), device(gpu.pool().take(static_cast<double>(bytes))) {}
    HostMemory host;
    Buffer device;
  };

  void prepare_peer() {
    const std::optional<int> other = peer_of(gpu_.ordinal());
    if (!other) throw Unsupported("there is no other GPU that this one can write directly");
    own_ = gpu_.pool().take(static_cast<double>(bytes_));
    peer_.emplace(gpu_, *other, bytes_);
  }

  bool goes_to() const {
    return transfer_ <= Transfer::to_mapped || transfer_ == Transfer::both_pinned;
  }
  bool comes_from() const { return !goes_to() || transfer_ == Transfer::both_pinned; }
  bool by_kernel() const {
    return transfer_ == Transfer::to_mapped || transfer_ == Transfer::from_mapped;
  }

  void queue(std::uint64_t at, std::uint64_t count) {
    cudaStream_t const stream = gpu_.stream();
    if (by_kernel()) return queue_kernel(at, count);
    if (peer_) {
      check(cudaMemcpyPeerAsync(peer_->data() + at, peer_->peer(), own_.as<unsigned char>() + at,
                                gpu_.ordinal(), count, stream),
            "copying to another GPU");
      return;
    }
    if (from_ && second_) {
      mark_->order(stream, second_->get());
      copy_from(at, count, second_->get());
    } else if (from_) {
      copy_from(at, count, stream);
    }
    if (to_)
      check(cudaMemcpyAsync(to_->device.as<unsigned char>() + at, to_->host.data() + at, count,
                            cudaMemcpyHostToDevice, stream),
            "copying to the GPU");
    if (second_) mark_->order(second_->get(), stream);
  }

  void copy_from(std::uint64_t at, std::uint64_t count, cudaStream_t stream) {
    check(cudaMemcpyAsync(from_->host.data() + at, from_->device.as<unsigned char>() + at, count,
                          cudaMemcpyDeviceToHost, stream),
          "copying from the GPU");
  }

  /// The copy kernel of the memory roof, one side of which is the host's.
  void queue_kernel(std::uint64_t at, std::uint64_t count) {
    static const auto kernels = stream_kernels();
    constexpr int in_flight = 1, width = 16;
    const auto kernel = std::ranges::find_if(kernels, [](const StreamKernel& one) {
      return one.op == Op::copy && one.in_flight == in_flight && one.width == width;
    });
    if (kernel == kernels.end()) throw Unsupported("no kernel that copies 16 bytes at a time");
    Side& side = to_ ? *to_ : *from_;
    unsigned char* const host = side.host.on_device() + at;
    unsigned char* const device = side.device.as<unsigned char>() + at;
    StreamArguments arguments;
    arguments.a = reinterpret_cast<const Vector*>(to_ ? host : device);
    arguments.out = reinterpret_cast<Vector*>(to_ ? device : host);
    arguments.elements = count / sizeof(float);
    constexpr std::uint64_t of_block = block_threads * in_flight * width;
    launch(kernel->function, (count + of_block - 1) / of_block, block_threads, arguments,
           gpu_.stream());
  }

  /// Every byte, after a copy of others has overwritten the destination.
  Check verify_peer(const std::stop_token& stop) {
    for (int round = 0; round < 2; ++round) {
      gpu_.fill(own_.data(), Dtype::int8, bytes_, gpu_.next_seed());
      run(stop);
    }
    std::vector<unsigned char> arrived(std::min<std::uint64_t>(bytes_, Timer::staging_bytes));
    const auto wrong = first_difference(own_, stop, [&](std::uint64_t at, std::uint64_t count) {
      gpu_.read(arrived.data(), peer_->data() + at, count);
      return arrived.data();
    });
    if (!wrong) return {.ok = true};
    return {false, fmt::format("byte {} of {} differs between the GPUs", *wrong, bytes_)};
  }

  /// Of a buffer, from `other(at, count)`: piece by piece. Nothing where all bytes are the same.
  template <class Other>
  std::optional<std::uint64_t> first_difference(const Buffer& buffer, const std::stop_token& stop,
                                                Other other) {
    std::vector<unsigned char> bytes(std::min<std::uint64_t>(bytes_, Timer::staging_bytes));
    for (std::uint64_t at = 0; at < bytes_; at += bytes.size()) {
      if (stop.stop_requested()) throw Cancelled();
      const std::uint64_t count = std::min<std::uint64_t>(bytes.size(), bytes_ - at);
      gpu_.read(bytes.data(), buffer.as<unsigned char>() + at, count);
      const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(count);
      const auto differs = std::mismatch(bytes.begin(), end, other(at, count)).first;
      if (differs != end) return at + static_cast<std::uint64_t>(differs - bytes.begin());
    }
    return std::nullopt;
  }

  Gpu& gpu_;
  Case case_;
  Transfer transfer_;
  std::uint64_t bytes_;
  std::optional<Side> to_, from_;
  Buffer own_;  // what goes to another GPU
  std::optional<PeerMemory> peer_;
  std::optional<Stream> second_;
  std::optional<Event> mark_;
};

std::unique_ptr<Trial> prepare(const Services& services, const Case& c) {
  if (!is_of_gpu(transfer_of(c)))
    throw Unsupported(fmt::format("{} is measured on the CPU", words_of(transfer_of(c))));
  try {
    return std::make_unique<TransferTrial>(services.gpu, c);
  } catch (const std::bad_alloc&) {
    throw Unsupported("the host has no memory for it: choose fewer bytes");
  }
}

}  // namespace

extern const FamilyOnGpu transfer_on_gpu{
    .family = Family::transfer,
    .note = "cudaMemcpyAsync, cudaMemcpyPeerAsync, or a kernel on mapped memory",
    .dtype = Dtype::int8,
    .prepare = prepare};

}  // namespace kernels::cuda
