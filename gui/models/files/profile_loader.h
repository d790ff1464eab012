// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QObject>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "gui/models/files/profile_document.h"
#include "profile/errors/result.h"

namespace roofscope::gui {

/// Reads and analyses profiles on a worker thread, one after the other. Converting reports of
/// Nsight tools may take long, so a second thread does that without delaying other files. All
/// signals are emitted on this object's thread; load() and cancel() return at once.
class ProfileLoader : public QObject {
    Q_OBJECT
public:
    enum class Stage {
        Converting,  ///< reading a report, possibly with NVIDIA's tool; see kNcuPatience
        Reading,
        Analysing
    };
    Q_ENUM(Stage)
    static constexpr int kUnknown = -1;
    using Reader =
        std::function<Result<Profile>(const std::filesystem::path&, const std::stop_token&)>;

    /// `reader` replaces readAnyProfile(), for tests.
    explicit ProfileLoader(QObject* parent = nullptr, Reader reader = {});
    /// Cancels all jobs. An analysis cannot be interrupted: waits a few seconds, then abandons it.
    ~ProfileLoader() override;

    /// Queues a file. A file that is already queued is not queued twice.
    void load(const QString& path) { enqueue({path, nullptr}); }
    /// Analyses an open profile again, without reading its file; the result comes as loaded().
    void analyseAgain(const ProfileDocument& document);
    /// How L2 and L1 traffic is counted in profiles loaded from now on.
    void setConvention(Convention convention) { m_convention = convention; }
    [[nodiscard]] Convention convention() const { return m_convention; }
    /// Drops everything that is queued or being loaded; sends cancelled() for each.
    void cancel();
    /// Drops one file.
    void cancel(const QString& path);
    [[nodiscard]] bool busy() const;
    /// Sends progress() again for the files being loaded.
    void tellProgress();

Q_SIGNALS:
    /// The current step and the progress of the whole in percent, or kUnknown. When a file is done,
    /// this is sent again for a file that is still being loaded.
    void progress(const QString& path, roofscope::gui::ProfileLoader::Stage stage, int percent);
    void loaded(const roofscope::gui::ProfileDocument& document);
    void failed(const QString& path, const roofscope::Error& error);
    void cancelled(const QString& path);
    /// The queue is empty.
    void finished();

private:
    struct Job;
    struct Request {
        QString path;
        std::shared_ptr<const Profile> profile;  ///< already read; null: read the file
    };
    /// A queue of files to be loaded one after the other.
    struct Lane {
        QList<Request> queue;
        std::shared_ptr<Job> job;  ///< null while nothing is loaded
    };
    void enqueue(Request request);
    void start(Lane& lane, const Request& request);
    void next(Lane& lane);
    void abandon(std::shared_ptr<Job> job);
    void setStage(Job& job, Stage stage, int percent);
    static void run(const std::shared_ptr<Job>& job);
    void complete(const std::shared_ptr<Job>& job, const Result<ProfileDocument>& result);

    Reader m_reader;
    Convention m_convention = Convention::Roofscope;
    Lane m_files, m_reports;
    std::vector<std::shared_ptr<Job>> m_abandoned;  ///< cancelled, but their threads still run
};

}  // namespace roofscope::gui
