// One encoder layer of BERT as a list of operators, each with the number of times that it runs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/labs/lab.hpp"

namespace engine::bert {

/// The classes of the article's table.
enum class Class : std::uint8_t { contraction, normalization, element_wise };
inline constexpr std::array classes{Class::contraction, Class::normalization, Class::element_wise};
std::string_view name_of(Class);

/// What decides the operators of a layer. Heads have 64 columns; the layers of the feed-forward
/// network are four times as wide.
struct Layer {
  std::uint64_t width = 768, batch = 1, sequence = 64;
  bool backward = false;  ///< forward and backward
  bool fused = false;     ///< normalization and element-wise operators, where there are kernels
  kernels::Dtype dtype = kernels::Dtype::fp32;
  kernels::Units units = kernels::Units::vector;  ///< of the contractions
  kernels::Data data = kernels::Data::random;

  std::uint64_t tokens() const { return batch * sequence; }
  std::uint64_t heads() const { return width / 64; }
};

/// An operator by our own kernel. No two of a layer have the same case.
struct Operator {
  std::string_view name;
  int times;  ///< in one layer
  kernels::Case what;
};
/// "projection (4 times)"
std::string label_of(const Operator&);

std::vector<Operator> operators_of(const Layer&);
Class class_of(const kernels::Case&);

/// FLOP of a case where a transcendental function counts as one, as in published tables.
double plain_flops(const kernels::Case&);

/// Sets the knobs of the layer that these points are of; not where those that tell are missing.
void set_knobs_told_by(std::span<const Point* const>, Spec&);

/// All operators of one class together, as often as they run.
struct Sum {
  double flops = 0;  ///< plain_flops()
  Interval seconds{0, 0, 0};
};
/// What one layer takes, by class.
struct Account {
  std::array<Sum, classes.size()> of{};
  std::vector<const Point*> points;  ///< that it rests on
  std::size_t missing = 0;           ///< operators that were not measured
  kernels::By contractions = kernels::By::own;

  const Sum& operator[](Class one) const { return of[static_cast<std::size_t>(one)]; }
  Sum all() const;
};
/// With contractions of our own or a library's.
Account account_of(const Session&, std::span<const Point* const>, const Layer&,
                   kernels::By contractions = kernels::By::own);

/// With the contractions that count: on a GPU a library's, which people use there, where it ran all
/// of them.
Account counted_account(const Session&, std::span<const Point* const>, const Layer&);

/// Throws BadInput where an operator is larger than anything that can be computed here.
void refuse_too_large(const Place&, const Operator&);
/// Throws BadInput where operators run in fp32 on vector units, and not as the layer asks for.
void refuse_lacking(const Place&, const Layer&);

}  // namespace engine::bert
