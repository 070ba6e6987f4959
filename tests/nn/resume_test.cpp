#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nn/checkpoint.h"
#include "nn/module.h"
#include "nn/optimizer.h"
#include "tensor/safetensors.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/on_threads.h"
#include "tests/support/temporary_folder.h"

namespace lectern::nn {
namespace {

/// A module with one entry, called "w".
class One final : public Module {
 public:
  explicit One(const Tensor& value) : w(value, /*requires_grad=*/true) {}
  Parameter w;

 private:
  void describe(Members& members) override { members("w", w); }
};

constexpr double kGradients[] = {1, -2, 0.5, 4, -1};

/// Steps `first` to `last` of case 6.2, counted from 1.
void train(One& model, Adam& adam, int first, int last) {
  for (int step = first; step <= last; ++step) {
    model.w.set_grad(Tensor::full({1}, kGradients[step - 1], model.w.dtype()));
    adam.step();
  }
}

void save(const std::filesystem::path& path, One& model, const Adam& adam) {
  Checkpoint state;
  state.add("model", model.state_dict());
  state.add("optimizer", adam.state_dict());
  state.save(path);
}

TEST(Cases, Cases_6_2_GoOnInANewProcess) {
  const TemporaryFolder folder;
  for (const DType dtype : {DType::f32, DType::f64}) {
    One unbroken(Tensor::ones({1}, dtype));
    Adam adam(unbroken.named_parameters(), {.lr = 0.1});
    train(unbroken, adam, 1, 3);
    save(folder / "after 3", unbroken, adam);
    train(unbroken, adam, 4, 5);
    EXPECT_NEAR(unbroken.w.value().item(), 0.879905177, 1e-7);

    const pid_t child = ::fork();
    if (child == 0) {
      const Checkpoint state = Checkpoint::load(folder / "after 3");
      One model(Tensor::zeros({1}, dtype));
      Adam later(model.named_parameters(), {.lr = 0.1});
      model.load_state_dict(state.section("model"));
      later.load_state_dict(state.section("optimizer"));
      train(model, later, 4, 5);
      save(folder / "after 5", model, later);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
    const Checkpoint resumed = Checkpoint::load(folder / "after 5");
    EXPECT_TRUE(same_bits(resumed.tensor("model.w"), unbroken.w.value()));
    const std::vector<NamedTensor> state = adam.state_dict();
    for (const NamedTensor& entry : resumed.section("optimizer")) {
      const auto same = [&](const NamedTensor& own) { return own.name == entry.name; };
      EXPECT_TRUE(same_bits(entry.value, std::ranges::find_if(state, same)->value)) << entry.name;
    }
  }
}

TEST(Cases, Cases_7_2_IntoAModel) {
  const TemporaryFolder folder;
  const auto load_into = [&](const Tensor& own, const std::vector<NamedTensor>& file) {
    save_safetensors(folder / "f", file);
    One model(own);
    model.load_state_dict(load_safetensors(folder / "f").tensors);
    return model.w.value();
  };
  const auto refused = [&](const Shape& own, const std::vector<NamedTensor>& file,
                           const std::string& why) {
    const Tensor before = Tensor::full(own, 7);
    const Tensor copy = before.clone();
    EXPECT_THROW_TEXT(load_into(before, file), ShapeError, "load: " + why);
    EXPECT_TRUE(same_bits(before, copy));
  };
  const Tensor m = Tensor::from({1, 2, 3, 4}, {2, 2});
  EXPECT_TRUE(same_bits(load_into(Tensor::zeros({2, 2}), {{"w", m}}), m));
  refused({2, 2}, {{"w", Tensor::zeros({1, 2})}},
          "\"w\" is [1, 2] in the file, [2, 2] in the model");
  refused({}, {{"w", Tensor::zeros({3})}}, "\"w\" is [3] in the file, [] in the model");
  refused({1}, {{"w", Tensor::scalar(3)}}, "\"w\" is [] in the file, [1] in the model");
  refused({1}, {}, "\"w\" [1] is missing");
  refused({1}, {{"w", Tensor::zeros({1})}, {"v", Tensor::zeros({2})}},
          "\"v\" [2] is not in the model");
  refused({1}, {{"w", Tensor::zeros({1}, DType::f64)}},
          "\"w\" is f64 in the file, f32 in the model");
}

}  // namespace
}  // namespace lectern::nn
