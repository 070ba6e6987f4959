#include <fmt/core.h>

#include "autograd/variable.h"
#include "examples/text/tokenizer.h"
#include "examples/translate/commands.h"
#include "examples/translate/heat_map.h"
#include "examples/translate/translator.h"
#include "tensor/threads.h"
#include "tensor/views.h"

namespace lectern::translate {
namespace {

using Words = std::vector<std::string>;
using Ids = std::vector<std::int64_t>;

Words words(const text::Vocabulary& vocabulary, const Ids& ids) {
  Words names;
  for (const std::int64_t id : ids) names.push_back(vocabulary.word(id));
  return names;
}

Tensor row(const Ids& ids) { return Tensor::from(ids, {1, static_cast<std::int64_t>(ids.size())}); }

void print_maps(const std::string& title, const Variable& weights, const Words& queries,
                const Words& keys) {
  fmt::print(
      "\n{}\n{}{}", title, numbered_words(keys),
      heat_maps(select(weights.value(), 0, 0), queries));  // of the only sentence: [H, Tq, Tk]
}

}  // namespace

void show(const ShowOptions& options) {
  if (options.threads > 0) set_num_threads(options.threads);
  const TrainedModel model(options.model);
  const text::Vocabulary &source = model.description.source, &target = model.description.target;

  const Ids read = model.translator.source_ids(options.sentence);
  const Ids written = model.translator.translate_ids(read);
  Ids given = written;  // what the decoder saw: each word is written below the one before it
  given.insert(given.begin(), text::kBegin);
  given.pop_back();
  fmt::print("{}\n{}\n", options.sentence, text::detokenize(target.decode(written)));

  const NoGrad guard;
  const auto weights = model.network.attention_weights(row(read), {}, row(given));
  for (std::size_t layer = 0; layer < weights.encoder.size(); ++layer) {
    print_maps(
        fmt::format("encoder layer {}: where each word of the sentence looks in it", layer + 1),
        weights.encoder[layer], words(source, read), words(source, read));
  }
  for (std::size_t layer = 0; layer < weights.decoder.size(); ++layer) {
    print_maps(fmt::format("decoder layer {}: where it looks in what it has written", layer + 1),
               weights.decoder[layer].self, words(target, written), words(target, given));
    print_maps(fmt::format("decoder layer {}: where it looks in the sentence to write each word",
                           layer + 1),
               weights.decoder[layer].memory, words(target, written), words(source, read));
  }
}

}  // namespace lectern::translate
