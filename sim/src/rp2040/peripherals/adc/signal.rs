//! Voltages at the inputs of the ADC: a level, a wave, or a recording.

use crate::rp2::clock::FS;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;

/// Picoseconds per second, and femtoseconds per picosecond.
const PS: f64 = 1e12;
const FS_PER_PS: u128 = FS / 1_000_000_000_000;
/// Microvolts per volt.
const UV: f64 = 1e6;
/// Points of a period of a sine. Between two of them it is a line, which is off by less than a third of a step of the ADC.
const SINE_POINTS: usize = 256;
/// What a pin of the chip bears, in volts (5.5.3.1: `IOVDD` + 0.5 V), and rates of waves, in Hz.
const VOLTS: std::ops::RangeInclusive<f64> = -0.5..=3.8;
const RATES: std::ops::RangeInclusive<f64> = 1e-3..=10e6;

/// A voltage over time: lines between points. What it is shows in what the ADC reads, so it is no part of a chip's state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signal {
    /// Times in picoseconds since the start, in ascending order, and microvolts.
    points: Arc<[(u64, i32)]>,
    /// After so many picoseconds it begins again; 0 if it stays at its last point.
    period: u64,
}

impl Hash for Signal {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

#[allow(clippy::cast_sign_loss)] // times are not below 0
fn picoseconds(seconds: f64) -> u64 {
    (seconds * PS).round() as u64
}

impl Signal {
    /// A voltage that stays.
    pub fn level(microvolts: i32) -> Self {
        Self { points: Arc::new([(0, microvolts)]), period: 0 }
    }

    /// A recording: lines of a time in seconds, ascending, and of a voltage, with a comma between them. Empty lines and
    /// those that begin with `#` are skipped, and so is a first line with names.
    ///
    /// # Errors
    ///
    /// Which line cannot be read, and why; or that there is none.
    pub fn from_csv(text: &str) -> Result<Self, String> {
        let mut points = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let cells = line.split_once(',');
            let Some((seconds, volts)) = cells.and_then(|(time, volts)| Some((number_of(time)?, number_of(volts)?)))
            else {
                if points.is_empty() && number == 0 {
                    continue;
                }
                return Err(format!("line {}: expected seconds,volts, but found {line:?}", number + 1));
            };
            let point = (picoseconds(seconds), microvolts(volts).map_err(|why| format!("line {}: {why}", number + 1))?);
            if seconds < 0.0 || points.last().is_some_and(|&(before, _)| before >= point.0) {
                return Err(format!("line {}: times must ascend from 0", number + 1));
            }
            points.push(point);
        }
        if points.is_empty() {
            Err("it has no points".to_owned())
        } else {
            Ok(Self { points: points.into(), period: 0 })
        }
    }

    /// One period of a wave of so many Hz between two voltages, from its points: parts of the period, and of the way up.
    fn wave(hz: f64, low: i32, high: i32, points: impl Iterator<Item = (f64, f64)>) -> Self {
        let (period, height) = (hz.recip(), f64::from(high - low));
        let at = |(time, way): (f64, f64)| (picoseconds(time * period), low + (way * height).round() as i32);
        Self { points: points.map(at).collect(), period: picoseconds(period) }
    }

    /// The voltage in microvolts at a time in femtoseconds since power-on; 0 if nothing is connected.
    pub fn at(&self, femtoseconds: u128) -> i32 {
        let since = u64::try_from(femtoseconds / FS_PER_PS).unwrap_or(u64::MAX);
        let time = if self.period == 0 { since } else { since % self.period };
        let after = self.points.partition_point(|&(at, _)| at <= time);
        let (Some(&(begin, from)), next) = (self.points.get(after.saturating_sub(1)), self.points.get(after)) else {
            return 0;
        };
        match next {
            Some(&(end, to)) if time > begin => {
                let way = i128::from(to - from) * i128::from(time - begin) / i128::from(end - begin);
                from + way as i32
            }
            _ => from,
        }
    }
}

fn number_of(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

fn microvolts(volts: f64) -> Result<i32, String> {
    if !VOLTS.contains(&volts) {
        return Err(format!("{volts} V would destroy the pin: it tolerates {} V to {} V", VOLTS.start(), VOLTS.end()));
    }
    Ok((volts * UV).round() as i32)
}

/// A voltage, as `1.65`; or a wave, its rate in Hz, and its lowest and highest voltage, as `sine:1000:0.2:3.1`.
impl FromStr for Signal {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(volts) = number_of(text) {
            return Ok(Self::level(microvolts(volts)?));
        }
        let expected = || {
            format!(
                "expected volts, such as 1.65, or a wave of so many Hz between two voltages, such as sine:1000:0:3.3; found {text:?}"
            )
        };
        let (shape, rest) = text.split_once(':').ok_or_else(expected)?;
        let numbers: Vec<_> = rest.split(':').map(number_of).collect();
        let [Some(hz), Some(low), Some(high)] = numbers[..] else { return Err(expected()) };
        if !RATES.contains(&hz) {
            return Err(format!("{hz} Hz: expected {} to {} Hz", RATES.start(), RATES.end()));
        }
        let (low, high) = (microvolts(low)?, microvolts(high)?);
        match shape {
            "sine" => {
                let sine = (0..=SINE_POINTS).map(|i| i as f64 / SINE_POINTS as f64);
                Ok(Self::wave(hz, low, high, sine.map(|at| (at, 0.5 + 0.5 * (at * std::f64::consts::TAU).sin()))))
            }
            "triangle" => Ok(Self::wave(hz, low, high, [(0.0, 0.0), (0.5, 1.0), (1.0, 0.0)].into_iter())),
            "square" => {
                // The edges take a millionth of a period.
                Ok(Self::wave(hz, low, high, [(0.0, 0.0), (0.5, 0.0), (0.500_001, 1.0), (0.999_999, 1.0)].into_iter()))
            }
            _ => Err(expected()),
        }
    }
}
