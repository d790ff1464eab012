// SPDX-License-Identifier: Apache-2.0
// Fuzz target for what armed processes and commands say to each other over a socket; built and run
// like profile_fuzz.cpp.
#include <sys/socket.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "collector/arm/arm_folder.h"
#include "collector/arm/connection.h"
#include "collector/arm/messages.h"

using namespace roofscope;
using arm::Connection;

namespace {

[[noreturn]] void fail(const char* what, const std::string& text) {
    std::fprintf(stderr, "%s: %.4000s\n", what, text.c_str());
    std::abort();
}

/// A message that was read can be written as one line, which is read as the same message.
template <class Message, class Read>
void checkRoundTrip(const Message& message, Read read) {
    const std::string line = toLine(message);
    if (line.find('\n') != std::string::npos) fail("a message of two lines", line);
    const auto again = read(line);
    if (!again) fail("not readable again", line);
    if (toLine(*again) != line) fail("a second round trip changes the line", line);
}

bool isDuration(double seconds) { return std::isfinite(seconds) && seconds >= 0; }

void checkRequest(const arm::Request& request) {
    using arm::Request;
    checkRoundTrip(request, arm::requestFrom);
    if (request.what != Request::What::Snap) return;
    if (!std::filesystem::path(request.folder).is_absolute() || !isDuration(request.seconds) ||
        request.seconds > arm::kMostSeconds || !isDuration(request.around) ||
        request.around > arm::kMostAround || request.bytes == 0 || request.bytes > arm::kMostBytes)
        fail("a request beyond the limits", toLine(request));
}

void checkLine(const std::string& line) {
    if (const auto request = arm::requestFrom(line)) checkRequest(*request);
    if (const auto state = arm::stateFrom(line)) {
        if (state->pid < 0) fail("a process id below 0", line);
        checkRoundTrip(*state, arm::stateFrom);
    }
    if (const auto news = arm::newsFrom(line)) {
        if (!isDuration(news->recorded) || !isDuration(news->age))
            fail("a time that is none", line);
        checkRoundTrip(*news, arm::newsFrom);
    }
    // A line is also tried as the name of a socket and as a value of ROOFSCOPE_ARM.
    if (const auto pid = arm::pidOf(line); pid && *pid <= 0) fail("no process id", line);
    if (const auto folder = arm::folderOf(line); folder && !folder->is_absolute())
        fail("a relative folder", line);
}

/// Sends the bytes through a socket and checks each line that arrives.
void checkConversation(std::string_view bytes) {
    int fds[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0) return;
    Connection reader{arm::OwnedFd(fds[1])};
    {
        const arm::OwnedFd writer(fds[0]);
        // Without waiting: what does not fit into the socket's buffer is left out.
        const auto sent = send(writer.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        bytes = bytes.substr(0, sent < 0 ? 0 : static_cast<std::size_t>(sent));
    }
    std::string line;
    std::size_t taken = 0;
    Connection::Heard heard;
    while ((heard = reader.receive(line, arm::kMostRequest, Connection::Clock::now())) ==
           Connection::Heard::Line) {
        if (line.size() > arm::kMostRequest || line != bytes.substr(taken, line.size()) ||
            bytes[taken + line.size()] != '\n')
            fail("another line arrived than was sent", line);
        taken += line.size() + 1;
        checkLine(line);
    }
    const bool tooLong =
        bytes.substr(taken).substr(0, arm::kMostRequest + 1).find('\n') == std::string_view::npos &&
        bytes.size() - taken > arm::kMostRequest;
    if (heard != (tooLong ? Connection::Heard::TooLong : Connection::Heard::Gone))
        fail("the end of a conversation was not noticed", std::string(bytes.substr(taken)));
}

}  // namespace

/// For any bytes, as one line and as a conversation: no crash, limits are kept, and each message
/// that is read can be written and read back.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    checkLine(text);
    checkConversation(text);
    return 0;
}

#ifdef ROOFSCOPE_FUZZ_MAIN
#include <vector>

#include "tests/fuzz/damage.h"

int main(int argc, char** argv) {
    std::vector<std::string> pieces = fuzz::kJsonPieces;
    for (const char* piece : {"\"do\":", "\"snap\"", "/", "600.1", "18446744073709551615", ".sock"})
        pieces.emplace_back(piece);
    return fuzz::runDamaged(argc, argv, {}, pieces);
}
#endif
