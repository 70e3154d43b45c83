/* The Arduino library's class. Its console is an Arduino Stream, and the main loop that it measures is the sketch's
 * loop(). */
#include <Intercore.h>
#include <string.h>

#include "intercore.h"

/* Interval at which input is polled, in milliseconds: a Stream does not signal that input has arrived. */
#define LOOK_MS 1U

IntercoreClass Intercore;

static struct intercore_console console;

/* Bit rates that common USB-to-serial adapters support; 0 ends the list */
static const uint32_t rates[] = {115200, 230400, 460800, 921600, 1000000, 1500000, 2000000, 0};

static Stream &stream_of(void *context) { return *static_cast<Stream *>(context); }

static size_t read_stream(void *context, uint8_t *buffer, size_t size, uint32_t timeout_ms) {
    Stream &stream = stream_of(context);
    for (uint32_t waited = 0; stream.available() <= 0; waited += LOOK_MS) {
        if (waited >= timeout_ms) {
            return 0;
        }
        delay(LOOK_MS); /* sleeps */
    }
    size_t count = 0;
    while (count < size && stream.available() > 0) {
        int byte = stream.read();
        if (byte < 0) {
            break;
        }
        buffer[count++] = static_cast<uint8_t>(byte);
    }
    return count;
}

/* A Stream whose other end is not connected, such as USB without a host, accepts no bytes. The write is retried until
 * it connects. */
static bool write_stream(void *context, const uint8_t *bytes, size_t size) {
    Stream &stream = stream_of(context);
    while (size > 0) {
        size_t written = stream.write(bytes, size);
        if (written == 0) {
            delay(LOOK_MS);
        }
        bytes += written;
        size -= written;
    }
    stream.flush(); /* returns when the last byte has left */
    return true;
}

/* `context` points to a HardwareSerial, but as a Stream, because read_stream() and write_stream() share it. */
static void set_rate(void *context, uint32_t bits_per_second) {
    static_cast<HardwareSerial &>(stream_of(context)).updateBaudRate(bits_per_second);
}

static bool is_choice(uint32_t rate) {
    for (const uint32_t *choice = rates; *choice != 0; choice++) {
        if (*choice == rate) {
            return true;
        }
    }
    return false;
}

static void say(Stream &stream, const char *text) {
    (void)write_stream(&stream, reinterpret_cast<const uint8_t *>(text), strlen(text));
}

static bool start(Stream &stream, const char *name, uint32_t rate) {
    if (intercore_is_running()) {
        say(stream, "Intercore is running already\r\n");
        return false;
    }
    console = {};
    console.name = name;
    console.read = read_stream;
    console.write = write_stream;
    console.context = &stream;
    if (is_choice(rate)) { /* at any other rate the host cannot change the rate */
        console.rates = rates;
        console.rate = rate;
        console.set_rate = set_rate;
    }
    struct intercore_config config = {};
    config.console = &console;
    const char *wrong = intercore_loop_open() ? intercore_start(&config) : "there is no memory for its main loop";
    if (wrong != nullptr) {
        say(stream, "Intercore cannot start: ");
        say(stream, wrong);
        say(stream, "\r\n");
    }
    return wrong == nullptr;
}

bool IntercoreClass::begin(HardwareSerial &serial, uint32_t rate) {
    return start(serial, "an Arduino HardwareSerial, looked at every millisecond", rate);
}

bool IntercoreClass::begin(Stream &stream) {
    return start(stream, "an Arduino Stream, looked at every millisecond", 0);
}

void IntercoreClass::loop() { intercore_loop(); }
