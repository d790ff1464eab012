// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QObject>
#include <filesystem>
#include <functional>
#include <memory>

#include "gui/models/files/profile_document.h"
#include "profile/errors/result.h"

namespace roofscope::gui {

/// Reads and analyses profiles on a worker thread, one after the other. All signals are emitted on
/// this object's thread; load() and cancel() return at once.
class ProfileLoader : public QObject {
    Q_OBJECT
public:
    enum class Stage { Reading, Analysing };
    Q_ENUM(Stage)
    using Reader = std::function<Result<Profile>(const std::filesystem::path&)>;

    /// `reader` replaces readAnyProfile(), for tests.
    explicit ProfileLoader(QObject* parent = nullptr, Reader reader = {});
    /// Waits a few seconds for a running load, which cannot be interrupted, then abandons it.
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
    [[nodiscard]] bool busy() const { return m_job != nullptr; }

Q_SIGNALS:
    void progress(const QString& path, roofscope::gui::ProfileLoader::Stage stage);
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
    void enqueue(Request request);
    void start(const Request& request);
    void next();
    static void run(const std::shared_ptr<Job>& job);
    void complete(const std::shared_ptr<Job>& job, const Result<ProfileDocument>& result);

    Reader m_reader;
    Convention m_convention = Convention::Roofscope;
    QList<Request> m_queue;
    std::shared_ptr<Job> m_job;
};

}  // namespace roofscope::gui
