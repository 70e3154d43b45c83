/* Intercore in an Arduino program: the benchmark for multicore microcontrollers, with the Serial Monitor as its console
 * and loop() as its main loop. */
#ifndef INTERCORE_ARDUINO_H
#define INTERCORE_ARDUINO_H

#include <Arduino.h>

class IntercoreClass {
  public:
    /* Starts Intercore with this console, which must have been begun; call it once, in setup(). From then on the
     * console belongs to Intercore: it describes the chip, and takes commands; type help. If it returns false, it has
     * printed the reason there.
     *
     * The tool on the host can raise the bit rate of a HardwareSerial; `rate` is the one it was begun with. Any other
     * Stream, such as native USB, has no bit rate. */
    bool begin(HardwareSerial &console, uint32_t rate = 115200);
    bool begin(Stream &console);

    /* The body of loop(), and nothing else: the competitor `main` of the benchmark contention while that is measured,
     * and a wait at all other times. */
    void loop();
};

extern IntercoreClass Intercore;

#endif
