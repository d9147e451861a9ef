// The pointwise operators, once for CPUs and GPUs, for the kernels that are built in and for those
// that are generated and compiled at run time: the text of an expression is the same in all.
#pragma once

// OPERATOR(name of the Op, expression). x is the value, of type V: a vector type of the compiler
// (GCC, Clang) whose scalar is S, or S itself (CUDA). k has the constants and functions (Kit in
// pointwise_loop.hpp and pointwise_body.hpp).
#define RIDGEPOINT_OPERATORS(OPERATOR)                                                           \
  OPERATOR(mul, x* k.a)                                                                          \
  OPERATOR(add, x + k.b)                                                                         \
  OPERATOR(sqrt, k.root(x))                                                                      \
  OPERATOR(relu, x > V{} ? x : V{})                                                              \
  OPERATOR(reciprocal, S(1) / x)                                                                 \
  OPERATOR(exp, k.exp(x))                                                                        \
  OPERATOR(cos, k.cos(x))                                                                        \
  OPERATOR(tanh, k.tanh(x))                                                                      \
  OPERATOR(silu, x / (S(1) + k.exp(-x)))                                                         \
  OPERATOR(gelu, S(0.5) * x * k.erf(x * S(0.70710678118654752)) + S(0.5) * x)                    \
  OPERATOR(gelu_tanh,                                                                            \
           S(0.5) * x * k.tanh(x * (x * x * S(0.035677408136300125) + S(0.79788456080286536))) + \
               S(0.5) * x)
