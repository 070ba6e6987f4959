#include "examples/translate/training_state.h"

#include "tensor/error.h"

namespace lectern::translate {
namespace {

// The streams of the seed.
constexpr std::uint64_t kShuffling = 1;
constexpr std::uint64_t kDropout = 2;

std::vector<NamedTensor> copy_of(const std::vector<NamedTensor>& entries) {
  std::vector<NamedTensor> copies;
  for (const NamedTensor& entry : entries) copies.push_back({entry.name, entry.value.clone()});
  return copies;
}

}  // namespace

TrainingState::TrainingState(const ModelDescription& description)
    : shuffling(Rng(description.options.seed).stream(kShuffling)),
      dropout(Rng(description.options.seed).stream(kDropout)),
      network(network_config(description), dropout),
      optimizer(network.named_parameters(), {.beta2 = 0.98, .eps = 1e-9}) {}

bool TrainingState::keep_if_best(double valid_loss) {
  if (!(valid_loss < best_loss)) return false;
  best_loss = valid_loss;
  best = copy_of(network.state_dict());
  return true;
}

void TrainingState::save(const std::filesystem::path& file, std::int64_t data_tokens) {
  nn::Checkpoint state;
  state.add("network", network.state_dict());
  state.add("best", best);
  state.add("optimizer", optimizer.state_dict());
  state.add("shuffling", shuffling.state());
  state.add("dropout", dropout.state());
  state.add("epoch", epoch);
  state.add("step", step);
  state.add("skipped", skipped);
  state.add("seconds", seconds);
  state.add("best_loss", best_loss);
  state.add("data_tokens", data_tokens);
  state.save(file);
}

void TrainingState::load(const std::filesystem::path& file, std::int64_t data_tokens) {
  const nn::Checkpoint state = nn::Checkpoint::load(file);
  const std::int64_t tokens = state.integer("data_tokens");
  require<IoError>(tokens == data_tokens,
                   "train: the data have changed: {} tokens, and there were {} when {} was written",
                   data_tokens, tokens, file.string());
  network.load_state_dict(state.section("network"));
  optimizer.load_state_dict(state.section("optimizer"));
  best = state.section("best");
  shuffling.set_state(state.rng("shuffling"));
  dropout.set_state(state.rng("dropout"));
  epoch = state.integer("epoch");
  step = state.integer("step");
  skipped = state.integer("skipped");
  seconds = state.real("seconds");
  best_loss = state.real("best_loss");
}

}  // namespace lectern::translate
