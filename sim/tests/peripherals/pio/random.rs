//! Random programs on both blocks, which look at each other's pins: in each cycle pins, FIFOs, flags and interrupts are those of
//! the model. `make test` tries 300 of them; 200,000 were tried once (`PROPTEST_CASES`).

use super::model::Model;
use super::{
    CTRL, EXECCTRL, FDEBUG, FLEVEL, FSTAT, INSTR, INSTR_MEM, INTE, IRQ, IRQ_FORCE, PADOE, PADOUT, PIO, RXF, TXF,
};
use super::{SYNC_BYPASS, at_machine, give};
use crate::machine_code::cases;
use crate::peripherals::bench::{Bench, IO_BANK0};
use intercore_sim::rp2040::irq::Irq;
use intercore_sim::rp2040::peripherals::pins::Outputs;
use proptest::prelude::*;

const LINES: [[Irq; 2]; 2] = [[Irq::Pio0_0, Irq::Pio0_1], [Irq::Pio1_0, Irq::Pio1_1]];

#[derive(Clone, Debug)]
enum Action {
    Put {
        sm: usize,
        word: u32,
    },
    Get {
        sm: usize,
    },
    Ctrl(u32),
    Set {
        sm: usize,
        register: usize,
        value: u32,
    },
    Force {
        sm: usize,
        instruction: u16,
    },
    Patch {
        at: usize,
        instruction: u16,
    },
    ClearIrq(u8),
    ForceIrq(u8),
    ClearDebug(u32),
    Enable {
        line: usize,
        sources: u32,
    },
    Outside {
        levels: u32,
        enables: u32,
    },
    /// A pin becomes one of PIO0, PIO1 or nobody.
    Give {
        pin: u32,
        function: usize,
    },
}

#[derive(Clone, Debug)]
pub struct Block {
    pub memory: Vec<u16>,
    /// CLKDIV, EXECCTRL, SHIFTCTRL, PINCTRL of each state machine.
    pub settings: Vec<[u32; 4]>,
    pub bypass: u32,
    /// Where each state machine begins.
    pub begins: [u16; 4],
    pub enabled: u32,
}

#[derive(Clone, Debug)]
struct Case {
    blocks: [Block; 2],
    /// Whose each pin is: PIO0's, PIO1's or nobody's.
    functions: Vec<usize>,
    /// Block, cycles to wait before it, and what.
    actions: Vec<(usize, u64, Action)>,
    /// Whether registers are read in each cycle, which brings the state up to it, or only at actions.
    reads: bool,
}

pub fn instruction() -> impl Strategy<Value = u16> {
    let operation = prop_oneof![
        (0u16..8, 0u16..32).prop_map(|(condition, to)| condition << 5 | to),
        (any::<bool>(), 0u16..3, 0u16..32)
            .prop_map(|(high, source, at)| 0x2000 | u16::from(high) << 7 | source << 5 | at),
        (0u16..8, 0u16..32).prop_map(|(source, count)| 0x4000 | source << 5 | count),
        (0u16..8, 0u16..32).prop_map(|(to, count)| 0x6000 | to << 5 | count),
        (0u16..8).prop_map(|kind| 0x8000 | kind << 5),
        (0u16..256).prop_map(|operands| 0xa000 | operands),
        (0u16..4, 0u16..32).prop_map(|(kind, flag)| 0xc000 | kind << 5 | flag),
        (0u16..8, 0u16..32).prop_map(|(to, data)| 0xe000 | to << 5 | data),
    ];
    let field = prop_oneof![2 => Just(0u16), 2 => 0u16..32, 1 => (0u16..8).prop_map(|side| side << 2)];
    (operation, field).prop_map(|(operation, field)| operation | field << 8)
}

fn clkdiv() -> impl Strategy<Value = u32> {
    let whole = prop_oneof![4 => Just(1u32), 2 => 1u32..5, 1 => Just(40)];
    let fraction = prop_oneof![2 => Just(0u32), 1 => 0u32..256];
    (whole, fraction).prop_map(|(whole, fraction)| whole << 16 | fraction << 8)
}

fn execctrl() -> impl Strategy<Value = u32> {
    let rare = prop_oneof![3 => Just(0u32), 1 => (0u32..64).prop_map(|bits| (bits & 3) << 17 | bits >> 2 << 19)];
    (0u32..4, 0u32..32, rare, 0u32..32, 0u32..32, 0u32..32).prop_map(|(side, jmp_pin, out, top, bottom, status)| {
        side << 29 | jmp_pin << 24 | out | top << 12 | bottom << 7 | status
    })
}

fn shiftctrl() -> impl Strategy<Value = u32> {
    let joins = prop_oneof![4 => Just(0u32), 1 => Just(1), 1 => Just(2)];
    (joins, 0u32..32, 0u32..32, 0u32..16)
        .prop_map(|(joins, pull, push, flags)| joins << 30 | pull << 25 | push << 20 | flags << 16)
}

fn pinctrl() -> impl Strategy<Value = u32> {
    (0u32..6, 0u32..6, 0u32..33, any::<u32>())
        .prop_map(|(side, set, out, bases)| side << 29 | set << 26 | out << 20 | bases & 0xf_ffff)
}

/// Instructions by which a state machine notices no other one, and many that jump to themselves.
fn instruction_alone(at: u16) -> impl Strategy<Value = u16> {
    let operation = prop_oneof![
        2 => (0u16..6).prop_map(move |condition| condition << 5 | at),
        2 => (0u16..6, 0u16..32).prop_map(|(condition, to)| condition << 5 | to),
        2 => (1u16..8, 0u16..32).prop_map(|(source, count)| 0x4000 | source << 5 | count),
        3 => (0u16..5, 0u16..32).prop_map(|(to, count)| 0x6000 | to << 5 | count),
        2 => (0u16..8).prop_map(|kind| 0x8000 | kind << 5),
        1 => (0u16..4, 0u16..3, 1u16..8).prop_map(|(to, operation, from)| 0xa000 | to << 5 | operation << 3 | from),
        3 => (0u16..5, 0u16..32).prop_map(|(to, data)| 0xe000 | to << 5 | data),
    ];
    (operation, prop_oneof![2 => Just(0u16), 1 => 0u16..32]).prop_map(|(operation, field)| operation | field << 8)
}

/// State machines that go their own ways: eight pins each, at most.
fn block_apart() -> impl Strategy<Value = Block> {
    let settings = (clkdiv(), shiftctrl(), 0u32..4, 0u32..3, 0u32..6, 0u32..9);
    ((0u16..32).map(instruction_alone).collect::<Vec<_>>(), proptest::collection::vec(settings, 4), 0u32..16).prop_map(
        |(memory, settings, enabled)| {
            let settings =
                settings.into_iter().enumerate().map(|(number, (clkdiv, shiftctrl, side, enable, set, out))| {
                    let base = 8 * number as u32 % 30;
                    let pinctrl = side << 29 | set << 26 | out.min(6) << 20 | base << 10 | base << 5 | base;
                    [clkdiv, enable << 29 | 0x1f000, shiftctrl, pinctrl]
                });
            Block { memory, settings: settings.collect(), bypass: 0, begins: [0; 4], enabled }
        },
    )
}

pub fn block() -> impl Strategy<Value = Block> {
    prop_oneof![block_together(), block_apart(), block_nearly_apart()]
}

/// State machines with eight instructions and mostly eight pins each, few of which concern others: what is forgotten when they are
/// told apart shows.
fn block_nearly_apart() -> impl Strategy<Value = Block> {
    let concerns_others = || {
        prop_oneof![
            (0u16..4, 0u16..4).prop_map(|(kind, flag)| 0xc000 | kind << 5 | flag),
            (0u16..2, 0u16..4).prop_map(|(high, flag)| 0x2040 | high << 7 | flag),
            (0u16..2, 0u16..30).prop_map(|(high, pin)| 0x2000 | high << 7 | pin),
            (0u16..32).prop_map(|to| 0x00c0 | to),
        ]
    };
    let instruction_in_part = move |at: u16| {
        prop_oneof![9 => instruction_alone(at), 1 => concerns_others()]
            .prop_map(move |word| if word >> 13 == 0 { word & !0x1f | at & 0x18 | word & 7 } else { word })
    };
    let base = |own: u32| prop_oneof![4 => Just(own), 1 => Just((own + 8) % 32), 1 => 0u32..32];
    let settings = move |number: u32| {
        let bases = [base(8 * number), base(8 * number), base(8 * number), base(8 * number)];
        let counts = (0u32..4, 0u32..6, 0u32..9);
        (clkdiv(), shiftctrl(), counts, bases, (0u32..4, 0u32..32)).prop_map(
            move |(
                clkdiv,
                shiftctrl,
                (side, set, out),
                [out_base, set_base, side_base, in_base],
                (enable, jmp_pin),
            )| {
                let pinctrl = side << 29
                    | set << 26
                    | out.min(6) << 20
                    | in_base << 15
                    | side_base << 10
                    | set_base << 5
                    | out_base;
                let wrap = (8 * number + 7) << 12 | (8 * number) << 7;
                [clkdiv, enable << 29 | jmp_pin << 24 | wrap, shiftctrl, pinctrl]
            },
        )
    };
    let memory = (0u16..32).map(instruction_in_part).collect::<Vec<_>>();
    (memory, (0u32..4).map(settings).collect::<Vec<_>>(), 0u32..16).prop_map(|(memory, settings, enabled)| Block {
        memory,
        settings,
        bypass: 0,
        begins: [0, 8, 16, 24],
        enabled,
    })
}

fn block_together() -> impl Strategy<Value = Block> {
    let settings = (clkdiv(), execctrl(), shiftctrl(), pinctrl()).prop_map(|(a, b, c, d)| [a, b, c, d]);
    (
        proptest::collection::vec(instruction(), 32),
        proptest::collection::vec(settings, 4),
        prop_oneof![Just(0u32), any::<u32>()],
        0u32..16,
    )
        .prop_map(|(memory, settings, bypass, enabled)| Block {
            memory,
            settings,
            bypass,
            begins: [0; 4],
            enabled,
        })
}

fn setting() -> impl Strategy<Value = (usize, u32)> {
    prop_oneof![
        clkdiv().prop_map(|value| (0, value)),
        execctrl().prop_map(|value| (1, value)),
        shiftctrl().prop_map(|value| (2, value)),
        pinctrl().prop_map(|value| (3, value)),
    ]
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        6 => (0usize..4, any::<u32>()).prop_map(|(sm, word)| Action::Put { sm, word }),
        6 => (0usize..4).prop_map(|sm| Action::Get { sm }),
        2 => prop_oneof![3 => 0u32..16, 1 => 0u32..0x1000].prop_map(Action::Ctrl),
        2 => (0usize..4, setting()).prop_map(|(sm, (register, value))| Action::Set { sm, register, value }),
        3 => (0usize..4, instruction()).prop_map(|(sm, instruction)| Action::Force { sm, instruction }),
        1 => (0usize..32, instruction()).prop_map(|(at, instruction)| Action::Patch { at, instruction }),
        1 => any::<u8>().prop_map(Action::ClearIrq),
        1 => any::<u8>().prop_map(Action::ForceIrq),
        1 => any::<u32>().prop_map(Action::ClearDebug),
        1 => (0usize..2, 0u32..0x1000).prop_map(|(line, sources)| Action::Enable { line, sources }),
        4 => (any::<u32>(), any::<u32>()).prop_map(|(levels, enables)| Action::Outside { levels, enables }),
        1 => (0u32..30, 0usize..3).prop_map(|(pin, function)| Action::Give { pin, function }),
    ]
}

fn case() -> impl Strategy<Value = Case> {
    let wait = prop_oneof![3 => 1u64..8, 1 => 1u64..60];
    (
        [block(), block()],
        proptest::collection::vec(0usize..3, 30),
        proptest::collection::vec((0usize..2, wait, action()), 1..40),
        any::<bool>(),
    )
        .prop_map(|(blocks, functions, actions, reads)| Case { blocks, functions, actions, reads })
}

/// Both blocks, and both models.
struct Pair {
    bench: Bench,
    models: [Model; 2],
    /// Pins of each.
    mine: [u32; 2],
    outside: Outputs,
    inte: [[u32; 2]; 2],
}

impl Pair {
    fn new(case: &Case) -> Self {
        let mut bench = Bench::started();
        let mut mine = [0; 2];
        for (pin, &function) in case.functions.iter().enumerate() {
            if function < 2 {
                give(&mut bench, pin as u32, function);
                mine[function] |= 1 << pin;
            }
        }
        let models = [Model::new(0), Model::new(0)];
        let mut pair = Self { bench, models, mine, outside: Outputs::default(), inte: [[0; 2]; 2] };
        for (number, block) in case.blocks.iter().enumerate() {
            for (at, &instruction) in block.memory.iter().enumerate() {
                pair.act(number, &Action::Patch { at, instruction });
            }
            for (sm, settings) in block.settings.iter().enumerate() {
                for (register, &value) in settings.iter().enumerate() {
                    pair.act(number, &Action::Set { sm, register, value });
                }
            }
            pair.bench.write(PIO[number] + SYNC_BYPASS, block.bypass);
            pair.models[number].bypass = block.bypass;
            for (sm, &begin) in block.begins.iter().enumerate() {
                pair.act(number, &Action::Force { sm, instruction: begin });
            }
            pair.act(number, &Action::Ctrl(0xff0 | block.enabled));
        }
        pair
    }

    fn pads(&self) -> u32 {
        let driven = |at: usize| self.models[at].oe & self.mine[at];
        let levels = self.models[0].out & driven(0) | self.models[1].out & driven(1);
        let floating = !(driven(0) | driven(1)) & self.outside.enables;
        (levels | self.outside.levels & floating) & 0x3fff_ffff
    }

    /// Cycle `now` of the models, and the next one of the chip.
    fn cycle(&mut self) {
        let pads = self.pads();
        for model in &mut self.models {
            model.cycle(pads);
        }
        self.bench.wait(1);
    }

    /// The models are a cycle ahead of the chip: what is written in a cycle is there after it.
    fn act(&mut self, block: usize, action: &Action) {
        let base = PIO[block];
        let pads = self.pads();
        let before = self.models[block].clone();
        for model in &mut self.models {
            model.cycle(pads);
        }
        let model = &mut self.models[block];
        let bench = &mut self.bench;
        match *action {
            Action::Put { sm, word } => {
                bench.write(base + TXF + 4 * sm as u32, word);
                model.put(sm, word, before.fstat() >> (16 + sm) & 1 == 0);
            }
            Action::Get { sm } => {
                let word = bench.read(base + RXF + 4 * sm as u32);
                if before.sms[sm].rx.is_empty() {
                    model.fdebug |= 0x100 << sm;
                } else {
                    assert_eq!(Some(word), model.get(sm));
                }
            }
            Action::Ctrl(value) => {
                bench.write(base + CTRL, value);
                model.ctrl(value);
            }
            Action::Set { sm, register, value } => {
                let offset = [0xc8, EXECCTRL, 0xd0, 0xdc][register];
                bench.write(base + at_machine(offset, sm as u32), value);
                model.sms[sm].set(register, value);
            }
            Action::Force { sm, instruction } => {
                bench.write(base + at_machine(INSTR, sm as u32), u32::from(instruction));
                model.sms[sm].force(instruction);
            }
            Action::Patch { at, instruction } => {
                bench.write(base + INSTR_MEM + 4 * at as u32, u32::from(instruction));
                model.memory[at] = instruction;
            }
            Action::ClearIrq(flags) => {
                bench.write(base + IRQ, u32::from(flags));
                model.irq &= !flags;
            }
            Action::ForceIrq(flags) => {
                bench.write(base + IRQ_FORCE, u32::from(flags));
                model.irq |= flags;
            }
            Action::ClearDebug(flags) => {
                bench.write(base + FDEBUG, flags);
                model.fdebug &= !flags;
            }
            Action::Enable { line, sources } => {
                bench.write(base + INTE + 12 * line as u32, sources);
                self.inte[block][line] = sources;
            }
            Action::Outside { levels, enables } => {
                self.outside = Outputs { levels, enables };
                bench.with(|p, context| p.set_outside(Outputs { levels, enables }, context));
            }
            Action::Give { pin, function } => {
                bench.write(IO_BANK0 + 8 * pin + 4, [6, 7, 31][function]);
                for (number, mine) in self.mine.iter_mut().enumerate() {
                    *mine = *mine & !(1 << pin) | u32::from(number == function) << pin;
                }
            }
        }
        self.bench.wait(1);
    }

    fn check(&mut self, reads: bool) -> Result<(), TestCaseError> {
        for number in 0..2 {
            let (base, model) = (PIO[number], &self.models[number]);
            let addresses = [0, 1, 2, 3].map(|sm| at_machine(0xd4, sm));
            let stalled = [0, 1, 2, 3].map(|sm| at_machine(EXECCTRL, sm));
            let offsets = [PADOUT, PADOE, FLEVEL, FSTAT, IRQ, FDEBUG].into_iter().chain(addresses).chain(stalled);
            let flags = [u32::from(model.irq), model.fdebug];
            let pins = [model.out & 0x3fff_ffff, model.oe & 0x3fff_ffff, model.flevel(), model.fstat()];
            let machines = model.sms.iter().map(|sm| sm.pc);
            let execctrl = model.sms.iter().map(|sm| sm.regs[1] & 0x7fff_ff9f | u32::from(sm.exec_stalled()) << 31);
            let expected = pins.into_iter().chain(flags).chain(machines).chain(execctrl);
            for (offset, expected) in offsets.zip(expected) {
                let value = if reads {
                    self.bench.read(base + offset)
                } else {
                    self.bench.p.peek(base + offset, self.bench.now, &self.bench.clocks)
                };
                prop_assert_eq!(value, expected, "PIO{} {:#x} in cycle {}", number, offset, self.bench.now);
            }
            for (line, inte) in LINES[number].into_iter().zip(self.inte[number]) {
                let expected = self.models[number].intr() & inte != 0;
                prop_assert_eq!(self.bench.line(line), expected, "{:?} in cycle {}", line, self.bench.now);
            }
        }
        prop_assert_eq!(self.bench.p.pin_levels(self.bench.now), self.pads());
        Ok(())
    }
}

fn compare(case: &Case) -> Result<(), TestCaseError> {
    let mut pair = Pair::new(case);
    pair.check(true)?;
    for (block, wait, action) in &case.actions {
        pair.act(*block, action);
        for _ in 1..*wait {
            if case.reads {
                pair.check(true)?;
            }
            pair.cycle();
        }
        pair.check(case.reads)?;
    }
    for block in 0..2 {
        for sm in 0..4 {
            for _ in 0..9 {
                pair.act(block, &Action::Get { sm });
            }
        }
    }
    pair.check(true)
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 20_000, ..ProptestConfig::with_cases(cases(300)) })]

    #[test]
    fn programs_do_what_the_model_does(case in case()) {
        compare(&case)?;
    }
}
