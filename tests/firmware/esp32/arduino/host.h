/* Between the two halves of the fake: C++ with Arduino's classes, C with the ports. */
#ifndef HOST_H
#define HOST_H

#ifdef __cplusplus
extern "C" {
#endif

/* The other end of Serial is gone. */
void host_hang_up(void);

void framework_setup(void);
void framework_loop(void);

#ifdef __cplusplus
}
#endif

#endif
