// SPDX-License-Identifier: Apache-2.0
#include "gui/models/files/profile_loader.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "gui/models/files/profile_reader.h"
#include "gui/models/text/file_name.h"
#include "profile/files/read_progress.h"
#include "profile/trials/trial_results.h"

namespace roofscope::gui {

/// Shared by the loader and its worker thread, so that either may be destroyed first.
struct ProfileLoader::Job {
    QString path;
    Reader reader;
    std::shared_ptr<const Profile> profile;  ///< if set, analyse this instead of reading the file
    AnalyzeOptions options;
    Stage stage = Stage::Reading;  ///< used only on the loader's thread
    int percent = 0;               ///< also used only on the loader's thread
    std::stop_source stop;
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
                if (!job->stop.stop_requested()) call(*receiver);
            },
            Qt::QueuedConnection);
    }
};

namespace {

/// The approximate end of each step in the total time, in percent: reading, the analysis of the
/// kernels, and that of the program.
constexpr int kReadingPart = 75, kKernelsPart = 87;

Result<std::shared_ptr<const Profile>> readDocument(const QString& path,
                                                    const ProfileLoader::Reader& read,
                                                    const std::stop_token& stop) {
    // Reading a pipe or device could block for ever; reading a folder gives no useful message.
    const std::filesystem::path file = filePath(path);
    std::error_code ignored;
    const auto status = std::filesystem::status(file, ignored);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        return Error{
            .code = ErrorCode::NoInput,
            .what = std::filesystem::is_directory(status) ? "is a folder, not a profile"
                                                          : "is not a regular file",
            .where = file.string(),
            .advice = "open a file that ends in .json, .json.gz, .ncu-rep, .csv or .sqlite"};
    Result<Profile> profile = read(file, stop);
    if (!profile) return profile.error();
    return std::make_shared<const Profile>(*std::move(profile));
}

Result<ProfileDocument> loadDocument(const QString& path,
                                     const std::shared_ptr<const Profile>& known,
                                     const ProfileLoader::Reader& read,
                                     const AnalyzeOptions& options, const std::stop_token& stop,
                                     const std::function<void(int)>& analysing) {
    const std::string name = filePath(path).string();
    try {
        Result<std::shared_ptr<const Profile>> profile =
            known ? Result<std::shared_ptr<const Profile>>(known) : readDocument(path, read, stop);
        if (!profile) return profile.error();
        if (stop.stop_requested())
            return Error{.code = ErrorCode::Io, .what = "cancelled", .where = name};
        analysing(kReadingPart);
        AnalyzeOptions wanted = options;
        wanted.progress = [&analysing](double share) {
            analysing(kReadingPart + int(share * (kKernelsPart - kReadingPart)));
        };
        // Leave out trials that cannot be read; `roofscope report` shows the error.
        if (auto trials = readTrialsOf(filePath(path)); trials && *trials)
            wanted.trials = std::make_shared<const TrialResults>(**std::move(trials));
        const auto analysis = std::make_shared<const Analysis>(analyze(*profile, wanted));
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
    for (Lane* lane : {&m_files, &m_reports})
        if (lane->job) abandon(std::move(lane->job));
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(3);
    for (const auto& job : m_abandoned) {
        std::unique_lock lock(job->mutex);
        job->doneChanged.wait_until(lock, until, [&job] { return job->done; });
    }
}

/// Stops a job, or abandons it if it cannot be stopped. It sends no more signals.
void ProfileLoader::abandon(std::shared_ptr<Job> job) {
    job->stop.request_stop();
    {
        const std::lock_guard lock(job->mutex);
        job->receiver = nullptr;
    }
    std::erase_if(m_abandoned, [](const std::shared_ptr<Job>& old) {
        const std::lock_guard lock(old->mutex);
        return old->done;
    });
    m_abandoned.push_back(std::move(job));
}

bool ProfileLoader::busy() const { return m_files.job || m_reports.job; }

void ProfileLoader::analyseAgain(const ProfileDocument& document) {
    enqueue({document.path, document.analysis->profile});
}

void ProfileLoader::enqueue(Request request) {
    Lane& lane = !request.profile && mayNeedProgram(request.path) ? m_reports : m_files;
    const bool waits = std::ranges::any_of(
        lane.queue, [&](const Request& other) { return other.path == request.path; });
    if (waits) return;
    lane.queue.append(std::move(request));
    if (!lane.job) next(lane);
}

void ProfileLoader::cancel() {
    QStringList dropped;
    for (Lane* lane : {&m_files, &m_reports}) {
        if (lane->job) {
            dropped.append(lane->job->path);
            abandon(std::exchange(lane->job, nullptr));
        }
        for (const Request& request : std::exchange(lane->queue, {})) dropped.append(request.path);
    }
    for (const QString& path : std::as_const(dropped)) Q_EMIT cancelled(path);
    if (!dropped.isEmpty() && !busy()) Q_EMIT finished();
}

void ProfileLoader::cancel(const QString& path) {
    for (Lane* lane : {&m_files, &m_reports}) {
        const bool waited =
            lane->queue.removeIf([&](const Request& request) { return request.path == path; }) > 0;
        const bool loaded = lane->job && lane->job->path == path;
        if (loaded) abandon(std::exchange(lane->job, nullptr));
        if (waited || loaded) Q_EMIT cancelled(path);
        if (loaded && !lane->job) next(*lane);
    }
}

void ProfileLoader::next(Lane& lane) {
    if (!lane.queue.isEmpty())
        start(lane, lane.queue.takeFirst());
    else if (busy())
        tellProgress();
    else
        Q_EMIT finished();
}

void ProfileLoader::start(Lane& lane, const Request& request) {
    const auto job = std::make_shared<Job>();
    lane.job = job;
    job->path = request.path;
    job->profile = request.profile;
    job->options.convention = m_convention;
    job->reader = m_reader;
    job->receiver = this;
    const bool converts = &lane == &m_reports;
    setStage(*job, converts ? Stage::Converting : Stage::Reading, converts ? kUnknown : 0);
    // A slot connected to progress() may have called cancel().
    if (lane.job == job) std::thread([job] { run(job); }).detach();
}

void ProfileLoader::setStage(Job& job, Stage stage, int percent) {
    job.stage = stage;
    job.percent = percent;
    Q_EMIT progress(job.path, stage, percent);
}

void ProfileLoader::tellProgress() {
    for (const Lane* lane : {&m_reports, &m_files})
        if (const auto job = lane->job) Q_EMIT progress(job->path, job->stage, job->percent);
}

void ProfileLoader::run(const std::shared_ptr<Job>& job) {
    // readAnyProfile() first reads the beginning of the file to see what it is.
    int told = 0;
    const ReadProgress follows([&job, &told](double share) {
        const int percent = int(share * kReadingPart);
        if (percent <= told) return;
        told = percent;
        Job::post(job, [job, percent](ProfileLoader& loader) {
            if (job->stage == Stage::Reading) loader.setStage(*job, Stage::Reading, percent);
        });
    });
    auto result = std::make_shared<Result<ProfileDocument>>(
        loadDocument(job->path, job->profile, job->reader, job->options, job->stop.get_token(),
                     [&job, &told](int percent) {
                         if (percent <= told && percent != kReadingPart) return;
                         told = percent;
                         Job::post(job, [job, percent](ProfileLoader& loader) {
                             loader.setStage(*job, Stage::Analysing, percent);
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
    Lane& lane = m_reports.job == job ? m_reports : m_files;
    if (lane.job != job) return;
    lane.job.reset();
    if (result) {
        Q_EMIT loaded(*result);
    } else {
        Q_EMIT failed(job->path, result.error());
    }
    if (!lane.job) next(lane);
}

}  // namespace roofscope::gui
