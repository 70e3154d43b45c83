/* PORT_SHARED (port.h) if each core has its own image. It puts each variable into a named section; the linker sorts the
 * sections by name, so they have the same order in both images. This is a separate header, because users' files include
 * nothing else of the port. */
#ifndef PORT_SHARED_H
#define PORT_SHARED_H

#define PORT_SHARED(name) __attribute__((section(".shared." #name)))

#endif
