//! The table of blocks in `docs/simulator.md` is that of the list. With `UPDATE_EXPECT=1` the test writes it.

use intercore_sim::rp2040::peripherals::Peripherals;

const HEADER: &str = "| block | modelled | not |\n|---|---|---|\n";

fn table() -> String {
    let cell = |text: &str| if text.is_empty() { " ".to_owned() } else { format!(" {text} ") };
    Peripherals::coverage().iter().fold(HEADER.to_owned(), |table, (names, modelled, missing)| {
        table + &format!("| {names} | {modelled} |{}|\n", cell(missing))
    })
}

#[test]
fn the_documents_have_the_table_of_the_list() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/simulator.md");
    let text = std::fs::read_to_string(path).expect("the page on the simulator");
    let start = text.rfind(HEADER).expect("a table of blocks");
    let end = start + text[start..].find("\n\n").expect("text behind the table") + 1;
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, [&text[..start], &table(), &text[end..]].concat()).expect("written");
    } else {
        assert_eq!(text[start..end], table(), "UPDATE_EXPECT=1 writes it into docs/simulator.md");
    }
}
