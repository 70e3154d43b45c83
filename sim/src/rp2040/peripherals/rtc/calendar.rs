//! A date and a time of day, as the RTC keeps them (datasheet 4.8.1, 4.8.2).

/// Fields as they are in `SETUP_0` and `RTC_1`: year, month, day.
const DATE_MASK: u32 = 0x00ff_ff1f;
/// As they are in `SETUP_1` and `RTC_0`: day of the week, hour, minute, second.
const TIME_MASK: u32 = 0x071f_3f3f;
/// Places of the fields (4.8.6).
const YEAR: u32 = 12;
const MONTH: u32 = 8;
const DAY_OF_WEEK: u32 = 24;
const HOUR: u32 = 16;
const MINUTE: u32 = 8;

/// A date with a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Moment {
    /// The fields of `RTC_1`.
    pub date: u32,
    /// The fields of `RTC_0`.
    pub time: u32,
}

impl Moment {
    /// From the registers.
    pub fn new(date: u32, time: u32) -> Self {
        Self { date: date & DATE_MASK, time: time & TIME_MASK }
    }

    /// A second later. Every fourth year has 29 days in February, unless that is off.
    pub fn step(&mut self, leap_years: bool) {
        let Self { date, time } = *self;
        let [second, minute, hour] = [(0, 0x3f), (MINUTE, 0x3f), (HOUR, 0x1f)].map(|(at, mask)| time >> at & mask);
        let day_of_week = time >> DAY_OF_WEEK & 7;
        let put = |second: u32, minute: u32, hour: u32, day: u32| {
            (second | minute << MINUTE | hour << HOUR | day << DAY_OF_WEEK) & TIME_MASK
        };
        self.time = if second != 59 {
            put((second + 1) & 0x3f, minute, hour, day_of_week)
        } else if minute != 59 {
            put(0, (minute + 1) & 0x3f, hour, day_of_week)
        } else if hour != 23 {
            put(0, 0, (hour + 1) & 0x1f, day_of_week)
        } else {
            self.date = next_day(date, leap_years);
            put(0, 0, 0, if day_of_week == 6 { 0 } else { (day_of_week + 1) & 7 })
        };
    }
}

fn next_day(date: u32, leap_years: bool) -> u32 {
    let (year, month, day) = (date >> YEAR & 0xfff, date >> MONTH & 0xf, date & 0x1f);
    let days = match month {
        2 if leap_years && year.is_multiple_of(4) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let date = |year: u32, month: u32, day: u32| (year << YEAR | month << MONTH | day) & DATE_MASK;
    if day != days {
        date(year, month, (day + 1) & 0x1f)
    } else if month != 12 {
        date(year, (month + 1) & 0xf, 1)
    } else {
        date(year + 1, 1, 1)
    }
}
