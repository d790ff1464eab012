// SPDX-License-Identifier: Apache-2.0
#include "gui/models/files/file_watcher.h"

#include <QFileInfo>
#include <algorithm>

#include "gui/models/text/file_name.h"

namespace roofscope::gui {
namespace {

constexpr int kPollFactor = 3;

}  // namespace

FileWatcher::FileWatcher(QObject* parent, std::chrono::milliseconds settle) : QObject(parent) {
    m_timer.setSingleShot(true);
    m_timer.setInterval(settle);
    // Watch the folder, too: if the file is replaced, the watch on the file itself is lost.
    const auto restart = [this] { m_timer.start(); };
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, restart);
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, restart);
    connect(&m_timer, &QTimer::timeout, this, &FileWatcher::check);
    m_poll.setInterval(kPollFactor * settle);
    connect(&m_poll, &QTimer::timeout, this, &FileWatcher::check);
}

FileWatcher::State FileWatcher::look(const QString& path) {
    const std::filesystem::path file = filePath(path);
    std::error_code error;
    State state;
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    if (!error) state.modified = std::filesystem::last_write_time(file, error);
    if (!error) state.size = size;
    return state;
}

void FileWatcher::watch(const QString& path) {
    const State now = look(path);
    m_files[path] = {now, now};
    rearm();
}

void FileWatcher::forget(const QString& path) {
    m_files.remove(path);
    m_watcher.removePath(path);
    if (std::all_of(m_files.keyBegin(), m_files.keyEnd(), isUtf8FileName)) m_poll.stop();
}

void FileWatcher::rearm() {
    for (auto it = m_files.cbegin(); it != m_files.cend(); ++it) {
        if (!isUtf8FileName(it.key())) {
            if (!m_poll.isActive()) m_poll.start();
            continue;
        }
        const QFileInfo info(it.key());
        const QStringList files = m_watcher.files(), folders = m_watcher.directories();
        if (info.exists() && !files.contains(it.key())) m_watcher.addPath(it.key());
        if (!folders.contains(info.absolutePath()) && QFileInfo::exists(info.absolutePath()))
            m_watcher.addPath(info.absolutePath());
    }
}

void FileWatcher::check() {
    rearm();
    QStringList settled;
    bool moving = false;
    for (auto it = m_files.begin(); it != m_files.end(); ++it) {
        const State now = look(it.key());
        if (now == it->known) {
            it->pending = now;
        } else if (now != it->pending) {
            it->pending = now;
            moving = true;  // still being written: look again
        } else if (!now.size) {
            // The file is gone. It may come back; until then keep the open document.
        } else {
            it->known = now;
            settled.append(it.key());
        }
    }
    if (moving) m_timer.start();
    for (const QString& path : std::as_const(settled)) Q_EMIT changed(path);
}

}  // namespace roofscope::gui
