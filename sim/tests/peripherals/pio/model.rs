//! A second PIO block, as plain as can be: every register of every state machine in every cycle, as chapter 3 of the datasheet
//! has it. It shares no code with the simulator's, and skips nothing.

#[derive(Clone, Copy, Debug, PartialEq)]
enum Latch {
    Empty,
    Exec(u16),
    Forced(u16),
}

/// A state machine.
#[derive(Clone, Debug)]
pub struct Sm {
    /// CLKDIV, EXECCTRL, SHIFTCTRL, PINCTRL.
    pub regs: [u32; 4],
    pub on: bool,
    pub pc: u32,
    pub tx: Vec<u32>,
    pub rx: Vec<u32>,
    x: u32,
    y: u32,
    isr: u32,
    osr: u32,
    isr_count: u32,
    osr_count: u32,
    delay: u32,
    latch: Latch,
    written: Option<u16>,
    stalled: bool,
    irq_set: bool,
    countdown: u32,
    fraction: u32,
    sticky: Option<Vec<(u32, bool, bool)>>,
}

/// What a cycle of a state machine wants of the rest.
#[derive(Default)]
struct Wishes {
    /// Pin, level, whether it is a direction; the later ones win.
    pins: Vec<(u32, bool, bool)>,
    raise: u8,
    lower: u8,
    fdebug: u32,
}

/// A block.
#[derive(Clone, Debug)]
pub struct Model {
    pub memory: [u16; 32],
    pub sms: [Sm; 4],
    pub irq: u8,
    pub fdebug: u32,
    pub out: u32,
    pub oe: u32,
    pub bypass: u32,
    first: u32,
    second: u32,
}

impl Model {
    /// After reset, with pads that have long been at a level.
    pub fn new(pads: u32) -> Self {
        let sm = Sm {
            regs: [0x10000, 0x1f000, 0xc0000, 0x1400_0000],
            on: false,
            pc: 0,
            tx: Vec::new(),
            rx: Vec::new(),
            x: 0,
            y: 0,
            isr: 0,
            osr: 0,
            isr_count: 0,
            osr_count: 32,
            delay: 0,
            latch: Latch::Empty,
            written: None,
            stalled: false,
            irq_set: false,
            countdown: 0,
            fraction: 0,
            sticky: None,
        };
        Self {
            memory: [0; 32],
            sms: [sm.clone(), sm.clone(), sm.clone(), sm],
            irq: 0,
            fdebug: 0,
            out: 0,
            oe: 0,
            bypass: 0,
            first: pads,
            second: pads,
        }
    }

    /// One cycle of `clk_sys`, in which the pads have these levels.
    pub fn cycle(&mut self, pads: u32) {
        let input = pads & self.bypass | self.second & !self.bypass;
        (self.first, self.second) = (pads, self.first);
        let mut all = Wishes::default();
        for number in 0..4 {
            let wishes = self.sms[number].cycle(number as u32, &self.memory, input, self.irq);
            all.pins.extend(wishes.pins);
            all.raise |= wishes.raise;
            all.lower |= wishes.lower;
            all.fdebug |= wishes.fdebug;
        }
        for (pin, level, is_direction) in all.pins {
            let register = if is_direction { &mut self.oe } else { &mut self.out };
            *register = *register & !(1 << pin) | u32::from(level) << pin;
        }
        self.irq = self.irq & !all.lower | all.raise;
        self.fdebug |= all.fdebug;
    }

    pub fn ctrl(&mut self, value: u32) {
        for (number, sm) in self.sms.iter_mut().enumerate() {
            sm.on = value & 1 << number != 0;
            if value & 0x10 << number != 0 {
                sm.restart();
            }
            if value & 0x100 << number != 0 {
                (sm.countdown, sm.fraction) = (0, 0);
            }
        }
    }

    /// The system writes a word, for which there was room at the beginning of the cycle or not.
    pub fn put(&mut self, sm: usize, word: u32, had_room: bool) {
        if had_room {
            self.sms[sm].tx.push(word);
        } else {
            self.fdebug |= 0x1_0000 << sm;
        }
    }

    /// Takes a word; none from an empty FIFO.
    pub fn get(&mut self, sm: usize) -> Option<u32> {
        if self.sms[sm].rx.is_empty() {
            self.fdebug |= 0x100 << sm;
            return None;
        }
        Some(self.sms[sm].rx.remove(0))
    }

    pub fn flevel(&self) -> u32 {
        let level = |sm: &Sm| (sm.rx.len() as u32) << 4 | sm.tx.len() as u32;
        (0..4).map(|number| level(&self.sms[number]) << (8 * number)).sum()
    }

    pub fn fstat(&self) -> u32 {
        let flags = |is: &dyn Fn(&Sm) -> bool| (0..4).map(|n| u32::from(is(&self.sms[n])) << n).sum::<u32>();
        flags(&|sm| sm.rx.len() == sm.rx_depth())
            | flags(&|sm| sm.rx.is_empty()) << 8
            | flags(&|sm| sm.tx.len() == sm.tx_depth()) << 16
            | flags(&|sm| sm.tx.is_empty()) << 24
    }

    pub fn intr(&self) -> u32 {
        let fstat = !self.fstat();
        fstat >> 8 & 15 | (fstat >> 16 & 15) << 4 | u32::from(self.irq & 15) << 8
    }
}

/// Levels of so many pins from `base` on.
fn drive(base: u32, count: u32, data: u32, is_direction: bool) -> Vec<(u32, bool, bool)> {
    (0..count).map(|bit| ((base + bit) % 32, data >> bit & 1 == 1, is_direction)).collect()
}

impl Sm {
    fn has(&self, register: usize, bit: u32) -> bool {
        self.regs[register] >> bit & 1 == 1
    }

    fn field(&self, register: usize, low: u32, bits: u32) -> u32 {
        self.regs[register] >> low & ((1 << bits) - 1)
    }

    fn tx_depth(&self) -> usize {
        if self.has(2, 31) {
            0
        } else if self.has(2, 30) {
            8
        } else {
            4
        }
    }

    fn rx_depth(&self) -> usize {
        if self.has(2, 30) {
            0
        } else if self.has(2, 31) {
            8
        } else {
            4
        }
    }

    /// A write to one of the four registers.
    pub fn set(&mut self, register: usize, value: u32) {
        let joins = self.regs[2] >> 30;
        self.regs[register] = value;
        if self.regs[2] >> 30 != joins {
            self.tx.clear();
            self.rx.clear();
        }
    }

    /// It is there after the next cycle.
    pub fn force(&mut self, instruction: u16) {
        self.written = Some(instruction);
    }

    pub fn exec_stalled(&self) -> bool {
        matches!(self.latch, Latch::Forced(_))
    }

    fn restart(&mut self) {
        (self.isr, self.isr_count, self.osr_count, self.delay) = (0, 0, 32, 0);
        (self.latch, self.stalled, self.irq_set, self.sticky) = (Latch::Empty, false, false, None);
    }

    /// The clock divider: counts down, and begins a period that is longer when the fractions come to a whole.
    fn ticks(&mut self) -> bool {
        if self.countdown > 0 {
            self.countdown -= 1;
            return false;
        }
        let whole = self.regs[0] >> 16;
        self.fraction += if whole == 0 { 0 } else { self.regs[0] >> 8 & 0xff };
        self.countdown = if whole == 0 { 65536 } else { whole } - 1 + self.fraction / 256;
        self.fraction %= 256;
        true
    }

    fn cycle(&mut self, number: u32, memory: &[u16; 32], input: u32, irq: u8) -> Wishes {
        let mut wishes = Wishes::default();
        let ticks = self.ticks();
        if self.has(1, 17) {
            wishes.pins.extend(self.sticky.iter().flatten());
        }
        if let Latch::Forced(instruction) = self.latch {
            self.execute(instruction, number, input, irq, &mut wishes);
        } else if ticks && self.on {
            if self.delay > 0 {
                self.delay -= 1;
                self.autopull();
            } else if let Latch::Exec(instruction) = self.latch {
                self.execute(instruction, number, input, irq, &mut wishes);
            } else {
                self.execute(memory[self.pc as usize], number, input, irq, &mut wishes);
            }
        }
        if let Some(instruction) = self.written.take() {
            self.latch = Latch::Forced(instruction);
            (self.stalled, self.irq_set) = (false, false);
        }
        wishes
    }

    fn pull_threshold(&self) -> u32 {
        match self.field(2, 25, 5) {
            0 => 32,
            bits => bits,
        }
    }

    fn push_threshold(&self) -> u32 {
        match self.field(2, 20, 5) {
            0 => 32,
            bits => bits,
        }
    }

    fn autopull(&mut self) {
        if self.has(2, 17) && self.osr_count >= self.pull_threshold() && !self.tx.is_empty() {
            self.osr = self.tx.remove(0);
            self.osr_count = 0;
        }
    }

    fn out_pins(&mut self, set: bool, data: u32, is_direction: bool, wishes: &mut Wishes) {
        let (base, count) = if set { (5, self.field(3, 26, 3)) } else { (0, self.field(3, 20, 6).min(32)) };
        let pins = drive(self.field(3, base, 5), count, data, is_direction);
        wishes.pins.extend(&pins);
        self.sticky = Some(pins);
    }

    fn execute(&mut self, word: u16, number: u32, input: u32, irq: u8, wishes: &mut Wishes) {
        let from_memory = self.latch == Latch::Empty;
        let forced = self.exec_stalled();
        let begins = !self.stalled;
        let side_count = self.field(3, 29, 3).min(5);
        let delay = u32::from(word) >> 8 & ((1 << (5 - side_count)) - 1);
        self.latch = Latch::Empty;
        let mut target = None;
        let done = self.carry_out(word, number, input, irq, wishes, &mut target, forced);
        if begins && side_count > 0 {
            let side = u32::from(word) >> (13 - side_count) & ((1 << side_count) - 1);
            let optional = self.has(1, 30);
            let bits = if optional { side_count - 1 } else { side_count };
            if !optional || side >> bits == 1 {
                wishes.pins.extend(drive(self.field(3, 10, 5), bits, side, self.has(1, 29)));
            }
        }
        if word >> 13 != 3 {
            self.autopull();
        }
        self.stalled = !done;
        if !done {
            self.latch = match () {
                () if forced => Latch::Forced(word),
                () if !from_memory => Latch::Exec(word),
                () => Latch::Empty,
            };
            return;
        }
        self.irq_set = false;
        if !forced {
            self.delay = if self.latch == Latch::Empty { delay } else { 0 };
        }
        if let Some(target) = target {
            self.pc = target % 32;
        } else if from_memory {
            self.pc = if self.pc == self.field(1, 12, 5) { self.field(1, 7, 5) } else { (self.pc + 1) % 32 };
        }
    }

    /// Whether it does not stall.
    #[allow(clippy::too_many_arguments, clippy::too_many_lines)] // a table of instructions
    fn carry_out(
        &mut self,
        word: u16,
        number: u32,
        input: u32,
        irq: u8,
        wishes: &mut Wishes,
        target: &mut Option<u32>,
        forced: bool,
    ) -> bool {
        let word = u32::from(word);
        let (middle, low) = (word >> 5 & 7, word & 31);
        let count = if low == 0 { 32 } else { low };
        let flag = if low & 16 == 0 { low & 7 } else { low & 4 | (low + number) & 3 };
        let in_base = self.field(3, 15, 5);
        let pins = input.rotate_right(in_base);
        let low_bits = |value: u32, bits: u32| (u64::from(value) & ((1 << bits) - 1)) as u32;
        let exec = |data: u32| if forced { Latch::Forced(data as u16) } else { Latch::Exec(data as u16) };
        match word >> 13 {
            0 => {
                let (x, y) = (self.x, self.y);
                if middle == 2 {
                    self.x = x.wrapping_sub(1);
                }
                if middle == 4 {
                    self.y = y.wrapping_sub(1);
                }
                let taken = [
                    true,
                    x == 0,
                    x != 0,
                    y == 0,
                    y != 0,
                    x != y,
                    input >> self.field(1, 24, 5) & 1 == 1,
                    self.osr_count < self.pull_threshold(),
                ];
                if taken[middle as usize] {
                    *target = Some(low);
                }
            }
            1 => {
                let level = match middle & 3 {
                    0 => input >> low & 1,
                    1 => pins >> low & 1,
                    2 => u32::from(irq) >> flag & 1,
                    _ => 0,
                };
                if level != word >> 7 & 1 {
                    return false;
                }
                if middle & 3 == 2 && level == 1 {
                    wishes.lower |= 1 << flag;
                }
            }
            2 => {
                let full = (self.isr_count + count).min(32) >= self.push_threshold() && self.has(2, 16);
                if full && self.rx.len() >= self.rx_depth() {
                    wishes.fdebug |= 1 << number;
                    return false;
                }
                let source = [pins, self.x, self.y, 0, 0, 0, self.isr, self.osr][middle as usize];
                let mut isr = self.isr;
                for bit in 0..count {
                    // To the right the lowest bit goes in first, to the left the highest one.
                    let right = self.has(2, 18);
                    let bit = source >> if right { bit } else { count - 1 - bit } & 1;
                    isr = if right { isr >> 1 | bit << 31 } else { isr << 1 | bit };
                }
                self.isr = isr;
                self.isr_count = (self.isr_count + count).min(32);
                if full {
                    self.rx.push(self.isr);
                    (self.isr, self.isr_count) = (0, 0);
                }
            }
            3 => {
                if self.has(2, 17) && self.osr_count >= self.pull_threshold() {
                    if self.tx.is_empty() {
                        wishes.fdebug |= 1 << 24 << number;
                    }
                    self.autopull();
                    return false;
                }
                let mut data = 0;
                for bit in 0..count {
                    if self.has(2, 19) {
                        data |= (self.osr & 1) << bit;
                        self.osr >>= 1;
                    } else {
                        data = data << 1 | self.osr >> 31;
                        self.osr <<= 1;
                    }
                }
                self.osr_count = (self.osr_count + count).min(32);
                self.autopull();
                let enabled = !self.has(1, 18) || data >> self.field(1, 19, 5) & 1 == 1;
                match middle {
                    0 | 4 if !enabled => self.sticky = None,
                    0 => self.out_pins(false, data, false, wishes),
                    1 => self.x = data,
                    2 => self.y = data,
                    4 => self.out_pins(false, data, true, wishes),
                    5 => *target = Some(data),
                    6 => (self.isr, self.isr_count) = (data, count),
                    7 => self.latch = exec(data),
                    _ => {}
                }
            }
            4 if word & 0x80 == 0 => {
                let conditional = word & 0x40 != 0 && self.isr_count < self.push_threshold();
                if !conditional {
                    let full = self.rx.len() >= self.rx_depth();
                    if full {
                        wishes.fdebug |= 1 << number;
                        if word & 0x20 != 0 {
                            return false;
                        }
                    } else {
                        self.rx.push(self.isr);
                    }
                    (self.isr, self.isr_count) = (0, 0);
                }
            }
            4 => {
                let conditional = word & 0x40 != 0 && self.osr_count < self.pull_threshold();
                let filled = self.has(2, 17) && self.osr_count == 0;
                if !conditional && !filled {
                    if self.tx.is_empty() {
                        if word & 0x20 != 0 {
                            wishes.fdebug |= 1 << 24 << number;
                            return false;
                        }
                        self.osr = self.x;
                    } else {
                        self.osr = self.tx.remove(0);
                    }
                    self.osr_count = 0;
                }
            }
            5 => {
                let level = if self.has(1, 4) { self.rx.len() } else { self.tx.len() };
                let status = if (level as u32) < self.field(1, 0, 4) { u32::MAX } else { 0 };
                let source = [pins, self.x, self.y, 0, 0, status, self.isr, self.osr][word as usize & 7];
                let data = match word >> 3 & 3 {
                    1 => !source,
                    2 => (0..32).map(|bit| (source >> bit & 1) << (31 - bit)).sum(),
                    _ => source,
                };
                match middle {
                    0 => self.out_pins(false, data, false, wishes),
                    1 => self.x = data,
                    2 => self.y = data,
                    4 => self.latch = exec(data),
                    5 => *target = Some(data),
                    6 => (self.isr, self.isr_count) = (data, 0),
                    7 => (self.osr, self.osr_count) = (data, 0),
                    _ => {}
                }
            }
            6 => {
                if word & 0x40 != 0 {
                    wishes.lower |= 1 << flag;
                } else if self.irq_set {
                    return irq >> flag & 1 == 0;
                } else {
                    wishes.raise |= 1 << flag;
                    self.irq_set = word & 0x20 != 0;
                    return !self.irq_set;
                }
            }
            _ => match middle {
                0 => self.out_pins(true, low, false, wishes),
                1 => self.x = low_bits(low, 5),
                2 => self.y = low_bits(low, 5),
                4 => self.out_pins(true, low, true, wishes),
                _ => {}
            },
        }
        true
    }
}
