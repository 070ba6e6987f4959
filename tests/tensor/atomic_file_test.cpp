#include "tensor/atomic_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>

#include "tensor/error.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/temporary_folder.h"

namespace lectern {
namespace {

/// Runs `body` in a child process, so that limits and identity can be changed for it alone;
/// returns what the IoError it throws says, or "" if it throws none.
std::string error_in_child(const std::function<void()>& body) {
  int pipe_ends[2];
  if (::pipe(pipe_ends) != 0) return "pipe failed";
  const pid_t child = ::fork();
  if (child == 0) {
    std::string text;
    try {
      body();
    } catch (const IoError& error) {
      text = error.what();
    }
    const ssize_t written = ::write(pipe_ends[1], text.data(), text.size());
    ::_exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  ::close(pipe_ends[1]);
  std::string text(4096, '\0');
  text.resize(static_cast<std::size_t>(
      std::max<ssize_t>(::read(pipe_ends[0], text.data(), text.size()), 0)));
  ::close(pipe_ends[0]);
  ::waitpid(child, nullptr, 0);
  return text;
}

TEST(AtomicFile, ReplacesTheWholeFile) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "f", "a long first version");
  write_file_atomically(folder / "f", "second");
  EXPECT_EQ(read_file(folder / "f"), "second");
  EXPECT_FALSE(std::filesystem::exists(folder / "f.tmp"));
}

TEST(AtomicFile, NamesWhatItCanNotReadOrWrite) {
  const TemporaryFolder folder;
  const std::string absent = (folder / "absent").string();
  EXPECT_THROW_TEXT(read_file(absent), IoError, "load: " + absent + ": No such file or directory");
  EXPECT_THROW_TEXT(read_file(folder.path()), IoError,
                    "load: " + folder.path().string() + ": not a regular file");
  EXPECT_THROW_TEXT(write_file_atomically(absent + "/f", "x"), IoError,
                    "save: " + absent + "/f: No such file or directory");
}

TEST(AtomicFile, PutsNoFileInThePlaceOfSomethingElse) {
  const TemporaryFolder folder;
  const std::filesystem::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::filesystem::path& path : {pipe, folder.path()}) {
    EXPECT_THROW_TEXT(write_file_atomically(path, "x"), IoError,
                      "save: " + path.string() + ": not a regular file");
    EXPECT_FALSE(std::filesystem::exists(path.string() + ".tmp"));
  }
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST(ReadFile, SaysWhenAFileIsShorterThanItsSize) {
  const std::filesystem::path path = "/sys/devices/system/cpu/online";  // says 4096, holds a line
  if (!std::filesystem::exists(path)) GTEST_SKIP();
  std::string line;
  std::getline(std::ifstream(path), line);
  EXPECT_THROW_TEXT(
      read_file(path), IoError,
      fmt::format("load: {}: {} of 4096 bytes could be read", path.string(), line.size() + 1));
}

TEST(Cases, Cases_7_3_DiskFull) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "f";
  write_file_atomically(path, "old");
  const std::string error = error_in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);  // then a write past the limit fails as on a full disk
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    write_file_atomically(path, std::string(100000, 'x'));
  });
  EXPECT_EQ(error, "save: " + path.string() + ": File too large");
  EXPECT_EQ(read_file(path), "old");
  EXPECT_FALSE(std::filesystem::exists(path.string() + ".tmp"));
}

TEST(Cases, Cases_7_3_WithoutWritePermission) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "f";
  write_file_atomically(path, "old");
  ::chmod(folder.path().c_str(), 0555);
  const std::string error = error_in_child([&] {
    if (::geteuid() == 0 && ::seteuid(65534) != 0) return;  // root may write anywhere
    write_file_atomically(path, "new");
  });
  ::chmod(folder.path().c_str(), 0755);
  EXPECT_EQ(error, "save: " + path.string() + ": Permission denied");
  EXPECT_EQ(read_file(path), "old");
}

TEST(Cases, Cases_7_3_KilledAtAnyMoment) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "f";
  const std::string old_contents(1 << 20, 'o'), new_contents(3 << 20, 'n');
  write_file_atomically(path, old_contents);
  for (int delay = 0; delay < 20; ++delay) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (;;) {
        write_file_atomically(path, new_contents);
        write_file_atomically(path, old_contents);
      }
    }
    ::usleep(static_cast<useconds_t>(delay * 500));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const std::string contents = read_file(path);
    EXPECT_TRUE(contents == old_contents || contents == new_contents) << contents.size();
    write_file_atomically(path, old_contents);  // a left-over temporary file is no obstacle
    EXPECT_EQ(read_file(path), old_contents);
  }
}

TEST(Cases, Cases_7_3_LeftOverTemporaryFile) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "f", "old");
  write_file_atomically(folder / "f.tmp", "half a fi");  // as a killed process leaves it
  EXPECT_EQ(read_file(folder / "f"), "old");
  write_file_atomically(folder / "f", "new");
  EXPECT_EQ(read_file(folder / "f"), "new");
  EXPECT_FALSE(std::filesystem::exists(folder / "f.tmp"));
}

}  // namespace
}  // namespace lectern
