//! The simulators, as the measurement sees them.

use intercore_sim::core::stop::Stop;
use intercore_sim::engine::Engine;
use intercore_sim::image::{Boot, Image};
use intercore_sim::rp2040::bootrom;
use intercore_sim::rp2040::machine::Machine;
use intercore_sim::rp2350::machine::Machine as Rp2350;
use rp2040_emu::{Config, Emulator};

/// Code for one core, entered at its first instruction.
pub struct Entry {
    pub core: usize,
    pub code: u32,
    pub stack: u32,
    /// For R0.
    pub argument: u32,
}

/// A simulated chip.
pub trait Simulator {
    fn name(&self) -> &'static str;
    fn load(&mut self, address: u32, bytes: &[u8]);
    fn start(&mut self, entry: &Entry);
    /// Loads an image and starts it as a chip would.
    fn boot(&mut self, image: &Image);
    /// Runs for at least so many cycles. An error if the program ended before.
    fn run(&mut self, cycles: u64) -> Result<(), String>;
    /// Cycles since the start.
    fn cycles(&self) -> u64;
    fn word(&self, address: u32) -> u32;
    /// What a core has done so far, where the simulator counts that.
    fn counts(&self, core: usize) -> Option<Counts>;
}

#[derive(Clone, Copy)]
pub struct Counts {
    pub instructions: u64,
    /// Cycles that the core waited because another master had the bank.
    pub lost: u64,
}

impl Simulator for Machine {
    fn name(&self) -> &'static str {
        name_of(self.engine)
    }

    fn load(&mut self, address: u32, bytes: &[u8]) {
        assert!(Machine::load(self, address, bytes), "no memory at {address:#010x}");
    }

    fn start(&mut self, entry: &Entry) {
        self.start_core(entry.core, entry.code | 1, entry.stack);
        self.core_mut(entry.core).set_register(0, entry.argument);
    }

    fn boot(&mut self, image: &Image) {
        let booted = Machine::boot(self, image, &bootrom::ours());
        booted.unwrap_or_else(|address| panic!("no memory at {address:#010x}"));
    }

    fn run(&mut self, cycles: u64) -> Result<(), String> {
        let stop = self.run_until(self.now() + cycles);
        if stop == Stop::Limit { Ok(()) } else { Err(format!("in {} the program ended", self.name())) }
    }

    fn cycles(&self) -> u64 {
        self.now()
    }

    fn word(&self, address: u32) -> u32 {
        self.peek(address).expect("results are in memory")
    }

    fn counts(&self, core: usize) -> Option<Counts> {
        let instructions = self.core(core).statistics().instructions;
        Some(Counts { instructions, lost: self.conflicts(core) })
    }
}

impl Simulator for Rp2350 {
    fn name(&self) -> &'static str {
        name_of(self.engine)
    }

    fn load(&mut self, address: u32, bytes: &[u8]) {
        assert!(Rp2350::load(self, address, bytes), "no memory at {address:#010x}");
    }

    fn start(&mut self, _: &Entry) {
        unreachable!("its programs are images");
    }

    fn boot(&mut self, image: &Image) {
        let booted = Rp2350::booted(image, None);
        let mut booted = booted.unwrap_or_else(|address| panic!("no memory at {address:#010x}"));
        booted.engine = self.engine;
        *self = booted;
    }

    fn run(&mut self, cycles: u64) -> Result<(), String> {
        let stop = self.run_until(self.now() + cycles);
        if stop == Stop::Limit { Ok(()) } else { Err(format!("in {} the program ended", self.name())) }
    }

    fn cycles(&self) -> u64 {
        self.now()
    }

    fn word(&self, address: u32) -> u32 {
        self.bus.peek_memory(address).expect("results are in memory")
    }

    fn counts(&self, core: usize) -> Option<Counts> {
        let told = self.statistics(core);
        Some(Counts { instructions: told.instructions, lost: told.conflicts.iter().sum() })
    }
}

fn name_of(engine: Engine) -> &'static str {
    match engine {
        Engine::Decoupled => "intercore",
        Engine::LockStep => "lock-step",
    }
}

/// Our RP2350, with one of its engines.
pub fn rp2350(engine: Engine) -> Rp2350 {
    let mut machine = Rp2350::new();
    machine.engine = engine;
    machine
}

/// Our RP2040, with one of its engines.
pub fn rp2040(engine: Engine) -> Machine {
    let mut machine = Machine::new();
    machine.engine = engine;
    machine
}

/// As its documentation recommends: serial, with the default quantum. (Threaded execution refuses fewer than three
/// processors and is not what its authors check against hardware.)
pub fn rp2040_emu() -> Emulator {
    Emulator::new(Config::default())
}

impl Simulator for Emulator {
    fn name(&self) -> &'static str {
        "rp2040-emu"
    }

    fn load(&mut self, address: u32, bytes: &[u8]) {
        self.load_image(address, bytes);
    }

    fn start(&mut self, entry: &Entry) {
        let core = self.core_mut(entry.core);
        core.reset_control_for_launch();
        core.regs.msp = entry.stack;
        core.regs.r[13] = entry.stack;
        core.regs.set_pc(entry.code & !1);
        core.set_reg(0, entry.argument);
        if entry.core == 1 {
            self.wake_core1();
        }
    }

    /// From the vector table: it has neither a boot ROM nor what a boot ROM looks at to find the flash.
    fn boot(&mut self, image: &Image) {
        for segment in &image.segments {
            match image.boot {
                Boot::Flash => self.load_flash(&segment.bytes),
                _ => self.load_image(segment.address, &segment.bytes),
            }
        }
        let first = &image.segments[0];
        let table = first.address;
        let word = |at: usize| u32::from_le_bytes(first.bytes[at..at + 4].try_into().expect("four bytes"));
        self.start(&Entry { core: 0, code: word(4), stack: word(0), argument: 0 });
        self.bus.ppb[0].vtor = table;
    }

    fn run(&mut self, cycles: u64) -> Result<(), String> {
        let passed = Emulator::run(self, cycles).expect("serial execution cannot fail");
        if passed >= cycles { Ok(()) } else { Err(format!("in {} the program ended", self.name())) }
    }

    fn cycles(&self) -> u64 {
        Emulator::cycles(self)
    }

    fn word(&self, address: u32) -> u32 {
        self.peek(address)
    }

    fn counts(&self, _core: usize) -> Option<Counts> {
        None
    }
}
