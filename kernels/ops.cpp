#include "kernels/ops.hpp"

#include <numeric>

namespace kernels {
namespace {

std::vector<const OpInfo*>& added() {
  static std::vector<const OpInfo*> rows;
  return rows;
}

}  // namespace

const OpInfo* Op::operator->() const {
  return row < op_rows.size() ? &op_rows[row] : added().at(row - op_rows.size());
}

std::string_view name_of(Op op) { return op->name; }

std::vector<Op> all_ops() {
  std::vector<Op> ops;
  for (std::size_t row = 0; row < op_rows.size() + added().size(); ++row)
    ops.push_back({static_cast<std::uint8_t>(row)});
  return ops;
}

std::optional<Op> op_named(std::string_view name) {
  for (const Op op : all_ops()) {
    if (op->name == name) return op;
  }
  return std::nullopt;
}

Op add_op(const OpInfo& row) {
  added().push_back(&row);
  return all_ops().back();
}

double flops_of(const Ops& ops) {
  return std::accumulate(ops.begin(), ops.end(), 0.0,
                         [](double sum, Op op) { return sum + op->flops; });
}

std::string text_of(const Ops& ops) {
  std::string text;
  for (const Op op : ops) text.append(text.empty() ? "" : ",").append(op->name);
  return text;
}

std::optional<Ops> ops_named(std::string_view text) {
  Ops ops;
  while (true) {
    const auto end = text.find(',');
    const std::optional<Op> op = op_named(text.substr(0, end));
    if (!op || ops.count == most_ops) return std::nullopt;
    ops.at[ops.count++] = *op;
    if (end == std::string_view::npos) return ops;
    text.remove_prefix(end + 1);
  }
}

}  // namespace kernels
