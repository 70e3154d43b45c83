/* End of the test programs */
#ifndef RP2_TEST_END_H
#define RP2_TEST_END_H

/* Ends a test program. Prints a sentence (`success` if `failure` is NULL, otherwise `failure`) and the size of the
 * unused stack, and makes the semihosting exit call with status 0 for success, 1 for failure. Call it in the console
 * task. */
void rp2_test_end(const char *success, const char *failure) __attribute__((noreturn));

#endif
