// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/ending/half_done.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/process_name.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;

namespace {

namespace fs = std::filesystem;

constexpr const char* kNothing = "nothing";

/// What a process leaves half done after `did`, with its output in our folder.
std::string afterwards(const std::function<void(const fs::path& elsewhere)>& did,
                       const char* parent = test::ProcessName::kGuard) {
    const test::TemporaryFolder own, elsewhere;
    const fs::path answer = elsewhere.path() / "answer";
    const test::ProcessName name(parent);
    const pid_t child = fork();
    if (child == 0) {
        const int output = open((own.path() / "output").c_str(), O_WRONLY | O_CREAT, 0600);
        dup2(output, STDOUT_FILENO);
        dup2(output, STDERR_FILENO);
        // Files and sockets of the test program and of what started it.
        close_range(3, ~0U, 0);
        did(elsewhere.path());
        const std::string why = inject::whatStaysHalfDone(own.path()).value_or(kNothing);
        std::ofstream(answer) << why;
        _exit(0);
    }
    int status = 0;
    REQUIRE((waitpid(child, &status, 0) == child && status == 0));
    std::ifstream file(answer);
    return {std::istreambuf_iterator<char>(file), {}};
}

void writeTo(int descriptor, std::size_t bytes) {
    const std::string text(bytes, 'x');
    (void)!write(descriptor, text.data(), text.size());
}

int socketAt(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path);
    const int server = socket(AF_UNIX, SOCK_STREAM, 0);
    const auto length = static_cast<socklen_t>(sizeof address.sun_family + path.size());
    (void)!bind(server, reinterpret_cast<sockaddr*>(&address), length);
    return server;
}

void checkSays(const std::string& why, const std::string& part) {
    INFO(why);
    CHECK(why.find(part) != why.npos);
}

}  // namespace

TEST_CASE("a process that computes and prints may end at any time") {
    CHECK(afterwards([](const fs::path&) {}) == kNothing);
    CHECK(afterwards([](const fs::path&) { writeTo(STDOUT_FILENO, 100'000); }) == kNothing);
    CHECK(afterwards([](const fs::path& folder) {
              std::ofstream(folder / "input") << "data";
              (void)open((folder / "input").c_str(), O_RDONLY);
              int pipes[2], pair[2];
              (void)!pipe(pipes);
              (void)!socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
              writeTo(pipes[1], 8);
              // A socket of the driver.
              (void)socketAt(std::string("\0cuda-uvmfd-4026531836-463", 26));
              // A file that nobody else can open.
              unlink((folder / "input").c_str());
              (void)memfd_create("scratch", 0);
          }) == kNothing);
}

TEST_CASE("a file that the parent has open is none that the process opened") {
    const test::TemporaryFolder folder;
    const int log = open((folder.path() / "log").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const auto ofParent = [&](std::size_t bytes) {
        return afterwards([&](const fs::path&) {
            const int again = open((folder.path() / "log").c_str(), O_WRONLY | O_APPEND);
            writeTo(again, bytes);
        });
    };
    CHECK(ofParent(0) == kNothing);
    checkSays(ofParent(10'000), "it has written files");
    CHECK_FALSE(afterwards([&](const fs::path&) {
                    dup2(open((folder.path() / "log").c_str(), O_WRONLY | O_APPEND), STDOUT_FILENO);
                }) == kNothing);
    close(log);
}

TEST_CASE("a process that writes files may not") {
    checkSays(afterwards([](const fs::path& folder) {
                  (void)open((folder / "result").c_str(), O_WRONLY | O_CREAT, 0600);
              }),
              "/result open for writing");
    // Closed, but perhaps to be written again and again: a line in each step.
    checkSays(afterwards([](const fs::path& folder) {
                  for (int step = 0; step < 50; ++step)
                      std::ofstream(folder / "loss.csv", std::ios::app) << "step, loss 0.125\n";
              }),
              "it has written files");
    // Closed, but perhaps to be written again and again.
    checkSays(afterwards([](const fs::path& folder) {
                  std::ofstream(folder / "checkpoint") << std::string(10'000, 'x');
              }),
              "it has written files");
    checkSays(afterwards([](const fs::path& folder) {
                  const int file = open((folder / "map").c_str(), O_RDWR | O_CREAT, 0600);
                  (void)!ftruncate(file, 4096);
                  (void)mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
                  close(file);
              }),
              "through its memory");
}

TEST_CASE("a process that somebody else waits for may not") {
    checkSays(afterwards([](const fs::path&) {}, "bash"), "another process started it");
}

TEST_CASE("a process that others take part in may not") {
    checkSays(afterwards([](const fs::path&) {
                  if (fork() == 0) {
                      sleep(1);
                      _exit(0);
                  }
              }),
              "child processes");
    checkSays(afterwards([](const fs::path&) {
                  int pipes[2];
                  (void)!pipe(pipes);
                  dup2(pipes[1], STDOUT_FILENO);
              }),
              "into a pipe");
    checkSays(afterwards([](const fs::path&) { (void)socket(AF_INET, SOCK_STREAM, 0); }),
              "connected");
    checkSays(
        afterwards([](const fs::path& folder) { (void)socketAt((folder / "server").string()); }),
        "connected");
}
