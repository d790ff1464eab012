// SPDX-License-Identifier: Apache-2.0
#include "profile/operations/redact.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "profile/text/base_name.h"
#include "profile/text/sha256.h"

namespace roofscope {

namespace {

bool isAlnum(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           static_cast<unsigned char>(c) >= 0x80;  // letters beyond ASCII
}
bool isNameChar(char c) { return isAlnum(c) || c == '_' || c == '-' || c == '.'; }

constexpr std::array<std::string_view, 3> kHomes{"/home/", "/Users/", "\\Users\\"};

std::string lowerCase(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

std::vector<std::string> sorted(const PrivateDataFilter::Words& words) {
    std::vector<std::string> out(words.begin(), words.end());
    std::erase(out, "");
    return out;
}

/// A part of a text: [begin, end).
struct Span {
    std::size_t begin, end;
};

/// Adds every place where one of the sorted `words` occurs as a whole word, the longest match at
/// each place. Narrows the sorted range letter by letter, because --redact=names may have a hundred
/// thousand words.
void addWords(std::string_view text, const std::vector<std::string>& words,
              std::vector<Span>& spans) {
    const auto joined = [&](std::size_t at) {  // no word boundary at `at`
        return at > 0 && at < text.size() && isAlnum(text[at - 1]) && isAlnum(text[at]);
    };
    for (std::size_t begin = 0; !words.empty() && begin < text.size(); ++begin) {
        if (joined(begin)) continue;
        std::size_t end = begin, longest = begin;
        auto low = words.begin(), high = words.end();
        while (end < text.size()) {
            const std::size_t depth = end - begin;
            const char next = text[end];
            const auto at = [depth](const std::string& word) {  // -1: the word ends here
                return depth < word.size() ? static_cast<unsigned char>(word[depth]) : -1;
            };
            const int wanted = static_cast<unsigned char>(next);
            low = std::partition_point(low, high, [&](const auto& w) { return at(w) < wanted; });
            high = std::partition_point(low, high, [&](const auto& w) { return at(w) == wanted; });
            if (low == high) break;
            ++end;
            if (low->size() == end - begin && !joined(end)) longest = end;
        }
        if (longest > begin) spans.push_back({begin, longest});
    }
}

/// Whether a compiler option ends right before `at`: "-I/home/…", "-L\\server\…".
bool afterOption(std::string_view text, std::size_t at) {
    return at >= 2 && text[at - 2] == '-' && isAlnum(text[at - 1]) &&
           (at == 2 || (!isNameChar(text[at - 3]) && text[at - 3] != ')' && text[at - 3] != ']'));
}

/// Whether `rest` begins with a home directory, which is private whatever stands before it.
bool isHome(std::string_view rest) {
    for (const std::string_view home : kHomes)
        if (rest.size() > home.size() && rest.starts_with(home) && isNameChar(rest[home.size()]))
            return true;
    return false;
}

/// How many characters at the start of `text` may belong to a name; `more` allows further
/// characters, such as those before the @ of an address.
std::size_t nameLength(std::string_view text, std::string_view more = {}) {
    std::size_t end = 0;
    while (end < text.size() && (isNameChar(text[end]) || more.find(text[end]) != more.npos)) ++end;
    return end;
}

/// Length of the path, address or user@host that begins at `at`; 0 if there is none. Ratios
/// ("bytes/cycle") and operators ("a / b") do not count: a path begins with "/", "~/", "./", "../"
/// or "X:\" and not in the middle of a word, or it has a scheme.
std::size_t privateLength(std::string_view text, std::size_t at) {
    const auto charAt = [&](std::size_t i) { return i < text.size() ? text[i] : '\0'; };
    const char before = at > 0 ? text[at - 1] : ' ';
    const std::string_view rest = text.substr(at);
    const bool home = isHome(rest);
    if ((isNameChar(before) && !home && !afterOption(text, at)) || before == '/' ||
        before == '\\' || before == '~')
        return 0;
    const bool drive = isAlnum(charAt(at)) && charAt(at + 1) == ':' &&
                       (charAt(at + 2) == '\\' || charAt(at + 2) == '/') && charAt(at + 3) != '/';
    const bool rooted = rest.size() > 1 && rest[0] == '/' &&
                        (isNameChar(rest[1]) || rest[1] == '~' ||
                         (rest[1] == '/' && rest.size() > 2 && isNameChar(rest[2])));
    const bool share = rest.starts_with("\\\\") && isNameChar(charAt(at + 2));
    bool found = home || drive || rooted || share || rest.starts_with("./") ||
                 rest.starts_with("../") || rest.starts_with(".\\") || rest.starts_with("..\\");
    if (!found && rest.starts_with('~')) {  // "~/x", "~bob/x"; not a destructor
        const std::size_t name = nameLength(rest.substr(1));
        found = name + 1 < rest.size() && rest[name + 1] == '/';
    }
    if (!found) {
        constexpr std::string_view kInAddress = "+%";
        const std::size_t end = nameLength(rest, kInAddress);
        found = end > 0 && (rest.substr(end).starts_with("://") ||
                            (end + 1 < rest.size() && rest[end] == '@' && isAlnum(rest[end + 1])));
    }
    if (!found) return 0;
    // A quoted path may contain spaces.
    if (before == '"' || before == '\'' || before == '`')
        if (const auto end = rest.find(before); end != rest.npos) return end;
    constexpr std::string_view kEnds = " \t\r\n\"'`)]}>,;|";
    const bool backslashes = drive || share;
    std::size_t length = std::min(rest.find_first_of(kEnds), rest.size());
    for (; length < rest.size() && rest[length] == ' ';) {
        // A blank that belongs to the path: "/my\ folder/x", "C:\Program Files\x".
        const std::size_t next = std::min(rest.find_first_of(kEnds, length + 1), rest.size());
        const bool goesOn = rest[length - 1] == '\\' ||
                            (backslashes && rest.substr(length + 1, next - length - 1).find('\\') !=
                                                std::string_view::npos);
        if (!goesOn) break;
        length = next;
    }
    while (length > 1 && (rest[length - 1] == '.' || rest[length - 1] == ':')) --length;
    // "file.cpp:12": the line number may stay, unless colons can belong to the path.
    if (rooted || home)
        if (const auto colon = rest.substr(0, length).find(':'); colon != rest.npos)
            if (const char c = charAt(at + colon + 1); c >= '0' && c <= '9') length = colon;
    return length;
}

void addPaths(std::string_view text, std::vector<Span>& spans) {
    if (text.find_first_of("/\\@") == text.npos) return;  // every path or address has one of these
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = privateLength(text, at);
        if (length > 0) spans.push_back({at, at + length});
        at += std::max<std::size_t>(length, 1);
    }
}

std::string without(std::string_view text, std::vector<Span> spans,
                    const std::function<std::string(std::string_view)>& replacement) {
    std::ranges::sort(spans, {}, &Span::begin);
    std::string out;
    std::size_t at = 0;
    for (std::size_t i = 0; i < spans.size();) {
        Span whole = spans[i];  // including all that overlap it
        for (++i; i < spans.size() && spans[i].begin < whole.end; ++i)
            whole.end = std::max(whole.end, spans[i].end);
        out += text.substr(at, whole.begin - at);
        out += replacement(text.substr(whole.begin, whole.end - whole.begin));
        at = whole.end;
    }
    out += text.substr(at);
    return out;
}

std::string ellipsis(std::string_view) { return kRedacted; }

/// Adds user names from home directories: "/home/alice/x" → "alice".
void addHomes(std::string_view text, std::set<std::string>& words) {
    for (const std::string_view home : kHomes)
        for (std::size_t at = 0; (at = text.find(home, at)) != text.npos;) {
            at += home.size();
            std::size_t end = at;
            while (end < text.size() && isNameChar(text[end])) ++end;
            if (end - at >= 2) words.emplace(text.substr(at, end - at));
        }
}

/// Adds the parts of a command line that messages may repeat.
void addArguments(const std::vector<std::string>& command, std::set<std::string>& words) {
    constexpr std::size_t kShortest = 3;
    const auto add = [&](std::string_view word) {
        while (word.starts_with('-')) word.remove_prefix(1);
        if (word.size() >= kShortest) words.emplace(word);
    };
    for (std::size_t i = 0; i < command.size(); ++i) {
        const std::string_view argument = command[i];
        if (i == 0) {  // keep the program's own name, remove its folder
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

/// Names of scripts and modules among the arguments, with and without suffix: interpreters run them
/// and profiles are named after them.
std::set<std::string> scriptNames(const std::vector<std::string>& command) {
    std::set<std::string> words;
    for (std::size_t i = 1; i < command.size(); ++i) {
        const std::string name(baseName(command[i]));
        for (const std::string_view suffix : {".py", ".sh", ".ipynb", ".jl", ".rb", ".pl"})
            if (name.ends_with(suffix) && name.size() > suffix.size())
                words.insert({name, name.substr(0, name.size() - suffix.size())});
        if (command[i - 1] == "-m") words.insert(name);
    }
    return words;
}

/// Adds the identifiers in a name, which messages may repeat: "void ns::gemm<float>()" → "ns",
/// "gemm".
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

PrivateDataFilter::PrivateDataFilter(const Words& names, const Words& exact)
    : m_exact(sorted(exact)) {
    Words lower;
    for (const std::string& name : names) lower.insert(lowerCase(name));
    m_names = sorted(lower);
}

std::string PrivateDataFilter::replaced(
    std::string_view text, const std::function<std::string(std::string_view)>& replacement) const {
    std::vector<Span> spans;
    addPaths(text, spans);
    if (!m_names.empty()) addWords(lowerCase(text), m_names, spans);
    addWords(text, m_exact, spans);
    return without(text, std::move(spans), replacement);
}

std::string PrivateDataFilter::removed(std::string_view text) const {
    return replaced(text, ellipsis);
}

std::string PrivateDataFilter::removedWords(std::string_view text) const {
    std::vector<Span> spans;
    if (!m_names.empty()) addWords(lowerCase(text), m_names, spans);
    addWords(text, m_exact, spans);
    return without(text, std::move(spans), ellipsis);
}

PrivateDataFilter::Words hostNames(const Profile& profile) {
    PrivateDataFilter::Words names;
    const auto add = [&](std::string_view name) {
        // Single letters and "localhost" identify nothing.
        if (name.size() >= 2 && name != "localhost" && name != "localdomain") names.emplace(name);
    };
    for (const Process& process : profile.processes) {
        const std::string_view host = process.host;
        const auto dot = host.find('.');
        add(host);
        add(host.substr(0, dot));
        if (dot != host.npos && host.find('.', dot + 1) != host.npos) add(host.substr(dot + 1));
    }
    return names;
}

namespace {

/// Names of people and machines: those given, and all that the profile contains.
std::set<std::string> privateNames(const Profile& profile, const RedactOptions& options) {
    std::set<std::string> names = hostNames(profile);
    for (const std::string& word : options.words)
        if (word.size() >= 2) names.insert(word);
    for (const std::string& argument : profile.capture.command) addHomes(argument, names);
    for (const std::string& option : profile.capture.toolCommand) addHomes(option, names);
    for (const Process& process : profile.processes) addHomes(process.cuptiPath, names);
    for (const Kernel& kernel : profile.kernels) addHomes(kernel.name, names);
    for (const std::string& range : profile.ranges) addHomes(range, names);
    for (const CallSite& site : profile.callSites) {
        for (const std::string* text : {&site.file, &site.module, &site.function, &site.op,
                                        &site.forward.file, &site.forward.function})
            addHomes(*text, names);
        for (const auto& caller : site.callers) addHomes(caller.module, names);
    }
    for (const Process& process : profile.processes) {
        if (!process.cpuSamples) continue;
        for (const CpuFrame& frame : process.cpuSamples->frames)
            for (const std::string* text : {&frame.module, &frame.file, &frame.function})
                addHomes(*text, names);
    }
    for (const SourcePass& source : profile.sources) {
        for (const std::string& file : source.files) addHomes(file, names);
        for (const SourceText& text : source.texts)
            for (const std::string& line : text.lines) addHomes(line, names);
    }
    for (const Thread& thread : profile.timeline.threads) addHomes(thread.name, names);
    for (const std::string& filter : profile.capture.filters) addHomes(filter, names);
    for (const Issue& issue : profile.issues) {
        addHomes(issue.message, names);
        addHomes(issue.advice, names);
    }
    return names;
}

/// Texts that messages may repeat: the arguments of the command, and with Redaction::Names all
/// names.
std::set<std::string> repeatedInMessages(const Profile& profile, Redaction what) {
    std::set<std::string> words;
    addArguments(profile.capture.command, words);
    if (what != Redaction::Names) return words;
    for (const Kernel& kernel : profile.kernels) {
        words.insert({kernel.name, kernel.symbol});
        addIdentifiers(kernel.name, words);
    }
    for (const std::string& range : profile.ranges) {
        words.insert(range);
        addIdentifiers(range, words);
    }
    words.erase("");
    return words;
}

/// Filters for the private parts of a profile's texts. Constructed before the profile is changed.
struct PrivateTexts {
    bool hashNames;
    PrivateDataFilter inNames, inMessages;
    /// Also removes script names: they are arguments, which are removed from the command line, too.
    PrivateDataFilter inFiles;

    PrivateTexts(const Profile& profile, const RedactOptions& options,
                 const std::set<std::string>& people)
        : hashNames(options.what == Redaction::Names),
          inNames(people),
          inMessages(people, repeatedInMessages(profile, options.what)),
          inFiles(people, scriptNames(profile.capture.command)) {}

    void cleanName(std::string& text) const { text = inNames.removed(text); }
    void cleanMessage(std::string& text) const { text = inMessages.removed(text); }
    /// Replaces a path by a hash, or by its last part without private names.
    void shorten(std::string& path) const {
        path = hashNames ? hashed("file_", path) : inFiles.removedWords(baseName(path));
    }
    /// Replaces a name by a hash if names are to be hidden, else removes private parts from it.
    void hashOrClean(const char* prefix, std::string& name) const {
        if (hashNames && !name.empty())
            name = hashed(prefix, name);
        else
            cleanName(name);
    }
};

void redactCapture(Capture& capture, const PrivateTexts& texts) {
    std::vector<std::string>& command = capture.command;
    if (!command.empty()) {
        std::string program = texts.inNames.removedWords(baseName(command.front()));
        const bool more = command.size() > 1;
        command = {std::move(program)};
        if (more) command.emplace_back(kRedacted);
    }
    capture.toolCommand.clear();  // names of kernels and folders
    for (std::string& filter : capture.filters) filter = kRedacted;
}

void redactProcesses(std::vector<Process>& processes, const PrivateTexts& texts) {
    // Number the hosts: which processes share a machine stays visible, the name does not.
    std::map<std::string, std::size_t> hosts;
    for (Process& process : processes) {
        process.cuptiPath = texts.inNames.removedWords(baseName(process.cuptiPath));
        if (process.host.empty()) continue;
        const std::size_t number = hosts.try_emplace(process.host, hosts.size() + 1).first->second;
        process.host = "host-" + std::to_string(number);
    }
}

void redactDevice(Device& device, const PrivateTexts& texts) {
    texts.cleanName(device.name);
    device.uuid.clear();  // identifies one board world-wide
    if (device.observed)
        for (std::string& reason : device.observed->throttledBy) texts.cleanName(reason);
    // Texts stored on the machine by whoever ran `roofscope ceilings`.
    for (Ceiling& ceiling : device.ceilings)
        for (std::string* text : {&ceiling.method, &ceiling.throttleReasons})
            texts.cleanName(*text);
}

void redactKernel(Kernel& kernel, const PrivateTexts& texts) {
    if (texts.hashNames) {
        kernel.name = hashed("kernel_", kernel.name);
        kernel.symbol = kernel.name;
    } else {
        texts.cleanName(kernel.name);
        texts.cleanName(kernel.symbol);
    }
}

void redactRanges(Profile& profile, const PrivateTexts& texts) {
    for (std::string& range : profile.ranges) {
        if (texts.hashNames)
            range = hashedRange(range);
        else
            texts.cleanName(range);
    }
    // The hash was made from kernel names.
    if (texts.hashNames)
        for (RangeMeasurement& measured : profile.rangeMeasurements) measured.work.reset();
}

void redactTimeline(Timeline& timeline, const PrivateTexts& texts) {
    for (Thread& thread : timeline.threads) thread.name.clear();
    for (CallName& call : timeline.callNames) texts.cleanName(call.name);
}

void redactSamples(CpuSamples& samples, const PrivateTexts& texts) {
    for (CpuFrame& frame : samples.frames) {
        for (std::string* path : {&frame.module, &frame.file})
            if (!path->empty()) texts.shorten(*path);
        texts.hashOrClean("function_", frame.function);
    }
}

void redactCallSite(CallSite& site, const PrivateTexts& texts) {
    for (std::string* path : {&site.file, &site.module, &site.forward.file})
        if (!path->empty()) texts.shorten(*path);
    for (std::string* function : {&site.function, &site.forward.function})
        texts.hashOrClean("function_", *function);
    texts.cleanMessage(site.sizes);  // may be any text from the program
    // The program may define its own operators and autograd functions.
    for (std::string* op : {&site.op, &site.backward})
        if (op->starts_with("aten::"))
            texts.cleanName(*op);
        else
            texts.hashOrClean("operator_", *op);
}

void redactSource(SourcePass& source, const PrivateTexts& texts) {
    // Remove source text; keep the last part of each path, which is needed to find a line.
    source.texts.clear();
    // A call instruction names its target function.
    if (texts.hashNames)
        for (Instruction& instruction : source.instructions)
            instruction.sass.resize(
                std::min(instruction.sass.find_first_of("`("), instruction.sass.size()));
    for (std::string& file : source.files) texts.shorten(file);
}

void redactIssue(Issue& issue, const PrivateTexts& texts) {
    for (std::string* text : {&issue.source, &issue.message, &issue.advice})
        texts.cleanMessage(*text);
}

}  // namespace

Profile redact(Profile profile, const RedactOptions& options) {
    const PrivateTexts texts(profile, options, privateNames(profile, options));
    redactCapture(profile.capture, texts);
    redactProcesses(profile.processes, texts);
    for (Device& device : profile.devices) redactDevice(device, texts);
    for (Kernel& kernel : profile.kernels) redactKernel(kernel, texts);
    redactRanges(profile, texts);
    redactTimeline(profile.timeline, texts);
    for (CallSite& site : profile.callSites) redactCallSite(site, texts);
    for (Process& process : profile.processes)
        if (process.cpuSamples) redactSamples(*process.cpuSamples, texts);
    for (SourcePass& source : profile.sources) redactSource(source, texts);
    for (Issue& issue : profile.issues) redactIssue(issue, texts);
    return profile;
}

std::string redactPath(std::string_view path, const Profile& profile,
                       const RedactOptions& options) {
    std::set<std::string> names = privateNames(profile, options);
    addHomes(path, names);
    // A profile is named after the script by default.
    return PrivateDataFilter(names, scriptNames(profile.capture.command))
        .removedWords(baseName(path));
}

}  // namespace roofscope
