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
for target in "${targets[@]}"; do
    grep -q "^$target " targets.txt || { echo "fuzz: no target $target in fuzz/targets.txt" >&2; exit 2; }
done

# The inputs that earlier runs have found, with which the next run starts. They are not part of the repository.
corpus=${BRUNT_FUZZ_CORPUS:-corpus}

# Options of libFuzzer that limit the inputs of a target.
limits() {
    local longest
    longest=$(awk -v target="$1" '$1 == target { print $2 }' targets.txt)
    echo "-max_len=$longest"
    ((longest <= 4096)) || echo -len_control=10
    echo -timeout=5 -rss_limit_mb=1024
}

# The directory of the seeds for a target, if there are any.
seeds() {
    awk -v target="$1" '$1 == target && $3 != "-" { print $3 }' targets.txt
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
