//! Check digits that tell a real token or number from one that only looks like it.

/// Whether the last six characters of a GitHub token body are the base-62 CRC-32 of the ones before them.
pub(crate) fn github_token(body: &str) -> bool {
    let Some((random, check)) = body.len().checked_sub(6).and_then(|at| body.split_at_checked(at)) else {
        return false;
    };
    base62(crc32(random.as_bytes())) == check.as_bytes()
}

/// The six base-62 digits of a CRC-32, most significant first.
pub(crate) fn base62(mut number: u32) -> [u8; 6] {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut digits = [b'0'; 6];
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS[(number % 62) as usize];
        number /= 62;
    }
    digits
}

/// CRC-32 as in zip and PNG, bit by bit: inputs are some thirty bytes long.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { (sum >> 1) ^ 0xEDB8_8320 } else { sum >> 1 };
        }
    }
    !sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reference value of CRC-32, and its digits.
    #[test]
    fn crc32_has_the_reference_value() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(base62(61), *b"00000z");
        assert_eq!(base62(62), *b"000010");
    }
}
