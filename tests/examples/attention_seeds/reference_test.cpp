// The four modules against PyTorch, as printed and as meant: results and all gradients, f64 and
// f32. The cases are made by tests/reference/attention_seeds.py.

#include "examples/attention_seeds/einsum_form.h"
#include "examples/attention_seeds/matmul_form.h"
#include "examples/attention_seeds/paper_notation.h"
#include "examples/attention_seeds/shared_head_projections.h"
#include "tests/reference/layer_case.h"

namespace lectern::attention_seeds {
namespace {

using Results = std::vector<Variable>;

constexpr std::int64_t kWidth = 12, kHeads = 3;

/// call(module, inputs) returns the result.
template <class Form, class Call>
LayerCall form_call(Form form, Call call) {
  return layer_call(std::move(form),
                    [call](Form& f, const LayerInputs& in) { return Results{call(f, in)}; });
}

template <class Call>
LayerCall einsum_form(DType dtype, Call call) {
  Rng rng(1);
  return form_call(EinsumForm(kWidth, kHeads, rng, dtype), call);
}

template <class Call>
LayerCall shared_head_projections(DType dtype, Call call) {
  Rng rng(1);
  return form_call(SharedHeadProjections(kWidth, kHeads, rng, dtype), call);
}

const LayerTable forms = {
    {"einsum form, as printed",
     [](DType d) {
       return einsum_form(d, [](EinsumForm& f, const LayerInputs& in) {
         return f.as_printed(in.x[0], in.x[1], in.x[2]);
       });
     }},
    {"einsum form, as meant",
     [](DType d) {
       return einsum_form(
           d, [](EinsumForm& f, const LayerInputs& in) { return f(in.x[0], in.x[1], in.x[2]); });
     }},
    {"shared head projections, as printed",
     [](DType d) {
       return shared_head_projections(d, [](SharedHeadProjections& f, const LayerInputs& in) {
         return f.as_printed(in.x[0], in.x[1], in.x[2], in.n.empty() ? Tensor() : in.n[0]);
       });
     }},
    {"shared head projections, as meant",
     [](DType d) {
       return shared_head_projections(d, [](SharedHeadProjections& f, const LayerInputs& in) {
         return f(in.x[0], in.x[1], in.x[2], allow(not_equal(in.n[0], 0)));
       });
     }},
    {"matmul form",
     [](DType d) {
       Rng rng(1);
       return form_call(MatmulForm(kWidth, kHeads, rng, d),
                        [](MatmulForm& f, const LayerInputs& in) { return f(in.x[0]); });
     }},
    {"paper notation",
     [](DType d) {
       Rng rng(1);
       return form_call(PaperNotation(rng, kWidth, kHeads, d),
                        [](PaperNotation& f, const LayerInputs& in) { return f(in.x[0]); });
     }},
};

TEST(AttentionSeeds, MatchPyTorch) {
  for (const DType dtype : {DType::f64, DType::f32}) {
    expect_layer_cases("attention_seeds", dtype, forms);
  }
}

}  // namespace
}  // namespace lectern::attention_seeds
