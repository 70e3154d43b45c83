//! The flash behind the SSI: commands byte by byte as the W25Q16JV's data sheet has them, and the boot ROM's functions on top.

use crate::bootrom::{call, look_up};
use intercore_sim::core::access::Width;
use intercore_sim::core::bus::Bus as _;
use intercore_sim::core::time::Cycle;
use intercore_sim::engine::Engine;
use intercore_sim::fault::{Fault, Faults};
use intercore_sim::rp2040::bus::slave::{APB, XIP};
use intercore_sim::rp2040::machine::Machine;
use proptest::prelude::*;

const FLASH: u32 = 0x1000_0000;
const SRAM: u32 = 0x2000_0000;
const SSI: u32 = 0x1800_0000;
const CTRLR0: u32 = SSI;
const SSIENR: u32 = SSI + 0x08;
const BAUDR: u32 = SSI + 0x14;
const TXFLR: u32 = SSI + 0x20;
const RXFLR: u32 = SSI + 0x24;
const SR: u32 = SSI + 0x28;
const DR0: u32 = SSI + 0x60;
const QSPI_SS_CTRL: u32 = 0x4001_800C;
const RESETS_CLEAR: u32 = 0x4000_F000;
const GPIO_HI_IN: u32 = 0xD000_0008;
/// Cycles of a byte at `clk_sys` / 6.
const BYTE: Cycle = 48;
/// Cycles of a millisecond at power-on: 6.5 MHz.
const MILLISECOND: Cycle = 6500;

/// The registers of the SSI and of the chip select, and time that passes as it is asked to.
struct Wire {
    machine: Machine,
    now: Cycle,
}

impl Wire {
    /// Standard SPI, frames of a byte, `clk_sys` / 6.
    fn new() -> Self {
        let mut wire = Self { machine: Machine::new(), now: 10 };
        wire.set_up();
        wire
    }

    fn set_up(&mut self) {
        self.write(RESETS_CLEAR, 1 << 6);
        for (register, value) in [(SSIENR, 0), (BAUDR, 6), (CTRLR0, 7 << 16), (SSI + 0x10, 1), (SSIENR, 1)] {
            self.write(register, value);
        }
    }

    fn write(&mut self, address: u32, value: u32) {
        let slave = if address >> 28 == 1 { XIP } else { APB };
        self.machine.bus.write(slave, address, value, Width::Word, self.now).expect("a register");
    }

    fn read(&mut self, address: u32) -> u32 {
        self.machine.bus.read(XIP, address, self.now).expect("a register")
    }

    fn select(&mut self, selected: bool) {
        self.write(QSPI_SS_CTRL, if selected { 2 << 8 } else { 3 << 8 });
    }

    fn exchange(&mut self, byte: u8) -> u8 {
        self.write(DR0, byte.into());
        self.now += BYTE;
        self.read(DR0) as u8
    }

    /// A command with what is sent behind it; returns what comes back in all.
    fn command(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.select(true);
        let answer = bytes.iter().map(|&byte| self.exchange(byte)).collect();
        self.select(false);
        answer
    }

    fn status(&mut self) -> u8 {
        self.command(&[0x05, 0])[1]
    }

    fn note(&mut self) -> String {
        self.machine.bus.fabric.diagnostics.take().join("; ")
    }
}

#[test]
fn the_ids_are_those_of_a_w25q16jv() {
    let mut wire = Wire::new();
    assert_eq!(wire.command(&[0x9F, 0, 0, 0])[1..], [0xEF, 0x40, 0x15]);
    let id = wire.command(&[0x4B, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])[5..].to_vec();
    assert_eq!(id.len(), 8);
    assert!(id.iter().any(|&byte| byte != 0) && id.iter().any(|&byte| byte != 0xFF), "{id:x?}");
    assert_eq!(wire.command(&[0x35, 0])[1] & 2, 2, "quad is enabled");
    assert_eq!(wire.note(), "");
}

#[test]
fn a_read_goes_on_from_byte_to_byte_until_the_chip_select_rises() {
    let mut wire = Wire::new();
    wire.machine.load(FLASH + 0x1234, &[1, 2, 3, 4, 5]);
    assert_eq!(wire.command(&[0x03, 0x00, 0x12, 0x34, 0, 0, 0, 0, 0, 0])[4..], [1, 2, 3, 4, 5, 0xFF]);
    assert_eq!(wire.command(&[0x0B, 0x00, 0x12, 0x35, 0, 0, 0])[5..], [2, 3]);
}

/// Data sheet 9.6, typical and maximum: a page takes 0.4 or 3 ms, a sector 45 or 400 ms, blocks 120 and 150 ms or 1.6 and 2 s, the
/// chip 5 or 25 s.
#[test]
fn erasing_and_programming_take_their_time_and_a_write_enable_each() {
    for (bytes, faults, tenths) in [
        (&[0x02, 0, 0x10, 0, 0xAA][..], [4, 30]),
        (&[0x20, 0, 0x10, 0], [450, 4000]),
        (&[0x52, 0, 0x80, 0], [1200, 16_000]),
        (&[0xD8, 1, 0, 0], [1500, 20_000]),
        (&[0xC7], [50_000, 250_000]),
    ]
    .into_iter()
    .flat_map(|(bytes, [typical, most])| [(bytes, None, typical), (bytes, Some(Fault::SlowFlash), most)])
    {
        let mut wire = Wire::new();
        Faults::new(faults, &mut wire.machine).expect("a fault of this chip");
        wire.command(bytes);
        assert!(wire.note().contains(&format!("flash: command {:02X}h comes without a write enable", bytes[0])));
        assert_eq!(wire.status(), 0);
        wire.command(&[0x06]);
        assert_eq!(wire.status(), 2, "write enable latch");
        wire.command(bytes);
        let begin = wire.now;
        assert_eq!(wire.status(), 3, "busy, and the latch is cleared only at the end");
        wire.now = begin + MILLISECOND * tenths / 10 - 2 * BYTE - 1;
        assert_eq!(wire.status(), 3, "{bytes:x?}");
        wire.now = begin + MILLISECOND * tenths / 10;
        assert_eq!(wire.status(), 0, "{bytes:x?}");
    }
}

#[test]
fn a_command_while_the_flash_is_busy_and_one_that_is_not_modelled_are_told() {
    let mut wire = Wire::new();
    wire.command(&[0x06]);
    wire.command(&[0x20, 0, 0, 0]);
    assert_eq!(wire.command(&[0x9F, 0, 0, 0]), [0; 4]);
    assert!(wire.note().contains("flash: command 9Fh comes while the flash erases or programs"));
    wire.now += 45 * MILLISECOND;
    wire.command(&[0x5A, 0, 0, 0, 0, 0]);
    assert!(wire.note().contains("flash: command 5Ah is not modelled"));
}

#[test]
fn erased_is_as_much_as_the_command_says_from_where_it_is_aligned() {
    for (command, size) in [(0x20, 0x1000), (0x52, 0x8000), (0xD8, 0x1_0000)] {
        let mut wire = Wire::new();
        wire.machine.load(FLASH, &vec![0; 0x4_0000]);
        wire.command(&[0x06]);
        wire.command(&[command, 0x01, 0x80, 0x04]);
        let content = wire.machine.peek_bytes(FLASH, 0x4_0000);
        let begin = 0x1_8004 / size * size;
        for (at, &byte) in content.iter().enumerate() {
            assert_eq!(byte == 0xFF, (begin..begin + size).contains(&at), "{command:x} {at:#x}");
        }
    }
}

#[test]
fn frames_take_their_time_on_the_wire_and_16_of_them_fit_into_a_fifo() {
    let mut wire = Wire::new();
    assert_eq!(wire.read(SR), 0b00110, "transmit FIFO empty, not full");
    for _ in 0..20 {
        wire.write(DR0, 0xFF);
    }
    // One on the wire, 16 in the FIFO, three lost.
    assert_eq!((wire.read(SR), wire.read(TXFLR), wire.read(RXFLR)), (0b00001, 16, 0));
    wire.now += BYTE - 1;
    assert_eq!((wire.read(SR), wire.read(TXFLR), wire.read(RXFLR)), (0b00001, 16, 0));
    wire.now += 1;
    assert_eq!((wire.read(SR), wire.read(TXFLR), wire.read(RXFLR)), (0b01011, 15, 1));
    wire.now += 15 * BYTE;
    assert_eq!((wire.read(TXFLR), wire.read(RXFLR)), (0, 16));
    wire.now += BYTE;
    assert_eq!((wire.read(SR), wire.read(RXFLR)), (0b11110, 16), "the 17th found no room");
}

/// DS 4.10.13: `TMOD` 1 receives nothing; while `SSIENR` is 0 both FIFOs are empty, and stay so; bit 0 of `BAUDR` is always 0.
#[test]
fn frames_are_received_if_it_is_enabled_and_told_to() {
    let mut wire = Wire::new();
    wire.exchange(0xFF);
    wire.write(DR0, 0xFF);
    wire.now += BYTE;
    assert_eq!(wire.read(RXFLR), 1);
    wire.write(SSIENR, 0);
    wire.write(DR0, 0xFF);
    assert_eq!((wire.read(SR), wire.read(RXFLR)), (0b00110, 0));
    wire.write(CTRLR0, 7 << 16 | 1 << 8);
    wire.write(BAUDR, 7);
    wire.write(SSIENR, 1);
    assert_eq!(wire.read(BAUDR), 6);
    wire.write(DR0, 0xFF);
    wire.now += 2 * BYTE;
    assert_eq!((wire.read(SR), wire.read(RXFLR)), (0b00110, 0), "transmit only");
}

/// DS 4.10.13, `SPI_CTRLR0.TRANS_TYPE`: which of instruction and address go over all lanes. 8 bits and 24, 4 clocks of waiting, and
/// 32 bits of data, over four lanes.
#[test]
fn the_clocks_of_a_read_are_those_of_its_parts() {
    for (kind, clocks) in [(0, 8 + 24 + 4 + 8), (1, 8 + 6 + 4 + 8), (2, 2 + 6 + 4 + 8)] {
        let mut wire = Wire::new();
        wire.write(SSIENR, 0);
        wire.write(CTRLR0, 2 << 21 | 31 << 16 | 3 << 8);
        wire.write(SSI + 0xF4, 4 << 11 | 2 << 8 | 6 << 2 | kind);
        assert_eq!(wire.machine.bus.xip.ssi.transfer_clocks(), clocks, "TRANS_TYPE {kind}");
    }
}

/// The pin goes back to the SSI, which holds it high as long as it sends nothing.
#[test]
fn a_command_ends_when_its_override_does() {
    let mut wire = Wire::new();
    wire.select(true);
    wire.exchange(0x9F);
    wire.write(QSPI_SS_CTRL, 0);
    assert_eq!(wire.exchange(0), 0, "a new command");
    wire.write(DR0, 0x9F);
    wire.write(DR0, 0);
    wire.now += 2 * BYTE;
    assert_eq!([wire.read(DR0), wire.read(DR0)], [0, 0xEF]);
}

/// What a command does not send it does not program, whatever came before; and an erase with a byte too many is none (data sheet
/// 8.2.13, 8.2.17: "/CS must be driven high after the eighth bit of the last byte has been latched").
#[test]
fn a_command_does_what_its_own_bytes_say() {
    let mut wire = Wire::new();
    wire.machine.load(FLASH, &[0xFF; 0x200]);
    for bytes in [&[0x02, 0, 0, 0, 0, 0, 0][..], &[0x02, 0, 1, 0, 0]] {
        wire.command(&[0x06]);
        wire.command(bytes);
        wire.now += MILLISECOND;
    }
    assert_eq!(wire.machine.peek_bytes(FLASH, 4), [0, 0, 0, 0xFF]);
    assert_eq!(wire.machine.peek_bytes(FLASH + 0x100, 4), [0, 0xFF, 0xFF, 0xFF]);
    wire.command(&[0x06]);
    wire.command(&[0x20, 0, 0, 0, 0]);
    assert_eq!((wire.status(), wire.machine.peek_bytes(FLASH, 1)), (2, vec![0]));
}

#[test]
fn without_an_override_a_command_lasts_as_long_as_frames_follow_each_other() {
    let mut wire = Wire::new();
    wire.write(DR0, 0x9F);
    wire.write(DR0, 0);
    wire.now += 2 * BYTE;
    assert_eq!([wire.read(DR0), wire.read(DR0)], [0, 0xEF]);
    wire.write(DR0, 0);
    wire.now += BYTE;
    assert_eq!(wire.read(DR0), 0, "a new command");
}

#[test]
fn the_button_is_not_pressed_and_the_pin_reads_as_it_is_forced() {
    let mut wire = Wire::new();
    let level = |wire: &mut Wire| wire.machine.bus.read_io(0, GPIO_HI_IN, wire.now) >> 1 & 1;
    assert_eq!(level(&mut wire), 1);
    wire.select(true);
    assert_eq!(level(&mut wire), 0);
    // Output off: pulled up, as while an example looks for BOOTSEL.
    wire.write(QSPI_SS_CTRL, 2 << 12);
    assert_eq!(level(&mut wire), 1);
}

/// A PIO block drives GPIO 2, an override the pin that selects the flash: neither changes what is read of the other.
#[test]
fn the_two_banks_of_pins_do_not_disturb_each_other() {
    const RESETS_SET: u32 = 0x4000_E000;
    const IO_BANK0: u32 = 1 << 5;
    const IO_QSPI: u32 = 1 << 6;
    const PADS_BANK0_AND_PIO0: u32 = 1 << 8 | 1 << 10;
    const GPIO2_CTRL: u32 = 0x4001_4014;
    const SM0_INSTR: u32 = 0x5020_00D8;
    const SM0_PINCTRL: u32 = 0x5020_00DC;
    let levels = |wire: &mut Wire| {
        let mut read = |register, pin: u32| wire.machine.bus.read_io(0, register, wire.now) >> pin & 1;
        (read(0xD000_0004, 2), read(GPIO_HI_IN, 1))
    };
    let mut wire = Wire::new();
    wire.write(RESETS_CLEAR, IO_BANK0 | PADS_BANK0_AND_PIO0);
    wire.write(GPIO2_CTRL, 6);
    assert_eq!(levels(&mut wire), (0, 1));
    wire.write(SM0_PINCTRL, 1 << 26 | 2 << 5);
    // SET PINDIRS, 1; SET PINS, 1
    for instruction in [0xE081, 0xE001] {
        wire.write(SM0_INSTR, instruction);
        wire.now += 4;
    }
    assert_eq!(levels(&mut wire), (1, 1));
    wire.select(true);
    assert_eq!(levels(&mut wire), (1, 0));
    for (control, level) in [(6 | 2 << 8, 0), (6, 1)] {
        wire.write(GPIO2_CTRL, control);
        assert_eq!(levels(&mut wire), (level, 0), "{control:#x}");
    }
    wire.write(RESETS_SET, IO_BANK0);
    assert_eq!(levels(&mut wire), (0, 0));
    wire.write(RESETS_CLEAR, IO_BANK0);
    wire.write(GPIO2_CTRL, 6);
    assert_eq!(levels(&mut wire), (1, 0));
    wire.write(RESETS_SET, IO_QSPI);
    assert_eq!(levels(&mut wire), (1, 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Programming clears bits and sets none; a page that is overrun begins again (data sheet 8.2.13).
    #[test]
    fn programming_clears_bits_within_a_page(
        address in 0_u32..0x800, data in prop::collection::vec(any::<u8>(), 1..300), before: u8,
    ) {
        let mut wire = Wire::new();
        wire.machine.load(FLASH, &[before; 0x1000]);
        wire.command(&[0x06]);
        let [_, high, middle, low] = address.to_be_bytes();
        wire.command(&[&[0x02, high, middle, low], &data[..]].concat());
        let mut expected = vec![before; 0x1000];
        let page = address as usize & !0xFF;
        let mut latch = [0xFF; 256];
        for (i, &byte) in data.iter().enumerate() {
            latch[(address as usize + i) % 256] = byte;
        }
        for (at, byte) in latch.into_iter().enumerate() {
            expected[page + at] &= byte;
        }
        prop_assert_eq!(wire.machine.peek_bytes(FLASH, 0x1000), expected);
    }
}

#[test]
fn the_boot_roms_functions_erase_and_program() {
    let mut machine = Machine::new();
    machine.load(FLASH, &vec![0; 0x2_0000]);
    let data: Vec<u8> = (0..512_u32).map(|i| (i * 7 + i / 256) as u8).collect();
    machine.load(SRAM + 0x2000, &data);
    let function = |machine: &mut Machine, code: [u8; 2], arguments: &[u32]| {
        call(machine, look_up(code), arguments);
    };
    let began = machine.now();
    for code in [*b"IF", *b"EX"] {
        function(&mut machine, code, &[]);
    }
    // A block of 64 kB and two sectors.
    function(&mut machine, *b"RE", &[0xF000, 0x1_2000, 0x1_0000, 0xD8]);
    let took = machine.now() - began;
    assert!((took / MILLISECOND).abs_diff(150 + 2 * 45) <= 10, "{took} cycles");
    function(&mut machine, *b"RP", &[0x1_0000, SRAM + 0x2000, 512]);
    for code in [*b"FC", *b"CX"] {
        function(&mut machine, code, &[]);
    }
    let mut expected = vec![0; 0x2_0000];
    expected[0xF000..].fill(0xFF);
    expected[0xF000 + 0x1_2000 - 0x1000..].fill(0xFF);
    expected[0x1_0000..0x1_0200].copy_from_slice(&data);
    assert!(machine.peek_bytes(FLASH, 0x2_0000) == expected, "erased and programmed");
    assert_eq!(machine.peek_register(QSPI_SS_CTRL), 0, "the chip select is left to the SSI");
    assert_eq!(machine.bus.fabric.diagnostics.take(), Vec::<String>::new());
}

/// Code that ran from flash, was erased and programmed again runs as it is now, by either engine.
#[test]
fn code_that_is_programmed_again_runs_as_it_is() {
    // MOVS r0, #n; BX lr
    let returns = |n: u16| [0x2000 | n, 0x4770].map(u16::to_le_bytes).concat();
    for engine in [Engine::LockStep, Engine::Decoupled] {
        let mut machine = Machine::new();
        machine.engine = engine;
        machine.translate_after(1);
        machine.load(FLASH + 0x1000, &returns(1));
        let mut page = returns(2);
        page.resize(256, 0);
        machine.load(SRAM + 0x2000, &page);
        for _ in 0..3 {
            assert_eq!(call(&mut machine, FLASH + 0x1001, &[]), 1);
        }
        call(&mut machine, look_up(*b"EX"), &[]);
        call(&mut machine, look_up(*b"RE"), &[0x1000, 0x1000, 0, 0]);
        call(&mut machine, look_up(*b"RP"), &[0x1000, SRAM + 0x2000, 256]);
        for code in [*b"FC", *b"CX"] {
            call(&mut machine, look_up(code), &[]);
        }
        for _ in 0..3 {
            assert_eq!(call(&mut machine, FLASH + 0x1001, &[]), 2, "{engine:?}");
        }
    }
}

/// Core 0 erases a sector, while core 1 reads words of another one: what was in the cache it finds there, what was not reads as
/// ones, until core 0 has set up the interface again. The same by either engine.
#[test]
fn what_is_not_in_the_cache_reads_as_ones_while_the_flash_is_busy() {
    const WORD: u32 = FLASH + 0x4000;
    // loop: LDR r2, [r0]; LDR r3, [r1]; STR r3, [r4]; ADDS r5, r5, r3; B loop
    let reads = [0x6802_u16, 0x680B, 0x6023, 0x18ED, 0xE7FA].map(u16::to_le_bytes).concat();
    let ends = [Engine::LockStep, Engine::Decoupled].map(|engine| {
        let mut machine = Machine::new();
        machine.engine = engine;
        machine.translate_after(1);
        machine.bus.xip.ssi.configure(4);
        machine.load(WORD, &[[1, 0, 0, 0], [2, 0, 0, 0]].concat());
        machine.load(SRAM + 0x1000, &reads);
        machine.start_core(1, (SRAM + 0x1000) | 1, 0x2004_0000);
        // The second word by the window that is not cached.
        for (register, value) in [(0, WORD), (1, WORD + 4 + 0x0300_0000), (4, SRAM + 0x2000)] {
            machine.core_mut(1).set_register(register, value);
        }
        machine.run_until(5000);
        let seen = |machine: &Machine| (machine.core(1).register(2), machine.peek(SRAM + 0x2000));
        assert_eq!(seen(&machine), (1, Some(2)), "{engine:?}");
        assert_eq!(machine.bus.fabric.diagnostics.take(), Vec::<String>::new());
        for code in [*b"IF", *b"EX", *b"RE", *b"FC", *b"CX"] {
            machine.load(0, &intercore_sim::rp2040::bootrom::ours()[..]);
            machine.load(SRAM, &[0x30, 0xBF, 0xFD, 0xE7]);
            machine.start_core(0, look_up(code), 0x2004_1000);
            for (register, value) in [(0, 0x8000), (1, 0x1000), (2, 0), (14, SRAM | 1)] {
                machine.core_mut(0).set_register(register, value);
            }
            let erases = code == *b"RE";
            machine.run_until(machine.now() + if erases { 30 * MILLISECOND } else { 10 * MILLISECOND });
            if erases {
                assert_eq!(seen(&machine), (1, Some(u32::MAX)), "{engine:?}");
                machine.run_until(machine.now() + 20 * MILLISECOND);
            }
        }
        assert_eq!(seen(&machine), (1, Some(2)), "{engine:?}");
        let notes = machine.bus.fabric.diagnostics.take();
        assert!(notes.len() == 1 && notes[0].contains("(flash-busy)"), "{notes:?}");
        (machine.now(), machine.core(1).register(5), machine.state_hash())
    });
    assert_eq!(ends[0], ends[1]);
}

/// A reset of the chip is none of the flash, which goes on.
#[test]
fn the_flash_erases_on_while_the_chip_is_reset() {
    let mut wire = Wire::new();
    wire.command(&[0x06]);
    wire.command(&[0x20, 0, 0, 0]);
    wire.machine.reset_chip();
    wire.set_up();
    assert_eq!(wire.status(), 3);
    wire.now += 45 * MILLISECOND;
    assert_eq!(wire.status(), 0);
}
