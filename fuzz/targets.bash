# Definitions that the scripts in this directory share. Source this file from here, with the names of targets as
# arguments: `. ./targets.bash TARGET...`. This sets $targets to these names, or to all targets if there are none.
#
#   BRUNT_FUZZ_CORPUS   directory of the inputs that fuzzing has found, kept for the next run (fuzz/corpus)

cargo fuzz --version >/dev/null 2>&1 || cargo install --locked cargo-fuzz

if rustup toolchain list 2>/dev/null | grep -q '^nightly'; then
    cargo=(cargo +nightly) sanitizer=address
else
    cargo=(cargo) sanitizer=none
fi

# Runs a cargo-fuzz command with the given arguments. With one codegen unit, its default, the last crates would be
# compiled on one core.
fuzz() {
    local command=$1
    shift
    "${cargo[@]}" fuzz "$command" --fuzz-dir . --sanitizer "$sanitizer" --codegen-units 16 "$@"
}

targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
    mapfile -t targets < <(cargo fuzz list --fuzz-dir .)
fi

# The inputs that earlier runs have found, with which the next run starts. They are not part of the repository.
corpus=${BRUNT_FUZZ_CORPUS:-corpus}

# Options of libFuzzer that limit the inputs of a target. Decoders of single messages get inputs of the size of a
# message; targets that read a whole body or file get up to 1 MiB.
limits() {
    case $1 in
        flow_extract | http_response | import_* | record_events | rest_request)
            echo -max_len=1048576 -len_control=10 ;;
        *) echo -max_len=4096 ;;
    esac
    echo -timeout=5 -rss_limit_mb=1024
}

# The directory of the seeds for a target, if there are any.
seeds() {
    case $1 in
        cluster_messages) echo seeds/cluster ;;
        dhcp4_draft | dhcp6_draft) ;;
        dhcp4_reply) echo seeds/dhcp4 ;;
        dhcp6_reply) echo seeds/dhcp6 ;;
        flow_extract) echo seeds/extracts ;;
        http_parts | http_request) ;;
        http_response) echo seeds/http ;;
        import_*) echo ../examples/import ;;
        ldap_filter) echo seeds/filters ;;
        ldap_dn) echo seeds/names ;;
        ldap_control_option) ;;
        record_events) echo seeds/events ;;
        serve_cookie) echo seeds/cookies ;;
        serve_envelope) echo seeds/envelopes ;;
        nscd_reply) echo seeds/nscd ;;
        nslcd_reply) echo seeds/nslcd ;;
        rest_request) echo seeds/requests ;;
        *) echo seeds/messages ;;
    esac
}

# The inputs of a target that are stored in the repository, unpacked into a temporary directory.
kept() {
    [ -e "corpora/$1.tar.gz" ] || return 0
    mkdir -p "$unpacked/$1"
    tar -xzf "corpora/$1.tar.gz" -C "$unpacked/$1"
    echo "$unpacked/$1"
}
unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
mkdir -p artifacts
