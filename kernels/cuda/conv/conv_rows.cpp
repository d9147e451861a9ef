#include "kernels/cuda/conv/conv.hpp"
#include "kernels/families/conv.hpp"

namespace kernels::cuda {

std::vector<std::string> cudnn_algorithms() {
  std::vector<std::string> names(cudnn::algorithms.begin(), cudnn::algorithms.end());
  names.erase(names.begin() + cudnn::direct);
  return names;
}

std::vector<Kernel> conv_rows(const Cudnn& library) {
  const Case c = conv_case({}, Data::random);
  Kernel own{.family = c.family, .op = c.op(), .dtype = c.dtype, .units = c.units};
  Kernel theirs = own;
  own.runs = false;
  own.why_not = "our own convolutions run on a CPU alone; a GPU runs those of cuDNN";
  theirs.by = By::library;
  theirs.why_not = library.why_not();
  theirs.runs = theirs.why_not.empty();
  if (theirs.runs) {
    theirs.note = library.name();
    theirs.algorithms = cudnn_algorithms();
  }
  return {own, theirs};
}

}  // namespace kernels::cuda
