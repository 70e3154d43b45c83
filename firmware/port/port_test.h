/* Tests a port (an implementation of port.h) against the rules of port.h. Called from a board's console task. */
#ifndef PORT_TEST_H
#define PORT_TEST_H

/* Runs all tests. Returns NULL, or a description of the first failure. Takes less than a second. */
const char *port_test(void);

#endif
