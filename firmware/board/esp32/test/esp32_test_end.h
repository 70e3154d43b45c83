/* End of the test programs */
#ifndef ESP32_TEST_END_H
#define ESP32_TEST_END_H

/* Reports the result of a test program: prints `success` if `failure` is NULL, otherwise `failure`, and then the
 * smallest amount of stack, in bytes, that any task has left unused. Call it in the console task, as the last
 * action. */
void esp32_test_end(const char *success, const char *failure);

#endif
