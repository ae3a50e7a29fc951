// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/process_tree.h"

#include <QDirIterator>
#include <QFileInfo>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ridgeline {

namespace {

struct Stat {
    qint64 pid = 0, parent = 0, threads = 0, residentPages = 0;
    uid_t owner = 0;
};

/// proc(5): fields of /proc/PID/stat after the command name, which may hold spaces and brackets.
bool readStat(const char* pid, Stat& stat)
{
    char path[300];
    std::snprintf(path, sizeof path, "/proc/%s/stat", pid);
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    char text[1024];
    const ssize_t got = ::read(fd, text, sizeof text - 1);
    struct stat owner {};
    const bool known = ::fstat(fd, &owner) == 0;
    ::close(fd);
    if (got <= 0 || !known)
        return false;
    text[got] = 0;
    const char* after = std::strrchr(text, ')');
    if (after == nullptr)
        return false;
    long long parent = 0, threads = 0, pages = 0;
    if (std::sscanf(after + 1,
                    " %*c %lld %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %lld "
                    "%*d %*u %*u %lld",
                    &parent, &threads, &pages) != 3)
        return false;
    stat = {std::atoll(pid), parent, threads, pages, owner.st_uid};
    return true;
}

std::vector<Stat> allProcesses()
{
    std::vector<Stat> processes;
    const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir("/proc"), ::closedir);
    while (dir) {
        const dirent* entry = ::readdir(dir.get());
        if (entry == nullptr)
            break;
        Stat stat;
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && readStat(entry->d_name, stat))
            processes.push_back(stat);
    }
    return processes;
}

} // namespace

TreeUse treeUse(qint64 root)
{
    const std::vector<Stat> processes = allProcesses();
    std::unordered_multimap<qint64, const Stat*> byParent;
    for (const Stat& stat : processes)
        byParent.emplace(stat.parent, &stat);
    TreeUse use;
    const qint64 page = ::sysconf(_SC_PAGESIZE);
    std::vector<qint64> open{root};
    std::unordered_set<qint64> seen{root};
    while (!open.empty()) {
        const qint64 parent = open.back();
        open.pop_back();
        const auto [first, last] = byParent.equal_range(parent);
        for (auto it = first; it != last; ++it) {
            if (!seen.insert(it->second->pid).second)
                continue;
            ++use.processes;
            use.residentBytes += it->second->residentPages * page;
            open.push_back(it->second->pid);
        }
    }
    return use;
}

qint64 threadsOfUser()
{
    qint64 threads = 0;
    for (const Stat& stat : allProcesses()) {
        if (stat.owner == ::getuid())
            threads += stat.threads;
    }
    return threads;
}

qint64 folderBytes(const QString& folder, qint64 enough)
{
    qint64 bytes = 0;
    int entries = 0;
    QDirIterator it(folder, QDir::Files | QDir::Hidden | QDir::NoSymLinks | QDir::NoDotAndDotDot,
                    QDirIterator::Subdirectories);
    while (it.hasNext() && bytes <= enough) {
        it.next();
        bytes += it.fileInfo().size();
        // A million empty files is also a way to fill a disk.
        if (++entries > 100000)
            return enough + 1;
    }
    return bytes;
}

} // namespace ridgeline
