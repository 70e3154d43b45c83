//! The floating-point library of our boot ROM: what its functions return, and how long they take.
//!
//! The results are those of the chip's library (datasheet 2.8.3.2): correctly rounded sums, differences, products, quotients
//! and square roots; a NaN counts as an infinity and a denormal number as zero. Sine, cosine and the like are right to the
//! last bits, where the chip's lose some.

/// A format: single or double precision.
trait Real: Copy {
    /// Registers that a number takes.
    const WORDS: usize;

    /// The number that begins in a register, lowest word first.
    fn read(registers: &[u32]) -> Self;

    /// Puts it there.
    fn write(self, registers: &mut [u32]);

    fn widen(self) -> f64;

    /// The nearest number; zero for one that would be denormal.
    fn nearest(value: f64) -> Self;

    fn from_signed(value: i64) -> Self;

    fn from_unsigned(value: u64) -> Self;

    /// By order of the numbers: the bits as a signed number, 0 for both zeros.
    fn rank(self) -> i64;

    /// As an argument: without NaN and denormal numbers.
    fn argument(self) -> f64 {
        let value = self.widen();
        if value.is_nan() {
            return f64::INFINITY.copysign(value);
        }
        <Self as Real>::nearest(value).widen()
    }
}

impl Real for f32 {
    const WORDS: usize = 1;

    fn read(registers: &[u32]) -> Self {
        Self::from_bits(registers[0])
    }

    fn write(self, registers: &mut [u32]) {
        registers[0] = self.to_bits();
    }

    fn widen(self) -> f64 {
        f64::from(self)
    }

    fn nearest(value: f64) -> Self {
        // Twice the digits and two: rounding a result of f64 once more gives what rounding once would have given.
        let rounded = value as Self;
        if rounded.is_subnormal() { Self::from_bits(rounded.to_bits() & 1 << 31) } else { rounded }
    }

    fn from_signed(value: i64) -> Self {
        value as Self
    }

    fn from_unsigned(value: u64) -> Self {
        value as Self
    }

    fn rank(self) -> i64 {
        let magnitude = i64::from(self.to_bits() & (u32::MAX >> 1));
        if self.is_sign_negative() { -magnitude } else { magnitude }
    }
}

impl Real for f64 {
    const WORDS: usize = 2;

    fn read(registers: &[u32]) -> Self {
        Self::from_bits(u64::from(registers[1]) << 32 | u64::from(registers[0]))
    }

    fn write(self, registers: &mut [u32]) {
        write_wide(self.to_bits(), registers);
    }

    fn widen(self) -> f64 {
        self
    }

    fn nearest(value: f64) -> Self {
        if value.is_subnormal() { 0.0_f64.copysign(value) } else { value }
    }

    fn from_signed(value: i64) -> Self {
        value as Self
    }

    fn from_unsigned(value: u64) -> Self {
        value as Self
    }

    fn rank(self) -> i64 {
        let magnitude = (self.to_bits() & (u64::MAX >> 1)).cast_signed();
        if self.is_sign_negative() { -magnitude } else { magnitude }
    }
}

fn write_wide(value: u64, registers: &mut [u32]) {
    registers[0] = value as u32;
    registers[1] = (value >> 32) as u32;
}

/// Functions of each of the two tables, in its order (datasheet 2.8.3.2.2; the places of `_fcmp_fast`, its flags and
/// `_fsincos` are those of the chip's last ROM).
pub(super) const FUNCTIONS: u8 = 32;

/// Carries out a function on R0 to R3; double precision comes after single precision. Returns the cycles that the chip's
/// takes, from its first instruction to the one that it returns to.
pub(super) fn call(number: u8, registers: &mut [u32; 4]) -> u32 {
    let cycles = cycles(number, *registers);
    if number < FUNCTIONS {
        compute::<f32>(number, registers);
        if number == CONVERT {
            <f64 as Real>::nearest(f32::read(registers).argument()).write(registers);
        }
    } else {
        compute::<f64>(number - FUNCTIONS, registers);
        if number - FUNCTIONS == CONVERT {
            f32::nearest(f64::read(registers).argument()).write(registers);
        }
    }
    cycles
}

/// `_float2double` and `_double2float`.
const CONVERT: u8 = 31;

#[allow(clippy::cast_sign_loss)] // negative numbers are clamped to 0
fn compute<T: Real>(function: u8, registers: &mut [u32; 4]) {
    let (first, second) = (T::read(registers), T::read(&registers[T::WORDS..]));
    let (x, y) = (first.argument(), second.argument());
    // The place of the binary point, behind the number.
    let point = registers[T::WORDS].cast_signed();
    let point_behind_wide = registers[2].cast_signed();
    let wide = u64::from(registers[1]) << 32 | u64::from(registers[0]);
    let narrow = registers[0];
    let word = |value: u32| Answer::<T>::Word(value);
    let answer = match function {
        0 => Answer::Number(T::nearest(add(x, y))),
        1 => Answer::Number(T::nearest(add(x, -y))),
        2 => Answer::Number(T::nearest(multiply(x, y))),
        3 => Answer::Number(T::nearest(divide(x, y))),
        4 | 5 => word(first.rank().cmp(&second.rank()) as u32),
        6 if x < 0.0 => Answer::Number(T::nearest(f64::NEG_INFINITY)),
        6 => Answer::Number(T::nearest(x.sqrt())),
        7 => word((floor(x, 0) as i32).cast_unsigned()),
        8 => word((floor(x, point) as i32).cast_unsigned()),
        9 => word(floor(x, 0) as u32),
        10 => word(floor(x, point) as u32),
        11 => Answer::Number(T::from_signed(i64::from(narrow.cast_signed()))),
        12 => scaled(T::from_signed(i64::from(narrow.cast_signed())), registers[1].cast_signed()),
        13 => Answer::Number(T::from_unsigned(u64::from(narrow))),
        14 => scaled(T::from_unsigned(u64::from(narrow)), registers[1].cast_signed()),
        15 => Answer::Number(T::nearest(if x.is_infinite() { 1.0 } else { libm::cos(x) })),
        16 => Answer::Number(T::nearest(sine(x))),
        17 => Answer::Number(T::nearest(if x.is_infinite() { 0.0 } else { libm::tan(x) + 0.0 })),
        18 => Answer::Pair(T::nearest(sine(x)), T::nearest(if x.is_infinite() { 1.0 } else { libm::cos(x) })),
        19 => Answer::Number(T::nearest(libm::exp(x))),
        20 => Answer::Number(T::nearest(if x > 0.0 { libm::log(x) } else { f64::NEG_INFINITY })),
        21 => word(x.partial_cmp(&y).map_or(0, |order| order as u32)),
        22 => Answer::Number(T::nearest(libm::atan2(x, y) + 0.0)),
        23 => Answer::Number(T::from_signed(wide.cast_signed())),
        24 => scaled(T::from_signed(wide.cast_signed()), point_behind_wide),
        25 => Answer::Number(T::from_unsigned(wide)),
        26 => scaled(T::from_unsigned(wide), point_behind_wide),
        27 => Answer::Wide((floor(x, 0) as i64).cast_unsigned()),
        28 => Answer::Wide((floor(x, point) as i64).cast_unsigned()),
        29 => Answer::Wide(floor(x, 0) as u64),
        30 => Answer::Wide(floor(x, point) as u64),
        // The caller's.
        _ => return,
    };
    match answer {
        Answer::Number(value) => value.write(registers),
        Answer::Pair(sine, cosine) => {
            sine.write(registers);
            cosine.write(&mut registers[T::WORDS..]);
        }
        Answer::Word(value) => registers[0] = value,
        Answer::Wide(value) => write_wide(value, registers),
    }
}

enum Answer<T> {
    Number(T),
    Pair(T, T),
    Word(u32),
    Wide(u64),
}

fn add(x: f64, y: f64) -> f64 {
    // Infinities of different signs: the library has no NaN.
    let sum = x + y;
    if sum.is_nan() { f64::INFINITY } else { sum }
}

fn multiply(x: f64, y: f64) -> f64 {
    let product = x * y;
    if product.is_nan() { f64::INFINITY.copysign(x.signum() * y.signum()) } else { product }
}

fn divide(x: f64, y: f64) -> f64 {
    let quotient = x / y;
    if quotient.is_nan() { f64::INFINITY.copysign(x.signum() * y.signum()) } else { quotient }
}

/// Zero is always +0.
fn sine(x: f64) -> f64 {
    if x.is_infinite() { 0.0 } else { libm::sin(x) + 0.0 }
}

/// Times 2 to the `point`, rounded towards -infinity.
fn floor(x: f64, point: i32) -> f64 {
    let scaled = libm::scalbn(x, point);
    // What is negative stays so, however small it becomes.
    if x < 0.0 && scaled == 0.0 { -1.0 } else { scaled.floor() }
}

fn scaled<T: Real>(value: T, point: i32) -> Answer<T> {
    Answer::Number(T::nearest(libm::scalbn(value.widen(), point.saturating_neg())))
}

/// Cycles of the functions of the chip's last ROM (B2): averages of a thousand calls with ordinary arguments, by its
/// published source assembled and run on this simulator. The two of them that the datasheet's tables were seen to give
/// (2.8.3.2.2: `_double2float` 23, `_double2ufix64` 52) agree.
const CYCLES: [[u16; FUNCTIONS as usize]; 2] = [
    [
        72, 75, 57, 71, 13, 13, 63, 40, 39, 39, 38, 198, 197, 201, 200, 607, 597, 673, 597, 523, 786, 25, 671, 169,
        168, 172, 171, 54, 53, 42, 41, 15,
    ],
    [
        90, 95, 156, 184, 27, 27, 170, 74, 73, 63, 62, 159, 158, 157, 156, 1622, 1620, 1892, 1723, 807, 910, 39, 2165,
        155, 154, 153, 152, 64, 63, 53, 52, 23,
    ],
];

/// The library shifts an integer up bit by bit, or a word of it, until its highest one is in its place.
fn cycles(number: u8, registers: [u32; 4]) -> u32 {
    let double = number >= FUNCTIONS;
    let function = number % FUNCTIONS;
    let most = u32::from(CYCLES[usize::from(double)][usize::from(function)]);
    let magnitude = match function {
        11 | 12 => u64::from(registers[0].cast_signed().unsigned_abs()),
        13 | 14 => u64::from(registers[0]),
        23 | 24 => (u64::from(registers[1]) << 32 | u64::from(registers[0])).cast_signed().unsigned_abs(),
        25 | 26 => u64::from(registers[1]) << 32 | u64::from(registers[0]),
        _ => return most,
    };
    let bit = magnitude.checked_ilog2().unwrap_or(0);
    let saved = match (double, function) {
        (false, 11..=14) => 5 * bit,
        (false, _) => 9 * bit / 5,
        (true, _) if bit <= 20 => 6 * bit,
        (true, _) if bit < 32 => 6 * bit - 71,
        (true, _) => 3 + 6 * (bit - 32).min(17),
    };
    most.saturating_sub(saved)
}
