//! Check digits that tell a real token or number from one that only looks like it.

/// Whether the last six characters of a body are the base-62 CRC-32 of the ones before them: GitHub's form, which npm
/// took over.
pub(crate) fn github_token(_prefix: &str, body: &str) -> bool {
    let Some((random, check)) = body.len().checked_sub(6).and_then(|at| body.split_at_checked(at)) else {
        return false;
    };
    base62(crc32(random.as_bytes())) == check.as_bytes()
}

/// Whether a Grafana service account token ends in the CRC-32 of all before it, in hex, least significant byte first.
pub(crate) fn grafana_token(prefix: &str, body: &str) -> bool {
    let Some((secret, check)) = body.rsplit_once('_') else { return false };
    let sum = crc32(format!("{prefix}{secret}").as_bytes()).swap_bytes();
    check == format!("{sum:08x}")
}

/// Whether an Atlassian token ends in the CRC-32 of all before it, in hex.
pub(crate) fn atlassian_token(prefix: &str, body: &str) -> bool {
    let token = format!("{prefix}{body}");
    let Some((rest, check)) = token.len().checked_sub(8).and_then(|at| token.split_at_checked(at)) else {
        return false;
    };
    u32::from_str_radix(check, 16).is_ok_and(|check| check == crc32(rest.as_bytes()))
}

/// Whether a GitLab token that has the parts of a routable one ends in their CRC-32: `payload.` or `payload.version.`,
/// then the length of the payload (two base-36 digits) and the sum of all before it, prefix included (seven). Tokens
/// of the older kind have twenty characters and no sum; they may be followed by a dot of the sentence.
pub(crate) fn gitlab_token(prefix: &str, body: &str) -> bool {
    let (payload, parts) = body.split_once('.').unwrap_or((body, ""));
    if payload.len() == 20 || parts.is_empty() {
        return true;
    }
    let tail = parts.rsplit_once('.').map_or(parts, |(_, tail)| tail);
    let is_versioned = parts.len() == tail.len() || parts.len() == tail.len() + 3;
    let Some((length, check)) = tail.split_at_checked(2).filter(|_| is_versioned && tail.len() == 9) else {
        return false;
    };
    let summed = format!("{prefix}{}", &body[..body.len() - check.len()]);
    usize::from_str_radix(length, 36) == Ok(payload.len())
        && base36(crc32(summed.as_bytes())) == check.as_bytes()
}

/// Whether a PyPI token is a macaroon of PyPI or TestPyPI: the name of the place stands at its beginning. The rest is
/// signed with a key that only PyPI has.
pub(crate) fn pypi_token(_prefix: &str, body: &str) -> bool {
    ["IcHlwaS5vcmc", "NdGVzdC5weXBpLm9yZw"].iter().any(|place| body.starts_with(place))
}

/// The seven base-36 digits of a CRC-32, most significant first.
pub(crate) fn base36(mut number: u32) -> [u8; 7] {
    let mut digits = [b'0'; 7];
    for digit in digits.iter_mut().rev() {
        *digit = char::from_digit(number % 36, 36).map_or(b'0', |digit| digit as u8);
        number /= 36;
    }
    digits
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

/// Whether eighteen characters are a Chinese identity number (GB 11643): region, day of birth, check digit.
pub(crate) fn chinese_identity(number: &[u8]) -> bool {
    const WEIGHTS: [u32; 17] = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
    const CHECKS: &[u8; 11] = b"10X98765432";
    let Some((digits, [check])) = number.split_at_checked(17) else { return false };
    if !digits.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let value = |range: std::ops::Range<usize>| {
        digits[range].iter().fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'))
    };
    let is_dated = (1900..2100).contains(&value(6..10))
        && (1..=12).contains(&value(10..12))
        && (1..=31).contains(&value(12..14));
    let sum: u32 = digits.iter().zip(WEIGHTS).map(|(digit, weight)| u32::from(digit - b'0') * weight).sum();
    is_dated && (11..=82).contains(&value(0..2)) && CHECKS[(sum % 11) as usize] == check.to_ascii_uppercase()
}

/// Whether the digits of a number, which may stand in groups, are those of a bank card (ISO 7812): what issues cards, and
/// the check digit.
pub(crate) fn bank_card(number: &[u8]) -> bool {
    let digits =
        number.iter().rev().filter(|byte| byte.is_ascii_digit()).map(|digit| u32::from(digit - b'0'));
    let sum: u32 = digits
        .enumerate()
        .map(|(at, digit)| match at % 2 {
            0 => digit,
            _ => digit * 2 / 10 + digit * 2 % 10,
        })
        .sum();
    sum.is_multiple_of(10) && matches!(number, [b'2'..=b'6', ..])
}

/// Whether an account number (ISO 13616), which may stand in groups, leaves one when it is divided by 97.
pub(crate) fn iban(number: &[u8]) -> bool {
    let (head, rest) = number.split_at(number.len().min(4));
    let value = |byte: &u8| char::from(*byte).to_digit(36);
    let rest = rest.iter().chain(head).filter_map(value);
    rest.fold(0, |rest, value| (rest * if value < 10 { 10 } else { 100 } + value) % 97) == 1
}

/// CRC-32 as in zip and PNG, four bytes at a time: text that is full of tokens has one to count for each.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let (fours, rest) = bytes.as_chunks::<4>();
    let sum = fours.iter().fold(u32::MAX, |sum, four| {
        let [a, b, c, d] = (sum ^ u32::from_le_bytes(*four)).to_le_bytes();
        CRC[3][usize::from(a)] ^ CRC[2][usize::from(b)] ^ CRC[1][usize::from(c)] ^ CRC[0][usize::from(d)]
    });
    !rest.iter().fold(sum, |sum, byte| (sum >> 8) ^ CRC[0][usize::from(sum as u8 ^ byte)])
}

/// What a byte adds to the sum when so many others follow it.
static CRC: [[u32; 256]; 4] = {
    let mut table = [[0; 256]; 4];
    let mut byte = 0;
    while byte < 256 {
        let mut sum = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 1 { (sum >> 1) ^ 0xEDB8_8320 } else { sum >> 1 };
            bit += 1;
        }
        table[0][byte] = sum;
        byte += 1;
    }
    let mut byte = 0;
    while byte < 256 {
        let mut row = 1;
        while row < 4 {
            let before = table[row - 1][byte];
            table[row][byte] = (before >> 8) ^ table[0][(before & 0xFF) as usize];
            row += 1;
        }
        byte += 1;
    }
    table
};

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

    /// Tokens that their makers printed as examples have the checksum; with one letter changed they do not.
    #[test]
    fn tokens_have_their_makers_checksums() {
        let github = format!("{}{}", "zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ", "0mLq17");
        assert!(github_token("", &github) && !github_token("", &github.replace('z', "y")));
        let grafana = format!("{}_{}", "yscW25imSKJIuav8zF37RZmnbiDvB05G", "fcaaf58a");
        assert!(grafana_token("glsa_", &grafana) && !grafana_token("glsa_", &grafana.replace('y', "z")));
        let body = "xFfGF0abc=";
        let sum = crc32(format!("ATATT3{body}").as_bytes());
        assert!(atlassian_token("ATATT3", &format!("{body}{sum:08X}")));
        assert!(!atlassian_token("ATATT3", &format!("{body}{:08X}", sum ^ 1)) && !atlassian_token("", "x"));
    }

    /// Routable GitLab tokens that were published as examples have the sum of all before it, with and without a version.
    #[test]
    fn routable_gitlab_tokens_have_a_checksum() {
        let payload = format!("{}{}", "bzox79Of-KE9FD2", "LjoXXF4CvyxA");
        for (rest, is_valid) in [
            (".01.0r0l8l6ir", true),
            (".0r03gxo7s", true),
            ("", true),
            (".01.0r03gxo7s", false),
            (".0r03gxo7a", false),
            (".0q03gxo7s", false),
            (".1.0r0l8l6ir", false),
            (".x", false),
        ] {
            assert_eq!(gitlab_token("glpat-", &format!("{payload}{rest}")), is_valid, "{rest}");
        }
        assert!(!gitlab_token("gldt-", &format!("{payload}.0r03gxo7s")), "the prefix is summed too");
        assert!(gitlab_token("glpat-", "abcdefghij0123456789.Then"), "the older kind, and a sentence");
    }

    /// The sum of four bytes at a time is the sum of bit by bit.
    #[test]
    fn crc32_is_the_same_bit_by_bit() {
        let slow = |bytes: &[u8]| {
            !bytes.iter().fold(u32::MAX, |sum, byte| {
                let mixed = sum ^ u32::from(*byte);
                (0..8).fold(mixed, |sum, _| (sum >> 1) ^ (0xEDB8_8320 & (sum & 1).wrapping_neg()))
            })
        };
        let bytes: Vec<u8> = (0..=255).collect();
        for length in 0..bytes.len() {
            assert_eq!(crc32(&bytes[..length]), slow(&bytes[..length]), "{length}");
        }
    }

    /// Numbers of cards and accounts that their makers printed as examples are valid; with one digit changed they are not.
    #[test]
    fn cards_and_accounts_have_check_digits() {
        for card in ["4111 1111 1111 1111", "5555555555554444", "378282246310005", "6222-0200-0000-0000-000"]
        {
            assert!(bank_card(card.as_bytes()), "{card}");
            assert!(!bank_card(card.replacen(['1', '2', '5', '8'], "9", 1).as_bytes()), "{card}");
        }
        assert!(!bank_card(b"0000000000000000") && !bank_card(b""));
        for account in ["DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819"] {
            assert!(iban(account.as_bytes()) && !iban(account.replace('9', "8").as_bytes()), "{account}");
        }
        assert!(!iban(b"") && !iban(b"DE"));
    }

    /// The number in the standard itself is valid; another check digit, day or letter is not.
    #[test]
    fn identity_numbers_have_a_check_digit() {
        let known = format!("{}{}", "11010519491231", "002X");
        assert!(chinese_identity(known.as_bytes()));
        for wrong in [known.replace('X', "1"), known.replace("1231", "1331"), known.replace("11010", "a1010")]
        {
            assert!(!chinese_identity(wrong.as_bytes()), "{wrong}");
        }
    }
}
