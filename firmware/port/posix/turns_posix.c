/* Time slicing. The policy SCHED_RR has one time slice for the whole system, 100 ms, so in a few hundred milliseconds
 * each task would have the core only about once. Therefore the threads' policy is SCHED_FIFO, and each thread has a
 * timer that counts its own processor time. When the timer expires, the thread yields to tasks of equal priority, if
 * there are any. */
#include "turns_posix.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#define TURN_SIGNAL SIGVTALRM
#define NS_PER_MS 1000000L

#if !defined(sigev_notify_thread_id) /* glibc before 2.38 does not define this name */
#define sigev_notify_thread_id _sigev_un._tid
#endif

static __thread timer_t turn;

static void yields(int signal) {
    (void)signal;
    int kept = errno;
    sched_yield();
    errno = kept;
}

bool turns_posix_begin(void) {
    struct sigaction action = {.sa_handler = yields, .sa_flags = SA_RESTART};
    struct sigevent event = {
        .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = TURN_SIGNAL, .sigev_notify_thread_id = gettid()};
    struct timespec length = {.tv_nsec = TURNS_POSIX_MS * NS_PER_MS};
    struct itimerspec always = {.it_interval = length, .it_value = length};
    if (sigaction(TURN_SIGNAL, &action, NULL) != 0 || timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &turn) != 0) {
        return false;
    }
    return timer_settime(turn, 0, &always, NULL) == 0;
}

void turns_posix_end(void) { timer_delete(turn); }
