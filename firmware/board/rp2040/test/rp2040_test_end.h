/* End of the test programs */
#ifndef RP2040_TEST_END_H
#define RP2040_TEST_END_H

/* Prints a sentence and the unused stack, and ends with a semihosting call: with 0 and the sentence `success` if
 * `failure` is NULL; otherwise with 1 and `failure`. Call it from the console task. */
void rp2040_test_end(const char *success, const char *failure) __attribute__((noreturn));

#endif
