#include "nn/checkpoint.h"

#include <gtest/gtest.h>

#include "tests/support/expect_throw_text.h"
#include "tests/support/temporary_folder.h"

namespace lectern::nn {
namespace {

TEST(Checkpoint, KeepsSectionsAndNumbersBitForBit) {
  const TemporaryFolder folder;
  Rng rng(~std::uint64_t{0});
  rng.set_state({rng.state().key, ~std::uint64_t{0} - 3});
  Checkpoint state;
  state.add("model", std::vector<NamedTensor>{{"a.weight", Tensor::ones({2})},
                                              {"b", Tensor::zeros({0, 3})}});
  state.add("model_best", std::vector<NamedTensor>{{"b", Tensor::ones({1})}});
  state.add("step", std::int64_t{1} << 60);
  state.add("best", 0.1);
  state.add("rng", rng.state());
  state.save(folder / "state");

  const Checkpoint back = Checkpoint::load(folder / "state");
  const std::vector<NamedTensor> model = back.section("model");
  ASSERT_EQ(model.size(), 2U);
  EXPECT_EQ(model[0].name, "a.weight");
  EXPECT_EQ(model[1].value.shape(), Shape({0, 3}));
  EXPECT_EQ(back.section("model_best").size(), 1U);
  EXPECT_TRUE(back.section("absent").empty());
  EXPECT_EQ(back.integer("step"), std::int64_t{1} << 60);
  EXPECT_EQ(back.real("best"), 0.1);
  EXPECT_EQ(back.rng("rng"), rng.state());
}

TEST(Checkpoint, NamesTheEntryThatDoesNotFit) {
  const TemporaryFolder folder;
  Checkpoint state;
  state.add("step", 1.5);
  state.save(folder / "state");
  const Checkpoint back = Checkpoint::load(folder / "state");
  const std::string file = (folder / "state").string();
  EXPECT_THROW_TEXT(back.integer("step"), IoError,
                    "load: " + file + ": \"step\" is f64 []; it must be i64 []");
  EXPECT_THROW_TEXT(back.rng("rng"), IoError, "load: " + file + ": \"rng\" is missing");
}

}  // namespace
}  // namespace lectern::nn
