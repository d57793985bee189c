//! Result codes and their names (RFC 4511 section 4.1.9, and the registry of RFC 4520).
//!
//! Codes 81 to 97 never come from a server: clients use them for their own failures. The numbers
//! are those of the C API and of OpenDJ, so that exit codes keep their established meanings.

/// The operation succeeded.
pub const SUCCESS: u32 = 0;
/// The request is not allowed at this point.
pub const OPERATIONS_ERROR: u32 = 1;
/// The request is malformed, or not of this protocol.
pub const PROTOCOL_ERROR: u32 = 2;
/// The time limit was reached.
pub const TIME_LIMIT_EXCEEDED: u32 = 3;
/// The size limit was reached.
pub const SIZE_LIMIT_EXCEEDED: u32 = 4;
/// The comparison succeeded and is false.
pub const COMPARE_FALSE: u32 = 5;
/// The comparison succeeded and is true.
pub const COMPARE_TRUE: u32 = 6;
/// The server does not support this authentication method.
pub const AUTH_METHOD_NOT_SUPPORTED: u32 = 7;
/// The server requires a stronger bind, or TLS.
pub const STRONGER_AUTH_REQUIRED: u32 = 8;
/// The server refers to another server.
pub const REFERRAL: u32 = 10;
/// A critical control is not known.
pub const UNAVAILABLE_CRITICAL_EXTENSION: u32 = 12;
/// The next step of a SASL bind is due.
pub const SASL_BIND_IN_PROGRESS: u32 = 14;
/// The attribute is not in the entry.
pub const NO_SUCH_ATTRIBUTE: u32 = 16;
/// A constraint of the entry, or of the account, does not allow it.
pub const CONSTRAINT_VIOLATION: u32 = 19;
/// The value already exists in the entry.
pub const ATTRIBUTE_OR_VALUE_EXISTS: u32 = 20;
/// The value does not conform to the attribute's syntax.
pub const INVALID_ATTRIBUTE_SYNTAX: u32 = 21;
/// The entry does not exist.
pub const NO_SUCH_OBJECT: u32 = 32;
/// The DN is not a DN.
pub const INVALID_DN_SYNTAX: u32 = 34;
/// The name or the password is wrong.
pub const INVALID_CREDENTIALS: u32 = 49;
/// The identity may not do this.
pub const INSUFFICIENT_ACCESS_RIGHTS: u32 = 50;
/// The server is too busy.
pub const BUSY: u32 = 51;
/// The server is shutting down, or a part of it is unavailable.
pub const UNAVAILABLE: u32 = 52;
/// The server is unwilling to perform the operation.
pub const UNWILLING_TO_PERFORM: u32 = 53;
/// The entry has entries below it.
pub const NOT_ALLOWED_ON_NON_LEAF: u32 = 66;
/// The entry already exists.
pub const ENTRY_ALREADY_EXISTS: u32 = 68;
/// Another error.
pub const OTHER: u32 = 80;
/// Client: the connection is gone.
pub const SERVER_DOWN: u32 = 81;
/// Client: a local error.
pub const LOCAL_ERROR: u32 = 82;
/// Client: the answer is not LDAP.
pub const DECODING_ERROR: u32 = 84;
/// Client: no answer in time.
pub const TIMEOUT: u32 = 85;
/// Client: a wrong parameter.
pub const PARAM_ERROR: u32 = 89;
/// Client: no connection.
pub const CONNECT_ERROR: u32 = 91;
/// Client: a search that had to find an entry found none.
pub const NO_RESULTS_RETURNED: u32 = 94;
/// Client: a search that had to find one entry found more.
pub const UNEXPECTED_RESULTS_RETURNED: u32 = 95;
/// The operation was cancelled (RFC 3909).
pub const CANCELED: u32 = 118;
/// The assertion is not true of the entry (RFC 4528).
pub const ASSERTION_FAILED: u32 = 122;
/// The identity may not act for another (RFC 4370).
pub const AUTHORIZATION_DENIED: u32 = 123;

/// The name of a result code, `unknown` if it has none.
pub const fn name(code: u32) -> &'static str {
    match code {
        0 => "success",
        1 => "operationsError",
        2 => "protocolError",
        3 => "timeLimitExceeded",
        4 => "sizeLimitExceeded",
        5 => "compareFalse",
        6 => "compareTrue",
        7 => "authMethodNotSupported",
        8 => "strongerAuthRequired",
        10 => "referral",
        11 => "adminLimitExceeded",
        12 => "unavailableCriticalExtension",
        13 => "confidentialityRequired",
        14 => "saslBindInProgress",
        16 => "noSuchAttribute",
        17 => "undefinedAttributeType",
        18 => "inappropriateMatching",
        19 => "constraintViolation",
        20 => "attributeOrValueExists",
        21 => "invalidAttributeSyntax",
        32 => "noSuchObject",
        33 => "aliasProblem",
        34 => "invalidDNSyntax",
        36 => "aliasDereferencingProblem",
        48 => "inappropriateAuthentication",
        49 => "invalidCredentials",
        50 => "insufficientAccessRights",
        51 => "busy",
        52 => "unavailable",
        53 => "unwillingToPerform",
        54 => "loopDetect",
        60 => "sortControlMissing",
        61 => "offsetRangeError",
        64 => "namingViolation",
        65 => "objectClassViolation",
        66 => "notAllowedOnNonLeaf",
        67 => "notAllowedOnRDN",
        68 => "entryAlreadyExists",
        69 => "objectClassModsProhibited",
        71 => "affectsMultipleDSAs",
        76 => "virtualListViewError",
        _ => name_beyond(code),
    }
}

/// The names of the codes from 80 on.
const fn name_beyond(code: u32) -> &'static str {
    match code {
        80 => "other",
        81 => "serverDown",
        82 => "localError",
        83 => "encodingError",
        84 => "decodingError",
        85 => "timeout",
        86 => "authUnknown",
        87 => "filterError",
        88 => "userCanceled",
        89 => "paramError",
        90 => "noMemory",
        91 => "connectError",
        92 => "notSupported",
        93 => "controlNotFound",
        94 => "noResultsReturned",
        95 => "unexpectedResultsReturned",
        96 => "clientLoop",
        97 => "referralLimitExceeded",
        113 => "lcupResourcesExhausted",
        114 => "lcupSecurityViolation",
        115 => "lcupInvalidData",
        116 => "lcupUnsupportedScheme",
        117 => "lcupReloadRequired",
        118 => "canceled",
        119 => "noSuchOperation",
        120 => "tooLate",
        121 => "cannotCancel",
        122 => "assertionFailed",
        123 => "authorizationDenied",
        4096 => "syncRefreshRequired",
        16_654 => "noOperation",
        _ => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_codes_have_their_names() {
        for (code, word) in [
            (SUCCESS, "success"),
            (NO_SUCH_OBJECT, "noSuchObject"),
            (INVALID_CREDENTIALS, "invalidCredentials"),
            (ENTRY_ALREADY_EXISTS, "entryAlreadyExists"),
            (NO_RESULTS_RETURNED, "noResultsReturned"),
            (ASSERTION_FAILED, "assertionFailed"),
            (9, "unknown"),
            (u32::MAX, "unknown"),
        ] {
            assert_eq!(name(code), word);
        }
    }
}
