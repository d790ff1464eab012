// SPDX-License-Identifier: Apache-2.0
// A CUDA program that does what programs should not do, one kind of mischief for each mode. Used by
// hostile_cases.py: whatever it does, it must end with the same code and the same output when it is
// recorded. It prints "ok" where its own checks hold.
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <cupti.h>
#include <dirent.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <nvtx3/nvToolsExt.h>
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

#include <atomic>
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

extern char** environ;

namespace {

constexpr int kN = 1 << 20;

__global__ void work(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + 1.0f;
}

__global__ void slow(float* out, long long cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles) {
    }
    out[threadIdx.x] = 1.0f;
}

__global__ void trap() { asm("trap;"); }

void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::printf("%s: %s\n", what, cudaGetErrorString(error));
    std::fflush(stdout);
    _exit(9);
}

float *g_in = nullptr, *g_out = nullptr;

void allocate() {
    check(cudaMalloc(&g_in, kN * sizeof(float)), "cudaMalloc");
    check(cudaMalloc(&g_out, kN * sizeof(float)), "cudaMalloc");
    check(cudaMemset(g_in, 0, kN * sizeof(float)), "cudaMemset");
}

void launch(int times = 1, cudaStream_t stream = nullptr) {
    for (int i = 0; i < times; ++i) work<<<kN / 256, 256, 0, stream>>>(g_in, g_out, kN);
    check(cudaGetLastError(), "work");
}

void finish() { check(cudaDeviceSynchronize(), "sync"); }

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

std::atomic<bool> g_stop{false};

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

struct Cupti {
    void* library = nullptr;
    template <class F>
    F* get(const char* name) const {
        return reinterpret_cast<F*>(dlsym(library, name));
    }
    Cupti() {
        for (const char* name :
             {"libcupti.so.13", "/usr/local/cuda/lib64/libcupti.so.13",
              "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13", "libcupti.so.12", "libcupti.so"})
            if (!library) library = dlopen(name, RTLD_NOW);
    }
};

void CUPTIAPI requested(uint8_t** buffer, size_t* size, size_t* records) {
    *size = 1 << 20;
    *buffer = static_cast<uint8_t*>(aligned_alloc(8, *size));
    *records = 0;
}
std::atomic<std::size_t> g_bytes{0};
void CUPTIAPI completed(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
    g_bytes += valid;
    std::free(buffer);
}
void CUPTIAPI onCall(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

/// Uses CUPTI itself. Whether it gets it may differ under a profiler: it goes on in any case.
int ownCupti(const char* kind) {
    const Cupti cupti;
    if (!cupti.library) return std::printf("no CUPTI here\n"), 77;
    auto* subscribe = cupti.get<decltype(cuptiSubscribe)>("cuptiSubscribe");
    auto* callbacks =
        cupti.get<decltype(cuptiActivityRegisterCallbacks)>("cuptiActivityRegisterCallbacks");
    auto* enable = cupti.get<decltype(cuptiActivityEnable)>("cuptiActivityEnable");
    auto* flush = cupti.get<decltype(cuptiActivityFlushAll)>("cuptiActivityFlushAll");
    auto* finalize = cupti.get<decltype(cuptiFinalize)>("cuptiFinalize");
    if (std::strstr(kind, "late")) {
        allocate();
        launch(3);
        finish();
    }
    CUpti_SubscriberHandle handle = nullptr;
    if (std::strstr(kind, "subscribe")) subscribe(&handle, onCall, nullptr);
    if (std::strstr(kind, "activity")) {
        callbacks(requested, completed);
        enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
        enable(CUPTI_ACTIVITY_KIND_MEMCPY);
    }
    if (!std::strstr(kind, "late")) allocate();
    launch(10);
    finish();
    flush(1);
    if (std::strstr(kind, "finalize")) finalize();
    launch(10);
    finish();
    std::fprintf(stderr, "own CUPTI got %zu bytes\n", g_bytes.load());
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

int ranges(const char* kind) {
    allocate();
    const std::string bad[] = {"\x1b]0;owned\x07\x1b[2J",
                               "a`b``c```d",
                               "<script>alert(1)</script>",
                               "| a | b |\n|---|---|",
                               "[x](javascript:alert(1))",
                               "\xff\xfe\xc0\x80",
                               "\"},{\"evil\":1",
                               "line\r\nbreak",
                               "%s%n%p",
                               "../../../etc/passwd",
                               "\xe2\x80\xae"
                               "esrever",
                               "# heading",
                               std::string(1 << 20, 'x'),
                               "",
                               "roofscope:autotuning2",
                               "a/b/c",
                               "=cmd|' /C calc'!A0"};
    if (!std::strcmp(kind, "nvtx-names")) {
        for (int i = 0; i < 3; ++i)
            for (const auto& name : bad) {
                nvtxRangePushA(name.c_str());
                launch(1);
                nvtxRangePop();
            }
        nvtxRangePushA(nullptr);
        launch(1);
        nvtxRangePop();
    } else if (!std::strcmp(kind, "nvtx-deep")) {
        for (int i = 0; i < 100'000; ++i) nvtxRangePushA("deeper");
        launch(3);
        for (int i = 0; i < 200'000; ++i) nvtxRangePop();
        launch(3);
        for (int i = 0; i < 1000; ++i) nvtxRangeEnd(static_cast<nvtxRangeId_t>(i) * 7919u);
    } else if (!std::strcmp(kind, "nvtx-many-names")) {
        for (int i = 0; i < 200'000; ++i) {
            nvtxRangePushA(("name " + std::to_string(i)).c_str());
            if (i % 1000 == 0) launch(1);
            nvtxRangePop();
        }
    } else if (!std::strcmp(kind, "nvtx-attributes")) {
        // A handle that nobody registered, a size that is no size, a type that does not exist.
        nvtxEventAttributes_t attributes{};
        attributes.version = NVTX_VERSION;
        attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
        attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
        attributes.message.ascii = "fine";
        nvtxRangePushEx(&attributes);
        launch(1);
        nvtxRangePop();
        attributes.messageType = 77;
        nvtxRangePushEx(&attributes);
        launch(1);
        nvtxRangePop();
        attributes.messageType = NVTX_MESSAGE_UNKNOWN;
        attributes.message.ascii = nullptr;
        nvtxRangePushEx(&attributes);
        launch(1);
        nvtxRangePop();
        attributes.messageType = NVTX_MESSAGE_TYPE_UNICODE;
        attributes.message.unicode = L"wide \x202e \U0001F600";
        nvtxRangePushEx(&attributes);
        launch(1);
        nvtxRangePop();
        nvtxDomainHandle_t domain = nvtxDomainCreateA("mine");
        attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
        attributes.message.registered = nvtxDomainRegisterStringA(domain, "registered");
        nvtxDomainRangePushEx(domain, &attributes);
        launch(1);
        nvtxDomainRangePop(domain);
        std::vector<std::thread> pool;
        for (int t = 0; t < 4; ++t)
            pool.emplace_back([&] {
                for (int i = 0; i < 500; ++i) {
                    nvtxDomainRangePushEx(domain, &attributes);
                    nvtxDomainRangePop(domain);
                }
            });
        for (auto& thread : pool) thread.join();
        nvtxDomainDestroy(domain);
        launch(1);
    }
    finish();
    std::printf("ok\n");
    return 0;
}

void graphStorm(int threads) {
    allocate();
    std::vector<std::thread> pool;
    for (int t = 0; t < threads; ++t)
        pool.emplace_back([] {
            cudaStream_t stream;
            check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
            for (int round = 0; round < 5; ++round) {
                cudaGraph_t graph;
                check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin");
                launch(4, stream);
                check(cudaStreamEndCapture(stream, &graph), "end");
                cudaGraphExec_t exec;
                check(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
                for (int i = 0; i < 3; ++i) check(cudaGraphLaunch(exec, stream), "graph");
                check(cudaGraphExecDestroy(exec), "destroy while it runs");
                check(cudaGraphDestroy(graph), "destroy");
            }
            check(cudaStreamSynchronize(stream), "sync");
        });
    for (auto& thread : pool) thread.join();
    finish();
    std::printf("ok\n");
}

int contexts() {
    cuInit(0);
    CUdevice device;
    cuDeviceGet(&device, 0);
    int good = 0;
    for (int i = 0; i < 12; ++i) {
        CUcontext context;
#if CUDA_VERSION >= 13000
        if (cuCtxCreate(&context, nullptr, 0, device) != CUDA_SUCCESS) return 8;
#else
        if (cuCtxCreate(&context, 0, device) != CUDA_SUCCESS) return 8;
#endif
        CUdeviceptr memory;
        good += cuMemAlloc(&memory, 4096) == CUDA_SUCCESS &&
                cuMemsetD32(memory, 1, 1024) == CUDA_SUCCESS;
        slow<<<1, 32>>>(reinterpret_cast<float*>(memory), 1000);
        good += cudaGetLastError() == cudaSuccess;
        if (cuCtxDestroy(context) != CUDA_SUCCESS) return 7;  // without waiting
    }
    std::printf("%s %d\n", good == 24 ? "ok" : "failed", good);
    return good == 24 ? 0 : 6;
}

/// Another thread resets the device while this one launches: errors are expected, an end is not.
int resetBeside() {
    allocate();
    std::thread other([] {
        for (int i = 0; i < 3; ++i) {
            usleep(50'000);
            cudaDeviceReset();
        }
        g_stop = true;
    });
    while (!g_stop) {
        float* memory = nullptr;
        if (cudaMalloc(&memory, 4096) != cudaSuccess) continue;
        slow<<<1, 32>>>(memory, 1000);
        cudaDeviceSynchronize();
        cudaGetLastError();
    }
    other.join();
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

/// A kernel whose name has 60,000 letters, and one with all that PTX allows.
int longNames() {
    cuInit(0);
    check(cudaFree(nullptr), "init");
    const std::string names[] = {std::string(60'000, 'k'), "_Z$$_$", "_ZN1a1bIXadL_ZEEEv",
                                 "$__proto__"};
    for (const auto& name : names) {
        const std::string ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry " +
                                name + "() { ret; }\n";
        CUmodule module;
        CUfunction function;
        if (cuModuleLoadData(&module, ptx.c_str()) != CUDA_SUCCESS) continue;
        if (cuModuleGetFunction(&function, module, name.c_str()) != CUDA_SUCCESS) continue;
        for (int i = 0; i < 3; ++i)
            cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr);
        cuCtxSynchronize();
        cuModuleUnload(module);
    }
    std::printf("ok\n");
    return 0;
}

/// The same names one by one: "name-0" to "name-3".
int oneName(int which) {
    check(cudaFree(nullptr), "init");
    const std::string names[] = {std::string(60'000, 'k'), "_Z$$_$", "_ZN1a1bIXadL_ZEEEv",
                                 "$__proto__"};
    const std::string ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry " +
                            names[which] + "() { ret; }\n";
    CUmodule module;
    CUfunction function;
    if (cuModuleLoadData(&module, ptx.c_str()) != CUDA_SUCCESS) return 8;
    if (cuModuleGetFunction(&function, module, names[which].c_str()) != CUDA_SUCCESS) return 7;
    for (int i = 0; i < 3; ++i) {
        cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr);
        cuCtxSynchronize();
    }
    std::printf("ok\n");
    return 0;
}

/// Modules are loaded and unloaded without end, so that handles come again for other kernels.
int moduleStorm() {
    check(cudaFree(nullptr), "init");
    for (int i = 0; i < 60; ++i) {
        const std::string name = "kernel_" + std::to_string(i);
        const std::string ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry " +
                                name + "() { ret; }\n";
        CUmodule module;
        CUfunction function;
        if (cuModuleLoadData(&module, ptx.c_str()) != CUDA_SUCCESS) return 8;
        if (cuModuleGetFunction(&function, module, name.c_str()) != CUDA_SUCCESS) return 7;
        cuLaunchKernel(function, 1, 1, 1, 32 + i, 1, 1, 0, nullptr, nullptr, nullptr);
        cuModuleUnload(module);
    }
    finish();
    std::printf("ok\n");
    return 0;
}

int switches() {
    allocate();
    std::vector<std::thread> pool;
    for (int t = 0; t < 4; ++t)
        pool.emplace_back([] {
            for (int i = 0; i < 100; ++i) {
                cudaProfilerStart();
                launch(1);
                cudaProfilerStop();
            }
        });
    for (auto& thread : pool) thread.join();
    finish();
    std::printf("ok\n");
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

struct AtStart {
    AtStart() {
        const char* mode = std::getenv("HOSTILE_STATIC");
        if (!mode) return;
        allocate();
        launch(3);
        finish();
    }
    ~AtStart() {
        if (!std::getenv("HOSTILE_STATIC")) return;
        work<<<kN / 256, 256>>>(g_in, g_out, kN);
        cudaDeviceSynchronize();
    }
} at_start;

void inAtExit() {
    work<<<kN / 256, 256>>>(g_in, g_out, kN);
    cudaDeviceSynchronize();
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
}

/// Appends where a crash happened to the file in HOSTILE_TRACE.
void traceCrashes() {
    struct sigaction action {};
    action.sa_handler = [](int signal) {
        const int file = open(std::getenv("HOSTILE_TRACE"), O_WRONLY | O_CREAT | O_APPEND, 0600);
        void* frames[60];
        backtrace_symbols_fd(frames, backtrace(frames, 60), file);
        std::signal(signal, SIG_DFL);
        raise(signal);
    };
    void* frames[1];
    backtrace(frames, 1);  // loads what the handler needs
    sigaction(SIGSEGV, &action, nullptr);
    sigaction(SIGABRT, &action, nullptr);
}

}  // namespace

// As a library it can be another tool's, which does nothing.
extern "C" int InitializeInjection() { return 1; }

// For Python through ctypes.
extern "C" int hostile_launch(int times) {
    if (!g_in) allocate();
    launch(times);
    finish();
    return 0;
}

int main(int argc, char** argv) {
    if (std::getenv("HOSTILE_TRACE")) traceCrashes();
    const std::string mode = argc > 1 ? argv[1] : "plain";
    const auto begins = [&](const char* word) { return mode.rfind(word, 0) == 0; };
    if (mode == "reuse-descriptors") return reuseDescriptors();
    if (begins("seccomp")) return sandboxed(mode.c_str());
    if (mode == "stop") return stopAndContinue();
    if (begins("cupti")) return ownCupti(mode.c_str());
    if (mode == "interrupted") return interrupted();
    if (mode == "coroutines") return coroutines();
    if (mode == "lost-frames") return lostFrames();
    if (begins("signals")) return ownSignals(mode.c_str());
    if (mode == "threads") return threadsThatEnd(2000);
    if (begins("leave")) return leaveWhileLaunching(mode.c_str());
    if (begins("fork")) return forks(mode.c_str());
    if (begins("nvtx")) return ranges(mode.c_str());
    if (mode == "graphs") return graphStorm(4), 0;
    if (mode == "graphs-of-one-thread") return graphStorm(1), 0;
    if (mode == "contexts") return contexts();
    if (mode == "reset-beside") return resetBeside();
    if (begins("limit")) return limits(mode.c_str());
    if (begins("change-")) return changes(mode.c_str() + 7);
    if (mode == "daemon") return daemonise();
    if (mode == "long-names") return longNames();
    if (begins("name-")) return oneName(mode.back() - '0');
    if (mode == "modules") return moduleStorm();
    if (mode == "switches") return switches();
    if (mode == "environment") return environment();
    if (mode == "close-early") {
        for (int fd = 3; fd < 1024; ++fd) close(fd);
        allocate();
        launch(3);
        finish();
        std::printf("ok\n");
        return 0;
    }
    if (mode == "close-standard") {
        close(0), close(1), close(2);
        allocate();
        launch(3);
        finish();
        return 4;
    }
    if (mode == "clear-then-init") {
        clearenv();
        allocate();
        launch(3);
        finish();
        std::printf("ok\n");
        return 0;
    }
    if (mode == "at-exit") std::atexit(inAtExit);
    allocate();
    const int times = argc > 2 ? std::atoi(argv[2]) : 5;
    launch(times);
    finish();
    if (mode == "trap") {
        trap<<<1, 32>>>();
        return cudaDeviceSynchronize() == cudaSuccess ? 0 : 5;
    }
    std::printf("ok\n");
    return argc > 3 ? std::atoi(argv[3]) : 0;
}
