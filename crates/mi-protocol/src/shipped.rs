//! The protocols that come with the program.

/// Name, one line about it, and the file itself.
pub const SHIPPED: [(&str, &str, &str); 2] = [
    ("autopilot", "the loop of `mi run`", include_str!("../protocols/autopilot.yaml")),
    (
        "feature-delivery",
        "from a request to a change in use, all eight classes",
        include_str!("../protocols/feature-delivery.yaml"),
    ),
];

/// The file of a shipped protocol.
pub fn shipped(name: &str) -> Option<&'static str> {
    SHIPPED.iter().find(|(known, ..)| *known == name).map(|(.., text)| *text)
}
