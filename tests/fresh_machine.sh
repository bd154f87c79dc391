#!/usr/bin/env bash
# Makes a bare Debian 12 in a folder with debootstrap, clones this repository into it and runs both commands there.
# Mirrors, suites and keys are those of this machine's own apt configuration. Needs root and debootstrap.
#   tests/fresh_machine.sh [FOLDER]      (the folder is made, and removed at the end unless NW_KEEP=1)
set -euo pipefail
source_root=$(cd "$(dirname "$0")/.." && pwd)
[ "$(id -u)" -eq 0 ] || { echo "fresh_machine.sh must run as root (debootstrap, chroot)." >&2; exit 2; }
command -v debootstrap >/dev/null || apt-get install -y -qq debootstrap >/dev/null

machine=${1:-$(mktemp -d /var/tmp/nw-fresh-XXXXXX)}
mkdir -p "$machine"
cleanup() {
    umount -l "$machine/proc" "$machine/sys" "$machine/dev/shm" "$machine/dev" 2>/dev/null || true
    [ "${NW_KEEP:-0}" = 1 ] || rm -rf --one-file-system "$machine"
}
trap cleanup EXIT

# The first index target of the release's main suite names the mirror.
mirror=$(apt-get indextargets --format '$(SITE) $(RELEASE)' 'Created-By: Packages' | awk '$2=="bookworm"{print $1; exit}')
[ -n "$mirror" ] || { echo "This machine's apt knows no mirror of bookworm." >&2; exit 1; }
debootstrap --variant=minbase --include=ca-certificates,git bookworm "$machine" "$mirror" >"$machine.log" 2>&1 \
    || { tail -20 "$machine.log" >&2; exit 1; }

# Same sources, keys and transport options as here, Debian's own only.
rm -f "$machine/etc/apt/sources.list"
mkdir -p "$machine/etc/apt/sources.list.d" "$machine/etc/apt/apt.conf.d" "$machine/usr/share/keyrings"
for file in /etc/apt/sources.list.d/debian*.sources /etc/apt/sources.list; do
    [ -s "$file" ] && cp "$file" "$machine/etc/apt/$([ "$file" = /etc/apt/sources.list ] && echo . || echo sources.list.d)/"
done
cp /usr/share/keyrings/debian-archive-* "$machine/usr/share/keyrings/" 2>/dev/null || true
for file in /etc/apt/apt.conf.d/*; do
    grep -qiE 'proxy|verify|acquire' "$file" && cp "$file" "$machine/etc/apt/apt.conf.d/" || true
done
cp /etc/resolv.conf "$machine/etc/resolv.conf" 2>/dev/null || true
cp /etc/hosts "$machine/etc/hosts" 2>/dev/null || true
cp -r /etc/ssl/certs "$machine/etc/ssl/" 2>/dev/null || true
cp -r /usr/local/share/ca-certificates "$machine/usr/local/share/" 2>/dev/null || true
mount --bind /dev "$machine/dev"
mount -t proc proc "$machine/proc"
mount -t sysfs sys "$machine/sys" 2>/dev/null || true
mount -t tmpfs shm "$machine/dev/shm" 2>/dev/null || true

git clone -q "$source_root" "$machine/root/nestwright"
git -C "$machine/root/nestwright" log --oneline -1
run() {
    echo "== $*"
    local start=$SECONDS
    chroot "$machine" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 ${http_proxy:+http_proxy=$http_proxy} \
        ${https_proxy:+https_proxy=$https_proxy} bash -c "cd /root/nestwright && $*"
    echo "== $* took $((SECONDS - start)) s"
}
run ./test.sh --yes
run ./test.sh --yes
run ./run.sh --yes
