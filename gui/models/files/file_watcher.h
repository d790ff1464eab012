// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFileSystemWatcher>
#include <QMap>
#include <QObject>
#include <QTimer>
#include <filesystem>
#include <optional>

namespace roofscope::gui {

/// Reports when a watched file has new content and has stopped changing. Also notices when it was
/// replaced by a rename, or deleted and written again.
class FileWatcher : public QObject {
    Q_OBJECT
public:
    /// `settle`: how long size and modification time must stay the same before changed() is sent.
    explicit FileWatcher(QObject* parent = nullptr,
                         std::chrono::milliseconds settle = std::chrono::milliseconds(300));

    /// Starts watching. Changes count from the file's current state.
    void watch(const QString& path);
    void forget(const QString& path);

Q_SIGNALS:
    void changed(const QString& path);

private:
    struct State {
        std::optional<std::uintmax_t> size;  ///< absent if there is no such file
        std::filesystem::file_time_type modified;
        bool operator==(const State&) const = default;
    };
    struct Entry {
        State known;    ///< as last reported, or as found by watch()
        State pending;  ///< as found by the last check
    };
    static State look(const QString& path);
    void rearm();
    void check();

    QFileSystemWatcher m_watcher;
    QTimer m_timer;
    QTimer m_poll;  ///< for file names that QFileSystemWatcher cannot handle
    QMap<QString, Entry> m_files;
};

}  // namespace roofscope::gui
