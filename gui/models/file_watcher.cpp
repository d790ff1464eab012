// SPDX-License-Identifier: Apache-2.0
#include "gui/models/file_watcher.h"

#include <QFileInfo>

namespace roofscope::gui {

FileWatcher::FileWatcher(QObject* parent, std::chrono::milliseconds settle) : QObject(parent) {
    m_timer.setSingleShot(true);
    m_timer.setInterval(settle);
    // A replaced file is seen through its folder: the watch on the file itself dies with it.
    const auto restart = [this] { m_timer.start(); };
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, restart);
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, restart);
    connect(&m_timer, &QTimer::timeout, this, &FileWatcher::check);
}

FileWatcher::State FileWatcher::look(const QString& path) {
    const QFileInfo info(path);
    return info.exists() ? State{info.size(), info.lastModified()} : State{};
}

void FileWatcher::watch(const QString& path) {
    const State now = look(path);
    m_files[path] = {now, now};
    rearm();
}

void FileWatcher::forget(const QString& path) {
    m_files.remove(path);
    m_watcher.removePath(path);
}

void FileWatcher::rearm() {
    for (auto it = m_files.cbegin(); it != m_files.cend(); ++it) {
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
        } else if (now.size < 0) {
            // Gone. It may come back; until then what is open stays.
        } else {
            it->known = now;
            settled.append(it.key());
        }
    }
    if (moving) m_timer.start();
    for (const QString& path : std::as_const(settled)) Q_EMIT changed(path);
}

}  // namespace roofscope::gui
