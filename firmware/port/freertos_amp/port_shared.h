/* PORT_SHARED (port.h) between two programs: named sections, which the linker sorts by name, so that both images have
 * the same order. A separate header, because users' files include nothing else of the port. */
#ifndef PORT_SHARED_H
#define PORT_SHARED_H

#define PORT_SHARED(name) __attribute__((section(".shared." #name)))

#endif
