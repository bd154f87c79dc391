# Sourced by run.sh and test.sh: installs what is missing, by apt, after listing it and asking once (not as root, not
# with --yes, not without a terminal).

nw_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
nw_jobs=$(nproc)

nw_install_missing() {
    local assume_yes=$1 package missing=()
    while read -r package; do
        case "$package" in ''|'#'*) continue ;; esac
        if ! dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed; then
            missing+=("$package")
        fi
    done < "$nw_root/resources/setup/packages.txt"
    [ ${#missing[@]} -eq 0 ] && return 0

    echo "Packages to install: ${missing[*]}"
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        as_root=(sudo)
        if [ "$assume_yes" -ne 1 ]; then
            if [ ! -t 0 ]; then
                echo "Run this again with --yes to install them, or install them yourself." >&2
                return 1
            fi
            local answer
            read -r -p "Install them now with apt? [y/N] " answer
            case "$answer" in y|Y|yes) ;; *) echo "Nothing was installed." >&2; return 1 ;; esac
        fi
    fi
    "${as_root[@]}" apt-get update -qq || echo "apt-get update failed; trying with the lists at hand." >&2
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# nw_build PRESET [TARGET...]: configures when needed and builds.
nw_build() {
    local preset=$1
    shift
    local log="$nw_root/build/$preset-configure.log"
    mkdir -p "$nw_root/build"
    if ! (cd "$nw_root" && cmake --preset "$preset" >"$log" 2>&1); then
        cat "$log" >&2
        return 1
    fi
    if [ $# -gt 0 ]; then
        cmake --build "$nw_root/build/$preset" -j "$nw_jobs" --target "$@"
    else
        cmake --build "$nw_root/build/$preset" -j "$nw_jobs"
    fi
}
