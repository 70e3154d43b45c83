/* Loaded before the program: what serves interrupts looks for one only some time after it has handled the last, and all
 * of that time passes between the start of a task and that of the next. */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LATE_US 20000

int sigsuspend(const sigset_t *mask) {
    usleep(LATE_US);
    return (int)syscall(SYS_rt_sigsuspend, mask, _NSIG / 8);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*entry)(void *), void *arg) {
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
    int error = create(thread, attributes, entry, arg);
    usleep(2 * LATE_US);
    return error;
}
