//! A server's error text is shown, but has no effect: neither on a terminal with the live view, nor on what is printed
//! after it.

use std::fs;

use brunt_testbed::Hostile;

use brunt_test_program::{Terminal, binary, scratch};

#[test]
fn server_text_cannot_control_the_terminal() {
    let server = Hostile::start();
    for size in [(80, 24), (200, 50)] {
        let Some(terminal) = Terminal::new(size) else { return };
        let directory = scratch();
        let output = directory.path().join("output");
        terminal.keep_output(&output);
        let title = terminal.title();
        terminal.enter(&format!(
            "{} http -q 20 -c 2 -z 60s --live --details --slo 'errors<1%' {}",
            binary().display(),
            server.url()
        ));
        let screen = terminal.wait("what the server said", |screen| {
            screen.contains("missed errors<1%") && screen.contains("last: ")
                || screen.contains("Last failure: ")
        });
        assert!(terminal.has_view(), "{screen}");
        // There is room for the words of the server on a large screen.
        if size.0 > 100 {
            assert!(screen.contains("Last failure:") && screen.contains("EVIL"), "{screen}");
        }
        // Nothing wiped the screen, turned a colour on or changed the title.
        assert!(screen.contains("Generator") && screen.contains("? help"), "{screen}");
        assert_eq!(terminal.title(), title);
        terminal.key("s");
        terminal.check_given_back();
        let all = terminal.everything();
        assert!(all.contains("EVIL") && all.contains("Trust:"), "{all}");
        assert!(!all.lines().any(|line| line.trim_end() == "Result: evil"), "{all}");
        assert_eq!(terminal.title(), title);
        let written = fs::read(&output).expect("what was written to the terminal");
        let written = String::from_utf8_lossy(&written);
        assert!(written.contains("EVIL"), "{written}");
        assert_eq!(Hostile::acting(&written), [""; 0], "{written}");
    }
}
