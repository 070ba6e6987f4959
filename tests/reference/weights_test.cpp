// Weights move between PyTorch and Lectern by file, both ways: names, values and output are the
// same. The files are made by weights.py, and by write_weights.cpp and check_weights.py.

#include <fstream>

#include "tests/reference/lectern_weights.h"
#include "tests/reference/reference.h"
#include "tests/support/on_threads.h"
#include "tests/support/temporary_folder.h"

namespace lectern {
namespace {

std::filesystem::path data(std::string_view name) {
  return fmt::format("{}/tests/reference/data/{}.safetensors", LECTERN_SOURCE_DIR, name);
}

/// The entries of a file of weights, in f32 as they are stored or in f64.
std::vector<NamedTensor> weights_of(std::string_view name, DType dtype) {
  std::vector<NamedTensor> entries = load_safetensors(data(name)).tensors;
  for (NamedTensor& entry : entries) entry.value = entry.value.to(dtype);
  return entries;
}

std::vector<std::string> names_of(const std::vector<NamedTensor>& entries) {
  std::vector<std::string> names;
  for (const NamedTensor& entry : entries) names.push_back(entry.name);
  return names;
}

constexpr const char* kCase = "output/lengths";

Tensor output_of(nn::Transformer& model, const Reference& reference, DType dtype) {
  const std::vector<Tensor> x = reference.inputs(kCase, "x", dtype);
  return model(Variable(x[0]), Variable(x[1]), {.key_lengths = reference.at("output/lengths/n0")})
      .value();
}

Tensor output_of(nn::TranslationTransformer& model, const Reference& reference, DType dtype) {
  const std::vector<Tensor> n = reference.inputs(kCase, "n", dtype);
  return model(n[0], {.key_lengths = n[2]}, n[1]).value();
}

/// With the weights of file `name` a model that `make` returns must put out what PyTorch does.
template <class Make>
void expect_output_of_pytorch(const std::string& name, const Make& make) {
  const Reference reference(name + "_output");
  for (const DType dtype : {DType::f64, DType::f32}) {
    const std::vector<NamedTensor> weights = weights_of(name, dtype);
    auto model = make(dtype);
    EXPECT_EQ(names_of(model.state_dict()), names_of(weights)) << "the order counts too";
    model.load_state_dict(weights);
    EXPECT_TRUE(reference.matches("output/lengths/y0", output_of(model, reference, dtype)));
  }
}

TEST(ReferenceWeights, ATransformerOfPyTorchsLoadsByNameAndPutsOutTheSame) {
  expect_output_of_pytorch("pytorch_transformer", small_transformer);
}

TEST(ReferenceWeights, PyTorchPutsOutTheSameWithWeightsWrittenHere) {
  expect_output_of_pytorch("lectern_transformer", small_transformer);
  expect_output_of_pytorch("lectern_translation", small_translation);
}

/// What PyTorch had after loading the file must be what the file holds.
void expect_loaded_by_pytorch(const std::string& name) {
  const std::vector<NamedTensor> written = weights_of(name, DType::f32);
  const std::vector<NamedTensor> loaded = Reference(name + "_output").weights(kCase, DType::f32);
  ASSERT_EQ(names_of(loaded), names_of(written));
  for (std::size_t i = 0; i < written.size(); ++i) {
    EXPECT_TRUE(same_bits(loaded[i].value, written[i].value)) << written[i].name;
  }
}

TEST(ReferenceWeights, PyTorchHasLoadedWhatWasWrittenHere) {
  expect_loaded_by_pytorch("lectern_transformer");
  expect_loaded_by_pytorch("lectern_translation");
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ReferenceWeights, TheFilesWrittenTodayAreThoseThatPyTorchHasLoaded) {
  const TemporaryFolder folder;
  const auto expect_same_file = [&](std::string_view name, std::vector<NamedTensor> state) {
    save_safetensors(folder / "weights", state);
    EXPECT_EQ(bytes_of(folder / "weights"), bytes_of(data(name))) << name;
  };
  expect_same_file("lectern_transformer",
                   with_written_weights(small_transformer(DType::f32)).state_dict());
  expect_same_file("lectern_translation",
                   with_written_weights(small_translation(DType::f32)).state_dict());
}

}  // namespace
}  // namespace lectern
