/* Intercore in an Arduino program: the benchmark for multicore microcontrollers. Its console is the Serial Monitor, and
 * its main loop is loop(). */
#ifndef INTERCORE_ARDUINO_H
#define INTERCORE_ARDUINO_H

#include <Arduino.h>

class IntercoreClass {
  public:
    /* Starts Intercore with this console, whose begin() must have been called. Call it once, in setup(). From then on
     * the console belongs to Intercore, which describes the chip and takes commands; type help. If the call returns
     * false, it has printed the reason on the console.
     *
     * The tool on the host can raise the bit rate of a HardwareSerial; `rate` is the bit rate that its begin() has set.
     * Any other Stream, such as native USB, has no bit rate. */
    bool begin(HardwareSerial &console, uint32_t rate = 115200);
    bool begin(Stream &console);

    /* Call it in loop(), and call nothing else there. While the benchmark contention is measured, the call is the
     * competitor `main`; at all other times it waits. */
    void loop();
};

extern IntercoreClass Intercore;

#endif
