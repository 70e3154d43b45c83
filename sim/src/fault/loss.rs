//! How people write what is lost between the cores.

use crate::core::loss::{InterCoreChannel, Loss, LossSelection};
use crate::core::time::NEVER;
use crate::core::time::cycles;
use crate::fault::{cycles_until, probability, seed};

impl InterCoreChannel {
    /// What it is called in a fault, what it loses one of, and what to say of a chip that has none.
    const fn words(self) -> [&'static str; 3] {
        match self {
            Self::Fifo => {
                ["fifo", "word", "the cores of this chip have no FIFO between them whose words could be lost"]
            }
            Self::Hsem => ["hsem", "interrupt", "this chip has no hardware semaphores whose interrupts could be lost"],
        }
    }

    pub(super) const fn absent(self) -> &'static str {
        self.words()[2]
    }

    fn expected(self) -> String {
        let [name, unit, _] = self.words();
        format!(
            "expected {name}:to=1,lose=0.01,seed=7 or {name}:to=1,{unit}=3, followed by @2e6 or @2e6..3e6 to limit the \
             fault to a time"
        )
    }
}

impl Loss {
    /// Reads what stands behind `fifo:` or `hsem:`.
    ///
    /// # Errors
    ///
    /// What is wrong with it, as a sentence.
    pub fn parse(channel: InterCoreChannel, text: &str) -> Result<Self, String> {
        let expected = || channel.expected();
        let [channel_name, unit, _] = channel.words();
        let (what, (from, until)) = match text.split_once('@') {
            Some((what, when)) => (what, cycles_until(when)?),
            None => (text, (0, NEVER)),
        };
        let (mut to, mut lose, mut number, mut one) = (None, None, None, None);
        for part in what.split(',') {
            let (name, value) = part.split_once('=').ok_or_else(expected)?;
            match name {
                "to" => to = Some(super::core(value)?),
                "lose" => lose = Some(probability(value)?),
                "seed" => number = Some(seed(value)?),
                _ if name == unit => {
                    let number = cycles(value).ok().filter(|&number| number > 0);
                    one = Some(number.ok_or_else(|| {
                        format!("{unit}={value} is not valid: give a whole number, 1 for the first {unit}")
                    })?);
                }
                _ => return Err(format!("{channel_name} has no option '{name}': {}", expected())),
            }
        }
        let which = match (one, lose, number) {
            (Some(one), None, None) => LossSelection::One(one),
            (None, lose, number) => LossSelection::Each { lose: lose.unwrap_or(1.0), seed: number.unwrap_or(0) },
            _ => {
                return Err(format!("{unit} cannot be combined with lose or seed: {}", expected()));
            }
        };
        Ok(Self { channel, to: to.ok_or_else(expected)?, which, from, until })
    }
}
