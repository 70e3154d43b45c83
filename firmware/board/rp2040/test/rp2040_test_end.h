/* How the test programs end. */
#ifndef RP2040_TEST_END_H
#define RP2040_TEST_END_H

/* Prints a sentence and what the stacks had left, and ends by a semihosting call: with 0 if `failure` is NULL, then the
 * sentence is `success`; otherwise with 1, and it is `failure`. To be called from the console task. */
void rp2040_test_end(const char *success, const char *failure) __attribute__((noreturn));

#endif
