// SPDX-License-Identifier: Apache-2.0
#include "profile/redact.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "profile/sha256.h"

namespace roofscope {

namespace {

bool isAlnum(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           static_cast<unsigned char>(c) >= 0x80;  // letters beyond ASCII
}
bool isNameChar(char c) { return isAlnum(c) || c == '_' || c == '-' || c == '.'; }

std::string_view baseName(std::string_view path) {
    while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    const auto slash = path.find_last_of("/\\");
    return slash == path.npos ? path : path.substr(slash + 1);
}

/// Longest first, so that a word inside a longer one does not split it.
using Words = std::vector<std::string>;
Words longestFirst(const std::set<std::string>& words) {
    Words sorted(words.begin(), words.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.size() > b.size(); });
    return sorted;
}

/// Replaces `words` where they stand alone: "alice" in "alice_run" and "(alice)", not in "malice".
std::string withoutWords(std::string text, const Words& words) {
    for (const std::string& word : words) {
        const auto joins = [&](std::size_t at, char edge) {
            return at < text.size() && isAlnum(text[at]) && isAlnum(edge);
        };
        for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos;) {
            const bool alone =
                !(at > 0 && joins(at - 1, word.front())) && !joins(at + word.size(), word.back());
            if (alone) text.replace(at, word.size(), kRedacted);
            at += alone ? std::string_view(kRedacted).size() : 1;
        }
    }
    return text;
}

/// Length of the path, address or user@host that begins at `at`; 0 when there is none. Ratios
/// ("bytes/cycle") and operators ("a / b") are none: a path begins with /, ~/, ./, ../ or X:\ where
/// no word ends, or has a scheme in front.
std::size_t privateLength(std::string_view text, std::size_t at) {
    const auto charAt = [&](std::size_t i) { return i < text.size() ? text[i] : '\0'; };
    const char before = at > 0 ? text[at - 1] : ' ';
    if (isNameChar(before) || before == '/' || before == '\\' || before == '~') return 0;
    const std::string_view rest = text.substr(at);
    const bool drive = isAlnum(charAt(at)) && charAt(at + 1) == ':' &&
                       (charAt(at + 2) == '\\' || charAt(at + 2) == '/') && charAt(at + 3) != '/';
    const bool rooted = rest.size() > 1 && rest[0] == '/' &&
                        (isNameChar(rest[1]) || rest[1] == '~' ||
                         (rest[1] == '/' && rest.size() > 2 && isNameChar(rest[2])));
    bool found = drive || rooted || rest.starts_with("~/") || rest.starts_with("./") ||
                 rest.starts_with("../") || rest.starts_with("\\\\");
    if (!found) {
        std::size_t end = 0;
        while (end < rest.size() && isNameChar(rest[end])) ++end;
        found = end > 0 && (rest.substr(end).starts_with("://") ||
                            (end + 1 < rest.size() && rest[end] == '@' && isAlnum(rest[end + 1])));
    }
    if (!found) return 0;
    // In quotation marks a path may hold spaces.
    if (before == '"' || before == '\'' || before == '`')
        if (const auto end = rest.find(before); end != rest.npos) return end;
    const auto end = rest.find_first_of(" \t\r\n\"'`)]}>,;|");
    std::size_t length = end == rest.npos ? rest.size() : end;
    while (length > 1 && (rest[length - 1] == '.' || rest[length - 1] == ':')) --length;
    // "file.cpp:12": the line may stay, except where a colon belongs to the path.
    if (rooted)
        if (const auto colon = rest.substr(0, length).find(':'); colon != rest.npos)
            if (const char c = charAt(at + colon + 1); c >= '0' && c <= '9') length = colon;
    return length;
}

std::string withoutPaths(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = privateLength(text, at);
        if (length > 0)
            out += kRedacted;
        else
            out += text[at];
        at += std::max<std::size_t>(length, 1);
    }
    return out;
}

/// Names of home directories: "/home/alice/x" → "alice".
void addHomes(std::string_view text, std::set<std::string>& words) {
    constexpr std::array<std::string_view, 3> kHomes{"/home/", "/Users/", "\\Users\\"};
    for (const std::string_view home : kHomes)
        for (std::size_t at = 0; (at = text.find(home, at)) != text.npos;) {
            at += home.size();
            std::size_t end = at;
            while (end < text.size() && isNameChar(text[end])) ++end;
            if (end - at >= 2) words.emplace(text.substr(at, end - at));
        }
}

/// What messages may repeat of a command line.
void addArguments(const std::vector<std::string>& command, std::set<std::string>& words) {
    constexpr std::size_t kShortest = 3;
    const auto add = [&](std::string_view word) {
        while (word.starts_with('-')) word.remove_prefix(1);
        if (word.size() >= kShortest) words.emplace(word);
    };
    for (std::size_t i = 0; i < command.size(); ++i) {
        const std::string_view argument = command[i];
        if (i == 0) {  // the program's own name stays, a folder before it does not
            if (argument.find('/') != argument.npos)
                words.emplace(argument.starts_with("./") ? argument.substr(2) : argument);
            continue;
        }
        add(argument);
        add(baseName(argument));
        if (const auto equals = argument.find('='); equals != argument.npos) {
            add(argument.substr(0, equals));
            add(argument.substr(equals + 1));
            add(baseName(argument.substr(equals + 1)));
        }
    }
}

/// The identifiers of a name that messages may repeat: "void ns::gemm<float>()" → "ns", "gemm".
void addIdentifiers(std::string_view name, std::set<std::string>& words) {
    static const std::set<std::string, std::less<>> kEveryday{
        "void",     "const",     "float",     "double",  "unsigned", "signed",   "char",
        "bool",     "long",      "short",     "int",     "half",     "kernel",   "size_t",
        "int8_t",   "int16_t",   "int32_t",   "int64_t", "uint8_t",  "uint16_t", "uint32_t",
        "uint64_t", "namespace", "anonymous", "lambda",  "operator", "std"};
    for (std::size_t at = 0; at < name.size();) {
        std::size_t end = at;
        while (end < name.size() && (isAlnum(name[end]) || name[end] == '_')) ++end;
        const std::string_view word = name.substr(at, end - at);
        if (word.size() >= 3 && !kEveryday.contains(word) &&
            word.find_first_not_of("0123456789") != word.npos)
            words.emplace(word);
        at = std::max(end, at + 1);
    }
}

std::string hashed(const char* prefix, std::string_view name) {
    constexpr std::size_t kDigits = 10;
    return prefix + sha256Hex(name).substr(0, kDigits);
}

std::string hashedRange(std::string_view range) {
    constexpr std::string_view kInside = " > ";
    std::string out;
    for (;;) {
        const auto end = range.find(kInside);
        out += hashed("range_", range.substr(0, end));
        if (end == range.npos) return out;
        out += kInside;
        range.remove_prefix(end + kInside.size());
    }
}

}  // namespace

std::optional<Redaction> parseRedaction(std::string_view name) {
    if (name == "private") return Redaction::Private;
    if (name == "names") return Redaction::Names;
    return std::nullopt;
}

Profile redact(Profile profile, const RedactOptions& options) {
    const bool names = options.what == Redaction::Names;
    std::set<std::string> people, arguments;
    for (const std::string& word : options.words)
        if (word.size() >= 2) people.insert(word);
    for (const std::string& argument : profile.capture.command) addHomes(argument, people);
    for (const Process& process : profile.processes) {
        addHomes(process.cuptiPath, people);
        if (process.host.size() >= 2) people.insert(process.host);
    }
    for (const Kernel& kernel : profile.kernels) addHomes(kernel.name, people);
    for (const std::string& range : profile.ranges) addHomes(range, people);
    for (const Issue& issue : profile.issues) {
        addHomes(issue.message, people);
        addHomes(issue.advice, people);
    }
    addArguments(profile.capture.command, arguments);
    if (names) {
        for (const Kernel& kernel : profile.kernels) {
            arguments.insert({kernel.name, kernel.symbol});
            addIdentifiers(kernel.name, arguments);
        }
        for (const std::string& range : profile.ranges) {
            arguments.insert(range);
            addIdentifiers(range, arguments);
        }
        arguments.erase("");
    }
    arguments.insert(people.begin(), people.end());
    const Words inNames = longestFirst(people), inMessages = longestFirst(arguments);
    const auto clean = [&](std::string& text, const Words& words) {
        text = withoutWords(withoutPaths(text), words);
    };

    std::vector<std::string>& command = profile.capture.command;
    if (!command.empty()) {
        std::string program = withoutWords(std::string(baseName(command.front())), inNames);
        const bool more = command.size() > 1;
        command = {std::move(program)};
        if (more) command.emplace_back(kRedacted);
    }
    // Which processes share a machine stays visible, its name does not.
    std::map<std::string, std::size_t> hosts;
    for (Process& process : profile.processes) {
        process.cuptiPath = withoutWords(std::string(baseName(process.cuptiPath)), inNames);
        if (process.host.empty()) continue;
        const std::size_t number = hosts.try_emplace(process.host, hosts.size() + 1).first->second;
        process.host = "host-" + std::to_string(number);
    }
    for (Device& device : profile.devices) {
        clean(device.name, inNames);
        device.uuid.clear();  // names one board in the world
        if (device.observed)
            for (std::string& reason : device.observed->heldBackBy) clean(reason, inNames);
    }
    for (Kernel& kernel : profile.kernels) {
        if (names) {
            kernel.name = hashed("kernel_", kernel.name);
            kernel.symbol = kernel.name;
        } else {
            clean(kernel.name, inNames);
            clean(kernel.symbol, inNames);
        }
    }
    for (std::string& range : profile.ranges) {
        if (names)
            range = hashedRange(range);
        else
            clean(range, inNames);
    }
    for (Thread& thread : profile.timeline.threads) thread.name.clear();
    for (CallName& call : profile.timeline.callNames) clean(call.name, inNames);
    // It was made from the names of kernels.
    if (names)
        for (RangeMeasurement& measured : profile.rangeMeasurements) measured.work.reset();
    for (std::string& filter : profile.capture.filters) filter = kRedacted;
    for (SourcePass& source : profile.sources) {
        // Source text is what must not leave; of a path the last part is needed to find the line.
        source.texts.clear();
        // A call names the function that it calls.
        if (names)
            for (Instruction& instruction : source.instructions)
                instruction.sass.resize(
                    std::min(instruction.sass.find_first_of("`("), instruction.sass.size()));
        for (std::string& file : source.files)
            file =
                names ? hashed("file_", file) : withoutWords(std::string(baseName(file)), inNames);
    }
    for (Issue& issue : profile.issues) {
        clean(issue.message, inMessages);
        clean(issue.advice, inMessages);
    }
    return profile;
}

std::string redactPath(std::string_view path, const RedactOptions& options) {
    std::set<std::string> words;
    for (const std::string& word : options.words)
        if (word.size() >= 2) words.insert(word);
    addHomes(path, words);
    return withoutWords(std::string(baseName(path)), longestFirst(words));
}

}  // namespace roofscope
