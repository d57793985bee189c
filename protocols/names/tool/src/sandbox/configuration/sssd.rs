//! sssd.conf: a domain with one directory, used for names only.

use super::super::spec::{GROUPS, PEOPLE, SUFFIX};

/// sssd.conf for the directory at `url`.
pub(crate) fn text(url: &str) -> String {
    format!(
        "[sssd]\nservices = nss\ndomains = bench\n\
         [nss]\nfilter_users = root\n\
         [domain/bench]\nid_provider = ldap\nauth_provider = none\naccess_provider = permit\n\
         ldap_uri = {url}\nldap_search_base = {SUFFIX}\nldap_user_search_base = {PEOPLE}\n\
         ldap_group_search_base = {GROUPS}\nldap_schema = rfc2307\nldap_id_use_start_tls = false\n\
         cache_credentials = false\nmin_id = 1\n"
    )
}
