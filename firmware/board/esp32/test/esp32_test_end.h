/* End of the test programs */
#ifndef ESP32_TEST_END_H
#define ESP32_TEST_END_H

/* Prints a sentence, `success` if `failure` is NULL and otherwise `failure`, and the least unused stack in bytes. The
 * program then stops until a reset. Call it from the console task. */
void esp32_test_end(const char *success, const char *failure);

#endif
