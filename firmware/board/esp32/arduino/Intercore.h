/* Intercore, the benchmark for multicore microcontrollers, as an Arduino library. Its console is the Serial Monitor,
 * and the main loop that it measures is the sketch's loop(). */
#ifndef INTERCORE_ARDUINO_H
#define INTERCORE_ARDUINO_H

#include <Arduino.h>

class IntercoreClass {
  public:
    /* Starts Intercore on a console. Call the console's own begin() first, and this function once, in setup(). From
     * then on only Intercore uses the console: it prints a description of the chip and takes commands, such as `help`.
     * If the call returns false, it has printed the reason on the console.
     *
     * The tool on the host can raise the bit rate of a HardwareSerial; `rate` is the bit rate that its begin() has set.
     * Any other Stream, such as native USB, has no bit rate. */
    bool begin(HardwareSerial &console, uint32_t rate = 115200);
    bool begin(Stream &console);

    /* Call it in loop(), and call nothing else there. While the benchmark `contention` runs, the call does the work of
     * the competitor `main`; at all other times it waits. */
    void loop();
};

extern IntercoreClass Intercore;

#endif
