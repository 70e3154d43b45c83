// USB echo: a serial port over USB that sends back what it gets, in capital letters, up to a line end. Core 0 is the
// device, which the host configures; core 1 turns letters into capitals. A packet has up to 64 bytes: a line of 71
// comes and goes in two.
//
// Registers and memory of the controller: datasheet 4.1.2.5 and 4.1.4. Requests and descriptors: USB 2.0, chapter 9.
#include "chip.h"

#define CLEAR 0x3000u // alias that clears bits, 2.1.2
#define RESETS 0x4000c000u
#define RESETS_RESET_DONE REGISTER(RESETS + 8)
#define RESET_PLL_USB (1u << 13)
#define RESET_USBCTRL (1u << 24)
#define CLK_USB_CTRL REGISTER(0x40008054)
#define PLL_USB 0x4002c000u

#define DPRAM 0x50100000u
#define EP1_OUT_CONTROL REGISTER(DPRAM + 0x0c)
#define EP2_IN_CONTROL REGISTER(DPRAM + 0x10)
#define EP_BULK (1u << 31 | 1u << 29 | 2u << 26) // enabled, an interrupt for each buffer
#define EP0_IN (DPRAM + 0x80)
#define EP0_OUT (DPRAM + 0x84)
#define EP1_OUT (DPRAM + 0x8c)
#define EP2_IN (DPRAM + 0x90)
#define FULL (1u << 15)
#define DATA1 (1u << 13)
#define STALL (1u << 11)
#define AVAILABLE (1u << 10)
#define LENGTH 0x3ffu
#define PACKET 64u
enum { EP0_BUFFER = 0x100, EP1_BUFFER = 0x180, EP2_BUFFER = 0x1c0 };

#define USB 0x50110000u
#define ADDR_ENDP REGISTER(USB)
#define MAIN_CTRL REGISTER(USB + 0x40)
#define SIE_CTRL REGISTER(USB + 0x4c)
#define SIE_STATUS REGISTER(USB + 0x50)
#define BUFF_STATUS REGISTER(USB + 0x58)
#define EP_STALL_ARM REGISTER(USB + 0x68)
#define USB_MUXING REGISTER(USB + 0x74)
#define USB_PWR REGISTER(USB + 0x78)
#define INTE REGISTER(USB + 0x90)
#define INTS REGISTER(USB + 0x98)
enum { INT_BUFF_STATUS = 1 << 4, INT_BUS_RESET = 1 << 12, INT_SETUP_REQ = 1 << 16, IRQ_USBCTRL = 5 };

static const uint8_t device[18] = {18, 1, 0, 2, 2, 0, 0, PACKET, 0xff, 0xff, 1, 0, 0, 1, 0, 0, 0, 1};
// Two interfaces, of control (CDC ACM) and of data, with a bulk end point each way; the union of both (CDC 1.2,
// 5.2.3.2).
// clang-format off
static const uint8_t configuration[46] = {
    9, 2, 46, 0, 2, 1, 0, 0x80, 50,                       //
    9, 4, 0, 0, 0, 2, 2, 0, 0, 5, 0x24, 6, 0, 1,          //
    9, 4, 1, 0, 2, 10, 0, 0, 0,                           //
    7, 5, 0x01, 2, PACKET, 0, 0, 7, 5, 0x82, 2, PACKET, 0, 0};
// clang-format on

static volatile uint8_t *memory(uint32_t offset) { return (volatile uint8_t *)(uintptr_t)(DPRAM + offset); }

// Gives a buffer to the controller: AVAILABLE comes last (4.1.2.5.1).
static void give(uint32_t control, uint32_t value) {
    REGISTER(control) = value;
    __asm__ volatile("nop; nop; nop");
    REGISTER(control) = value | AVAILABLE;
}

// What is still to be sent to the host by end point 0, and whether the next packet is DATA1.
static const uint8_t *answer;
static uint32_t answer_left, answer_pid;
static uint32_t new_address;
// Bytes that end point 1 has got; that the packet of end point 2 is gone.
static volatile uint32_t got, sent;

static void send_answer(void) {
    const uint32_t length = answer_left < PACKET ? answer_left : PACKET;
    for (uint32_t i = 0; i < length; i++) {
        memory(EP0_BUFFER)[i] = *answer++;
    }
    answer_left -= length;
    give(EP0_IN, FULL | answer_pid | length);
    answer_pid ^= DATA1;
}

static void start_answer(const uint8_t *bytes, uint32_t count, uint32_t wanted) {
    answer = bytes;
    answer_left = count < wanted ? count : wanted;
    answer_pid = DATA1;
    send_answer();
}

static void handle_setup(void) {
    const volatile uint8_t *setup = memory(0);
    const uint32_t wanted = setup[6] | (uint32_t)setup[7] << 8;
    switch (setup[0] << 8 | setup[1]) {
    case 0x8006: // GET_DESCRIPTOR
        if (setup[3] == 1) {
            start_answer(device, sizeof device, wanted);
        } else if (setup[3] == 2) {
            start_answer(configuration, sizeof configuration, wanted);
        } else {
            EP_STALL_ARM = 1;
            REGISTER(EP0_IN) = STALL;
        }
        return;
    case 0x0005: // SET_ADDRESS: from after the status stage on
        new_address = setup[2];
        break;
    case 0x0009: // SET_CONFIGURATION
        EP1_OUT_CONTROL = EP_BULK | EP1_BUFFER;
        EP2_IN_CONTROL = EP_BULK | EP2_BUFFER;
        give(EP1_OUT, PACKET);
        break;
    case 0x2120: // SET_LINE_CODING: data follows
        give(EP0_OUT, DATA1 | PACKET);
        return;
    default:
        break;
    }
    start_answer(0, 0, 0);
}

static void handle_buffers(void) {
    const uint32_t done = BUFF_STATUS;
    BUFF_STATUS = done;
    if (done & 1) {
        if (new_address != 0) {
            ADDR_ENDP = new_address;
            new_address = 0;
        }
        if (answer_left > 0) {
            send_answer();
        } else {
            give(EP0_OUT, DATA1 | PACKET);
        }
    }
    if (done & 1 << 1 && (REGISTER(EP0_OUT) & LENGTH) > 0) {
        start_answer(0, 0, 0);
    }
    if (done & 1 << 3) {
        got = REGISTER(EP1_OUT) & LENGTH;
    }
    if (done & 1 << 4) {
        sent = 1;
    }
}

static void handler(void) {
    const uint32_t interrupts = INTS;
    if (interrupts & INT_BUS_RESET) {
        SIE_STATUS = 1 << 19;
        ADDR_ENDP = 0;
    }
    if (interrupts & INT_SETUP_REQ) {
        SIE_STATUS = 1 << 17;
        handle_setup();
    }
    if (interrupts & INT_BUFF_STATUS) {
        handle_buffers();
    }
}

static void start_usb(void) {
    REGISTER(RESETS + CLEAR) = RESET_PLL_USB | RESET_USBCTRL;
    while ((RESETS_RESET_DONE & RESET_USBCTRL) == 0) {
    }
    REGISTER(PLL_USB + 8) = 100;
    REGISTER(PLL_USB + 4 + CLEAR) = 1 << 5 | 1 << 0;
    while ((REGISTER(PLL_USB) & 1u << 31) == 0) {
    }
    REGISTER(PLL_USB + 12) = 5 << 16 | 5 << 12; // 1200 MHz / 5 / 5 = 48 MHz
    REGISTER(PLL_USB + 4 + CLEAR) = 1 << 3;
    CLK_USB_CTRL = 1 << 11;
    for (uint32_t offset = 0; offset < 0x1000; offset += 4) {
        REGISTER(DPRAM + offset) = 0;
    }
    USB_MUXING = 1 << 3 | 1 << 0; // to the PHY
    USB_PWR = 1 << 3 | 1 << 2;    // VBUS is there
    MAIN_CTRL = 1;
    INTE = INT_BUFF_STATUS | INT_BUS_RESET | INT_SETUP_REQ;
    SIE_CTRL = 1 << 29 | 1 << 16; // EP0_INT_1BUF, PULLUP_EN
}

static void wait_for(const volatile uint32_t *event) {
    while (*event == 0) {
        __asm__ volatile("wfi; cpsie i; isb; cpsid i"); // PRIMASK keeps an interrupt from coming before WFI
    }
}

static uint32_t capital(uint32_t byte) { return byte >= 'a' && byte <= 'z' ? byte - 'a' + 'A' : byte; }

void example(void) {
    set_handler(IRQ_USBCTRL, handler);
    start_core_1(serve);
    NVIC_ISER = 1u << IRQ_USBCTRL;
    start_usb();
    uint32_t bytes = 0, packets = 0, last = 0;
    while (last != '\n') {
        wait_for(&got);
        for (uint32_t i = 0; i < got; i++) {
            last = memory(EP1_BUFFER)[i];
            ask_core_1(capital, last);
            memory(EP2_BUFFER)[i] = (uint8_t)core_1_result();
        }
        const uint32_t pid = packets % 2 == 0 ? 0 : DATA1;
        give(EP2_IN, FULL | pid | got);
        bytes += got;
        packets++;
        wait_for(&sent);
        got = sent = 0;
        give(EP1_OUT, (pid ^ DATA1) | PACKET);
    }
    print_number("bytes:", bytes);
    print_number("packets:", packets);
}
