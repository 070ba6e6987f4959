#include "tensor/safetensors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include "tensor/atomic_file.h"
#include "tensor/views.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/temporary_folder.h"

namespace lectern {
namespace {

std::string with_length(std::uint64_t length, std::string_view rest) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + std::string(rest);
}

/// A file with this header and `data` zero bytes after it.
std::string file_of(std::string_view header, std::size_t data) {
  return with_length(header.size(), std::string(header) + std::string(data, '\0'));
}

std::string a_f32(std::string_view shape, std::string_view offsets) {
  return "{\"a\":{\"dtype\":\"F32\",\"shape\":" + std::string(shape) +
         ",\"data_offsets\":" + std::string(offsets) + "}}";
}

std::string two_entries(std::string_view a, std::string_view b) {
  return "{\"a\":{\"dtype\":\"F32\",\"shape\":[" + std::string(a == "[0,4]" ? "1" : "2") +
         "],\"data_offsets\":" + std::string(a) + "},\"b\":{\"dtype\":\"F32\",\"shape\":[" +
         std::string(b == "[8,12]" ? "1" : "2") + "],\"data_offsets\":" + std::string(b) + "}}";
}

std::string bytes_of(std::initializer_list<int> values) {
  std::string bytes;
  for (const int value : values) bytes.push_back(static_cast<char>(value));
  return bytes;
}

/// What a file of this name holds after its header.
std::string data_part(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  return bytes.substr(8 + length);
}

TEST(Cases, Cases_7_1_GoodFiles) {
  const std::string good =
      with_length(0x36, a_f32("[2]", "[0,8]") + bytes_of({0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}));
  ASSERT_EQ(good.size(), 70U);
  const Safetensors file = parse_safetensors(good, "good");
  ASSERT_EQ(file.tensors.size(), 1U);
  EXPECT_EQ(file.tensors[0].name, "a");
  EXPECT_EQ(file.tensors[0].value.data<float>()[0], 1.0F);
  EXPECT_EQ(file.tensors[0].value.data<float>()[1], -2.0F);

  EXPECT_NO_THROW(parse_safetensors(file_of(a_f32("[2]", "[0,8]") + "   ", 8), "spaces"));
  EXPECT_EQ(parse_safetensors(file_of(a_f32("[]", "[0,4]"), 4), "scalar").tensors[0].value.shape(),
            Shape());
  EXPECT_EQ(
      parse_safetensors(file_of(a_f32("[0,3]", "[0,0]"), 0), "empty").tensors[0].value.shape(),
      Shape({0, 3}));
  const Safetensors any_order =
      parse_safetensors(file_of("{\"b\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[4,12]},"
                                "\"__metadata__\":{\"key\":\"value\"},"
                                "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}",
                                12),
                        "any order");
  EXPECT_EQ(any_order.tensors[0].name, "a");
  EXPECT_EQ(any_order.tensors[1].value.dtype(), DType::i64);
  EXPECT_EQ(any_order.metadata.at("key"), "value");
}

TEST(Cases, Cases_7_1_HostileFiles) {
  const auto refused = [](const std::string& bytes, std::string_view why) {
    const MemoryStats before = memory_stats();
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THROW_TEXT(parse_safetensors(bytes, "f"), IoError, "load: f: " + std::string(why));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
    EXPECT_EQ(memory_stats().live_bytes, before.live_bytes);
  };
  const std::string good = file_of(a_f32("[2]", "[0,8]"), 8);
  refused("", "0 bytes are too few for a header length");
  refused(good.substr(0, 7), "7 bytes are too few for a header length");
  refused(with_length(0, "{}"), "the header length is 0");
  refused(with_length(1000, "{}"), "the header is said to have 1000 bytes, 2 follow");
  refused(with_length(std::uint64_t{1} << 40, "{}"),
          "the header is said to have 1099511627776 bytes, 2 follow");
  refused(with_length(UINT64_MAX, "{}"),
          "the header is said to have 18446744073709551615 bytes, 2 follow");
  refused(with_length(20, good.substr(8, 20)),
          "the header is not JSON in UTF-8: wrong at its byte 21");
  refused(file_of("nonsense", 0), "the header is not JSON in UTF-8: wrong at its byte 2");
  refused(file_of("[1,2]", 0), "the header is not a JSON object");
  refused(file_of("{\"\xff\":1}", 0), "the header is not JSON in UTF-8: wrong at its byte 3");
  refused(file_of(std::string(100000, '['), 0), "the header is nested too deeply");
  refused(file_of(a_f32("[2]", "[0,8]"), 7),
          "\"a\" has data_offsets [0, 8]; there are 7 bytes of data");
  refused(file_of(a_f32("[2]", "[0,8]"), 9),
          "the entries end at byte 8 of the data, the file at 9");
  refused(file_of(a_f32("[2]", "[8,0]"), 8),
          "\"a\" has data_offsets [8, 0]; there are 8 bytes of data");
  refused(file_of(a_f32("[2]", "[-8,0]"), 8),
          "\"a\" has -8 in its data_offsets; it must be a whole number from 0");
  refused(file_of(a_f32("[2]", "[0,9]"), 8),
          "\"a\" has data_offsets [0, 9]; there are 8 bytes of data");
  refused(file_of(a_f32("[2]", "[0]"), 8), "\"a\" has 1 data_offsets; there must be 2");
  refused(file_of(a_f32("[2]", "[0,4,8]"), 8), "\"a\" has 3 data_offsets; there must be 2");
  refused(file_of(a_f32("[1000]", "[0,8]"), 8),
          "\"a\" f32 [1000] has 4000 bytes, its data_offsets [0, 8] hold 8");
  refused(file_of(a_f32("[3]", "[0,8]"), 8),
          "\"a\" f32 [3] has 12 bytes, its data_offsets [0, 8] hold 8");
  refused(file_of(a_f32("[-2]", "[0,8]"), 8),
          "\"a\" has -2 in its shape; it must be a whole number from 0");
  refused(file_of(a_f32("[4294967296,4294967296]", "[0,0]"), 0),
          "\"a\" has shape [4294967296, 4294967296], too many elements to count");
  refused(file_of(two_entries("[0,8]", "[4,12]"), 12),
          "\"b\" begins at byte 4 of the data, the entry before it ends at 8");
  refused(file_of(two_entries("[0,4]", "[8,12]"), 12),
          "\"b\" begins at byte 8 of the data, the entry before it ends at 4");
  refused(file_of("{\"a\":{\"dtype\":\"F32\",\"shape\":[2]}}", 8), "\"a\" has no data_offsets");
  refused(file_of("{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,8]}}", 8), "\"a\" has no shape");
  refused(file_of("{\"a\":{\"shape\":[2],\"data_offsets\":[0,8]}}", 8), "\"a\" has no dtype");
  refused(file_of("{\"a\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4),
          "\"a\" has dtype \"F16\"; known are F32, F64, I64 and BOOL");
  refused(file_of("{\"a\":1}", 0), "\"a\" is not an object");
  refused(file_of(a_f32("[1.5]", "[0,8]"), 8),
          "\"a\" has 1.5 in its shape; it must be a whole number from 0");
  refused(file_of(a_f32("[1,1,1,1,1,1,1,1,1]", "[0,4]"), 4), "\"a\" has 9 axes; the most is 8");
  refused(file_of("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
                  "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}",
                  4),
          "\"a\" occurs twice");
  refused(file_of(a_f32("[1e999]", "[0,8]"), 8),
          "the header has a number that is too large to read");
  refused(file_of(R"({"a":{"dtype":"F32","shape":[1],"shape":[2],"data_offsets":[0,8]}})", 8),
          "\"shape\" occurs twice in \"a\"");
  refused(file_of(R"({"__metadata__":{"k":"1","k":"2"}})", 0),
          "\"k\" occurs twice in \"__metadata__\"");
  refused(file_of(a_f32("[2]", "[0,8]") + std::string("\0garbage", 8), 8),
          "the header has a byte 0");
  refused(file_of(a_f32("[2]", "[0,8]") + std::string(2, '\0'), 8), "the header has a byte 0");
  refused(file_of("\xef\xbb\xbf" + a_f32("[2]", "[0,8]"), 8),
          "the header begins with a byte order mark");
  refused(file_of("{\"__metadata__\":{\"a\":1}}", 0),
          "\"__metadata__\" is not an object of strings");
  refused(file_of("{\"a\":{\"dtype\":\"BOOL\",\"shape\":[1],\"data_offsets\":[0,1]}}", 0) + "\x02",
          "\"a\" has a BOOL byte that is neither 0 nor 1");
}

TEST(Cases, Cases_2_3_SizesTooLargeInAFile) {
  const auto refused = [](std::string_view shape, std::string_view why) {
    EXPECT_THROW_TEXT(parse_safetensors(file_of(a_f32(shape, "[0,0]"), 0), "f"), IoError,
                      "load: f: \"a\" has " + std::string(why));
  };
  refused("[8589934592,8589934592]", "shape [8589934592, 8589934592], too many elements to count");
  refused("[4611686018427387904,4]", "shape [4611686018427387904, 4], too many elements to count");
  refused("[3037000500,3037000500]", "shape [3037000500, 3037000500], too many elements to count");
  refused("[-1]", "-1 in its shape; it must be a whole number from 0");
  const Safetensors empty = parse_safetensors(
      file_of(a_f32("[0,4611686018427387904,4611686018427387904]", "[0,0]"), 0), "f");
  EXPECT_EQ(empty.tensors[0].value.numel(), 0);
}

TEST(Cases, Cases_7_2_FromViews) {
  const TemporaryFolder folder;
  const Tensor m = Tensor::from({1, 2, 3, 4}, {2, 2});
  save_safetensors(folder / "m", std::vector<NamedTensor>{{"m", transpose(m, 0, 1)}});
  EXPECT_EQ(data_part(folder / "m"),
            bytes_of({0, 0, 0x80, 0x3f, 0, 0, 0x40, 0x40, 0, 0, 0, 0x40, 0, 0, 0x80, 0x40}));

  const Tensor r = Tensor::from({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {3, 4});
  save_safetensors(folder / "r",
                   std::vector<NamedTensor>{{"r", slice(slice(r, 0, 1, 3), 1, 1, 3)}});
  const Tensor back = load_safetensors(folder / "r").tensors[0].value;
  EXPECT_EQ(data_part(folder / "r").size(), 16U);
  EXPECT_TRUE(std::ranges::equal(back.data<float>(), std::vector<float>{5, 6, 9, 10}));

  const Tensor expanded = expand(Tensor::from({5}, {1}), {3});
  save_safetensors(folder / "e", std::vector<NamedTensor>{{"e", expanded}});
  EXPECT_TRUE(std::ranges::equal(load_safetensors(folder / "e").tensors[0].value.data<float>(),
                                 std::vector<float>{5, 5, 5}));
}

TEST(Cases, Cases_7_2_BitForBit) {
  const TemporaryFolder folder;
  const float special[] = {
      std::bit_cast<float>(0x7fc12345U), -std::numeric_limits<float>::infinity(),
      std::numeric_limits<float>::infinity(), -0.0F, std::numeric_limits<float>::denorm_min()};
  const std::vector<NamedTensor> entries{
      {"special", Tensor::from(std::span<const float>(special), {5})},
      {"ids", Tensor::from({-1, 9007199254740992.0}, {2}, DType::i64)},
      {"flags", Tensor::from({1, 0, 1}, {3}, DType::boolean)},
      {"pi", Tensor::scalar(3.141592653589793, DType::f64)},
      {"none", Tensor::zeros({0, 3})}};
  save_safetensors(folder / "first", entries, {{"made by", "a test"}});
  const Safetensors loaded = load_safetensors(folder / "first");
  const auto got = loaded.tensors[0].value.data<float>();
  EXPECT_EQ(std::memcmp(got.data(), special, sizeof(special)), 0);
  save_safetensors(folder / "second", loaded.tensors, loaded.metadata);
  EXPECT_EQ(read_file(folder / "first"), read_file(folder / "second"));
}

TEST(Safetensors, TakesTimeInProportionToTheEntries) {
  const auto seconds_for = [](int entries) {
    std::string header = "{";
    for (int i = 0; i < entries; ++i) {
      header += fmt::format(
          "\"layer.{}\":{{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}},", i);
    }
    header.back() = '}';
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(parse_safetensors(file_of(header, 0), "many").tensors.size(),
              static_cast<std::size_t>(entries));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  // Each entry beside each other one would take 100 times; the best of three, for a busy machine.
  const auto best = [&](int entries) {
    return std::min({seconds_for(entries), seconds_for(entries), seconds_for(entries)});
  };
  EXPECT_LT(best(50'000), 40 * best(5'000));
}

TEST(Safetensors, RefusesAHugeFileWithoutReadingIt) {  // 300 GB that take no room on the disk
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "f";
  constexpr std::uint64_t kSize = 300'000'000'000;
  const auto refused = [&](std::string_view begin, const std::string& why) {
    write_file_atomically(path, begin);
    std::filesystem::resize_file(path, kSize);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THROW_TEXT(load_safetensors(path), IoError, "load: " + path.string() + ": " + why);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  };
  refused("", "the header length is 0");
  refused(with_length(kSize - 8, "{}"),
          "the header is said to have 299999999992 bytes; the most is 100000000");
  refused(with_length(kSize - 7, "{}"),
          "the header is said to have 299999999993 bytes, 299999999992 follow");
  refused(file_of(a_f32("[2]", "[0,8]"), 8),
          "the entries end at byte 8 of the data, the file at 299999999938");
}

TEST(Safetensors, RefusesTextThatIsNotUtf8AndUndefinedTensors) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "f";
  const Tensor x = Tensor::zeros({1});
  const std::string start = "save: " + path.string() + ": ";
  const auto save = [&](const std::string& name) {
    save_safetensors(path, std::vector<NamedTensor>{{name, x}});
  };
  EXPECT_THROW_TEXT(save("a\xff\n"), ValueError, start + "the name \"a\\xff\\x0a\" is not UTF-8");
  EXPECT_THROW_TEXT(save("caf\xc3"), ValueError, start + "the name \"caf\\xc3\" is not UTF-8");
  for (const std::map<std::string, std::string>& metadata :
       {std::map<std::string, std::string>{{"\xfe", "v"}}, {{"k", "\xfe"}}}) {
    EXPECT_THROW_TEXT(save_safetensors(path, std::vector<NamedTensor>{{"a", x}}, metadata),
                      ValueError, start + "the metadata \"\\xfe\" is not UTF-8");
  }
  EXPECT_THROW_TEXT(save_safetensors(path, std::vector<NamedTensor>{{"a", Tensor()}}), ValueError,
                    start + "\"a\" is undefined");
  EXPECT_FALSE(std::filesystem::exists(path));
  save("caf\xc3\xa9");
  EXPECT_EQ(load_safetensors(path).tensors[0].name, "caf\xc3\xa9");
}

TEST(Safetensors, RefusesNamesThatCanNotBeReadBack) {
  const TemporaryFolder folder;
  const Tensor x = Tensor::zeros({1});
  EXPECT_THROW_TEXT(save_safetensors(folder / "f", std::vector<NamedTensor>{{"a", x}, {"a", x}}),
                    ValueError,
                    "save: " + (folder / "f").string() + ": the name \"a\" is used twice");
  EXPECT_THROW_TEXT(save_safetensors(folder / "f", std::vector<NamedTensor>{{"__metadata__", x}}),
                    ValueError,
                    "save: " + (folder / "f").string() + ": the name \"__metadata__\" is reserved");
  EXPECT_FALSE(std::filesystem::exists(folder / "f"));
}

}  // namespace
}  // namespace lectern
