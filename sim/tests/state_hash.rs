//! Equal runs have equal hashes of their state, and what differs in the state differs in the hash.

use crate::machine_code::{CODE, NVIC_ISER, STACK, STAY, STR, VTOR, load_loop, machine, put};
use intercore_sim::core::state_hash::StableHasher;
use intercore_sim::core::watch::Watch;
use intercore_sim::rp2040::machine::Core;
use intercore_sim::rp2040::machine::Machine;
use intercore_sim::rp2040::peripherals::Context;
use siphasher::sip::SipHasher13;
use std::hash::{Hash as _, Hasher as _};

#[test]
fn runs_repeat_and_do_not_depend_on_how_they_are_cut() {
    let build = || {
        let mut machine = Machine::new();
        for core in 0..2 {
            put(&mut machine, CODE + 0x100 * core as u32, &load_loop(200));
            machine.start_core(core, (CODE + 0x100 * core as u32) | 1, STACK);
            machine.core_mut(core).set_register(1, CODE + 0x1000);
        }
        machine
    };
    let mut whole = build();
    whole.run_until(900);
    for cut in [1, 3, 7, 64] {
        let mut pieces = build();
        let mut at = 0;
        while at < 900 {
            at = (at + cut).min(900);
            pieces.run_until(at);
        }
        assert_eq!(pieces.state_hash(), whole.state_hash(), "cut into pieces of {cut}");
    }
    let mut copy = build();
    copy.run_until(333);
    let mut later = copy.clone();
    later.run_until(900);
    assert_eq!(later.state_hash(), whole.state_hash(), "through a snapshot");
    let mut watched = build();
    watched.bus.fabric.watch.probe(Watch::Execute, CODE, 1);
    watched.run_until(900);
    assert_eq!(watched.state_hash(), whole.state_hash(), "a probe changes nothing");
}

/// A chip whose peripherals are all out of reset, with code that stays where it is on core 0.
fn chip() -> Machine {
    let mut machine = machine(&[STAY]);
    assert!(machine.write_register(0x4000_c000, 0));
    machine.set_clock(125_000_000);
    machine
}

#[test]
fn each_register_of_each_core_counts() {
    let plain = chip();
    let differs = |what: &str, change: &dyn Fn(&mut Core)| {
        for number in 0..2 {
            let mut changed = plain.clone();
            change(changed.core_mut(number));
            assert_ne!(changed.state_hash(), plain.state_hash(), "{what} of core {number}");
        }
    };
    for register in 0..15 {
        differs(&format!("r{register}"), &|core| core.set_register(register, core.register(register) ^ 4));
    }
    differs("pc", &|core| core.set_register(15, 0x2000_0100));
    for flag in 28..32 {
        differs(&format!("flag {flag}"), &|core| core.set_apsr(core.xpsr() ^ 1 << flag));
    }
    for number in 0..2 {
        let mut changed = plain.clone();
        changed.raise_interrupt(number, 5);
        assert_ne!(changed.state_hash(), plain.state_hash(), "pending interrupt of core {number}");
        // The vector table, an enabled interrupt, a priority.
        for (register, value) in [(VTOR, 0x2000_1000), (NVIC_ISER, 1), (0xe000_e400, 2 << 30)] {
            let mut changed = plain.clone();
            changed.write_private(number, register, value);
            assert_ne!(changed.state_hash(), plain.state_hash(), "register {register:#x} of core {number}");
        }
    }
}

/// `str r1, [r0]; movs r1, #0; b .` leaves only the register that was written different.
#[test]
fn each_register_of_systick_counts() {
    let after = |address: u32, value: u32| {
        let mut machine = machine(&[STR, 0x2100, STAY]);
        machine.core_mut(0).set_register(0, address);
        machine.core_mut(0).set_register(1, value);
        machine.run_until(100);
        machine.state_hash()
    };
    for register in [0xe000_e010, 0xe000_e014] {
        assert_ne!(after(register, 0), after(register, 4), "{register:#x}");
    }
    assert_eq!(after(0xe000_e018, 0), after(0xe000_e018, 4), "any write to the counter makes it 0");
}

#[test]
fn each_kind_of_memory_counts() {
    let plain = chip();
    let places = [0, 0x3fff, 0x1000_0000, 0x1500_0000, 0x1500_3fff, 0x2000_0100, 0x2003_ffff, 0x2004_0000, 0x2004_1fff];
    for address in places {
        let mut changed = plain.clone();
        assert!(changed.load(address, &[0x5a]));
        assert_ne!(changed.state_hash(), plain.state_hash(), "{address:#x}");
    }
}

/// Whatever firmware can read back of a register it has written is part of the hash.
#[test]
fn each_register_of_the_peripherals_counts() {
    let blocks = [
        ("SYSCFG", 0x4000_4000),
        ("CLOCKS", 0x4000_8000),
        ("RESETS", 0x4000_c000),
        ("PSM", 0x4001_0000),
        ("IO_BANK0", 0x4001_4000),
        ("IO_QSPI", 0x4001_8000),
        ("PADS_BANK0", 0x4001_c000),
        ("PADS_QSPI", 0x4002_0000),
        ("XOSC", 0x4002_4000),
        ("PLL_SYS", 0x4002_8000),
        ("PLL_USB", 0x4002_c000),
        ("BUSCTRL", 0x4003_0000),
        ("UART0", 0x4003_4000),
        ("UART1", 0x4003_8000),
        ("PWM", 0x4005_0000),
        ("TIMER", 0x4005_4000),
        ("WATCHDOG", 0x4005_8000),
        ("ROSC", 0x4006_0000),
        ("VREG_AND_CHIP_RESET", 0x4006_4000),
        ("DMA", 0x5000_0000),
        ("DPRAM", 0x5010_0000),
        ("USBCTRL", 0x5011_0000),
    ];
    let plain = chip();
    for (name, base) in blocks {
        let mut changing = 0;
        for address in (base..base + 0x480).step_by(4) {
            let old = plain.peek_register(address);
            // The last one enables the crystal oscillator, which takes no other value.
            for value in [!old, 1, 0x00fa_baa0] {
                let mut changed = plain.clone();
                changed.write_register(address, value);
                if changed.peek_register(address) != old {
                    changing += 1;
                    assert_ne!(changed.state_hash(), plain.state_hash(), "{name} at {address:#x}: {value:#x}");
                    break;
                }
            }
        }
        assert!(changing > 0, "{name} has registers that can be written");
    }
}

#[test]
fn each_register_of_sio_counts() {
    let plain = chip();
    for core in 0..2 {
        let mut changing = 0;
        for offset in (0..0x180).step_by(4) {
            let old = plain.bus.peripherals.sio.peek(core, offset, plain.now());
            let mut changed = plain.clone();
            let now = changed.now();
            let bus = &mut changed.bus;
            let mut context =
                Context { now, clocks: &mut bus.clocks, irq: &mut bus.irq, diagnostics: &mut bus.fabric.diagnostics };
            bus.peripherals.sio.write(core, offset, !old, &mut context);
            if changed.bus.peripherals.sio.peek(core, offset, now) != old {
                changing += 1;
                assert_ne!(changed.state_hash(), plain.state_hash(), "{offset:#x} of core {core}");
            }
        }
        assert!(changing > 20, "core {core}: {changing} registers");
    }
}

#[test]
fn what_comes_to_a_uart_counts_and_what_it_has_sent_does_not() {
    let mut machine = chip();
    // UARTIBRD, UARTLCR_H (8 bits, FIFOs), UARTCR (enabled, both ways), UARTDR.
    for (offset, value) in [(0x24, 1), (0x2c, 0x70), (0x30, 0x301), (0x00, 0x41)] {
        machine.write_register(0x4003_4000 + offset, value);
    }
    let mut fed = machine.clone();
    fed.send_uart(0, 0x42, 0);
    assert_ne!(fed.state_hash(), machine.state_hash());
    machine.run_until(1000);
    let before = machine.state_hash();
    assert_eq!(machine.take_uart(0), [0x41]);
    assert_eq!(machine.state_hash(), before);
}

#[test]
fn what_the_dma_is_about_to_do_counts() {
    let copying = |words: u32| {
        let mut machine = chip();
        // Channel 0: read, write, count, trigger (EN, word, both increment, unpaced).
        for (offset, value) in [(0, 0x2000_4000), (4, 0x2000_8000), (8, words), (12, 1 | 2 << 2 | 3 << 4 | 0x3f << 15)]
        {
            machine.write_register(0x5000_0000 + offset, value);
        }
        machine.run_until(5);
        machine.state_hash()
    };
    assert_ne!(copying(64), copying(65));
}

#[test]
fn the_rates_of_the_clocks_count() {
    let plain = chip();
    let mut faster = plain.clone();
    faster.set_clock(133_000_000);
    assert_ne!(faster.state_hash(), plain.state_hash());
}

#[test]
fn the_hasher_keeps_its_definition() {
    // SipHash-1-3, key 0, of 01 | 02 00 00 00 | 03 00 00 00 00 00 00 00 | 04 00 ... and the variant number of Some.
    let mut hasher = StableHasher::default();
    (1_u8, 2_u32, 3_usize, Some(4_u64)).hash(&mut hasher);
    let mut plain = SipHasher13::new();
    let mut bytes = vec![1, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 4];
    bytes.resize(29, 0);
    plain.write(&bytes);
    assert_eq!(hasher.finish(), plain.finish());
}
