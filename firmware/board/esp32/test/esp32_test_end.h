/* End of the test programs */
#ifndef ESP32_TEST_END_H
#define ESP32_TEST_END_H

/* Ends a test program. Prints `success` if `failure` is NULL, otherwise `failure`, and then the least unused stack in
 * bytes. The program then stops until a reset. Call it in the console task. */
void esp32_test_end(const char *success, const char *failure);

#endif
