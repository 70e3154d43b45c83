/* How the test programs end. */
#ifndef ESP32_TEST_END_H
#define ESP32_TEST_END_H

/* Prints a sentence, which is `success` if `failure` is NULL and otherwise `failure`, and how many bytes the stacks had
 * left at least. The program stands still then, until a reset. To be called from the console task. */
void esp32_test_end(const char *success, const char *failure);

#endif
