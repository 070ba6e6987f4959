#include <fmt/format.h>

#include <utility>

#include "nn/attention_audit.h"
#include "tensor/views.h"

namespace lectern::nn {

std::string_view name(AttentionFault fault) {
  switch (fault) {
    case AttentionFault::mixes_no_positions:
      return "mixes no positions";
    case AttentionFault::looks_at_future:
      return "looks at the future";
    case AttentionFault::sees_padding:
      return "sees padding";
    case AttentionFault::ignores_mask:
      return "ignores the mask";
    case AttentionFault::depends_on_batch:
      return "depends on its batch neighbours";
    case AttentionFault::gradient_differs:
      return "gradient differs";
  }
  std::terminate();  // no such fault
}

namespace {

char symbol(bool reaches, bool may_reach) {
  if (reaches) return may_reach ? '#' : '!';
  return may_reach ? '.' : ' ';
}

/// One sample's table: a row for each position of the result, a column for each of the input.
std::string table(const Tensor& reaches, const Tensor& may_reach) {
  const std::int64_t length = reaches.shape()[0];
  const std::size_t width = std::to_string(length - 1).size() + 1;
  std::string text =
      fmt::format("  {:<11} {:>{}} from position\n  {:<11} {:>{}}", "", "", width, "", "", width);
  for (std::int64_t from = 0; from < length; ++from) text += fmt::format("{:>{}}", from, width);
  for (std::int64_t to = 0; to < length; ++to) {
    std::string row = fmt::format("  {:<11} {:>{}}", to == 0 ? "to position" : "", to, width);
    for (std::int64_t from = 0; from < length; ++from) {
      const std::int64_t at = to * length + from;
      row += fmt::format("{:>{}}", symbol(reaches.origin<bool>()[at], may_reach.origin<bool>()[at]),
                         width);
    }
    text += '\n' + row.substr(0, row.find_last_not_of(' ') + 1);
  }
  return text + '\n';
}

}  // namespace

std::string to_string(const AttentionAudit& audit) {
  std::vector<std::pair<std::string, std::string>> tables;  // a table, and whose it is
  const std::int64_t batch = audit.reaches.shape()[0];
  for (std::int64_t b = 0; b < batch; ++b) {
    const std::string drawn = table(select(audit.reaches, 0, b), select(audit.may_reach, 0, b));
    const auto same = std::ranges::find(tables, drawn, &std::pair<std::string, std::string>::first);
    if (same == tables.end()) {
      tables.emplace_back(drawn, std::to_string(b));
    } else {
      same->second += ", " + std::to_string(b);
    }
  }
  std::string text;
  for (const auto& [drawn, samples] : tables) {
    text += fmt::format("sample{} {}\n{}", samples.find(',') != std::string::npos ? "s" : "",
                        samples, drawn);
  }
  text += "# reaches, . does not; where it may not: ! reaches, blank does not\n";
  for (const AttentionViolation& violation : audit.violations) text += violation.text + '\n';
  text += audit.passed() ? "passed" : "condemned";
  return text + (batch > 1 ? "\n" : "; one sample has no neighbours to depend on\n");
}

}  // namespace lectern::nn
