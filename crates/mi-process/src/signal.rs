//! The signals that a stop sequence may name.

use std::{fmt, str::FromStr};

/// A signal, by the name that settings use for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    Interrupt,
    Terminate,
    Hangup,
    Quit,
    Kill,
}

/// A name that is none of the signals of a stop sequence.
#[derive(Debug, thiserror::Error)]
#[error("`{name}` is not a signal of a stop sequence: use SIGINT, SIGTERM, SIGHUP, SIGQUIT or SIGKILL")]
pub struct UnknownSignal {
    name: String,
}

const ALL: [Signal; 5] = [Signal::Interrupt, Signal::Terminate, Signal::Hangup, Signal::Quit, Signal::Kill];

impl Signal {
    /// The name with its `SIG`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Interrupt => "SIGINT",
            Self::Terminate => "SIGTERM",
            Self::Hangup => "SIGHUP",
            Self::Quit => "SIGQUIT",
            Self::Kill => "SIGKILL",
        }
    }

    pub(crate) fn raw(self) -> rustix::process::Signal {
        match self {
            Self::Interrupt => rustix::process::Signal::INT,
            Self::Terminate => rustix::process::Signal::TERM,
            Self::Hangup => rustix::process::Signal::HUP,
            Self::Quit => rustix::process::Signal::QUIT,
            Self::Kill => rustix::process::Signal::KILL,
        }
    }

    /// The byte that stands for it on the control socket.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Interrupt => b'I',
            Self::Terminate => b'T',
            Self::Hangup => b'H',
            Self::Quit => b'Q',
            Self::Kill => b'K',
        }
    }

    pub(crate) fn from_code(code: u8) -> Option<Self> {
        ALL.into_iter().find(|signal| signal.code() == code)
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Signal {
    type Err = UnknownSignal;

    /// Takes `SIGINT` and `INT`, in any case.
    fn from_str(name: &str) -> Result<Self, UnknownSignal> {
        let upper = name.trim().to_ascii_uppercase();
        let wanted = upper.strip_prefix("SIG").unwrap_or(&upper);
        let found = ALL.into_iter().find(|signal| signal.name().strip_prefix("SIG") == Some(wanted));
        found.ok_or_else(|| UnknownSignal { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names are read with and without their prefix; anything else is refused by name.
    #[test]
    fn names_are_read_as_settings_write_them() {
        for signal in ALL {
            assert_eq!(signal.name().parse::<Signal>().unwrap(), signal);
            assert_eq!(Signal::from_code(signal.code()), Some(signal));
        }
        assert_eq!("int".parse::<Signal>().unwrap(), Signal::Interrupt);
        assert!("SIGSTOP".parse::<Signal>().unwrap_err().to_string().contains("`SIGSTOP`"));
    }
}
