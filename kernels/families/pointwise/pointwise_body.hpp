// What one thread of a launch of pointwise operators does: load, one operator or several on every
// element in registers, store. Plain C++, so that tests run it on the host.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/arithmetic.hpp"
#include "kernels/cuda/trials/share.hpp"
#include "kernels/families/chain/chain_body.hpp"
#include "kernels/pointwise_operators.hpp"

namespace kernels::cuda {

// The functions of the standard library, whose CUDA versions are within 2 ULP of the correctly
// rounded result (pointwise_reference.hpp).
RIDGEPOINT_BOTH inline float exponential(float x) { return expf(x); }
RIDGEPOINT_BOTH inline float cosine(float x) { return cosf(x); }
RIDGEPOINT_BOTH inline float hyperbolic_tangent(float x) { return tanhf(x); }
RIDGEPOINT_BOTH inline float error_function(float x) { return erff(x); }
RIDGEPOINT_BOTH inline double exponential(double x) { return ::exp(x); }
RIDGEPOINT_BOTH inline double cosine(double x) { return ::cos(x); }
RIDGEPOINT_BOTH inline double hyperbolic_tangent(double x) { return ::tanh(x); }
RIDGEPOINT_BOTH inline double error_function(double x) { return ::erf(x); }

/// What the expressions of pointwise_operators.hpp use beside x.
template <class S>
struct Kit {
  S a, b;
  RIDGEPOINT_BOTH static S root(S x) { return kernels::root(x); }
  RIDGEPOINT_BOTH static S exp(S x) { return exponential(x); }
  RIDGEPOINT_BOTH static S cos(S x) { return cosine(x); }
  RIDGEPOINT_BOTH static S tanh(S x) { return hyperbolic_tangent(x); }
  RIDGEPOINT_BOTH static S erf(S x) { return error_function(x); }
};

namespace pointwise {
#define RIDGEPOINT_STRUCT(name, expression)                              \
  struct name {                                                          \
    static constexpr Op op = Op::name;                                   \
    template <class S>                                                   \
    RIDGEPOINT_BOTH static S of(S x, [[maybe_unused]] const Kit<S>& k) { \
      using V [[maybe_unused]] = S;                                      \
      return expression;                                                 \
    }                                                                    \
  };
RIDGEPOINT_OPERATORS(RIDGEPOINT_STRUCT)
#undef RIDGEPOINT_STRUCT
}  // namespace pointwise

/// Which operators there are. Calls visit<operator>().
template <class Visit>
void visit_operators(Visit visit) {
#define RIDGEPOINT_VISIT(name, expression) visit.template operator()<pointwise::name>();
  RIDGEPOINT_OPERATORS(RIDGEPOINT_VISIT)
#undef RIDGEPOINT_VISIT
}

/// A thread's elements, loaded and stored. Memory: float, double or WidenedBf16.
template <class Memory>
struct Elements {
  using Lanes = typename StorageOf<Memory>::Lanes;
  using S = typename Lanes::Chain;
  static constexpr int count = vectors_per_thread * Lanes::chains;

  Share<Lanes::element_bytes> share;
  S x[count];

  RIDGEPOINT_BOTH Elements(const PointwiseArguments& args, Place place)
      : share(args.elements, place) {
    Vector data[vectors_per_thread];
    share.load(args.in, data);
#pragma unroll
    for (int v = 0; v < vectors_per_thread; ++v) Lanes::unpack(data[v], x + v * Lanes::chains);
  }
  RIDGEPOINT_BOTH void store(Vector* out) const {
    Vector data[vectors_per_thread];
#pragma unroll
    for (int v = 0; v < vectors_per_thread; ++v) data[v] = Lanes::pack(x + v * Lanes::chains);
    share.store(out, data);
  }
  template <class Operator>
  RIDGEPOINT_BOTH void apply(const Kit<S>& kit) {
#pragma unroll
    for (int i = 0; i < count; ++i) x[i] = Operator::of(x[i], kit);
  }
};

template <class Memory, class Operator>
RIDGEPOINT_BOTH inline void pointwise_thread(const PointwiseArguments& args, Place place) {
  using S = typename Elements<Memory>::S;
  Elements<Memory> elements(args, place);
  elements.template apply<Operator>({operand<S>(args.a), operand<S>(args.b)});
  elements.store(args.out);
}

/// Several operators by a list.
template <class S>
RIDGEPOINT_BOTH inline void pointwise_list_thread(const PointwiseListArguments& args, Place place) {
  Elements<S> elements(args.each, place);
  const Kit<S> kit{operand<S>(args.each.a), operand<S>(args.each.b)};
  std::uint32_t at = 0;
#pragma unroll 1
  for (std::uint32_t step = 0; step < args.steps; ++step) {
    switch ((at < 8 ? args.ops[0] : args.ops[1]) >> (at % 8 * 8) & 0xffU) {
#define RIDGEPOINT_CASE(name, expression)          \
  case Op::name.row:                               \
    elements.template apply<pointwise::name>(kit); \
    break;
      RIDGEPOINT_OPERATORS(RIDGEPOINT_CASE)
#undef RIDGEPOINT_CASE
      default:
        break;
    }
    at = at + 1 < args.length ? at + 1 : 0;
  }
  elements.store(args.each.out);
}

}  // namespace kernels::cuda
