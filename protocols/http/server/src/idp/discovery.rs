//! The metadata of the provider (OpenID Connect Discovery 1.0, RFC 8414).

use serde_json::json;

use crate::call::Call;
use crate::reply::Reply;

/// The algorithms of the signatures that it verifies.
const ALGORITHMS: [&str; 9] =
    ["ES256", "ES384", "EdDSA", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512"];

/// GET `.well-known/openid-configuration`.
pub(super) fn configuration(call: &Call<'_>, reply: &mut Reply) {
    let issuer = call.issuer();
    let at = |name: &str| format!("{issuer}/{name}");
    let methods = ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"];
    let grants = [
        "authorization_code",
        "refresh_token",
        "client_credentials",
        "urn:ietf:params:oauth:grant-type:device_code",
        "urn:ietf:params:oauth:grant-type:jwt-bearer",
    ];
    reply.json(
        200,
        &json!({
            "issuer": issuer,
            "authorization_endpoint": at("authorize"),
            "token_endpoint": at("token"),
            "userinfo_endpoint": at("userinfo"),
            "jwks_uri": at("jwks"),
            "introspection_endpoint": at("introspect"),
            "revocation_endpoint": at("revoke"),
            "end_session_endpoint": at("logout"),
            "device_authorization_endpoint": at("device"),
            "pushed_authorization_request_endpoint": at("par"),
            "registration_endpoint": at("register"),
            "response_types_supported": ["code"],
            "response_modes_supported": ["query", "form_post"],
            "grant_types_supported": grants,
            "acr_values_supported": ["1", "otp"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["ES256"],
            "token_endpoint_auth_methods_supported": methods,
            "token_endpoint_auth_signing_alg_values_supported": ALGORITHMS,
            "dpop_signing_alg_values_supported": ALGORITHMS,
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true,
        }),
    );
}

/// GET `jwks`: the key of its signatures.
pub(super) fn keys(call: &Call<'_>, reply: &mut Reply) {
    reply.json(200, &json!({"keys": [call.realm.provider.key.jwk]}));
}
