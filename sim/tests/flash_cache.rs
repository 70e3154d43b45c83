//! The cache of the flash: what its control registers do, and what it is to the bus (DS 2.6.3). How long code waits for it is in
//! `wait_states.rs`.

use intercore_sim::core::access::Width;
use intercore_sim::core::bus::{Access, Bus as _, Fault};
use intercore_sim::core::time::Cycle;
use intercore_sim::rp2040::bus::slave::XIP;
use intercore_sim::rp2040::machine::Machine;

const CACHED: u32 = 0x1000_0000;
const NO_ALLOCATE: u32 = 0x1100_0000;
const XIP_CTRL: u32 = 0x1400_0000;
const FLUSH: u32 = XIP_CTRL + 0x04;
const STAT: u32 = XIP_CTRL + 0x08;
const CTR_HIT: u32 = XIP_CTRL + 0x0c;
const CTR_ACC: u32 = XIP_CTRL + 0x10;
const CACHE_MEMORY: u32 = 0x1500_0000;
const EN: u32 = 1;
const ERR_BADWRITE: u32 = 2;

/// A bus, and time that passes as it is asked to.
struct Port {
    machine: Machine,
    now: Cycle,
}

impl Port {
    fn new() -> Self {
        Self { machine: Machine::new(), now: 10 }
    }

    /// The cycles of an access, which is carried out.
    fn access(&mut self, address: u32, written: Option<u32>) -> (Cycle, Result<u32, Fault>) {
        let bus = &mut self.machine.bus;
        let Access::Takes(cycles) = bus.begin(0, XIP, address, written.is_some(), self.now) else {
            panic!("it is busy")
        };
        let end = self.now + cycles - 1;
        let result = match written {
            Some(value) => bus.write(XIP, address, value, Width::Word, end).map(|()| value),
            None => bus.read(XIP, address, end),
        };
        self.now = end + 1;
        (cycles, result)
    }

    fn write(&mut self, address: u32, value: u32) -> Result<u32, Fault> {
        self.access(address, Some(value)).1
    }

    fn read(&mut self, address: u32) -> u32 {
        self.access(address, None).1.expect("it can be read")
    }

    fn is_hit(&mut self, address: u32) -> bool {
        self.access(address, None).0 == 1
    }
}

/// 2.6.3.2: a flush takes "just over 1024 cycles". `STAT` tells of its end, a read of `FLUSH` waits for it, and so does the flash.
#[test]
fn a_flush_holds_the_cache_while_it_lasts() {
    let ready = |port: &mut Port| port.read(STAT) & 1 == 1;
    for address in [FLUSH, NO_ALLOCATE] {
        let mut port = Port::new();
        port.read(CACHED);
        assert!(port.is_hit(CACHED) && ready(&mut port));
        port.write(FLUSH, 1).expect("a register");
        let flushed = port.now - 1;
        assert!(!ready(&mut port));
        port.now = flushed + 1024;
        assert!(!ready(&mut port));
        port.now = flushed + 1000;
        let waits = port.access(address, None).0 - if address == FLUSH { 1 } else { miss() };
        assert_eq!(waits, 25, "{address:#x}");
        assert!(ready(&mut port));
        assert!(!port.is_hit(CACHED));
    }
}

/// The cycles of a miss.
fn miss() -> Cycle {
    Port::new().access(CACHED, None).0
}

/// 2.6.3.6: `CTR_HIT` and `CTR_ACC` count, and "a write of any value clears the counter".
#[test]
fn each_counter_is_cleared_by_a_write() {
    for (cleared, left) in [(CTR_HIT, [0, 3]), (CTR_ACC, [2, 0])] {
        let mut port = Port::new();
        for _ in 0..3 {
            port.read(CACHED);
        }
        assert_eq!([port.read(CTR_HIT), port.read(CTR_ACC)], [2, 3]);
        port.write(cleared, 0xffff_ffff).expect("a register");
        assert_eq!([port.read(CTR_HIT), port.read(CTR_ACC)], left);
    }
}

/// 2.6.3.6, `CTRL`: without EN all goes to the flash; without `ERR_BADWRITE` a write to the other windows is no error.
#[test]
fn a_cache_that_is_off_holds_nothing_and_errors_can_be_turned_off() {
    let mut port = Port::new();
    port.read(CACHED);
    assert!(port.is_hit(CACHED));
    assert!(port.write(NO_ALLOCATE, 0).is_err());
    port.write(XIP_CTRL, 0).expect("a register");
    assert!(!port.is_hit(CACHED) && !port.is_hit(CACHED));
    assert!(port.write(NO_ALLOCATE, 0).is_ok());
    port.write(XIP_CTRL, EN | ERR_BADWRITE).expect("a register");
    assert!(port.is_hit(CACHED));
}

/// 2.6.3.1: the cache's memory is SRAM while the cache is off, and a bus error while it is on.
#[test]
fn the_memory_of_the_cache_is_for_one_of_two_uses() {
    let mut port = Port::new();
    assert!(port.write(CACHE_MEMORY + 0x3ffc, 1).is_err() && port.access(CACHE_MEMORY, None).1.is_err());
    port.write(XIP_CTRL, 0).expect("a register");
    port.write(CACHE_MEMORY + 0x3ffc, 0x1234_5678).expect("memory");
    let read = [(); 2].map(|()| port.access(CACHE_MEMORY + 0x3ffc, None));
    assert_eq!(read, [(2, Ok(0x1234_5678)), (1, Ok(0x1234_5678))], "one wait state right behind the write");
}
