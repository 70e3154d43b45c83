// Four bytes for a device that does not answer, 100 times by I2C0 at 100 kbit/s: each ends with the address.
#include "accuracy.h"

#define I2C0 0x40044000u
#define IC_CON REGISTER(I2C0 + 0x00)
#define IC_TAR REGISTER(I2C0 + 0x04)
#define IC_DATA_CMD REGISTER(I2C0 + 0x10)
#define IC_FS_SCL_HCNT REGISTER(I2C0 + 0x1c)
#define IC_FS_SCL_LCNT REGISTER(I2C0 + 0x20)
#define IC_RAW_INTR_STAT REGISTER(I2C0 + 0x34)
#define IC_RX_TL REGISTER(I2C0 + 0x38)
#define IC_TX_TL REGISTER(I2C0 + 0x3c)
#define IC_CLR_TX_ABRT REGISTER(I2C0 + 0x54)
#define IC_CLR_STOP_DET REGISTER(I2C0 + 0x60)
#define IC_ENABLE REGISTER(I2C0 + 0x6c)
#define IC_SDA_HOLD REGISTER(I2C0 + 0x7c)
#define IC_TX_ABRT_SOURCE REGISTER(I2C0 + 0x80)
#define IC_FS_SPKLEN REGISTER(I2C0 + 0xa0)
#define PAD(pin) REGISTER(0x4001c004 + 4 * (pin))
enum {
    RESET_I2C0 = 1 << 3,
    FUNCTION_I2C = 3,
    SDA = 8,
    SCL = 9,
    TX_EMPTY = 1 << 4,
    STOP_DETECTED = 1 << 9,
    STOP = 1 << 9,
    PERIOD = 1250, // of 100 kbit/s, in cycles
    PULLED_UP = 0x5a,
};

static int write(uint32_t address, const uint8_t *bytes, uint32_t count) {
    IC_ENABLE = 0;
    IC_TAR = address;
    IC_ENABLE = 1;
    for (uint32_t i = 0; i < count; i++) {
        const int last = i == count - 1;
        IC_DATA_CMD = (uint32_t)(last ? STOP : 0) | bytes[i];
        while ((IC_RAW_INTR_STAT & TX_EMPTY) == 0) {
        }
        const int aborted = IC_TX_ABRT_SOURCE != 0;
        if (aborted) {
            (void)IC_CLR_TX_ABRT;
        }
        if (aborted || last) {
            while ((IC_RAW_INTR_STAT & STOP_DETECTED) == 0) {
            }
            (void)IC_CLR_STOP_DET;
        }
        if (aborted) {
            return 0;
        }
    }
    return 1;
}

void example(void) {
    speed_flash_up();
    release(RESET_I2C0);
    IC_ENABLE = 0;
    IC_CON = 1 << 8 | 1 << 6 | 1 << 5 | 2 << 1 | 1; // TX_EMPTY when sent; no slave; restarts; fast mode; master
    IC_TX_TL = 0;
    IC_RX_TL = 0;
    IC_FS_SCL_LCNT = PERIOD * 3 / 5;
    IC_FS_SCL_HCNT = PERIOD - PERIOD * 3 / 5;
    IC_FS_SPKLEN = PERIOD * 3 / 5 / 16;
    IC_SDA_HOLD = 38; // 300 ns
    IC_ENABLE = 1;
    GPIO_CTRL(SDA) = FUNCTION_I2C;
    GPIO_CTRL(SCL) = FUNCTION_I2C;
    PAD(SDA) = PULLED_UP;
    PAD(SCL) = PULLED_UP;
    const uint8_t bytes[] = {'f', 'o', 'u', 'r'};
    const Moment begin = now();
    for (int i = 0; i < 100; i++) {
        if (write(0x42, bytes, sizeof bytes)) {
            print("wrong\n");
        }
    }
    print_number("100 writes:", cycles_since(begin));
}
