// SPDX-License-Identifier: Apache-2.0
#include "gui/models/recording/recording_request.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStandardPaths>
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "gui/models/recording/shell_words.h"
#include "gui/models/text/file_name.h"
#include "gui/models/text/translated_texts.h"
#include "gui/models/text/usage_error.h"
#include "profile/chips/chip.h"
#include "profile/names/launchers.h"
#include "profile/names/name_pattern.h"
#include "reports/escape/escape.h"
#include "reports/profile/ask_command.h"

namespace roofscope::gui {
namespace {

QString withHome(const QString& path) {
    const QString trimmed = path.trimmed();
    return trimmed.startsWith(QLatin1String("~/")) ? QDir::homePath() + trimmed.mid(1) : trimmed;
}

/// Base name of the profile's file, from the program's name.
QString stemOf(const RecordingRequest& request) {
    std::vector<std::string> words{request.program.trimmed().toStdString()};
    if (const auto arguments = splitWords(request.arguments); arguments.ok())
        for (const QString& word : *arguments) words.push_back(word.toStdString());
    const QString stem = QString::fromStdString(nameOfCommand(words));
    return stem.isEmpty() || stem == QLatin1String("~") ? QStringLiteral("profile") : stem;
}

QString absoluteFolder(const RecordingRequest& request) {
    return QDir(withHome(request.folder)).absolutePath();  // empty: the current folder
}

Result<QList<std::pair<QString, QString>>> parseVariables(const QString& text) {
    static const QRegularExpression name(QStringLiteral("^[A-Za-z_][A-Za-z0-9_]*$"));
    QList<std::pair<QString, QString>> variables;
    for (const QString& line : text.split(QLatin1Char('\n'))) {
        if (line.trimmed().isEmpty()) continue;
        const qsizetype equals = line.indexOf(QLatin1Char('='));
        const QString key = line.left(equals).trimmed();
        if (equals < 0 || !name.match(key).hasMatch())
            return usageError(RecordingText::tr("write NAME=value, one per line"),
                              line.trimmed().left(60));
        variables.append({key, line.mid(equals + 1)});
    }
    return variables;
}

QString explanation(const QString& group) {
    const std::map<QString, QString> known{
        {QStringLiteral("default"),
         RecordingText::tr(
             "time, memory traffic, arithmetic, coalescing, bank conflicts, occupancy: what "
             "verdicts and most hints need")},
        {QStringLiteral("tensor"),
         RecordingText::tr("operations of the tensor cores by data type")},
        {QStringLiteral("pipes"),
         RecordingText::tr("instructions per pipe: integer, FMA, special functions, …")},
        {QStringLiteral("cache"), RecordingText::tr("sectors and hit rates of L2 and L1")},
        {QStringLiteral("stalls"), RecordingText::tr("stall reasons of warps")},
        {QStringLiteral("atomics"),
         RecordingText::tr("utilisation of the L2's atomic units: the busiest and all of them")},
        {QStringLiteral("memory"),
         RecordingText::tr("requests and sectors of global and local memory, hit rates")},
        {QStringLiteral("shared"),
         RecordingText::tr(
             "shared memory by kind of instruction: loads, stores, atomics, matrix loads")},
        {QStringLiteral("tma"), RecordingText::tr("bytes of bulk copies (TMA), on Blackwell")},
        {QStringLiteral("tmem"),
         RecordingText::tr("traffic of tensor memory (tcgen05), on Blackwell")}};
    const auto found = known.find(group);
    return found == known.end() ? QString() : found->second;
}

}  // namespace

std::vector<RecordingGroup> recordingGroups() {
    std::map<QString, int> passes;
    for (const std::string& chip : knownChips())
        if (const auto table = chipTable(chip))
            for (const auto& [name, group] : table->groups) {
                int& most = passes[QString::fromStdString(name)];
                most = std::max(most, group.maxPasses);
            }
    std::vector<RecordingGroup> groups;
    for (const auto& [name, most] : passes)
        groups.push_back({.name = name, .explanation = explanation(name), .passes = most});
    std::stable_partition(groups.begin(), groups.end(), [](const RecordingGroup& group) {
        return group.name == QLatin1String("default");
    });
    return groups;
}

QString proposedOutput(const RecordingRequest& request) {
    const QString stem = stemOf(request);
    // The profile of a remote recording goes to our current folder.
    const QDir folder(request.host.isEmpty() ? absoluteFolder(request) : QDir::currentPath());
    QString path = folder.filePath(stem + QStringLiteral(".roofscope.json"));
    for (int n = 2; QFileInfo::exists(path); ++n)
        path = folder.filePath(QStringLiteral("%1-%2.roofscope.json").arg(stem).arg(n));
    return path;
}

namespace {

/// The form's text fields, parsed and checked.
struct Fields {
    QStringList arguments, options;
    QList<std::pair<QString, QString>> variables;
};

/// Options that "More options" must not contain: the output file has its own field, and "--" would
/// end the options.
bool isTaken(const QString& word) {
    static const QStringList kTaken{QStringLiteral("--"), QStringLiteral("--out"),
                                    QStringLiteral("-o")};
    return kTaken.contains(word) || word.startsWith(QLatin1String("--out=")) ||
           (word.startsWith(QLatin1String("-o")) && !word.startsWith(QLatin1String("--")));
}

Result<Fields> readFields(const RecordingRequest& request) {
    Fields fields;
    if (request.program.trimmed().isEmpty())
        return usageError(RecordingText::tr("choose the program to record"),
                          RecordingText::tr("Program"));
    const auto split = [](const QString& line, const QString& field, QStringList& into) {
        Result<QStringList> words = splitWords(line);
        if (!words)
            return Result<void>(usageError(QString::fromStdString(words.error().what), field));
        into = *std::move(words);
        return Result<void>();
    };
    if (auto ok = split(request.arguments, RecordingText::tr("Arguments"), fields.arguments); !ok)
        return ok.error();
    if (auto ok = split(request.options, RecordingText::tr("More options"), fields.options); !ok)
        return ok.error();
    const auto taken = std::ranges::find_if(fields.options, isTaken);
    if (taken != fields.options.end())
        return usageError(RecordingText::tr("%1 is not allowed here").arg(*taken),
                          RecordingText::tr("More options"));
    auto variables = parseVariables(request.environment);
    if (!variables)
        return usageError(QString::fromStdString(variables.error().message()),
                          RecordingText::tr("Environment"));
    fields.variables = *std::move(variables);
    if (request.groups.isEmpty())
        return usageError(RecordingText::tr("choose at least one group"),
                          RecordingText::tr("Counter groups"));
    if (const auto pattern = NamePattern::compile(request.kernel.toStdString()); !pattern)
        return usageError(QString::fromStdString(pattern.error().what),
                          RecordingText::tr("Kernel filter"));
    if (!request.host.isEmpty())
        if (auto host = checkHost(request.host); !host) return host.error();
    return fields;
}

/// The arguments from "record" to "--", including the output file.
QStringList recordOptions(const RecordingRequest& request, const QStringList& more,
                          const QString& output) {
    QStringList arguments{QStringLiteral("record")};
    const auto add = [&](const char* option, const QString& value) {
        arguments << QLatin1String(option) << value;
    };
    if (request.groups != QStringList{QStringLiteral("default")})
        add("--groups", request.groups.join(QLatin1Char(',')));
    if (!request.effort.isEmpty()) add("--effort", request.effort);
    // With "=", because a pattern may begin with a dash.
    if (!request.kernel.isEmpty()) arguments << QStringLiteral("--kernel=") + request.kernel;
    if (request.sourceTop > 0) add("--source", QStringLiteral("top:%1").arg(request.sourceTop));
    if (request.timingRepeats != 1) add("--timing-repeats", QString::number(request.timingRepeats));
    arguments << more;
    // A single percent sign would begin a placeholder.
    add("--out", QString(output).replace(QLatin1Char('%'), QLatin1String("%%")));
    return arguments << QStringLiteral("--");
}

/// Turns the command into one that records through ssh and then fetches the profile.
void makeRemote(RecordingCommand& command, const RecordingRequest& request, const Fields& fields) {
    const QString mark = request.mark.isEmpty() ? QString() : QLatin1Char('-') + request.mark;
    const QString file =
        QStringLiteral("./") + stemOf(request) + mark + QStringLiteral(".roofscope.json");
    const QString folder = request.folder.trimmed();
    QStringList words{QStringLiteral("roofscope")};
    words += recordOptions(request, fields.options, file);
    const qsizetype program = words.size();
    words << request.program.trimmed() << fields.arguments;
    command.executable = findSsh();
    command.arguments = sshArguments(
        request.host,
        remoteLine(
            {.folder = folder, .variables = fields.variables, .words = words, .program = program}),
        true);
    command.folder = QDir::currentPath();
    command.remote = {
        .host = request.host,
        .file = file.mid(2),
        .fetch = sshArguments(
            request.host,
            remoteLine({.folder = folder, .variables = {}, .words = {QStringLiteral("cat"), file}}),
            false)};
}

}  // namespace

Result<RecordingCommand> recordingCommand(const RecordingRequest& request,
                                          const QString& roofscope) {
    const Result<Fields> fields = readFields(request);
    if (!fields) return fields.error();
    const bool here = request.host.isEmpty();
    RecordingCommand command{.executable = roofscope,
                             .folder = here ? absoluteFolder(request) : QDir::currentPath(),
                             .variables = fields->variables};
    if (!QFileInfo(command.folder).isDir())
        return usageError(RecordingText::tr("there is no folder %1").arg(command.folder),
                          RecordingText::tr("Working folder"));
    const QString output = withHome(request.output);
    command.output = output.isEmpty() ? proposedOutput(request)
                                      : QDir::cleanPath(QDir(command.folder).filePath(output));
    if (QFileInfo(command.output).isDir())
        return usageError(RecordingText::tr("%1 is a folder").arg(command.output),
                          RecordingText::tr("Profile"));
    if (here) {
        command.arguments = recordOptions(request, fields->options, command.output)
                            << withHome(request.program) << fields->arguments;
    } else {
        command.variables.clear();  // the remote command line sets them
        makeRemote(command, request, *fields);
    }
    return command;
}

QString RecordingCommand::textForOtherMachine() const {
    if (!remote.host.isEmpty()) return text();
    RecordingCommand elsewhere = *this;
    elsewhere.executable.clear();
    elsewhere.folder = QDir::currentPath();  // so that text() adds no "cd"
    const QString here = folder + QLatin1Char('/');
    for (QString& argument : elsewhere.arguments) {
        if (argument == output) argument = QFileInfo(output).fileName();
        if (argument.startsWith(here)) argument.replace(0, here.size(), QStringLiteral("./"));
    }
    return elsewhere.text();
}

QString RecordingCommand::text() const {
    const auto quoted = [](const QString& argument) {
        return QString::fromStdString(shellArgument(argument.toStdString()));
    };
    QStringList words;
    for (const auto& [name, value] : variables) words << name + QLatin1Char('=') + quoted(value);
    const QString other =
        remote.host.isEmpty() ? QStringLiteral("roofscope") : QStringLiteral("ssh");
    words << quoted(executable.isEmpty() ? other : executable);
    for (const QString& argument : arguments) words << quoted(argument);
    QString line = words.join(QLatin1Char(' '));
    if (!remote.host.isEmpty()) {
        // ";": fetch the profile whatever the exit code is.
        line = QStringLiteral("%1; %2").arg(line, words.front());
        for (const QString& argument : remote.fetch) line += QLatin1Char(' ') + quoted(argument);
        return line + QStringLiteral(" > ") + quoted(output);
    }
    if (folder == QDir::currentPath()) return line;
    return QStringLiteral("cd %1 && %2").arg(quoted(folder), line);
}

QString findRoofscope() {
    const QString name = QStringLiteral("roofscope");
    const QString beside =
        QStandardPaths::findExecutable(name, {QCoreApplication::applicationDirPath()});
    return beside.isEmpty() ? QStandardPaths::findExecutable(name) : beside;
}

RecordingRequest requestToRepeat(const Profile& profile, const QString& profilePath,
                                 const QStringList& moreGroups) {
    const Capture& capture = profile.capture;
    RecordingRequest request;
    if (!capture.command.empty()) request.program = QString::fromStdString(capture.command.front());
    if (capture.command.size() > 1)
        request.arguments = QString::fromStdString(
            shellCommand({capture.command.begin() + 1, capture.command.end()}));
    const auto how = splitWords(QString::fromStdString(recordingOptions(capture)));
    QStringList options = how ? *how : QStringList();
    const QString pattern = QStringLiteral("--kernel");
    if (const qsizetype at = options.indexOf(pattern); at >= 0 && at + 1 < options.size()) {
        request.kernel = options.takeAt(at + 1);
        options.removeAt(at);
    }
    std::vector<std::string> rest;
    for (const QString& option : std::as_const(options)) rest.push_back(option.toStdString());
    request.options = QString::fromStdString(shellCommand(rest));
    request.groups.clear();
    for (const std::string& group : capture.groups) request.groups << QString::fromStdString(group);
    if (request.groups.isEmpty()) request.groups << QStringLiteral("default");
    for (const QString& group : moreGroups)
        if (!request.groups.contains(group)) request.groups << group;
    if (!profilePath.isEmpty() && isUtf8FileName(profilePath)) {
        const QFileInfo file(profilePath);
        request.output = file.dir().filePath(
            QString::fromStdString(nextProfileName(file.fileName().toStdString())));
    }
    return request;
}

}  // namespace roofscope::gui
