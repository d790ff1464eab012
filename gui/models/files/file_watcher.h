// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFileSystemWatcher>
#include <QMap>
#include <QObject>
#include <QTimer>
#include <filesystem>
#include <optional>

namespace roofscope::gui {

/// Says when a watched file has a new content: after it stopped changing, also when it was replaced
/// by a rename or deleted and written again.
class FileWatcher : public QObject {
    Q_OBJECT
public:
    /// `settle`: how long size and time must stay the same before changed() is sent.
    explicit FileWatcher(QObject* parent = nullptr,
                         std::chrono::milliseconds settle = std::chrono::milliseconds(300));

    /// Watches a file from its present state on.
    void watch(const QString& path);
    void forget(const QString& path);

Q_SIGNALS:
    void changed(const QString& path);

private:
    struct State {
        std::optional<std::uintmax_t> size;  ///< of a file that is there
        std::filesystem::file_time_type modified;
        bool operator==(const State&) const = default;
    };
    struct Entry {
        State known;    ///< what was last reported or present at watch()
        State pending;  ///< what the last look found
    };
    static State look(const QString& path);
    void rearm();
    void check();

    QFileSystemWatcher m_watcher;
    QTimer m_timer;
    QTimer m_poll;  ///< for names that QFileSystemWatcher cannot be given
    QMap<QString, Entry> m_files;
};

}  // namespace roofscope::gui
