//! Files that only chosen people can read: age, readable by the `age` program and written as it writes them.

use age::{Encryptor, Identity, Recipient, x25519};
use std::io::{Read, Write};

/// Why something was not sealed or opened.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    #[error("`{0}` is no age recipient (age1…)")]
    Recipient(String),
    #[error("there is nobody to seal for; name a recipient")]
    NoRecipient,
    #[error("this is no age identity (AGE-SECRET-KEY-1…)")]
    Identity,
    #[error("seal the content")]
    Encrypt(#[source] age::EncryptError),
    #[error("open the sealed content")]
    Decrypt(#[source] age::DecryptError),
    #[error("write the sealed content")]
    Io(#[source] std::io::Error),
}

/// The content, readable by each recipient alone.
pub fn seal(content: &[u8], recipients: &[String]) -> Result<Vec<u8>, SealError> {
    if recipients.is_empty() {
        return Err(SealError::NoRecipient);
    }
    let recipients = recipients
        .iter()
        .map(|text| text.trim().parse::<x25519::Recipient>().map_err(|_| SealError::Recipient(text.clone())))
        .collect::<Result<Vec<_>, _>>()?;
    let named = recipients.iter().map(|recipient| recipient as &dyn Recipient);
    let encryptor = Encryptor::with_recipients(named).map_err(SealError::Encrypt)?;
    let mut sealed = Vec::with_capacity(content.len() + 1024);
    let mut writer = encryptor.wrap_output(&mut sealed).map_err(SealError::Io)?;
    writer.write_all(content).and_then(|()| writer.finish()).map_err(SealError::Io)?;
    Ok(sealed)
}

/// The content, for whoever holds the identity (`AGE-SECRET-KEY-1…`, or a file of them with comments).
pub fn open(sealed: &[u8], identity: &str) -> Result<Vec<u8>, SealError> {
    let identities = identity
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.parse::<x25519::Identity>().map_err(|_| SealError::Identity))
        .collect::<Result<Vec<_>, _>>()?;
    if identities.is_empty() {
        return Err(SealError::Identity);
    }
    let decryptor = age::Decryptor::new(sealed).map_err(SealError::Decrypt)?;
    let named = identities.iter().map(|identity| identity as &dyn Identity);
    let mut reader = decryptor.decrypt(named).map_err(SealError::Decrypt)?;
    let mut content = Vec::new();
    reader.read_to_end(&mut content).map_err(SealError::Io)?;
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use age::secrecy::ExposeSecret;

    /// Sealed content opens for its recipients alone, and not after any change.
    #[test]
    fn f_5_sealed_content_opens_for_its_recipients_alone() {
        let (mine, other) = (x25519::Identity::generate(), x25519::Identity::generate());
        let sealed = seal(b"manifest", &[mine.to_public().to_string()]).unwrap();
        assert_eq!(open(&sealed, mine.to_string().expose_secret()).unwrap(), b"manifest");
        assert!(open(&sealed, other.to_string().expose_secret()).is_err());
        let mut changed = sealed.clone();
        *changed.last_mut().unwrap() ^= 1;
        assert!(open(&changed, mine.to_string().expose_secret()).is_err());
        assert!(open(&sealed[..sealed.len() - 1], mine.to_string().expose_secret()).is_err());
    }

    /// Nobody to seal for, a recipient that is none, an identity that is none: errors, never plain text.
    #[test]
    fn f_5_sealing_for_nobody_is_an_error() {
        assert!(matches!(seal(b"x", &[]), Err(SealError::NoRecipient)));
        assert!(matches!(seal(b"x", &["age1nobody".to_owned()]), Err(SealError::Recipient(_))));
        assert!(matches!(open(b"x", "# nothing\n"), Err(SealError::Identity)));
    }
}
