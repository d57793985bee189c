# What the scripts here know of fuzz targets. To be read in this directory, by `. ./targets.bash`, with names of targets as
# arguments; they are in $targets afterwards, all if there were none.
#
#   BRUNT_FUZZ_CORPUS   where the inputs that runs have found are kept, for the next run (fuzz/corpus)

cargo fuzz --version >/dev/null 2>&1 || cargo install --locked cargo-fuzz

if rustup toolchain list 2>/dev/null | grep -q '^nightly'; then
    cargo=(cargo +nightly) sanitizer=address
else
    cargo=(cargo) sanitizer=none
fi

# Runs a command of cargo-fuzz, with its own arguments.
fuzz() {
    local command=$1
    shift
    "${cargo[@]}" fuzz "$command" --fuzz-dir . --sanitizer "$sanitizer" "$@"
}

targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
    mapfile -t targets < <(cargo fuzz list --fuzz-dir .)
fi

# What runs have found is where the next one goes on. It is no part of the tree.
corpus=${BRUNT_FUZZ_CORPUS:-corpus}

# What bounds an input. Decoders of a message see messages; whatever reads a whole body or file sees as much as people send.
limits() {
    case $1 in
        flow_extract | http_response | import_* | record_events | rest_request)
            echo -max_len=1048576 -len_control=10 ;;
        *) echo -max_len=4096 ;;
    esac
    echo -timeout=5 -rss_limit_mb=1024
}

# The seeds that suit a target.
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

# What is kept in the tree of a target, unpacked into a directory of this run's.
kept() {
    [ -e "corpora/$1.tar.gz" ] || return 0
    mkdir -p "$unpacked/$1"
    tar -xzf "corpora/$1.tar.gz" -C "$unpacked/$1"
    echo "$unpacked/$1"
}
unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
mkdir -p artifacts
