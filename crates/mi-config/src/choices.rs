//! Settings that are one word out of a few.

macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_doc])* $variant,)+ }

        impl $name {
            /// The words a person may write, in order.
            pub const WORDS: &[&str] = &[$($word),+];

            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }

            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }
    };
}

choice! {
    /// The language of messages.
    Locale {
        /// Follows `LANG`.
        Auto = "auto",
        English = "en",
        Chinese = "zh",
    }
}

choice! {
    /// What Codex's own sandbox lets a command do.
    Sandbox {
        ReadOnly = "read-only",
        WorkspaceWrite = "workspace-write",
        DangerFullAccess = "danger-full-access",
    }
}

choice! {
    /// Who decides.
    MindProvider {
        /// Rules first, model second, person last.
        Auto = "auto",
        Rules = "rules",
        Codex = "codex",
        Openai = "openai",
        Anthropic = "anthropic",
    }
}

choice! {
    /// Who writes files for `mi make`.
    MakeService {
        /// OpenAI's, then Anthropic's, if a model is set; else Ollama.
        Auto = "auto",
        Openai = "openai",
        Ollama = "ollama",
        Anthropic = "anthropic",
    }
}

choice! {
    /// Which of OpenAI's two interfaces an endpoint speaks.
    OpenaiWire {
        Chat = "chat",
        Responses = "responses",
    }
}

choice! {
    /// Where `mi prove` runs checks.
    ProveEngine {
        /// In bubblewrap; where that cannot run, nothing is run.
        Auto = "auto",
        Bwrap = "bwrap",
        Container = "container",
        /// On the machine itself, in a scratch copy.
        Host = "host",
    }
}

choice! {
    /// Whether a run takes its own work back to see if a check notices.
    CounterCheck {
        /// When all checks are green and a criterion has no bearing yet.
        Auto = "auto",
        Off = "off",
    }
}

choice! {
    /// Who runs what goes into the box.
    BoxEngine {
        /// A container where an engine and an image are there, else bwrap.
        Auto = "auto",
        Container = "container",
        Bwrap = "bwrap",
        /// Extracts and records, runs nothing.
        Nothing = "none",
    }
}
