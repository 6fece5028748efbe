//! stub
use crate::{problem::Problems, protocol::Protocol};
pub fn analyse(_protocol: &Protocol, _problems: &mut Problems) -> Vec<String> { Vec::new() }
