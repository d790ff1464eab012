// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/gpu/hostile_work.cuh"

extern char** environ;

/// Mischief with the process: descriptors, system calls, signals, stacks, threads, children,
/// limits.
namespace {

/// Descriptors of regular files, as links say: what the program may think is its own.
std::vector<int> fileDescriptors() {
    std::vector<int> found;
    DIR* folder = opendir("/proc/self/fd");
    if (!folder) return found;
    while (const dirent* entry = readdir(folder)) {
        const int fd = std::atoi(entry->d_name);
        if (fd < 3 || fd == dirfd(folder)) continue;
        char link[512] = {};
        const std::string path = "/proc/self/fd/" + std::to_string(fd);
        if (readlink(path.c_str(), link, sizeof link - 1) < 0) continue;
        const auto begins = [&](const char* text) {
            return !std::strncmp(link, text, std::strlen(text));
        };
        if (begins("/") && !begins("/dev/") && !begins("/proc/") && !begins("/memfd:"))
            found.push_back(fd);
    }
    closedir(folder);
    return found;
}

/// Closes files that it never opened, opens own ones (which get the same numbers), and checks at
/// the end that nobody else wrote into them.
int reuseDescriptors() {
    allocate();
    launch(2);
    finish();
    for (const int fd : fileDescriptors()) close(fd);
    char folder[] = "/tmp/hostile-own-XXXXXX";
    if (!mkdtemp(folder)) return 8;
    std::vector<int> own;
    for (int i = 0; i < 64; ++i) {
        const std::string path = std::string(folder) + "/" + std::to_string(i);
        const int fd = open(path.c_str(), O_CREAT | O_RDWR, 0600);
        if (fd < 0 || write(fd, "mine", 4) != 4) return 7;
        own.push_back(fd);
    }
    launch(20);
    finish();
    for (int i = 0; i < 200; ++i) {
        launch(1);
        usleep(1000);
    }
    finish();
    int foreign = 0;
    for (const int fd : own) {
        char text[16] = {};
        if (pread(fd, text, sizeof text, 0) != 4 || std::memcmp(text, "mine", 4) != 0) ++foreign;
        close(fd);
    }
    for (int i = 0; i < 64; ++i) unlink((std::string(folder) + "/" + std::to_string(i)).c_str());
    rmdir(folder);
    std::printf("%s\n", foreign ? "somebody wrote into my files" : "ok");
    return foreign ? 6 : 0;
}

void CUDART_CB forkInHost(void*) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
}

int filter(std::vector<unsigned> calls, unsigned answer, bool only_create = false) {
    std::vector<sock_filter> code;
    code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
    for (const unsigned call : calls) {
        if (only_create) {
            // openat(fd, path, flags): refused where flags has O_CREAT.
            code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4));
            code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])));
            code.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_CREAT, 0, 1));
            code.push_back(BPF_STMT(BPF_RET | BPF_K, answer));
            code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
        } else {
            code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
            code.push_back(BPF_STMT(BPF_RET | BPF_K, answer));
        }
    }
    code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    // For all threads: a library's are not spared.
    return static_cast<int>(
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program));
}

int sandboxed(const char* kind) {
    const unsigned deny = SECCOMP_RET_ERRNO | EPERM;
    const bool before = std::strstr(kind, "early") != nullptr;
    if (!before) {
        allocate();
        launch(2);
        finish();
    }
    int set = -1;
    if (std::strstr(kind, "create"))
        set = filter(
            {
                SYS_openat,
            },
            deny, true);
    if (std::strstr(kind, "signals"))
        set = filter({SYS_tgkill, SYS_rt_tgsigqueueinfo, SYS_process_vm_readv, SYS_ptrace,
                      SYS_perf_event_open, SYS_memfd_create, SYS_fork, SYS_vfork, SYS_execve},
                     deny);
    if (std::strstr(kind, "write"))
        set = filter({SYS_fsync, SYS_ftruncate, SYS_rename, SYS_unlink}, deny);
    if (std::strstr(kind, "kill"))
        set = filter({SYS_rt_tgsigqueueinfo, SYS_process_vm_readv, SYS_ptrace, SYS_perf_event_open,
                      SYS_tgkill},
                     SECCOMP_RET_KILL_PROCESS);
    if (set != 0) return std::printf("no seccomp here\n"), 77;
    if (before) allocate();
    for (int i = 0; i < 50; ++i) {
        launch(2);
        usleep(2000);
    }
    finish();
    std::printf("ok\n");
    return 0;
}

/// A child that stops and continues this process again and again while it launches.
int stopAndContinue() {
    allocate();
    const pid_t self = getpid();
    const pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 15; ++i) {
            kill(self, SIGSTOP);
            usleep(40'000);
            kill(self, SIGCONT);
            usleep(20'000);
        }
        _exit(0);
    }
    for (int i = 0; i < 60; ++i) {
        launch(3);
        finish();
        usleep(5000);
    }
    waitpid(child, nullptr, 0);
    std::printf("ok\n");
    return 0;
}

/// Counts calls that a signal of somebody else interrupted.
int interrupted() {
    allocate();
    int broken = 0;
    timespec pause{0, 20'000};
    for (int i = 0; i < 20'000; ++i) {
        if (i % 100 == 0) launch(1);
        if (nanosleep(&pause, nullptr) != 0 && errno == EINTR) ++broken;
        if (poll(nullptr, 0, 0) < 0 && errno == EINTR) ++broken;
        for (volatile int spin = 0; spin < 2000; spin = spin + 1) {
        }
    }
    finish();
    std::fprintf(stderr, "interrupted calls: %d\n", broken);
    std::printf("%s\n", broken ? "calls were interrupted" : "ok");
    return broken ? 6 : 0;
}

ucontext_t g_main, g_coroutine;

void onSmallStack() {
    for (int round = 0; round < 50; ++round) {
        for (volatile int i = 0; i < 3'000'000; i = i + 1) {
        }
        swapcontext(&g_coroutine, &g_main);
    }
}

/// Coroutines on small stacks with a page behind them that may not be read.
int coroutines() {
    allocate();
    constexpr std::size_t kStack = 16'384, kPage = 4096;
    char* memory = static_cast<char*>(mmap(nullptr, kStack + 2 * kPage, PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(memory, kPage, PROT_NONE);
    mprotect(memory + kPage + kStack, kPage, PROT_NONE);
    getcontext(&g_coroutine);
    g_coroutine.uc_stack.ss_sp = memory + kPage;
    g_coroutine.uc_stack.ss_size = kStack;
    g_coroutine.uc_link = &g_main;
    makecontext(&g_coroutine, onSmallStack, 0);
    for (int round = 0; round < 50; ++round) {
        launch(2);
        swapcontext(&g_main, &g_coroutine);
    }
    finish();
    std::printf("ok\n");
    return 0;
}

/// Its frame pointer and stack pointer point nowhere while it runs: nobody may follow them.
int lostFrames() {
    allocate();
    for (int round = 0; round < 100; ++round) {
        launch(2);
        asm volatile(
            "push %%rbp\n mov $0x1000, %%rbp\n mov $8000000, %%rcx\n 1: dec %%rcx\n jnz 1b\n pop "
            "%%rbp\n" ::
                : "rcx", "memory", "cc");
    }
    finish();
    std::printf("ok\n");
    return 0;
}

void ownHandler(int) {}

int ownSignals(const char* kind) {
    allocate();
    if (std::strstr(kind, "block")) {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, nullptr);
    }
    if (std::strstr(kind, "urg")) std::signal(SIGURG, ownHandler);
    if (std::strstr(kind, "timer")) {
        struct sigaction action {};
        action.sa_handler = ownHandler;
        sigaction(SIGPROF, &action, nullptr);
        sigaction(SIGALRM, &action, nullptr);
        const itimerval often{{0, 500}, {0, 500}};
        setitimer(ITIMER_PROF, &often, nullptr);
        setitimer(ITIMER_REAL, &often, nullptr);
    }
    if (std::strstr(kind, "tiny")) {
        static char tiny[4096];
        const stack_t stack{tiny, 0, sizeof tiny};
        sigaltstack(&stack, nullptr);
    }
    for (int i = 0; i < 100; ++i) {
        launch(2);
        for (volatile int spin = 0; spin < 2'000'000; spin = spin + 1) {
        }
    }
    finish();
    std::printf("ok\n");
    return 0;
}

int threadsThatEnd(int count) {
    allocate();
    std::vector<std::thread> pool;
    for (int t = 0; t < count; ++t) {
        pool.emplace_back([] { launch(1); });
        if (pool.size() == 50) {
            for (auto& thread : pool) thread.join();
            pool.clear();
        }
    }
    for (auto& thread : pool) thread.join();
    finish();
    std::printf("ok\n");
    return 0;
}

/// Four threads launch without end; the main thread leaves in its own way.
int leaveWhileLaunching(const char* kind) {
    allocate();
    for (int t = 0; t < 4; ++t)
        std::thread([] {
            for (;;) {
                work<<<kN / 256, 256>>>(g_in, g_out, kN);
                if (cudaDeviceSynchronize() != cudaSuccess) pause();
            }
        }).detach();
    usleep(300'000);
    std::printf("ok\n");
    std::fflush(stdout);
    if (!std::strcmp(kind, "leave-quick")) std::quick_exit(3);
    if (!std::strcmp(kind, "leave-_exit")) _exit(3);
    if (!std::strcmp(kind, "leave-abort")) std::abort();
    if (!std::strcmp(kind, "leave-term")) kill(getpid(), SIGTERM), pause();
    if (!std::strcmp(kind, "leave-thread")) {
        std::thread([] { usleep(200'000), _exit(4); }).detach();
        pthread_exit(nullptr);
    }
    if (!std::strcmp(kind, "leave-exec")) {
        // execve in a thread, while others launch.
        std::thread([] { execl("/bin/echo", "echo", "executed", nullptr); }).join();
    }
    return 3;
}

std::map<std::string, std::string> g_environment;

int forks(const char* kind) {
    allocate();
    if (!std::strcmp(kind, "fork-host")) {
        for (int i = 0; i < 10; ++i) {
            launch(1);
            check(cudaLaunchHostFunc(nullptr, forkInHost, nullptr), "host");
        }
        finish();
    } else if (!std::strcmp(kind, "fork-launch")) {
        launch(3);
        finish();
        const pid_t child = fork();
        if (child == 0) {
            // CUDA after fork is an error of the child, and the child's only.
            work<<<1, 32>>>(g_in, g_out, 32);
            _exit(cudaDeviceSynchronize() == cudaSuccess ? 1 : 2);
        }
        int status = 0;
        waitpid(child, &status, 0);
        launch(3);
        finish();
        std::printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    } else if (!std::strcmp(kind, "fork-storm")) {
        std::thread forker([] {
            while (!g_stop) {
                const pid_t child = fork();
                if (child == 0) _exit(0);
                if (child > 0) waitpid(child, nullptr, 0);
            }
        });
        std::thread spawner([] {
            while (!g_stop)
                if (std::system("true") != 0) break;
        });
        for (int i = 0; i < 200; ++i) {
            launch(2);
            usleep(2000);
        }
        finish();
        g_stop = true;
        forker.join();
        spawner.join();
    } else if (!std::strcmp(kind, "fork-exit")) {
        // The child runs the exit handlers of a process that it is not.
        launch(3);
        finish();
        const pid_t child = fork();
        if (child == 0) std::exit(0);
        int status = 0;
        waitpid(child, &status, 0);
        launch(3);
        finish();
        std::printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    }
    std::printf("ok\n");
    return 0;
}

int limits(const char* kind) {
    allocate();
    launch(3);
    finish();
    if (std::strstr(kind, "files")) {
        const rlimit none{3, 3};
        setrlimit(RLIMIT_NOFILE, &none);
    }
    if (std::strstr(kind, "size")) {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit none{0, 0};
        setrlimit(RLIMIT_FSIZE, &none);
    }
    if (std::strstr(kind, "xfsz")) {
        // SIGXFSZ would end the program: it writes nothing itself.
        std::signal(SIGXFSZ, SIG_DFL);
        const rlimit none{0, 0};
        setrlimit(RLIMIT_FSIZE, &none);
    }
    if (std::strstr(kind, "processes")) {
        const rlimit none{0, 0};
        setrlimit(RLIMIT_NPROC, &none);
    }
    for (int i = 0; i < 50; ++i) {
        launch(2);
        usleep(1000);
    }
    finish();
    std::printf("ok\n");
    return 0;
}

int changes(const char* kind) {
    allocate();
    launch(3);
    finish();
    if (!std::strcmp(kind, "sweep-tmp")) {
        // "rm -rf $TMPDIR/*": cleans what it thinks is its own.
        const char* folder = std::getenv("TMPDIR");
        if (folder && std::strstr(folder, "hostile") &&
            std::system(("rm -rf " + std::string(folder) + "/*").c_str()) != 0)
            return 8;
    } else if (!std::strcmp(kind, "fill-disk")) {
        // For a small disk of its own: not a byte is left while it launches, then all is free
        // again.
        const std::string path = std::string(std::getenv("TMPDIR")) + "/fill";
        const int fd = open(path.c_str(), O_CREAT | O_WRONLY, 0600);
        static char bytes[4096];
        long written = 0;
        while (write(fd, bytes, sizeof bytes) > 0 && (written += sizeof bytes) < 64'000'000) {
        }
        while (write(fd, bytes, 1) == 1 && ++written < 64'000'000) {
        }
        for (int i = 0; i < 100; ++i) {
            launch(5);
            usleep(2000);
        }
        finish();
        close(fd);
        unlink(path.c_str());
        std::fprintf(stderr, "filled %ld bytes\n", written);
    } else if (!std::strcmp(kind, "user")) {
        if (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0) return 77;
    } else if (!std::strcmp(kind, "not-dumpable")) {
        prctl(PR_SET_DUMPABLE, 0);
    } else if (!std::strcmp(kind, "chroot")) {
        if (chroot("/proc") != 0 || chdir("/") != 0) return 77;
    } else if (!std::strcmp(kind, "clearenv")) {
        clearenv();
    } else if (!std::strcmp(kind, "umask-cwd")) {
        umask(0777);
        if (chdir("/proc/self") != 0) return 77;
    }
    for (int i = 0; i < 30; ++i) {
        launch(2);
        usleep(1000);
    }
    finish();
    std::printf("ok\n");
    std::fflush(stdout);
    return 0;
}

/// Double fork and a session of its own; the parent ends at once and the daemon uses CUDA.
int daemonise() {
    if (fork() != 0) {
        usleep(100'000);
        std::printf("ok\n");
        std::fflush(stdout);
        _exit(0);
    }
    setsid();
    if (fork() != 0) _exit(0);
    allocate();
    for (int i = 0; i < 100; ++i) {
        launch(1);
        usleep(5000);
    }
    finish();
    return 0;
}

int environment() {
    allocate();
    launch(2);
    finish();
    const char* preload = std::getenv("LD_PRELOAD");
    std::printf("LD_PRELOAD=%s\n", preload ? preload : "(none)");
    return 0;
}

}  // namespace
