//! The fixed words of a protocol file, each with its spelling.
//!
//! Holds: one list per kind of word; reading, writing, the schema and messages all use it.

/// Declares an enum together with its spellings.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($variant),+ }

        impl $name {
            pub const ALL: &'static [(&'static str, Self)] = &[$(($text, Self::$variant)),+];

            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().find(|(known, _)| *known == word).map(|(_, value)| *value)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.word())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                Self::from_word(&word).ok_or_else(|| serde::de::Error::custom(format!("`{word}` is no such word")))
            }
        }
    };
}

words! {
    /// The eight classes of the seed's taxonomy.
    EdgeClass {
        Progress = "Progress",
        Gate = "Gate",
        Decision = "Decision",
        Exception = "Exception",
        Loop = "Loop",
        Rollback = "Rollback",
        Sync = "Sync",
        Meta = "Meta",
    }
}

impl EdgeClass {
    /// Whether work moves on over it, as opposed to being rejected, repeated or remarked upon.
    pub fn is_forward(self) -> bool {
        matches!(self, Self::Progress | Self::Gate | Self::Decision | Self::Sync)
    }
}

words! { GuardScope { Phase = "phase", Subphase = "subphase", Global = "global", Attempt = "attempt" } }
words! {
    GuardType {
        Numeric = "numeric",
        Boolean = "boolean",
        EnumMatch = "enum_match",
        SetMembership = "set_membership",
    }
}
words! {
    OverrideMode { Hard = "hard_override", Soft = "soft_override", Merge = "merge" }
}
words! {
    /// What a rule demands, strictest first: the order of the variants is the order of strictness.
    Action {
        Reject = "reject",
        Block = "block",
        Escalate = "escalate",
        Rerun = "rerun",
        Reroute = "reroute",
        Workaround = "continue_with_workaround",
        Alert = "alert",
    }
}

impl Action {
    /// What a policy may demand.
    pub const OF_POLICIES: &'static [(&'static str, Self)] = &[
        Self::Reject.spelled(),
        Self::Rerun.spelled(),
        Self::Block.spelled(),
        Self::Alert.spelled(),
        Self::Workaround.spelled(),
    ];
    /// What a failed invariant may demand.
    pub const OF_INVARIANTS: &'static [(&'static str, Self)] =
        &[Self::Block.spelled(), Self::Rerun.spelled(), Self::Alert.spelled()];

    const fn spelled(self) -> (&'static str, Self) {
        (self.word(), self)
    }

    /// Whether the event still takes effect.
    pub fn allows(self) -> bool {
        matches!(self, Self::Workaround | Self::Alert)
    }
}

words! {
    TrustLevel {
        Internal = "internal_authoritative",
        External = "external_unverified",
        Verified = "verified_independent",
    }
}
words! {
    VerificationStatus { Pending = "pending", Verified = "verified", Rejected = "rejected" }
}
words! {
    CheckTiming {
        PostPhase = "post_phase",
        PrePhase = "pre_phase",
        OnTransition = "on_transition",
        Periodic = "periodic",
    }
}
words! {
    /// Worst first.
    Severity { Critical = "critical", High = "high", Medium = "medium", Low = "low" }
}
words! { Requirement { None = "none", Independent = "independent_verification_required" } }
words! { AccessMode { Read = "read", Write = "write", Exec = "exec" } }
words! { NodeKindWord { Phase = "phase", End = "end" } }
words! {
    FieldTypeWord {
        Boolean = "boolean",
        Integer = "integer",
        Number = "number",
        Text = "string",
        Enum = "enum",
        List = "list",
    }
}
