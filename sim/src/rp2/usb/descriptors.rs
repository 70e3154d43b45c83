//! What a device says of itself (USB 2.0 chapter 9). It is not to be trusted.

/// Descriptor types (USB 2.0 table 9-5), and that of HID (HID 1.11, 7.1).
pub const DEVICE: u8 = 1;
pub const CONFIGURATION: u8 = 2;
pub const STRING: u8 = 3;
const INTERFACE: u8 = 4;
const ENDPOINT: u8 = 5;
const HID: u8 = 0x21;
pub const REPORT: u8 = 0x22;
/// Classes of interfaces: communications, with the abstract control model, their data, human interface devices.
const CLASS_CDC: u8 = 2;
const SUBCLASS_ACM: u8 = 2;
const CLASS_CDC_DATA: u8 = 10;
const CLASS_HID: u8 = 3;
/// Kinds of end points, in their attributes.
const BULK: u8 = 2;
const INTERRUPT: u8 = 3;

/// An end point that the host uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EndpointDescriptor {
    /// 1 to 15.
    pub number: u8,
    /// Whether it takes data from the host.
    pub out: bool,
    /// Bytes of a packet at most, 1 to 64.
    pub max_packet: u8,
    /// Frames between two looks; 0 of a bulk end point.
    pub interval: u8,
}

/// What an interface is for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// A serial port: its interface for control, its end points.
    Serial {
        /// Of the interface for control.
        interface: u8,
        /// For notices, if it has one; for text from the device; for text to it.
        endpoints: Vec<EndpointDescriptor>,
    },
    /// Keyboards, mice and the like.
    Hid {
        /// Its number.
        interface: u8,
        /// Bytes of its report descriptor.
        report_length: u16,
        /// For reports.
        endpoints: Vec<EndpointDescriptor>,
    },
    /// Something that this host has no driver for.
    Other,
}

/// A configuration: its number, and what it has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Configuration {
    /// For `SET_CONFIGURATION`.
    pub value: u8,
    /// In the order of their interfaces.
    pub functions: Vec<Function>,
}

fn endpoint(descriptor: &[u8]) -> Result<Option<EndpointDescriptor>, &'static str> {
    let &[_, _, address, attributes, low, high, interval, ..] = descriptor else {
        return Err("an end point's descriptor is too short");
    };
    let kind = attributes & 3;
    if kind != BULK && kind != INTERRUPT {
        return Ok(None);
    }
    let max_packet = u16::from_le_bytes([low, high]);
    if address % 16 == 0 || !(1..=64).contains(&max_packet) {
        return Err("an end point's descriptor has the number 0 or packets of other than 1 to 64 bytes");
    }
    let interval = if kind == BULK { 0 } else { interval.max(1) };
    let (number, out) = (address & 0xf, address >> 7 == 0);
    Ok(Some(EndpointDescriptor { number, out, max_packet: max_packet as u8, interval }))
}

/// Reads a configuration and all behind it.
///
/// # Errors
/// If it is malformed: why.
pub fn parse(bytes: &[u8]) -> Result<Configuration, &'static str> {
    let &[_, CONFIGURATION, _, _, _, value, _, _, _, ..] = bytes else {
        return Err("the configuration's descriptor is none");
    };
    let mut functions = Vec::new();
    let mut rest = bytes;
    // Interfaces for data belong to the last one for control; other settings than the first one are not used.
    let mut used = false;
    while let Some(&length) = rest.first() {
        let Some((descriptor, behind)) = rest.split_at_checked(usize::from(length)).filter(|_| length >= 2) else {
            return Err("a descriptor in the configuration has a length that cannot be");
        };
        rest = behind;
        match (descriptor[1], functions.last_mut()) {
            (INTERFACE, last) => {
                let &[_, _, interface, setting, _, class, subclass, ..] = descriptor else {
                    return Err("an interface's descriptor is too short");
                };
                used = setting == 0;
                let endpoints = Vec::new();
                match (class, subclass, last) {
                    _ if !used => {}
                    (CLASS_CDC_DATA, _, Some(Function::Serial { .. })) => {}
                    (CLASS_CDC, SUBCLASS_ACM, _) => functions.push(Function::Serial { interface, endpoints }),
                    (CLASS_HID, ..) => functions.push(Function::Hid { interface, report_length: 0, endpoints }),
                    _ => functions.push(Function::Other),
                }
            }
            (HID, Some(Function::Hid { report_length, .. })) => {
                let &[_, _, _, _, _, _, _, low, high, ..] = descriptor else {
                    return Err("a HID descriptor is too short");
                };
                *report_length = u16::from_le_bytes([low, high]);
            }
            (ENDPOINT, Some(Function::Serial { endpoints, .. } | Function::Hid { endpoints, .. })) if used => {
                endpoints.extend(endpoint(descriptor)?);
            }
            _ => {}
        }
    }
    Ok(Configuration { value, functions })
}
