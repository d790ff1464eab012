// SPDX-License-Identifier: Apache-2.0
#include "gui/models/files/profile_loader.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <thread>

#include "gui/models/files/profile_reader.h"
#include "gui/models/text/file_name.h"

namespace roofscope::gui {

/// Shared by the loader and its worker thread, so that either may be destroyed first.
struct ProfileLoader::Job {
    QString path;
    Reader reader;
    std::shared_ptr<const Profile> profile;  ///< if set, analyse this instead of reading the file
    AnalyzeOptions options;
    std::atomic<bool> cancelled = false;
    std::mutex mutex;
    std::condition_variable doneChanged;
    bool done = false;
    ProfileLoader* receiver = nullptr;  ///< null once the loader is gone

    /// Runs `call` on the loader's thread, unless the loader is gone or the job was cancelled.
    template <class Call>
    static void post(const std::shared_ptr<Job>& job, Call call) {
        const std::lock_guard lock(job->mutex);
        if (!job->receiver) return;
        ProfileLoader* receiver = job->receiver;
        QMetaObject::invokeMethod(
            receiver,
            [job, receiver, call = std::move(call)] {
                if (!job->cancelled) call(*receiver);
            },
            Qt::QueuedConnection);
    }
};

namespace {

Result<std::shared_ptr<const Profile>> readDocument(const QString& path,
                                                    const ProfileLoader::Reader& read) {
    // Reading a pipe or device could block for ever; reading a folder gives no useful message.
    const std::filesystem::path file = filePath(path);
    std::error_code ignored;
    const auto status = std::filesystem::status(file, ignored);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        return Error{.code = ErrorCode::NoInput,
                     .what = std::filesystem::is_directory(status) ? "is a folder, not a profile"
                                                                   : "is not a regular file",
                     .where = file.string(),
                     .advice = "open a file that ends in .roofscope.json, .ncu-rep or .csv"};
    Result<Profile> profile = read(file);
    if (!profile) return profile.error();
    return std::make_shared<const Profile>(*std::move(profile));
}

Result<ProfileDocument> loadDocument(const QString& path,
                                     const std::shared_ptr<const Profile>& known,
                                     const ProfileLoader::Reader& read,
                                     const AnalyzeOptions& options,
                                     const std::atomic<bool>& cancelled,
                                     const std::function<void()>& analysing) {
    const std::string name = filePath(path).string();
    try {
        Result<std::shared_ptr<const Profile>> profile =
            known ? Result<std::shared_ptr<const Profile>>(known) : readDocument(path, read);
        if (!profile) return profile.error();
        if (cancelled) return Error{.code = ErrorCode::Io, .what = "cancelled", .where = name};
        analysing();
        const auto analysis = std::make_shared<const Analysis>(analyze(*profile, options));
        return ProfileDocument{
            .path = path,
            .analysis = analysis,
            .program = std::make_shared<const Program>(analyzeProgram(*analysis)),
            .loadedAt = QDateTime::currentDateTime()};
    } catch (const std::bad_alloc&) {
        return Error{
            .code = ErrorCode::Io, .what = "not enough memory to load this profile", .where = name};
    } catch (const std::exception& e) {
        return Error{.code = ErrorCode::Internal,
                     .what = std::string("loading failed: ") + e.what(),
                     .where = name,
                     .advice = "please report this together with the file"};
    }
}

}  // namespace

ProfileLoader::ProfileLoader(QObject* parent, Reader reader)
    : QObject(parent), m_reader(std::move(reader)) {
    if (!m_reader) m_reader = readAnyProfile;
}

ProfileLoader::~ProfileLoader() {
    if (!m_job) return;
    std::unique_lock lock(m_job->mutex);
    m_job->cancelled = true;
    m_job->receiver = nullptr;
    m_job->doneChanged.wait_for(lock, std::chrono::seconds(3), [this] { return m_job->done; });
}

void ProfileLoader::analyseAgain(const ProfileDocument& document) {
    enqueue({document.path, document.analysis->profile});
}

void ProfileLoader::enqueue(Request request) {
    const bool waits = std::ranges::any_of(
        m_queue, [&](const Request& other) { return other.path == request.path; });
    if (waits) return;
    m_queue.append(std::move(request));
    if (!m_job) next();
}

void ProfileLoader::cancel() {
    QStringList dropped;
    for (const Request& request : std::exchange(m_queue, {})) dropped.append(request.path);
    if (const auto job = std::exchange(m_job, nullptr)) {
        job->cancelled = true;
        {
            const std::lock_guard lock(job->mutex);
            job->receiver = nullptr;
        }
        dropped.prepend(job->path);
    }
    for (const QString& path : std::as_const(dropped)) Q_EMIT cancelled(path);
    if (!dropped.isEmpty()) Q_EMIT finished();
}

void ProfileLoader::next() {
    if (m_queue.isEmpty()) {
        Q_EMIT finished();
        return;
    }
    start(m_queue.takeFirst());
}

void ProfileLoader::start(const Request& request) {
    m_job = std::make_shared<Job>();
    m_job->path = request.path;
    m_job->profile = request.profile;
    m_job->options.convention = m_convention;
    m_job->reader = m_reader;
    m_job->receiver = this;
    Q_EMIT progress(request.path, Stage::Reading);
    // A slot connected to progress() may have called cancel().
    if (const auto job = m_job) std::thread([job] { run(job); }).detach();
}

void ProfileLoader::run(const std::shared_ptr<Job>& job) {
    auto result = std::make_shared<Result<ProfileDocument>>(
        loadDocument(job->path, job->profile, job->reader, job->options, job->cancelled, [&job] {
            Job::post(job, [path = job->path](ProfileLoader& loader) {
                Q_EMIT loader.progress(path, Stage::Analysing);
            });
        }));
    Job::post(job, [job, result](ProfileLoader& loader) { loader.complete(job, *result); });
    result.reset();
    const std::lock_guard lock(job->mutex);
    job->done = true;
    job->doneChanged.notify_all();
}

void ProfileLoader::complete(const std::shared_ptr<Job>& job,
                             const Result<ProfileDocument>& result) {
    if (m_job != job) return;
    m_job.reset();
    if (result) {
        Q_EMIT loaded(*result);
    } else {
        Q_EMIT failed(job->path, result.error());
    }
    if (!m_job) next();
}

}  // namespace roofscope::gui
