//! The commands that a build without some of the features does not have.

/// A feature of the build.
struct Feature {
    name: &'static str,
    is_built: bool,
    /// The commands that come with it.
    commands: &'static [&'static str],
}

const FEATURES: [Feature; 4] = [
    Feature {
        name: "plans",
        is_built: cfg!(feature = "plans"),
        commands: &["http", "run", "loadgen", "import"],
    },
    Feature {
        name: "leases",
        is_built: cfg!(feature = "leases"),
        commands: &["leases", "mysql_ubench", "sqlite_ubench", "memfile_ubench"],
    },
    Feature { name: "names", is_built: cfg!(feature = "names"), commands: &["names"] },
    Feature { name: "website", is_built: cfg!(feature = "website"), commands: &["serve"] },
];

fn left_out() -> impl Iterator<Item = &'static Feature> {
    FEATURES.iter().filter(|feature| !feature.is_built)
}

/// Why a command is unknown here, if a build with all features has it.
pub(super) fn error(command: &str) -> Option<String> {
    let feature = left_out().find(|feature| feature.commands.contains(&command))?;
    Some(format!(
        "error: this brunt was built without the feature '{}', so it has no command '{command}'; without \
         --no-default-features, cargo builds all of it\n",
        feature.name
    ))
}

/// What the help of the program adds to its list of commands, if any are left out.
pub(super) fn notice() -> Option<String> {
    let commands: Vec<_> = left_out().flat_map(|feature| feature.commands).copied().collect();
    (!commands.is_empty()).then(|| format!("Left out of this build: {}", commands.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::declared;

    // Tests are built with all features.
    #[test]
    fn features_name_commands_that_a_whole_build_has() {
        let program = declared::program();
        for name in FEATURES.iter().flat_map(|feature| feature.commands) {
            assert!(program.find_subcommand(name).is_some(), "{name}");
            assert_eq!(error(name), None);
        }
        assert_eq!(notice(), None);
    }
}
