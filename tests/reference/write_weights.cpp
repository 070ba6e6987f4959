// Writes the files that check_weights.py loads into PyTorch: write_weights FOLDER

#include <fmt/core.h>

#include "tensor/safetensors.h"
#include "tests/reference/lectern_weights.h"

int main(int count, char** arguments) {
  using namespace lectern;
  if (count != 2) {
    fmt::print(stderr, "usage: write_weights FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = arguments[1];
  save_safetensors(folder / "lectern_transformer.safetensors",
                   with_written_weights(small_transformer(DType::f32)).state_dict());
  save_safetensors(folder / "lectern_translation.safetensors",
                   with_written_weights(small_translation(DType::f32)).state_dict());
}
