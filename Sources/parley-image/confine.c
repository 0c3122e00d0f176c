#include "picture.h"

#include <stddef.h>

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the filter is written for x86_64 and aarch64"
#endif

static int limit(__rlimit_resource_t what, rlim_t soft, rlim_t hard) {
    struct rlimit limits = {soft, hard};
    return setrlimit(what, &limits) == 0;
}

#define ALLOW(call) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

// Memory that may be written or run, but never run: the third argument must not ask for it.
#define ALLOW_UNLESS_EXECUTABLE(call) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 4), \
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])), \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1), \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

// Linux takes a group's niceness ten times a second from all who are no administrators together, and says EAGAIN in between. A
// group without it has as large a share as the server's, so that it is worth waiting for: no longer than that, since other
// helpers may have been first.
static void have_group_stand_back(int group, int niceness) {
    const struct timespec moment = {0, 10000000};
    char text[4];
    int length = snprintf(text, sizeof text, "%d", niceness);
    for (int tries = 0; write(group, text, (size_t)length) < 0 && errno == EAGAIN && tries < 12; tries += 1) nanosleep(&moment, NULL);
}

// Sending goes before pictures. Where Linux groups processes by their session, niceness counts inside of a group alone: so the
// helper has a session of its own, whose group stands back as it does. Nothing of this is needed for safety, so that what a
// system does not know is left out.
static void stand_back(int niceness) {
    // Without a session of its own it would have the server stand back.
    int group = setsid() < 0 ? -1 : open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
    if (group >= 0) {
        have_group_stand_back(group, niceness);
        close(group);
    }
    setpriority(PRIO_PROCESS, 0, niceness);
    // Since Linux 6.12 whoever asks for a shorter slice goes before as soon as it wakes up; the usual is 3 ms, and this the
    // longest that may be asked for. A short one would have the helper go before all others.
    // As `struct sched_attr` of sched_setattr(2); the policy is SCHED_BATCH.
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attributes = {.size = 48, .policy = 3, .nice = niceness, .runtime = 100000000};
    syscall(SYS_sched_setattr, 0, &attributes, 0);
}

int confine(int niceness) {
    stand_back(niceness);
    if (!limit(RLIMIT_AS, 1536ul << 20, 1536ul << 20) || !limit(RLIMIT_CPU, 10, 11) || !limit(RLIMIT_FSIZE, 0, 0)
        || !limit(RLIMIT_CORE, 0, 0) || !limit(RLIMIT_NPROC, 0, 0) || !limit(RLIMIT_NOFILE, 0, 0))
        return 0;
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 0;
    static struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        // What is open already: the socket to the server.
        ALLOW(__NR_read), ALLOW(__NR_write),
        // Memory.
        ALLOW(__NR_brk), ALLOW(__NR_munmap), ALLOW(__NR_mremap), ALLOW(__NR_madvise),
        ALLOW_UNLESS_EXECUTABLE(__NR_mmap), ALLOW_UNLESS_EXECUTABLE(__NR_mprotect),
        // The C library's own.
        ALLOW(__NR_futex), ALLOW(__NR_getrandom), ALLOW(__NR_clock_gettime), ALLOW(__NR_rt_sigreturn),
        ALLOW(__NR_restart_syscall), ALLOW(__NR_exit), ALLOW(__NR_exit_group),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {sizeof rules / sizeof rules[0], rules};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

#else

// Elsewhere it runs for those who develop, with pictures of their own.
int confine(int niceness) { return niceness >= 0; }

#endif
