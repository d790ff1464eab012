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

/// Reads and analyses profiles on a worker thread, one after the other. All signals come on the
/// thread of this object; load() and cancel() return at once.
class ProfileLoader : public QObject {
    Q_OBJECT
public:
    enum class Stage { Reading, Analysing };
    Q_ENUM(Stage)
    using Reader = std::function<Result<Profile>(const std::filesystem::path&)>;

    /// `reader` replaces readAnyProfile(), for tests.
    explicit ProfileLoader(QObject* parent = nullptr, Reader reader = {});
    /// Waits a few seconds for a load that cannot be interrupted, then leaves it behind.
    ~ProfileLoader() override;

    /// Queues a file. A file that already waits is not queued twice.
    void load(const QString& path) { enqueue({path, nullptr}); }
    /// Analyses a profile that is open once more, without its file; the result comes as loaded().
    void analyseAgain(const ProfileDocument& document);
    /// How L2 and L1 are counted in what is loaded from now on.
    void setConvention(Convention convention) { m_convention = convention; }
    [[nodiscard]] Convention convention() const { return m_convention; }
    /// Forgets everything that is queued or being loaded: each gives one cancelled().
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
        std::shared_ptr<const Profile> profile;  ///< read before; null: read the file
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
