//! The STM32H745's cores together: start-up, shared memory, and reports of errors in its use. Programs are for the cores that
//! the chip has after a reset: both at 64 MHz, no memory protection.

use intercore_sim::core::chip::Chip as _;
use intercore_sim::core::stop::Stop;
use intercore_sim::core::watch::Watch;
use intercore_sim::fault::FaultTarget as _;
use intercore_sim::stm32h745::machine::Machine;
use intercore_sim::stm32h745::peripherals::board::{Board, OptionBytes};
use intercore_sim::stm32h745::{M4, M7, SECOND, Time};
use proptest::prelude::*;

const MICROSECOND: Time = SECOND / 1_000_000;
/// A word of AXI SRAM, of SRAM4, and of the Cortex-M7's own DTCM.
const AXI: u32 = 0x2400_0100;
const SRAM4: u32 = 0x3800_0200;
const DTCM: u32 = 0x2000_0300;
const PWR_CSR1: u32 = 0x5802_4804;
const PWR_CR3: u32 = 0x5802_480c;
const RCC_GCR: u32 = 0x5802_44a0;
const RCC_AHB4ENR: u32 = 0x5802_44e0;
const RCC_AHB2ENR: u32 = 0x5802_44dc;
const SRAM1: u32 = 0x3000_0000;
const RCC_APB1LENR: u32 = 0x5802_44e8;
const USART3: u32 = 0x4000_4800;
const SYST_CSR: u32 = 0xe000_e010;
const HSEM_R0: u32 = 0x5802_6400;
const HSEM_RLR0: u32 = 0x5802_6480;
const AIRCR: u32 = 0xe000_ed0c;
const CCR: u32 = 0xe000_ed14;
const CPACR: u32 = 0xe000_ed88;
const MPU_CTRL: u32 = 0xe000_ed94;
const MPU_RBAR: u32 = 0xe000_ed9c;
const MPU_RASR: u32 = 0xe000_eda0;
const DCIMVAC: u32 = 0xe000_ef5c;
const DCISW: u32 = 0xe000_ef60;
const DCCMVAC: u32 = 0xe000_ef68;

const DSB: [u16; 2] = [0xf3bf, 0x8f4f];
const ISB: [u16; 2] = [0xf3bf, 0x8f6f];
const DMB: [u16; 2] = [0xf3bf, 0x8f5f];

/// Machine code. R0 and R1 are changed by what does not say otherwise.
#[derive(Clone, Default)]
struct Program(Vec<u16>);

impl Program {
    fn new() -> Self {
        Self::default()
    }

    fn code(mut self, halves: &[u16]) -> Self {
        self.0.extend(halves);
        self
    }

    /// MOVW, MOVT.
    fn set(self, register: u16, value: u32) -> Self {
        [(0xf240, value as u16), (0xf2c0, (value >> 16) as u16)].into_iter().fold(self, |program, (first, half)| {
            let (i, imm4, imm3, imm8) = (half >> 11 & 1, half >> 12, half >> 8 & 7, half & 0xff);
            program.code(&[first | i << 10 | imm4, imm3 << 12 | register << 8 | imm8])
        })
    }

    /// Stores a word.
    fn put(self, address: u32, value: u32) -> Self {
        self.set(0, address).set(1, value).code(&[0x6001])
    }

    /// Loads a word into a register, 0 to 7.
    fn get(self, register: u16, address: u32) -> Self {
        self.set(0, address).code(&[0x6800 | register])
    }

    /// Waits until bits of a word are set.
    fn await_bits(self, address: u32, bits: u32) -> Self {
        // ldr r2, [r0]; ands r2, r1; cmp r2, r1; bne
        self.set(0, address).set(1, bits).code(&[0x6802, 0x400a, 0x428a, 0xd1fb])
    }

    /// The supply as the board has it, without which no RAM may be written.
    fn supplied(self) -> Self {
        self.put(PWR_CR3, 4).await_bits(PWR_CSR1, 1 << 13)
    }

    /// The data cache is empty, and on.
    fn cached(self) -> Self {
        let lines = self.set(0, DCISW).set(3, 0).set(4, 0x1000).set(6, 0x4000_0000);
        // way: mov r1, r3; line: str r1, [r0]; adds r1, #32; subs r5, r1, r3; cmp r5, r4; bne line; adds r3, r6; bne way
        let emptied = lines.code(&[0x4619, 0x6001, 0x3120, 0x1acd, 0x42a5, 0xd1fa, 0x199b, 0xd1f7]);
        emptied.put(CCR, 1 << 16 | 1 << 9).code(&[0xf3bf, 0x8f4f, 0xf3bf, 0x8f6f])
    }

    /// Some microseconds: two instructions for each turn.
    fn delayed(self) -> Self {
        self.set(2, 1000).code(&[0x3a01, 0xd1fd])
    }

    /// LDREX and STREX of a word; the outcome is in R3.
    fn exclusive(self, address: u32) -> Self {
        self.set(0, address).code(&[0xe850, 0x1f00, 0xe840, 0x1300])
    }

    fn endless(self) -> Self {
        self.code(&[0xe7fe])
    }
}

/// A chip with a program for each core, of which the Cortex-M4 begins by itself or not.
fn chip(m7: Program, m4: Program, m4_begins: bool) -> Machine {
    let options = OptionBytes { boot: [true, m4_begins], ..OptionBytes::default() };
    let mut machine = Machine::new(options, Board::default());
    for (base, stack, program) in [(0x0800_0000, 0x2000_1000, m7), (0x0810_0000, 0x3000_1000, m4)] {
        let mut bytes: Vec<u8> = [stack, base + 0x101].into_iter().flat_map(u32::to_le_bytes).collect();
        bytes.resize(0x100, 0);
        bytes.extend(program.endless().0.into_iter().flat_map(u16::to_le_bytes));
        assert!(machine.load(M7, base, &bytes));
    }
    machine.start();
    machine
}

/// Gives the Cortex-M7 a handler of SVC.
fn load_supervisor(machine: &mut Machine, handler: &[u16]) {
    let bytes: Vec<u8> = handler.iter().flat_map(|half| half.to_le_bytes()).collect();
    assert!(machine.load(M7, 0x0800_0800, &bytes) && machine.load(M7, 0x0800_002c, &0x0800_0801_u32.to_le_bytes()));
}

fn run(machine: &mut Machine, microseconds: u64) {
    assert_eq!(machine.run_until(machine.now() + microseconds * MICROSECOND), Stop::Limit);
}

fn r(machine: &Machine, core: usize, register: usize) -> u32 {
    machine.core(core).processor.register(register)
}

fn word(machine: &Machine, core: usize, address: u32) -> u32 {
    u32::from_le_bytes(machine.peek_bytes(core, address, 4).try_into().expect("memory"))
}

/// Takes the reports, as core and sentence.
fn reports(machine: &mut Machine) -> Vec<(Option<usize>, String)> {
    machine.take_reports().into_iter().map(|report| (report.core, report.sentence)).collect()
}

/// Checks that there is one report, of a core, that contains `words`.
#[track_caller]
fn assert_one_report(machine: &mut Machine, core: usize, words: &str) {
    let reports = reports(machine);
    let [(by, sentence)] = &reports[..] else { panic!("not one report: {reports:?}") };
    assert_eq!(*by, Some(core), "{sentence}");
    assert!(sentence.contains(words), "{sentence}");
}

/// Registers of bank 2 of the flash, and its last sector.
const FLASH_KEYR2: u32 = 0x5200_2104;
const FLASH_CR2: u32 = 0x5200_210c;
const FLASH_SR2: u32 = 0x5200_2110;
const SECTOR_7: u32 = 0x081e_0000;
const PG: u32 = 1 << 1;
const ERASE_SECTOR_7: u32 = 7 << 8 | 1 << 7 | 1 << 2;

impl Program {
    fn with_flash_open(self) -> Self {
        self.put(FLASH_KEYR2, 0x4567_0123).put(FLASH_KEYR2, 0xcdef_89ab)
    }

    /// Stores the same word from an address on.
    fn fill(self, address: u32, words: u32, value: u32) -> Self {
        (0..words).fold(self, |program, i| program.put(address + 4 * i, value))
    }
}

#[test]
fn flash_words_are_programmed_and_a_sector_is_erased() {
    let programmed = Program::new().with_flash_open().put(FLASH_CR2, PG).fill(SECTOR_7, 8, 0x1234_5678);
    let seen = programmed.get(6, SECTOR_7 + 28).get(5, FLASH_SR2);
    let mut machine = chip(seen.put(FLASH_CR2, ERASE_SECTOR_7).get(7, SECTOR_7), Program::new(), false);
    assert!(machine.load(M7, SECTOR_7 - 4, &[0x55; 4]) && machine.load(M7, SECTOR_7 + 0x1_fffc, &[0x55; 4]));
    run(&mut machine, 100);
    assert_eq!([5, 6, 7].map(|register| r(&machine, M7, register)), [0, 0x1234_5678, u32::MAX]);
    assert_eq!(word(&machine, M7, SECTOR_7 - 4), 0x5555_5555, "the sector before is as it was");
    assert_eq!(word(&machine, M7, SECTOR_7 + 0x1_fffc), u32::MAX);
    assert_eq!(reports(&mut machine), []);
}

/// What becomes of the second flash word of the sector, the error flags, and the report of the mistake.
fn flash_after(program: Program) -> (u32, u32, String) {
    let mut machine = chip(program.get(5, FLASH_SR2), Program::new(), false);
    assert!(machine.load(M7, SECTOR_7 + 32, &[0x0f, 0x0f, 0xff, 0xff].repeat(8)));
    run(&mut machine, 100);
    let found = reports(&mut machine);
    let [(Some(M7), sentence)] = &found[..] else { panic!("not one report: {found:?}") };
    (word(&machine, M7, SECTOR_7 + 32), r(&machine, M7, 5), sentence.clone())
}

#[test]
fn stores_that_flash_does_not_take_are_reported() {
    let (kept, flags, sentence) = flash_after(Program::new().put(SECTOR_7 + 32, 0));
    assert_eq!((kept, flags), (0xffff_0f0f, 1 << 18));
    assert!(sentence.contains("without FLASH_CR.PG"), "{sentence}");
    let open = || Program::new().with_flash_open().put(FLASH_CR2, PG);
    let (kept, flags, sentence) = flash_after(open().put(SECTOR_7, 0).put(SECTOR_7 + 32, 0));
    assert_eq!((kept, flags), (0xffff_0f0f, 1 << 21 | 1 << 1), "the first flash word waits for its rest");
    assert!(sentence.contains("another flash word"), "{sentence}");
    let (kept, _, sentence) = flash_after(open().put(SECTOR_7, 0).put(FLASH_CR2, 0));
    assert_eq!(kept, 0xffff_0f0f);
    assert!(sentence.contains("part of a flash word"), "{sentence}");
    let (kept, flags, sentence) = flash_after(open().fill(SECTOR_7 + 32, 8, 0x00ff_ff00));
    assert_eq!((kept, flags), (0x00ff_0f00, 0), "bits are only cleared");
    assert!(sentence.contains("not erased"), "{sentence}");
    let (kept, _, sentence) = flash_after(Program::new().with_flash_open().put(FLASH_CR2, 1 << 7));
    assert_eq!(kept, 0xffff_0f0f);
    assert!(sentence.contains("nothing is erased"), "{sentence}");
}

#[test]
fn both_cores_begin_with_their_own_bank_of_flash() {
    let mut machine = chip(Program::new().set(7, 0x1234_5678), Program::new().set(7, 0x9abc_def0), true);
    run(&mut machine, 1);
    assert_eq!([r(&machine, M7, 7), r(&machine, M4, 7)], [0x1234_5678, 0x9abc_def0]);
    assert_eq!([r(&machine, M7, 13), r(&machine, M4, 13)], [0x2000_1000, 0x3000_1000]);
    assert_eq!(reports(&mut machine), []);
}

#[test]
fn a_core_waits_at_its_gate_until_the_other_opens_it() {
    let m7 = Program::new().supplied().delayed().put(RCC_GCR, 1 << 3);
    let mut machine = chip(m7, Program::new().set(7, 7), false);
    run(&mut machine, 10);
    assert_eq!((machine.core(M4).state(), r(&machine, M4, 7)), ("off", 0));
    run(&mut machine, 1000);
    assert_eq!((machine.core(M4).state(), r(&machine, M4, 7)), ("running", 7));
    assert_eq!(reports(&mut machine), []);
}

#[test]
fn a_core_executes_one_instruction_in_each_period_of_its_clock() {
    let mut machine = chip(Program::new(), Program::new(), true);
    run(&mut machine, 1000);
    for core in [M7, M4] {
        assert_eq!(machine.statistics(core).instructions, 64_000, "core {core}");
    }
}

#[test]
fn tightly_coupled_memory_is_the_cortex_m7s_alone() {
    let m7 = Program::new().supplied().put(DTCM, 7).get(7, DTCM);
    let mut machine = chip(m7, Program::new().get(7, DTCM), true);
    assert!(matches!(machine.run_until(SECOND), Stop::Lockup { core: 1, .. }), "a HardFault without a handler");
    run(&mut machine, 10_000);
    assert_eq!(r(&machine, M7, 7), 7);
    assert_eq!(machine.core(M4).processor.fault_status().bfar, DTCM);
}

#[test]
fn ram_store_before_valid_supply_is_reported() {
    let mut machine = chip(Program::new().put(AXI, 1), Program::new(), false);
    run(&mut machine, 10);
    assert_one_report(&mut machine, M7, "before the supply is configured");
}

/// The Cortex-M7 has a word in its cache, lets the Cortex-M4 begin and waits; then comes the rest.
fn after_the_cortex_m4(first: Program, rest: impl FnOnce(Program) -> Program, m4: Program) -> Machine {
    let m7 = first.put(RCC_GCR, 1 << 3).delayed();
    let mut machine = chip(rest(m7), m4, false);
    run(&mut machine, 10_000);
    machine
}

#[test]
fn m7_load_of_a_cached_line_is_stale_and_reported() {
    let first = Program::new().supplied().put(AXI, 5).cached().get(5, AXI);
    let rest = |m7: Program| m7.get(6, AXI).put(DCIMVAC, AXI).get(7, AXI);
    let mut machine = after_the_cortex_m4(first, rest, Program::new().put(AXI, 9));
    let seen = [5, 6, 7].map(|register| r(&machine, M7, register));
    assert_eq!(seen, [5, 5, 9], "before, stale, and after the line was invalidated");
    assert_one_report(&mut machine, M7, "what the Cortex-M4 has stored to in memory since");
}

#[test]
fn m4_load_of_a_dirty_line_is_stale_and_reported() {
    let first = Program::new().supplied().put(AXI, 5).cached().put(AXI, 6);
    let rest = |m7: Program| m7.put(DCCMVAC, AXI).delayed().delayed();
    let m4 = Program::new().get(6, AXI).delayed().delayed().get(7, AXI);
    let mut machine = after_the_cortex_m4(first, rest, m4);
    assert_eq!([r(&machine, M4, 6), r(&machine, M4, 7)], [5, 6], "before and after the line was cleaned");
    assert_one_report(&mut machine, M4, "stored in its data cache and not written back");
}

#[test]
fn write_back_over_a_store_of_the_m4_is_reported() {
    let first = Program::new().supplied().put(AXI, 5).cached().put(AXI, 6);
    let rest = |m7: Program| m7.put(DCCMVAC, AXI);
    let mut machine = after_the_cortex_m4(first, rest, Program::new().put(AXI + 4, 9));
    let reports = reports(&mut machine);
    assert_eq!(reports.len(), 2, "{reports:?}");
    assert!(reports[0].1.contains("the cache will write over it"), "{reports:?}");
    assert!(reports[1].1.contains("writes back a line of its data cache over"), "{reports:?}");
    assert_eq!([word(&machine, M4, AXI), word(&machine, M4, AXI + 4)], [6, 0]);
}

#[test]
fn lines_that_do_not_fit_are_written_back_in_turn() {
    // Five lines of one set, of which there is room for four.
    let program = (0..5).fold(Program::new().supplied().cached(), |program, i| program.put(AXI + 0x1000 * i, i + 1));
    let mut machine = chip(program, Program::new(), false);
    run(&mut machine, 10_000);
    assert_eq!(machine.core(M7).processor.peek_cache(AXI), None, "the first one had to go");
    assert_eq!(word(&machine, M4, AXI), 1, "and was written back");
    assert_eq!(word(&machine, M4, AXI + 0x4000), 0, "the last one is in the cache alone");
    assert_eq!(word(&machine, M7, AXI + 0x4000), 5);
    assert_eq!(reports(&mut machine), []);
}

#[test]
fn enabling_an_uninvalidated_data_cache_is_reported() {
    let mut machine = chip(Program::new().put(CCR, 1 << 16 | 1 << 9), Program::new(), false);
    run(&mut machine, 10);
    assert_one_report(&mut machine, M7, "has not invalidated all of it");
}

#[test]
fn ldrex_on_shared_memory_is_not_atomic_and_reported() {
    let m7 = Program::new().supplied().exclusive(SRAM4).set(7, 7);
    let mut machine = chip(m7, Program::new().delayed().delayed().delayed().get(7, SRAM4), true);
    run(&mut machine, 10_000);
    assert_eq!(r(&machine, M7, 3), 0, "its own monitor sees nothing of the other core");
    assert_one_report(&mut machine, M7, "uses LDREX or STREX on memory that the other core uses");
    let alone = Program::new().supplied().exclusive(SRAM4);
    let mut machine = chip(alone, Program::new(), false);
    run(&mut machine, 10_000);
    assert_eq!(reports(&mut machine), []);
}

/// Reports of a Cortex-M7 that stores to memory that the Cortex-M4 uses, executes a barrier, and then something else.
fn reports_of_a_store(barrier: &[u16], then: impl FnOnce(Program) -> Program) -> Vec<(Option<usize>, String)> {
    let first = Program::new().supplied().put(RCC_AHB4ENR, 1 << 25).get(1, HSEM_RLR0);
    let mut machine =
        after_the_cortex_m4(first, |m7| then(m7.put(SRAM4, 1).code(barrier)).set(7, 7), Program::new().get(7, SRAM4));
    assert_eq!(r(&machine, M7, 7), 7);
    reports(&mut machine)
}

#[test]
fn hsem_release_without_barrier_is_reported() {
    let is_release = |program: Program| program.put(HSEM_R0, 0x300);
    let reports = reports_of_a_store(&[], is_release);
    assert!(matches!(&reports[..], [(Some(M7), sentence)] if sentence.contains("neither DMB nor DSB")), "{reports:?}");
    for barrier in [DMB, DSB] {
        assert_eq!(reports_of_a_store(&barrier, is_release), []);
    }
    let own = |program: Program| is_release(program.code(&DSB).put(DTCM, 1));
    assert_eq!(reports_of_a_store(&[], own), [], "what the other core does not use");
}

#[test]
fn sev_before_store_completes_is_reported() {
    let sends = |program: Program| program.code(&[0xbf40]);
    for barrier in [&[][..], &DMB] {
        let reports = reports_of_a_store(barrier, sends);
        assert!(
            matches!(&reports[..], [(Some(M7), sentence)] if sentence.contains("has not executed DSB")),
            "{reports:?}"
        );
    }
    assert_eq!(reports_of_a_store(&DSB, sends), []);
}

/// Reports of a program for the Cortex-M7 that gives a region of 32 KiB these attributes, goes on like this, and uses
/// AXI SRAM and SRAM4. Everything else is as in the default map.
fn reports_of_a_region(base: u32, attributes: u32, goes_on: &[u16]) -> Vec<(Option<usize>, String)> {
    let m7 = Program::new().supplied().put(MPU_RBAR, base | 1 << 4).put(MPU_RASR, attributes | 14 << 1 | 1);
    let m7 = m7.put(MPU_CTRL, 5).code(goes_on).get(6, AXI).get(6, SRAM4).set(7, 7);
    let mut machine = chip(m7, Program::new(), false);
    load_supervisor(&mut machine, &[0x4770]);
    run(&mut machine, 1000);
    assert_eq!(r(&machine, M7, 7), 7, "the program goes on");
    reports(&mut machine)
}

#[test]
fn load_after_mpu_change_without_dsb_is_reported() {
    let not_cached = 3 << 24 | 1 << 19;
    let reports = reports_of_a_region(AXI & !0x7fff, not_cached, &[]);
    assert!(
        matches!(&reports[..], [(Some(M7), sentence)] if sentence.contains("has not executed DSB since")),
        "{reports:?}"
    );
    assert_eq!(reports_of_a_region(AXI & !0x7fff, not_cached, &DSB), []);
    let (as_before, elsewhere) = (3 << 24 | 1 << 19 | 3 << 16, (AXI + 0x8000) & !0x7fff);
    assert_eq!(reports_of_a_region(AXI & !0x7fff, as_before, &[]), [], "it is what it was");
    assert_eq!(reports_of_a_region(elsewhere, not_cached, &[]), [], "it is not used");
    // SVC, whose handler returns at once: an exception's entry is a barrier
    assert_eq!(reports_of_a_region(AXI & !0x7fff, not_cached, &[0xdf00]), []);
}

#[test]
fn fetch_after_mpu_change_without_isb_is_reported() {
    // BLX to BX LR in SRAM1, of which a part is a region in which nothing is executed, and then is none
    let calls = |barriers: &[u16]| {
        let m7 = Program::new().supplied().put(RCC_AHB2ENR, 1 << 29).put(SRAM1, 0x4770).put(MPU_RBAR, SRAM1 | 1 << 4);
        let m7 = m7.put(MPU_RASR, 1 << 28 | 3 << 24 | 1 << 19 | 14 << 1 | 1).put(MPU_CTRL, 5).code(&DSB).code(&ISB);
        let m7 = m7.put(MPU_CTRL, 0).code(barriers).set(0, SRAM1 | 1).code(&[0x4780]).set(7, 7);
        let mut machine = chip(m7, Program::new(), false);
        run(&mut machine, 1000);
        assert_eq!(r(&machine, M7, 7), 7, "the program goes on");
        reports(&mut machine)
    };
    for barriers in [&[][..], &DSB, &ISB, &[ISB, DSB].concat()] {
        let reports = calls(barriers);
        assert!(matches!(&reports[..], [(Some(M7), sentence)] if sentence.contains("DSB and then ISB")), "{reports:?}");
    }
    assert_eq!(calls(&[DSB, ISB].concat()), []);
}

#[test]
fn exception_return_with_unaligned_frame_is_reported() {
    // VMOV s0, r0, so that there is a floating-point context; SVC
    let program = Program::new().supplied().put(CPACR, 0xf << 20).code(&[0xee00, 0x0a10, 0xdf00]).set(7, 7);
    // mov r0, sp; subs r1, r0, #4; movs r3, #26; next: ldmia r0!, {r2}; stmia r1!, {r2}; subs r3, #1; bne next
    let moves = Program::new().code(&[0x4668, 0x1f01, 0x231a, 0xc804, 0xc104, 0x3b01, 0xd1fb, 0xb081, 0x4770]);
    for (handler, words) in [(Program::new().code(&[0x4770]), None), (moves, Some("not aligned to 8 bytes"))] {
        let mut machine = chip(program.clone(), Program::new(), false);
        load_supervisor(&mut machine, &handler.0);
        run(&mut machine, 1000);
        assert_eq!(r(&machine, M7, 7), 7, "the program goes on");
        match words {
            Some(words) => assert_one_report(&mut machine, M7, words),
            None => assert_eq!(reports(&mut machine), []),
        }
    }
}

#[test]
fn system_reset_restarts_both_cores_and_keeps_ram() {
    // cmp r7, #0; bne to the end
    let m7 = Program::new().supplied().get(7, SRAM4).put(SRAM4, 7).code(&[0x2f00, 0xd108]).put(AIRCR, 0x05fa_0004);
    let mut machine = chip(m7, Program::new().set(6, 1), true);
    run(&mut machine, 20_000);
    assert_eq!(r(&machine, M7, 7), 7, "the second time");
    assert!(machine.statistics(M4).instructions > 0);
    assert_eq!(machine.core(M7).state(), "running");
}

#[test]
fn stuck_or_off_core_stops_and_the_other_runs() {
    let mut machine = chip(Program::new(), Program::new(), true);
    run(&mut machine, 10);
    let before = machine.stick_core(M4).expect("it runs");
    machine.switch_off(M7, machine.now() + 20 * MICROSECOND);
    let counts = |machine: &Machine| [M7, M4].map(|core| machine.statistics(core).instructions);
    let then = counts(&machine);
    run(&mut machine, 10);
    assert_eq!(counts(&machine), then);
    machine.unstick_core(M4, before);
    run(&mut machine, 10);
    machine.reset_core(M7);
    run(&mut machine, 10);
    let [m7, m4] = counts(&machine);
    assert_eq!(m7, then[M7] + 640);
    assert_eq!(m4, then[M4] + 1280);
}

#[test]
fn a_run_that_is_cut_into_pieces_is_the_same_run() {
    let programs = || (Program::new().supplied().cached().put(AXI, 5).delayed(), Program::new().delayed());
    let (m7, m4) = programs();
    let mut whole = chip(m7, m4, true);
    let mut cut = whole.clone();
    run(&mut whole, 3000);
    for _ in 0..3000 {
        run(&mut cut, 1);
    }
    assert_eq!(whole.state_hash(), cut.state_hash());
}

/// The Cortex-M7 sends characters and waits for the end of each, while its `SysTick` interrupts it and the Cortex-M4 is busy
/// or not.
fn sends(characters: usize, tick: u32, busy: bool) -> Machine {
    let m7 = Program::new().supplied().put(RCC_APB1LENR, 1 << 18).put(USART3 + 0xc, 556).put(USART3, 9);
    let m7 = m7.put(SYST_CSR + 4, tick).put(SYST_CSR + 8, 0).put(SYST_CSR, 7).set(2, USART3);
    // movs r1, #65; str r1, [r2, #0x28]; wait: ldr r3, [r2, #0x1c]; lsls r3, r3, #25; bpl wait
    let m7 = (0..characters).fold(m7, |m7, _| m7.code(&[0x2141, 0x6291, 0x69d3, 0x065b, 0xd5fc]));
    let m4 = if busy { Program::new().delayed() } else { Program::new().code(&[0xbf30]) };
    let mut machine = chip(m7, m4, true);
    // adds r5, #1; bx lr
    let handler: Vec<u8> = [0x3501_u16, 0x4770].into_iter().flat_map(u16::to_le_bytes).collect();
    assert!(machine.load(M7, 0x0800_8000, &handler) && machine.load(M7, 0x0800_003c, &0x0800_8001_u32.to_le_bytes()));
    machine
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn turns_of_a_busy_wait_that_are_skipped_are_those_that_a_watched_core_makes(
        characters in 1_usize..6,
        tick in 20_u32..20_000,
        busy in any::<bool>(),
        pieces in proptest::collection::vec(1_u64..200_000_000, 8),
    ) {
        let mut skips = sends(characters, tick, busy);
        let mut watched = skips.clone();
        watched.watch_mut().probe(Watch::Execute, 0xffff_fff0, 2);
        for piece in pieces {
            for machine in [&mut skips, &mut watched] {
                prop_assert_eq!(machine.run_until(machine.now() + piece), Stop::Limit);
            }
            prop_assert_eq!(skips.state_hash(), watched.state_hash());
            prop_assert_eq!(skips.statistics(M7).instructions, watched.statistics(M7).instructions);
        }
    }
}
