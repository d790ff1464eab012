// SPDX-License-Identifier: Apache-2.0
#include "gui/models/recording_request.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStandardPaths>
#include <algorithm>
#include <map>

#include "gui/models/usage_error.h"
#include "profile/chip.h"
#include "profile/name_pattern.h"
#include "reports/ask_command.h"
#include "reports/escape.h"

namespace roofscope::gui {
namespace {

/// Where the translation finds the texts of this file.
struct RecordingText {
    Q_DECLARE_TR_FUNCTIONS(Recording)
};

QString withHome(const QString& path) {
    const QString trimmed = path.trimmed();
    return trimmed.startsWith(QLatin1String("~/")) ? QDir::homePath() + trimmed.mid(1) : trimmed;
}

QString absoluteFolder(const RecordingRequest& request) {
    return QDir(withHome(request.folder)).absolutePath();  // of an empty one: where we are
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
        {QStringLiteral("stalls"), RecordingText::tr("what warps wait for")},
        {QStringLiteral("atomics"),
         RecordingText::tr("how busy the L2's atomic units are, the busiest and all of them")},
        {QStringLiteral("memory"),
         RecordingText::tr("requests and sectors of global and local memory, hit rates")},
        {QStringLiteral("shared"),
         RecordingText::tr(
             "shared memory by kind of instruction: loads, stores, atomics, matrix loads")},
        {QStringLiteral("tma"), RecordingText::tr("bytes of bulk copies (TMA), on Blackwell")}};
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

Result<QStringList> splitWords(const QString& line) {
    QStringList words;
    QString word;
    QChar quote;  // null outside of quotes
    bool begun = false;
    for (qsizetype i = 0; i < line.size(); ++i) {
        const QChar c = line[i];
        const bool single = quote == QLatin1Char('\'');
        if (c == QLatin1Char('\\') && !single && i + 1 < line.size() &&
            (quote.isNull() || QStringLiteral("\\\"$`").contains(line[i + 1]))) {
            word += line[++i];
            begun = true;
        } else if (!quote.isNull()) {
            if (c == quote)
                quote = QChar();
            else
                word += c;
        } else if (c == QLatin1Char('\'') || c == QLatin1Char('"')) {
            quote = c;
            begun = true;
        } else if (c.isSpace()) {
            if (begun) words << word;
            word.clear();
            begun = false;
        } else {
            word += c;
            begun = true;
        }
    }
    if (!quote.isNull())
        return usageError(RecordingText::tr("the quote %1 is not closed").arg(quote));
    if (begun) words << word;
    return words;
}

QString proposedOutput(const RecordingRequest& request) {
    QString stem = QFileInfo(withHome(request.program)).fileName();
    if (stem.isEmpty()) stem = QStringLiteral("profile");
    const QDir folder(absoluteFolder(request));
    QString path = folder.filePath(stem + QStringLiteral(".roofscope.json"));
    for (int n = 2; QFileInfo::exists(path); ++n)
        path = folder.filePath(QStringLiteral("%1-%2.roofscope.json").arg(stem).arg(n));
    return path;
}

Result<RecordingCommand> recordingCommand(const RecordingRequest& request,
                                          const QString& roofscope) {
    const QString program = withHome(request.program);
    if (program.isEmpty())
        return usageError(RecordingText::tr("choose the program to record"),
                          RecordingText::tr("Program"));
    const Result<QStringList> words = splitWords(request.arguments);
    if (!words)
        return usageError(QString::fromStdString(words.error().what),
                          RecordingText::tr("Arguments"));
    auto variables = parseVariables(request.environment);
    if (!variables)
        return usageError(QString::fromStdString(variables.error().message()),
                          RecordingText::tr("Environment"));
    if (request.groups.isEmpty())
        return usageError(RecordingText::tr("choose at least one group"),
                          RecordingText::tr("Counter groups"));
    if (const auto pattern = NamePattern::compile(request.kernel.toStdString()); !pattern)
        return usageError(QString::fromStdString(pattern.error().what),
                          RecordingText::tr("Kernel filter"));

    RecordingCommand command{.executable = roofscope,
                             .arguments = {QStringLiteral("record")},
                             .folder = absoluteFolder(request),
                             .variables = *std::move(variables)};
    if (!QFileInfo(command.folder).isDir())
        return usageError(RecordingText::tr("there is no folder %1").arg(command.folder),
                          RecordingText::tr("Working folder"));
    const QString output = withHome(request.output);
    command.output = output.isEmpty() ? proposedOutput(request)
                                      : QDir::cleanPath(QDir(command.folder).filePath(output));
    if (QFileInfo(command.output).isDir())
        return usageError(RecordingText::tr("%1 is a folder").arg(command.output),
                          RecordingText::tr("Profile"));
    const auto add = [&](const char* option, const QString& value) {
        command.arguments << QLatin1String(option) << value;
    };
    if (request.groups != QStringList{QStringLiteral("default")})
        add("--groups", request.groups.join(QLatin1Char(',')));
    // With "=": a pattern may begin with a dash.
    if (!request.kernel.isEmpty())
        command.arguments << QStringLiteral("--kernel=") + request.kernel;
    if (request.sourceTop > 0) add("--source", QStringLiteral("top:%1").arg(request.sourceTop));
    if (request.timingRepeats != 1) add("--timing-repeats", QString::number(request.timingRepeats));
    // A percent sign would stand for a mark.
    add("--out", QString(command.output).replace(QLatin1Char('%'), QLatin1String("%%")));
    command.arguments << QStringLiteral("--") << program << *words;
    return command;
}

QString RecordingCommand::textElsewhere() const {
    RecordingCommand elsewhere = *this;
    elsewhere.executable.clear();
    elsewhere.folder = QDir::currentPath();  // wherever one is there
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
    words << quoted(executable.isEmpty() ? QStringLiteral("roofscope") : executable);
    for (const QString& argument : arguments) words << quoted(argument);
    const QString line = words.join(QLatin1Char(' '));
    if (folder == QDir::currentPath()) return line;
    return QStringLiteral("cd %1 && %2").arg(quoted(folder), line);
}

QString findRoofscope() {
    const QString name = QStringLiteral("roofscope");
    const QString beside =
        QStandardPaths::findExecutable(name, {QCoreApplication::applicationDirPath()});
    return beside.isEmpty() ? QStandardPaths::findExecutable(name) : beside;
}

RecordingRequest recordingAgain(const Profile& profile, const QString& profilePath,
                                const QStringList& moreGroups) {
    const Capture& capture = profile.capture;
    RecordingRequest request;
    if (!capture.command.empty()) request.program = QString::fromStdString(capture.command.front());
    if (capture.command.size() > 1)
        request.arguments = QString::fromStdString(
            shellCommand({capture.command.begin() + 1, capture.command.end()}));
    request.groups.clear();
    for (const std::string& group : capture.groups) request.groups << QString::fromStdString(group);
    if (request.groups.isEmpty()) request.groups << QStringLiteral("default");
    for (const QString& group : moreGroups)
        if (!request.groups.contains(group)) request.groups << group;
    if (!profilePath.isEmpty()) {
        const QFileInfo file(profilePath);
        request.output = file.dir().filePath(
            QString::fromStdString(nextProfileName(file.fileName().toStdString())));
    }
    return request;
}

}  // namespace roofscope::gui
