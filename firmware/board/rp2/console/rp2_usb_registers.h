/* The registers of the USB controller by their names in the datasheets ("DS"): RP2040 4.1, RP2350 12.7. Both chips have
 * them at the same addresses. */
#ifndef RP2_USB_REGISTERS_H
#define RP2_USB_REGISTERS_H

#include "chip.h"

/* The memory that the program and the USB controller share (RP2040 DS 4.1.2.5). Of an end point, `in` is 1 for the
 * direction to the host. */
#define USB_DPRAM 0x50100000U
#define USB_SETUP(word) REGISTER(USB_DPRAM + 4U * (word))
#define USB_EP_CTRL(number, in) REGISTER(USB_DPRAM + 8U * (number) + ((in) ? 0U : 4U))
#define USB_BUFF_CTRL(number, in) (USB_DPRAM + 0x80U + 8U * (number) + ((in) ? 0U : 4U))
#define USB_EP0_BUFFER 0x100U
#define USB_EP_CTRL_EN (1U << 31U)
#define USB_EP_CTRL_INT (1U << 29U)
#define USB_EP_CTRL_TYPE(type) ((uint32_t)(type) << 26U)
#define USB_BUFF_FULL (1U << 15U)
#define USB_BUFF_DATA1 (1U << 13U)
#define USB_BUFF_STALL (1U << 11U)
#define USB_BUFF_AVAILABLE (1U << 10U)
#define USB_BUFF_LENGTH 0x3ffU
/* RP2040 DS 4.1.4 */
#define USB_ADDR REGISTER(0x50110000U)
#define USB_MAIN_CTRL REGISTER(0x50110040U)
#define USB_SIE_CTRL REGISTER(0x5011004cU)
#define USB_SIE_STATUS REGISTER(0x50110050U)
#define USB_BUFF_STATUS REGISTER(0x50110058U)
#define USB_EP_STALL_ARM REGISTER(0x50110068U)
#define USB_MUXING REGISTER(0x50110074U)
#define USB_PWR REGISTER(0x50110078U)
#define USB_INTE REGISTER(0x50110090U)
#define USB_INTF REGISTER(0x50110094U)
#define USB_INTS REGISTER(0x50110098U)
#define USB_MAIN_CTRL_EN 1U /* all other bits 0: a device, and the RP2350's PHY is not isolated */
#define USB_SIE_CTRL_PULLUP (1U << 16U)
#define USB_SIE_CTRL_EP0_INT (1U << 29U)
#define USB_SIE_STATUS_SUSPENDED (1U << 4U)
#define USB_SIE_STATUS_SETUP (1U << 17U)
#define USB_SIE_STATUS_BUS_RESET (1U << 19U)
#define USB_MUXING_TO_PHY (1U << 0U)
#define USB_MUXING_SOFTCON (1U << 3U)
#define USB_PWR_VBUS_DETECT (3U << 2U) /* the bit, and its override: VBUS counts as present */
#define USB_INT_BUFF_STATUS (1U << 4U)
#define USB_INT_BUS_RESET (1U << 12U)
#define USB_INT_SETUP (1U << 16U)

#endif
