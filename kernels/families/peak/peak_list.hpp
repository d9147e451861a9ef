// Which shapes of peak kernels there are; shapes.cpp offers them. Plain C++, so that tests fill the
// same list with host functions.
#pragma once

#include "kernels/families/peak/peak_body.hpp"

namespace kernels::cuda {

template <class Op, PeakForm form, int chains, int... unrolls, class Visit>
void visit_unrolls(Visit visit) {
  (visit.template operator()<Op, form, chains, unrolls>(), ...);
}

template <class Op, PeakForm form, int... unrolls, class Visit>
void visit_chains(Visit visit) {
  visit_unrolls<Op, form, 8, unrolls...>(visit);
  visit_unrolls<Op, form, 4, unrolls...>(visit);
}

/// The ops beside fma in a form; `unrolls` of mul_add.
template <PeakForm form, int... unrolls, class Visit>
void visit_others(Visit visit) {
  visit_chains<MulAdd, form, unrolls...>(visit);
  visit_unrolls<Mul, form, 8, 256>(visit);
  visit_unrolls<Mul, form, 4, 256>(visit);
  visit_unrolls<Add, form, 8, 256>(visit);
  visit_unrolls<Add, form, 4, 256>(visit);
}

/// Calls visit<Op, form, chains, unroll>() for every shape of a floating-point type whose fma has
/// these forms.
template <PeakForm... fma_forms, class Visit>
void visit_float_peaks(Visit visit) {
  (visit_chains<Fma, fma_forms, 1024, 256>(visit), ...);
  visit_others<PeakForm::registers, 1024, 256>(visit);
  visit_others<PeakForm::uniform, 1024, 256>(visit);
}

/// The same for int8, whose only peak is that of dp4a: longer loops gain nothing with integers and
/// take the compiler minutes.
template <class Visit>
void visit_dp4a_peaks(Visit visit) {
  visit_chains<Fma, PeakForm::registers, 256>(visit);
  visit_chains<Fma, PeakForm::uniform, 256>(visit);
}

/// The same for int32.
template <class Visit>
void visit_integer_peaks(Visit visit) {
  visit_dp4a_peaks(visit);
  visit_others<PeakForm::registers, 256>(visit);
  visit_others<PeakForm::uniform, 256>(visit);
}

/// The shapes of a dtype.
template <Dtype dtype, class Visit>
void visit_peaks(Visit visit) {
  if constexpr (dtype == Dtype::int32) {
    visit_integer_peaks(visit);
  } else if constexpr (dtype == Dtype::int8) {
    visit_dp4a_peaks(visit);
  } else if constexpr (dtype == Dtype::fp32 || dtype == Dtype::fp64) {
    visit_float_peaks<PeakForm::uniform, PeakForm::immediate>(visit);
  } else {
    // x -> 1 - a x of 16-bit types soon stands still, and what stands still draws less power.
    visit_float_peaks<PeakForm::registers, PeakForm::uniform>(visit);
  }
}

}  // namespace kernels::cuda
