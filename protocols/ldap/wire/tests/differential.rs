//! This crate's encoders and decoders compared with those of `ldap3_proto`, for random messages.
//!
//! Each message is encoded by the oracle and decoded by this crate, then encoded again by this crate with a slot for
//! every string, and decoded by the oracle: the result must equal the original. Corrupted bytes must never make this
//! crate's decoders panic.

#![expect(clippy::unwrap_used, reason = "a test that fails should stop")]

use brunt_ldap_wire::ber::{Text, Values};
use brunt_ldap_wire::control::{Control, RawControl};
use brunt_ldap_wire::filter::Filter;
use brunt_ldap_wire::message::{Authentication, Message, Request};
use brunt_ldap_wire::reply::{self, Answer};
use brunt_ldap_wire::request::{self, Attribute, Change, Search};
use brunt_ldap_wire::response::{self, LdapResult};
use brunt_ldap_wire::{Skeleton, Template, op};
use bytes::BytesMut;
use ldap3_proto::LdapCodec;
use ldap3_proto::control::LdapControl;
use ldap3_proto::proto::{LdapResult as OracleResult, *};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use tokio_util::codec::{Decoder, Encoder};

/// The oracle's encoding of a message.
fn theirs(message: &LdapMsg) -> Vec<u8> {
    let mut out = BytesMut::new();
    LdapCodec::default()
        .encode(message.clone(), &mut out)
        .expect("the oracle encodes its own message");
    out.to_vec()
}

/// The oracle's decoding of this crate's bytes.
fn read_by_them(bytes: &[u8]) -> LdapMsg {
    let mut codec = LdapCodec::new(Some(1 << 22), None);
    let mut buffer = BytesMut::from(bytes);
    let message =
        codec.decode(&mut buffer).expect("the oracle reads ours").expect("a whole message");
    assert!(buffer.is_empty(), "nothing is left over");
    message
}

/// Creates a slot for each string, so that no part of a request is static.
#[derive(Default)]
struct Slots {
    values: Vec<Vec<u8>>,
}

impl Slots {
    fn text(&mut self, value: &[u8]) -> Text {
        self.values.push(value.to_vec());
        Text::slot(self.values.len() - 1)
    }

    fn texts(&mut self, values: &[&[u8]]) -> Vec<Text> {
        values.iter().map(|value| self.text(value)).collect()
    }

    fn filter(&mut self, filter: &Filter<&[u8]>) -> Filter<Text> {
        filter.map(&mut |leaf| self.text(leaf))
    }
}

fn controls(message: &Message<'_>, slots: &mut Slots) -> Vec<Control> {
    let controls = message.controls.iter().map(|raw| {
        let oid = String::from_utf8(raw.oid.to_vec()).expect("an OID is text");
        let control = Control::new(oid, raw.critical);
        match raw.value {
            Some(value) => control.with_value(&slots.text(value)),
            None => control,
        }
    });
    controls.collect()
}

/// Compiles the decoded request.
fn compiled(message: &Message<'_>) -> (Skeleton, Vec<Vec<u8>>) {
    let mut slots = Slots::default();
    let controls = controls(message, &mut slots);
    let s = &mut slots;
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
    let skeleton = match &message.request {
        Request::Bind { name, authentication, .. } => match authentication {
            Authentication::Simple(password) => {
                request::bind_simple(&s.text(name), &s.text(password), &controls)
            }
            Authentication::Sasl { mechanism, credentials } => {
                let credentials = credentials.map(|value| s.text(value));
                request::bind_sasl(&s.text(name), &text(mechanism), credentials.as_ref(), &controls)
            }
        },
        Request::Unbind => request::unbind(),
        Request::Search(search) => Search {
            base: s.text(search.base),
            scope: search.scope,
            deref: search.deref,
            size_limit: search.size_limit,
            time_limit: search.time_limit,
            types_only: search.types_only,
            filter: s.filter(&search.filter),
            attributes: s.texts(&search.attributes),
        }
        .skeleton(&controls),
        Request::Modify { dn, changes } => {
            let change = |change: &brunt_ldap_wire::message::Change<'_>| Change {
                op: change.op,
                attribute: s.text(change.attribute.name),
                values: s.texts(&change.attribute.values),
            };
            let changes: Vec<_> = changes.iter().map(change).collect();
            request::modify(&s.text(dn), &changes, &controls)
        }
        Request::Add { dn, attributes } => {
            let attribute = |attribute: &brunt_ldap_wire::message::Attribute<'_>| Attribute {
                name: s.text(attribute.name),
                values: s.texts(&attribute.values),
            };
            let attributes: Vec<_> = attributes.iter().map(attribute).collect();
            request::add(&s.text(dn), &attributes, &controls)
        }
        Request::Delete { dn } => request::delete(&s.text(dn), &controls),
        Request::ModifyDn { dn, new_rdn, delete_old_rdn, new_superior } => {
            let superior = new_superior.map(|value| s.text(value));
            let (dn, rdn) = (s.text(dn), s.text(new_rdn));
            request::modify_dn(&dn, &rdn, *delete_old_rdn, superior.as_ref(), &controls)
        }
        Request::Compare { dn, attribute, value } => {
            request::compare(&s.text(dn), &s.text(attribute), &s.text(value), &controls)
        }
        Request::Extended { name, value } => {
            let value = value.map(|value| s.text(value));
            request::extended(&text(name), value.as_ref(), &controls)
        }
        Request::Abandon { .. } => unreachable!("abandons are written directly"),
    };
    (skeleton, slots.values)
}

fn encoded<V: Values + ?Sized>(skeleton: &Skeleton, id: i32, values: &V) -> Vec<u8> {
    let mut out = Vec::new();
    skeleton.encode(id, values, &mut out);
    out
}

/// Writes the request directly, if there is a function for it.
fn written_directly(message: &Message<'_>) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut raw = Vec::new();
    brunt_ldap_wire::control::write(
        &message.controls,
        &mut brunt_ldap_wire::ber::Writer::new(&mut raw),
    );
    let id = message.message_id;
    match &message.request {
        Request::Add { dn, attributes } => {
            let attributes = attributes.iter().map(|each| (each.name, each.values.iter()));
            request::encode_add(&mut out, id, dn, attributes, &raw);
        }
        Request::Delete { dn } => request::encode_delete(&mut out, id, dn, &raw),
        Request::Abandon { target } => request::encode_abandon(&mut out, id, *target),
        Request::Unbind => request::encode_unbind(&mut out, id),
        _ => return None,
    }
    Some(out)
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[a-zA-Z][a-zA-Z0-9-]{0,12}", "[a-z]{1,4};lang-[a-z]{2}"]
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[ -~]{0,20}", 2 => "\\PC{0,12}", 1 => "[a-z]{120,135}", 1 => "[a-z]{250,260}"]
}

fn octets() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![4 => vec(any::<u8>(), 0..24), 1 => vec(any::<u8>(), 120..300)]
}

fn filter() -> impl Strategy<Value = LdapFilter> {
    let part = || option::of("[a-zA-Z0-9 *()\\\\]{1,8}");
    let leaf = prop_oneof![
        (name(), word()).prop_map(|(a, v)| LdapFilter::Equality(a, v)),
        (name(), word()).prop_map(|(a, v)| LdapFilter::GreaterOrEqual(a, v)),
        (name(), word()).prop_map(|(a, v)| LdapFilter::LessOrEqual(a, v)),
        (name(), word()).prop_map(|(a, v)| LdapFilter::Approx(a, v)),
        name().prop_map(LdapFilter::Present),
        (name(), part(), vec("[a-z]{1,5}", 1..4), part()).prop_map(|(a, initial, any, final_)| {
            LdapFilter::Substring(a, LdapSubstringFilter { initial, any, final_ })
        }),
        (option::of(name()), name(), word(), any::<bool>()).prop_map(
            |(rule, attribute, match_value, dn_attributes)| {
                LdapFilter::Extensible(LdapMatchingRuleAssertion {
                    matching_rule: rule,
                    type_: Some(attribute),
                    match_value,
                    dn_attributes,
                })
            }
        ),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 1..4).prop_map(LdapFilter::And),
            vec(inner.clone(), 1..4).prop_map(LdapFilter::Or),
            inner.prop_map(|filter| LdapFilter::Not(Box::new(filter))),
        ]
    })
}

fn search() -> impl Strategy<Value = LdapOp> {
    let scope = select(vec![
        LdapSearchScope::Base,
        LdapSearchScope::OneLevel,
        LdapSearchScope::Subtree,
        LdapSearchScope::Children,
    ]);
    let aliases = select(vec![
        LdapDerefAliases::Never,
        LdapDerefAliases::InSearching,
        LdapDerefAliases::FindingBaseObj,
        LdapDerefAliases::Always,
    ]);
    let limits = (0..=i32::MAX, 0..=i32::MAX, any::<bool>());
    (word(), scope, aliases, limits, filter(), vec(name(), 0..5)).prop_map(
        |(base, scope, aliases, (sizelimit, timelimit, typesonly), filter, attrs)| {
            let request = LdapSearchRequest {
                base,
                scope,
                aliases,
                sizelimit,
                timelimit,
                typesonly,
                filter,
                attrs,
            };
            LdapOp::SearchRequest(request)
        },
    )
}

fn attributes(least: usize) -> impl Strategy<Value = Vec<LdapPartialAttribute>> {
    let attribute = (name(), vec(octets(), least..4));
    vec(attribute.prop_map(|(atype, vals)| LdapPartialAttribute { atype, vals }), 1..5)
}

fn requests() -> impl Strategy<Value = LdapOp> {
    let credentials = prop_oneof![
        word().prop_map(LdapBindCred::Simple),
        (name(), octets()).prop_map(|(mechanism, credentials)| {
            LdapBindCred::SASL(SaslCredentials { mechanism, credentials })
        }),
    ];
    let kind = || {
        select(vec![
            LdapModifyType::Add,
            LdapModifyType::Delete,
            LdapModifyType::Replace,
            LdapModifyType::Increment,
        ])
    };
    let change = (kind(), attributes(0)).prop_map(|(operation, mut attributes)| LdapModify {
        operation,
        modification: attributes.remove(0),
    });
    prop_oneof![
        (word(), credentials).prop_map(|(dn, cred)| LdapOp::BindRequest(LdapBindRequest {
            version: 3,
            dn,
            cred
        })),
        Just(LdapOp::UnbindRequest),
        search(),
        (word(), vec(change, 1..5))
            .prop_map(|(dn, changes)| LdapOp::ModifyRequest(LdapModifyRequest { dn, changes })),
        (word(), attributes(1))
            .prop_map(|(dn, attributes)| LdapOp::AddRequest(LdapAddRequest { dn, attributes })),
        word().prop_map(LdapOp::DelRequest),
        (word(), word(), any::<bool>(), option::of(word())).prop_map(
            |(dn, newrdn, deleteoldrdn, new_superior)| {
                LdapOp::ModifyDNRequest(LdapModifyDNRequest {
                    dn,
                    newrdn,
                    deleteoldrdn,
                    new_superior,
                })
            }
        ),
        (word(), name(), octets()).prop_map(|(dn, atype, val)| LdapOp::CompareRequest(
            LdapCompareRequest { dn, atype, val }
        )),
        (0..i32::MAX).prop_map(LdapOp::AbandonRequest),
        ("1(\\.[0-9]{1,4}){2,6}", option::of(octets()))
            .prop_map(|(name, value)| LdapOp::ExtendedRequest(LdapExtendedRequest { name, value })),
    ]
    .boxed()
}

fn any_controls() -> impl Strategy<Value = Vec<LdapControl>> {
    // An arc that no real control has, so that the oracle does not decode the value.
    let unknown = ("1\\.9\\.9\\.[0-9]{1,4}", any::<bool>(), option::of(octets()))
        .prop_map(|(oid, criticality, value)| LdapControl::Unknown { oid, criticality, value });
    let known = any::<bool>().prop_map(|criticality| LdapControl::ManageDsaIT { criticality });
    vec(prop_oneof![2 => unknown, 1 => known], 0..3)
}

fn results() -> impl Strategy<Value = OracleResult> {
    let code = select(vec![
        LdapResultCode::Success,
        LdapResultCode::SaslBindInProgress,
        LdapResultCode::NoSuchObject,
        LdapResultCode::InvalidCredentials,
        LdapResultCode::Other,
        LdapResultCode::AssertionFailed,
        LdapResultCode::EsyncRefreshRequired,
    ]);
    (code, word(), word(), vec(word(), 0..3)).prop_map(|(code, matcheddn, message, referral)| {
        OracleResult { code, matcheddn, message, referral }
    })
}

fn responses() -> impl Strategy<Value = LdapOp> {
    let named = (results(), option::of("1(\\.[0-9]{1,4}){2,6}"), option::of(octets()));
    prop_oneof![
        (results(), option::of(octets()))
            .prop_map(|(res, saslcreds)| LdapOp::BindResponse(LdapBindResponse { res, saslcreds })),
        results().prop_map(LdapOp::SearchResultDone),
        results().prop_map(LdapOp::ModifyResponse),
        results().prop_map(LdapOp::AddResponse),
        results().prop_map(LdapOp::DelResponse),
        results().prop_map(LdapOp::ModifyDNResponse),
        results().prop_map(LdapOp::CompareResult),
        (word(), attributes(0)).prop_map(|(dn, attributes)| LdapOp::SearchResultEntry(
            LdapSearchResultEntry { dn, attributes }
        )),
        vec(word(), 1..4)
            .prop_map(|uris| LdapOp::SearchResultReference(LdapSearchResultReference { uris })),
        named.prop_map(|(res, name, value)| LdapOp::ExtendedResponse(LdapExtendedResponse {
            res,
            name,
            value
        })),
    ]
    .boxed()
}

/// Decodes an answer and writes it again.
fn rewritten(bytes: &[u8]) -> Vec<u8> {
    let scan = response::scan(bytes).expect("we read what the oracle writes");
    let controls: Vec<RawControl<'_>> = scan.controls().unwrap().collect::<Result<_, _>>().unwrap();
    let (id, mut out) = (scan.message_id, Vec::new());
    match scan.op {
        op::SEARCH_ENTRY => {
            let entry = scan.entry().unwrap();
            let attributes = entry.attributes().map(|attribute| {
                let attribute = attribute.unwrap();
                assert!(entry.attribute(&attribute.name.to_ascii_uppercase()).unwrap().is_some());
                (attribute.name, attribute.values.map(Result::unwrap))
            });
            reply::entry(&mut out, id, entry.dn(), attributes, &controls);
        }
        op::SEARCH_REFERENCE => {
            let addresses: Vec<&[u8]> =
                scan.reference().unwrap().collect::<Result<_, _>>().unwrap();
            reply::reference(&mut out, id, &addresses, &controls);
        }
        tag => {
            let result: LdapResult<'_> = scan.result().unwrap();
            assert_eq!(scan.code, Some(result.code), "the scan and the whole result agree");
            let referrals: Vec<&[u8]> = result.referrals.collect::<Result<_, _>>().unwrap();
            let answer = Answer {
                code: result.code,
                matched_dn: result.matched_dn,
                diagnostic: result.diagnostic,
                referrals: &referrals,
            };
            let name = result.name.map(|name| std::str::from_utf8(name).unwrap());
            match tag {
                op::BIND_RESPONSE => {
                    reply::bind(&mut out, id, &answer, result.server_credentials, &controls);
                }
                op::EXTENDED_RESPONSE => {
                    reply::extended(&mut out, id, &answer, name, result.value, &controls);
                }
                _ => reply::result(&mut out, id, tag, &answer, &controls),
            }
        }
    }
    out
}

/// Calls every decoder and reads everything it returns.
fn look_at_everything(bytes: &[u8]) {
    if let Ok(Some(length)) = response::frame(bytes) {
        assert!((2..=response::MESSAGE_MAX).contains(&length));
    }
    if let Ok(message) = Message::decode(bytes) {
        let _ = format!("{message:?}");
    }
    let Ok(scan) = response::scan(bytes) else { return };
    let _ = scan.is_notice_of_disconnection();
    if let Ok(result) = scan.result() {
        let _ = result.referrals.count();
    }
    if let Ok(entry) = scan.entry() {
        let _ =
            entry.attributes().flatten().map(|attribute| attribute.values.count()).sum::<usize>();
        let _ = entry.value(b"cn");
    }
    let _ = scan.reference().map(Iterator::count);
    let _ = scan.intermediate();
    let _ = scan.controls().map(Iterator::count);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn requests_round_trip_with_ldap3_proto(op in requests(), ctrl in any_controls(), id in 1..i32::MAX) {
        // The encoders have no place for the controls of a request without an answer.
        let silent = matches!(op, LdapOp::UnbindRequest | LdapOp::AbandonRequest(_));
        let message = LdapMsg { msgid: id, op, ctrl: if silent { Vec::new() } else { ctrl } };
        let bytes = theirs(&message);
        let ours = Message::decode(&bytes).expect("we read what the oracle writes");
        prop_assert_eq!(ours.message_id, id);
        if let Some(direct) = written_directly(&ours) {
            prop_assert_eq!(&read_by_them(&direct), &message);
        }
        if matches!(ours.request, Request::Abandon { .. }) {
            return Ok(());
        }
        let (skeleton, values) = compiled(&ours);
        prop_assert_eq!(skeleton.slots(), values.len());
        let again = encoded(&skeleton, id, &values);
        prop_assert_eq!(response::frame(&again), Ok(Some(again.len())));
        prop_assert_eq!(&read_by_them(&again), &message);

        // The same request with a template, between two other requests whose bytes it overwrites.
        let mut template = Template::new(skeleton);
        let blank: Vec<Vec<u8>> = values.iter().map(|value| vec![b'-'; value.len()]).collect();
        let longer: Vec<Vec<u8>> = values.iter().map(|value| vec![b'+'; value.len() + 1]).collect();
        template.encode(id, &blank);
        prop_assert_eq!(template.encode(id, &values), &again[..]);
        template.encode(1, &longer);
        prop_assert_eq!(template.encode(id, &values), &again[..]);
    }

    #[test]
    fn answers_round_trip_with_ldap3_proto(op in responses(), ctrl in any_controls(), id in 0..i32::MAX) {
        let message = LdapMsg { msgid: id, op, ctrl };
        let bytes = theirs(&message);
        prop_assert_eq!(response::frame(&bytes), Ok(Some(bytes.len())));
        let again = rewritten(&bytes);
        // The oracle writes referrals but does not read them, so the bytes are compared where possible.
        prop_assert_eq!(read_by_them(&again), read_by_them(&bytes));
        if message.ctrl.is_empty() {
            prop_assert_eq!(again, bytes);
        }
    }

    #[test]
    fn filters_round_trip_as_text(op in search()) {
        let bytes = theirs(&LdapMsg { msgid: 1, op, ctrl: Vec::new() });
        let Request::Search(search) = Message::decode(&bytes).unwrap().request else { panic!("a search") };
        let text = search.filter.to_string();
        prop_assert_eq!(&Filter::parse(&text).unwrap(), &Filter::from(&search.filter), "{}", text);
    }

    #[test]
    fn altered_bytes_never_panic(
        op in prop_oneof![requests(), responses()],
        ctrl in any_controls(),
        tampering in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = theirs(&LdapMsg { msgid: 7, op, ctrl });
        look_at_everything(&bytes[..cut.index(bytes.len())]);
        for (place, byte) in tampering {
            let place = place.index(bytes.len());
            bytes[place] = byte;
            look_at_everything(&bytes);
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes in vec(any::<u8>(), 0..200)) {
        look_at_everything(&bytes);
    }
}
