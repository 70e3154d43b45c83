/* As much of Arduino's core as the library uses, for this machine: a Serial that is standard input and output. It ends
 * the program when it is used in a way that the real one would not bear. */
#ifndef ARDUINO_H
#define ARDUINO_H

#include <stddef.h>
#include <stdint.h>

void setup();
void loop();

/* Sleeps. */
void delay(uint32_t ms);

class Print {
  public:
    virtual ~Print() {}
    virtual size_t write(const uint8_t *bytes, size_t size) = 0;
};

class Stream : public Print {
  public:
    virtual int available() = 0;
    virtual int read() = 0;
    virtual int peek() = 0;
    virtual void flush() = 0;
};

class HardwareSerial : public Stream {
  public:
    void begin(unsigned long baud);
    void updateBaudRate(unsigned long baud);
    size_t write(const uint8_t *bytes, size_t size) override;
    int available() override;
    int read() override;
    int peek() override;
    void flush() override;
};

extern HardwareSerial Serial;

#endif
