/* Implements rp2_usb.h with the USB controller (RP2040 DS 4.1, RP2350 DS 12.7), by USB 2.0, CDC 1.2 and its PSTN
 * subclass 1.2.
 *
 * Only the interrupt handler changes what the controller does. A task that wants something done forces an interrupt.
 * Each end point has one buffer: until the program has taken or given a packet, the controller answers NAK by
 * itself. */
#include "rp2_usb.h"
#include "chip.h"
#include "console_freertos.h"
#include "hardware/irq.h"
#include "hardware/sync.h"
#include "port_freertos.h"
#include "rp2_clocks.h"
#include "rp2_console.h"
#include "rp2_usb_registers.h"

/* The number that pid.codes gives to everybody's trials: nobody may sell a device with it, and two kinds of device may
 * have it. */
#define VENDOR 0x1209U
#define PRODUCT 0x0001U

#define PACKET 64U
#define NOTICES 1U /* number of the end point for notices: there are none, but drivers want it */
#define TEXT 2U    /* number of the end points for text */
#define TEXT_OUT_BUFFER 0x180U
#define TEXT_IN_BUFFER 0x1c0U
#define INTERRUPT 3U /* types of end points */
#define BULK 2U

/* Bits of BUFF_STATUS: end point n to the host has bit 2n, from the host bit 2n + 1. */
#define DONE_IN(number) (1U << 2U * (number))
#define DONE_OUT(number) (2U << 2U * (number))
#define INTERRUPTS (USB_INT_BUFF_STATUS | USB_INT_BUS_RESET | USB_INT_SETUP)
#define FORCED 1U /* HOST_CONN_DIS, an interrupt that only a host has */
#define RAW_US 5000U

/* ---- descriptors (USB 2.0 9.6, CDC 5.2.3, PSTN 5.3) ---- */

#define LOW_HIGH(number) ((number) & 0xffU), ((number) >> 8U)
enum { DEVICE = 1, CONFIGURATION = 2, STRING = 3, INTERFACE = 4, ENDPOINT = 5, CLASS_INTERFACE = 0x24 };
enum { CLASS_CDC = 2, CLASS_CDC_DATA = 10, SUBCLASS_ACM = 2 };

// clang-format off
static const uint8_t device[] = {
    18, DEVICE, LOW_HIGH(0x200U), CLASS_CDC, 0, 0, PACKET, LOW_HIGH(VENDOR), LOW_HIGH(PRODUCT), LOW_HIGH(0x100U),
    1, 2, 0, 1,
};

#define CONFIGURATION_BYTES 67U
static const uint8_t configuration[] = {
    9, CONFIGURATION, LOW_HIGH(CONFIGURATION_BYTES), 2, 1, 0, 0x80, 50, /* from the bus: 100 mA */
    9, INTERFACE, 0, 0, 1, CLASS_CDC, SUBCLASS_ACM, 0, 0,
    5, CLASS_INTERFACE, 0, LOW_HIGH(0x110U),
    5, CLASS_INTERFACE, 1, 0, 1, /* no telephone calls */
    4, CLASS_INTERFACE, 2, 2,    /* takes line codings and line states */
    5, CLASS_INTERFACE, 6, 0, 1, /* interfaces 0 and 1 are one function */
    7, ENDPOINT, 0x80U | NOTICES, INTERRUPT, LOW_HIGH(8U), 255,
    9, INTERFACE, 1, 0, 2, CLASS_CDC_DATA, 0, 0, 0,
    7, ENDPOINT, TEXT, BULK, LOW_HIGH(PACKET), 0,
    7, ENDPOINT, 0x80U | TEXT, BULK, LOW_HIGH(PACKET), 0,
};
// clang-format on
_Static_assert(sizeof configuration == CONFIGURATION_BYTES && CONFIGURATION_BYTES % PACKET != 0,
               "it says its length, and its last packet is a short one");

static const uint8_t languages[] = {4, STRING, LOW_HIGH(0x0409U)};
static const uint8_t maker[] = {20, STRING, 'I', 0, 'n', 0, 't', 0, 'e', 0, 'r', 0, 'c', 0, 'o', 0, 'r', 0, 'e', 0};
static const uint8_t product[] = {14, STRING, 't', 0, 'a', 0, 'r', 0, 'g', 0, 'e', 0, 't', 0};
static const uint8_t *const strings[] = {languages, maker, product};

/* ---- state ---- */

/* What end point 0 is busy with */
static struct {
    const uint8_t *next; /* what is still to be sent */
    uint32_t left;
    uint32_t pid;     /* of the next packet */
    uint32_t address; /* the device's from the end of the request on, if it is not 0 */
    bool takes_coding;
} request;

static uint8_t line_coding[7] = {LOW_HIGH(0xc200U), 1, 0, 0, 0, 8}; /* 115,200 bits/s, 8N1: kept, without effect */
static uint8_t configured;                                          /* the number of the configuration, 0 or 1 */
static volatile bool open; /* a program of the host has opened the serial port (DTR) */
static volatile bool held; /* a packet of text from the host is still in its buffer */
static bool in_flight;     /* a packet of text for the host is in its buffer */
static uint32_t pid_out;   /* of the packet of text that the host sends, or has sent, into its buffer */
static uint32_t pid_in;    /* of the next packet of text for the host */

/* What a task sends */
static struct {
    const uint8_t *next;
    size_t left;
    bool end;           /* the last packet was full: an empty one must tell the host that no more comes */
    volatile bool busy; /* from the task's order to the end */
} output;

/* ---- buffers ---- */

/* Gives a buffer to the controller. While a word is written, the controller may see some of its bits before others, so
 * AVAILABLE follows when the others are there: a cycle of clk_usb later, less than four of clk_sys (RP2040 DS
 * 4.1.2.5.1). */
static void give(uint32_t control, uint32_t value) {
    REGISTER(control) = value;
    __asm volatile("nop\nnop\nnop" ::: "memory");
    REGISTER(control) = value | USB_BUFF_AVAILABLE;
}

static void put(uint32_t buffer, const uint8_t *bytes, uint32_t size) {
    volatile uint8_t *to = (volatile uint8_t *)(USB_DPRAM + buffer);
    for (uint32_t i = 0; i < size; i++) {
        to[i] = bytes[i];
    }
}

static uint32_t get(uint32_t buffer, uint32_t i) { return *(const volatile uint8_t *)(USB_DPRAM + buffer + i); }

static uint32_t lesser(uint32_t a, uint32_t b) { return a < b ? a : b; }

static uint32_t received(uint32_t number) {
    return lesser(REGISTER(USB_BUFF_CTRL(number, false)) & USB_BUFF_LENGTH, PACKET);
}

/* ---- text ---- */

static void expect_text(void) { give(USB_BUFF_CTRL(TEXT, false), pid_out | PACKET); }

/* Puts the text that has come where the console's task finds it. Returns whether there is any. */
static bool take_text(void) {
    if (!held || !rp2_console_takes(RP2_CONSOLE_USB) || console_room() < PACKET) {
        return false;
    }
    uint32_t size = received(TEXT);
    for (uint32_t i = 0; i < size; i++) {
        console_put((uint8_t)get(TEXT_OUT_BUFFER, i));
    }
    held = false;
    pid_out ^= USB_BUFF_DATA1;
    expect_text();
    return size > 0;
}

static void give_text(uint32_t size) {
    in_flight = true;
    give(USB_BUFF_CTRL(TEXT, true), USB_BUFF_FULL | pid_in | size);
    pid_in ^= USB_BUFF_DATA1;
}

/* Sends the next packet of the output. Returns whether the output ends with this call. */
static bool send_text(void) {
    if (!output.busy || (open && in_flight)) {
        return false;
    }
    if (!open || (output.left == 0 && !output.end)) {
        output.busy = false;
        return true;
    }
    uint32_t size = lesser(output.left, PACKET);
    put(TEXT_IN_BUFFER, output.next, size);
    output.next += size;
    output.left -= size;
    output.end = size == PACKET;
    give_text(size);
    return false;
}

/* ---- end points ---- */

/* Returns the buffer control register of an end point by its address in requests; 0 if there is no such end point. */
static uint32_t control_of(uint32_t address) {
    bool in = (address & 0x80U) != 0;
    uint32_t number = address & 0x7fU;
    bool exists = address <= 0xffU && (number == TEXT || (number == NOTICES && in));
    return exists && configured != 0 ? USB_BUFF_CTRL(number, in) : 0;
}

/* The end point no longer refuses, and its next packet is DATA0. What is in its buffer counts. */
static void restart(uint32_t control) {
    REGISTER(control) &= ~USB_BUFF_STALL;
    if (control == USB_BUFF_CTRL(TEXT, true)) {
        pid_in = 0;
        if (in_flight) {
            give_text(REGISTER(control) & USB_BUFF_LENGTH);
        }
    } else if (control == USB_BUFF_CTRL(TEXT, false)) {
        pid_out = held ? USB_BUFF_DATA1 : 0; /* take_text() changes it */
        if (!held) {
            expect_text();
        }
    }
}

static void configure(uint8_t number) {
    configured = number;
    open = held = in_flight = false;
    for (uint32_t end_point = NOTICES; end_point <= TEXT; end_point++) {
        REGISTER(USB_BUFF_CTRL(end_point, true)) = 0;
        REGISTER(USB_BUFF_CTRL(end_point, false)) = 0;
    }
    if (number != 0) {
        restart(USB_BUFF_CTRL(TEXT, true));
        restart(USB_BUFF_CTRL(TEXT, false));
    }
}

/* ---- requests (USB 2.0 9.4, PSTN 6.3) ---- */

/* bmRequestType, and bRequest above it */
enum {
    GET_STATUS = 0x0080, /* of the device; 1 more of an interface, 2 more of an end point */
    CLEAR_FEATURE_OF_END_POINT = 0x0102,
    SET_FEATURE_OF_END_POINT = 0x0302,
    SET_ADDRESS = 0x0500,
    GET_DESCRIPTOR = 0x0680,
    GET_CONFIGURATION = 0x0880,
    SET_CONFIGURATION = 0x0900,
    GET_INTERFACE = 0x0a81,
    SET_INTERFACE = 0x0b01,
    SET_LINE_CODING = 0x2021,
    GET_LINE_CODING = 0x21a1,
    SET_CONTROL_LINE_STATE = 0x2221,
};
#define TO_HOST 0x80U
#define DTR 1U

static void send_part(void) {
    uint32_t size = lesser(request.left, PACKET);
    put(USB_EP0_BUFFER, request.next, size);
    request.next += size;
    request.left -= size;
    give(USB_BUFF_CTRL(0, true), USB_BUFF_FULL | request.pid | size);
    request.pid ^= USB_BUFF_DATA1;
}

/* Sends data, at most as much as the host wants. It says that it has them all, or enough, by an empty packet. */
static bool send(const uint8_t *data, uint32_t size, uint32_t wanted) {
    request.next = data;
    request.left = lesser(size, wanted);
    give(USB_BUFF_CTRL(0, false), USB_BUFF_DATA1 | PACKET);
    send_part();
    return true;
}

/* Says by an empty packet that a request without data from the device is done. */
static bool agree(void) {
    request.left = 0;
    send_part();
    return true;
}

static bool send_descriptor(uint32_t type, uint32_t index, uint32_t wanted) {
    if (type == DEVICE && index == 0) {
        return send(device, sizeof device, wanted);
    }
    if (type == CONFIGURATION && index == 0) {
        return send(configuration, sizeof configuration, wanted);
    }
    if (type == STRING && index < sizeof strings / sizeof strings[0]) {
        return send(strings[index], strings[index][0], wanted);
    }
    return false;
}

static bool send_status(uint32_t recipient, uint32_t index, uint32_t wanted) {
    static uint8_t status[2]; /* power from the bus, no remote wake-up, the end point does not refuse */
    status[0] = 0;
    if (recipient == 1 && (configured == 0 || index > 1)) {
        return false;
    }
    if (recipient == 2 && index != 0 && index != 0x80U) {
        uint32_t control = control_of(index);
        if (control == 0) {
            return false;
        }
        status[0] = (REGISTER(control) & USB_BUFF_STALL) != 0;
    }
    return send(status, sizeof status, wanted);
}

static bool set_halt(uint32_t value, uint32_t index, bool halt) {
    uint32_t control = control_of(index);
    if (value != 0 || control == 0) { /* ENDPOINT_HALT is the only feature, and end point 0 has none */
        return false;
    }
    if (halt) {
        REGISTER(control) |= USB_BUFF_STALL;
    } else {
        restart(control);
    }
    return agree();
}

static bool carry_out_configured(uint32_t what, uint32_t value, uint32_t index, uint32_t length) {
    static const uint8_t setting = 0; /* each interface has one */
    switch (what) {
    case CLEAR_FEATURE_OF_END_POINT:
    case SET_FEATURE_OF_END_POINT:
        return set_halt(value, index, what == SET_FEATURE_OF_END_POINT);
    case GET_INTERFACE:
        return index <= 1 && send(&setting, 1, length);
    case SET_INTERFACE:
        if (value != 0 || index > 1) {
            return false;
        }
        if (index == 1) {
            restart(USB_BUFF_CTRL(TEXT, true));
            restart(USB_BUFF_CTRL(TEXT, false));
        }
        return agree();
    case GET_LINE_CODING:
        return index == 0 && send(line_coding, sizeof line_coding, length);
    case SET_LINE_CODING:
        request.takes_coding = index == 0 && length == sizeof line_coding;
        if (request.takes_coding) {
            give(USB_BUFF_CTRL(0, false), USB_BUFF_DATA1 | PACKET);
        }
        return request.takes_coding;
    case SET_CONTROL_LINE_STATE:
        if (index != 0) {
            return false;
        }
        open = (value & DTR) != 0;
        return agree();
    default:
        return false;
    }
}

static bool carry_out(uint32_t what, uint32_t value, uint32_t index, uint32_t length) {
    if ((what & TO_HOST) == 0 && what != SET_LINE_CODING && length > 0) {
        return false;
    }
    switch (what) {
    case GET_STATUS:
    case GET_STATUS + 1:
    case GET_STATUS + 2:
        return send_status(what - GET_STATUS, index, length);
    case SET_ADDRESS:
        request.address = value;
        return value <= 127U && agree();
    case GET_DESCRIPTOR:
        return send_descriptor(value >> 8U, value & 0xffU, length);
    case GET_CONFIGURATION:
        return send(&configured, 1, length);
    case SET_CONFIGURATION:
        if (value > 1) {
            return false;
        }
        configure((uint8_t)value);
        return agree();
    default:
        return configured != 0 && carry_out_configured(what, value, index, length);
    }
}

static void refuse(void) {
    USB_EP_STALL_ARM = 3;
    REGISTER(USB_BUFF_CTRL(0, true)) = USB_BUFF_STALL;
    REGISTER(USB_BUFF_CTRL(0, false)) = USB_BUFF_STALL;
}

/* Begins a request, whatever has become of the one before. */
static void begin_request(void) {
    uint32_t first = USB_SETUP(0);
    uint32_t second = USB_SETUP(1);
    REGISTER(USB_BUFF_CTRL(0, true)) = 0;
    REGISTER(USB_BUFF_CTRL(0, false)) = 0;
    request.pid = USB_BUFF_DATA1;
    request.address = 0;
    request.takes_coding = false;
    if (!carry_out(first & 0xffffU, first >> 16U, second & 0xffffU, second >> 16U)) {
        request.address = 0;
        refuse();
    }
}

/* A packet for the host has gone. */
static void go_on(void) {
    if (request.left > 0) {
        send_part();
    } else if (request.address != 0) {
        USB_ADDR = request.address;
        request.address = 0;
    }
}

static void take_coding(void) {
    if (!request.takes_coding) { /* the empty packet after data for the host */
        return;
    }
    request.takes_coding = false;
    if (received(0) != sizeof line_coding) {
        refuse();
        return;
    }
    for (uint32_t i = 0; i < sizeof line_coding; i++) {
        line_coding[i] = (uint8_t)get(USB_EP0_BUFFER, i);
    }
    (void)agree();
}

/* ---- interrupt ---- */

static void take_buffers(uint32_t done) {
    USB_BUFF_STATUS = done;
    if ((done & DONE_IN(0)) != 0) {
        go_on();
    }
    if ((done & DONE_OUT(0)) != 0) {
        take_coding();
    }
    in_flight = in_flight && (done & DONE_IN(TEXT)) == 0;
    held = held || (done & DONE_OUT(TEXT)) != 0;
}

static void interrupt(void) {
    USB_INTF = 0;
    uint32_t status = USB_INTS;
    if ((status & USB_INT_BUFF_STATUS) != 0) {
        take_buffers(USB_BUFF_STATUS);
    }
    if ((status & USB_INT_BUS_RESET) != 0) {
        USB_SIE_STATUS = USB_SIE_STATUS_BUS_RESET;
        USB_ADDR = 0;
        request.address = 0;
        request.left = 0;
        configure(0);
    }
    if ((status & USB_INT_SETUP) != 0) {
        USB_SIE_STATUS = USB_SIE_STATUS_SETUP;
        begin_request();
    }
    bool taken = take_text();
    bool sent = send_text();
    if (taken || sent) {
        console_wake_from_handler();
    }
}

/* ---- for tasks ---- */

void rp2_usb_attend(void) {
    if (held) {
        USB_INTF = FORCED;
    }
    USB_INTE = INTERRUPTS;
    while (USB_INTS != 0) { /* until the handler has been there: on this core, at once */
    }
}

void rp2_usb_leave(void) { USB_INTE = 0; }

uint32_t rp2_usb_has_text(void) { return (USB_BUFF_STATUS >> (2U * TEXT + 1U) | (uint32_t)held) & 1U; }

void rp2_usb_write(const uint8_t *bytes, size_t size) {
    output.next = bytes;
    output.left = size;
    output.end = false;
    console_wait_begin();
    output.busy = true;
    __dmb(); /* the handler is on core 0, and this task may be on core 1 */
    USB_INTF = FORCED;
    while (output.busy && rp2_console_current() == RP2_CONSOLE_USB) {
        console_wait(portMAX_DELAY);
    }
    output.busy = false;
    console_wait_end();
}

bool rp2_usb_is_asleep(void) { return (USB_SIE_STATUS & USB_SIE_STATUS_SUSPENDED) != 0; }

/* ---- panics ---- */

static bool await_host(void) {
    uint32_t begin = TIMER_TIMERAWL;
    while ((REGISTER(USB_BUFF_CTRL(TEXT, true)) & USB_BUFF_AVAILABLE) != 0) {
        if (TIMER_TIMERAWL - begin > RAW_US) {
            return false;
        }
    }
    return true;
}

void rp2_usb_write_raw(const char *bytes, size_t size) {
    if (!open) {
        return;
    }
    USB_INTE = 0;
    while (size > 0 && await_host()) {
        uint32_t part = lesser(size, PACKET - 1U); /* never a full packet, after which the host would wait for more */
        put(TEXT_IN_BUFFER, (const uint8_t *)bytes, part);
        give_text(part);
        bytes += part;
        size -= part;
    }
    (void)await_host();
}

/* ---- start-up ---- */

void rp2_usb_start(void) {
    SET_BITS(RESETS_RESET) = RESET_USBCTRL; /* after a reset of core 0 alone, the host sees a cable pulled */
    CLK_USB_CTRL = 0;
    rp2_clocks_start_pll(PLL_USB, RESET_PLL_USB, 100, PLL_DIVIDERS(5, 5)); /* 12 MHz × 100 / 25 = 48 MHz */
    CLK_USB_CTRL = 1U << 11U;                                              /* on, from PLL_USB */
    rp2_clocks_release_blocks(RESET_USBCTRL);                              /* only now: it needs its clock for that */
    for (uint32_t at = USB_DPRAM; at < USB_DPRAM + USB_EP0_BUFFER; at += 4U) {
        REGISTER(at) = 0;
    }
    USB_EP_CTRL(NOTICES, true) = USB_EP_CTRL_EN | USB_EP_CTRL_TYPE(INTERRUPT) | TEXT_IN_BUFFER;
    USB_EP_CTRL(TEXT, true) = USB_EP_CTRL_EN | USB_EP_CTRL_INT | USB_EP_CTRL_TYPE(BULK) | TEXT_IN_BUFFER;
    USB_EP_CTRL(TEXT, false) = USB_EP_CTRL_EN | USB_EP_CTRL_INT | USB_EP_CTRL_TYPE(BULK) | TEXT_OUT_BUFFER;
    USB_MUXING = USB_MUXING_TO_PHY | USB_MUXING_SOFTCON;
    USB_PWR = USB_PWR_VBUS_DETECT;
    USB_MAIN_CTRL = USB_MAIN_CTRL_EN;
    USB_SIE_CTRL = USB_SIE_CTRL_EP0_INT | USB_SIE_CTRL_PULLUP;
}

void rp2_usb_listen(void) {
    irq_set_exclusive_handler(USBCTRL_IRQ, interrupt);
    irq_set_priority(USBCTRL_IRQ, 0xff); /* the kernel's priority, so that neither interrupts the other */
    irq_set_enabled(USBCTRL_IRQ, true);
}
