//! LDAP, DHCP and HTTP as bytes: encode, patch in place, scan.
