#!/usr/bin/env bash
# Every shipped template's AVX-512 code (x86-64-v4), run and checked on a processor that Bochs emulates: for machines that have none.
# It writes kernels and data here, boots a kernel of Debian's with them in memory, and shows what the guest says.
#   tests/emulated/run_v4.sh [--shapes N] [--only TEMPLATE] [--build FOLDER] [--limit MINUTES] [--keep FOLDER]
# Shapes of each template: fifty when nothing is said, which takes ten minutes. A failed kernel is named by its number: with --keep the
# folder holds jobs/NUMBER.case. Exit code 0: all passed; 1: a kernel failed; 2: it could not be done.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$root/build/release
limit=60
keep=
wish=()
while [ $# -gt 1 ]; do
    case $1 in
        --shapes | --only) wish+=("$1" "$2") ;;
        --build) build=$2 ;;
        --limit) limit=$2 ;;
        --keep) keep=$2 ;;
        *) break ;;
    esac
    shift 2
done
give_up() { echo "run_v4.sh: $*" >&2; exit 2; }
[ $# -eq 0 ] || give_up "does not know '$1'; see the head of the file"
programs=$build/bin
for program in templates_elsewhere nestwright-builder nestwright-runner; do
    [ -x "$programs/$program" ] || give_up "$programs/$program is missing: build it with ninja -C $build $program"
done

# bochs-term: the smallest of the displays of which bochs wants one.
missing=()
for package in bochs bochs-term bochsbios busybox-static cpio isolinux syslinux-common xorriso; do
    dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
    [ "$(id -u)" -eq 0 ] || give_up "as root: apt-get install --no-install-recommends ${missing[*]}"
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null || give_up "apt-get cannot install ${missing[*]}"
fi

work=${keep:-$(mktemp -d /var/tmp/nw-emulated-XXXXXX)}
mkdir -p "$work"
work=$(cd "$work" && pwd)
cleanup() { [ -n "$keep" ] || rm -rf "$work"; }
trap cleanup EXIT
rm -rf "$work"/{jobs,guest,iso,kernel,serial.txt}

echo "== writing the jobs"
"$programs/templates_elsewhere" write "$work/jobs" --target x86-64-v4 "${wish[@]}" >"$work/write.log" 2>&1 \
    || { tail -n 5 "$work/write.log" >&2; give_up "the jobs cannot be written"; }
echo "   $(wc -l <"$work/jobs/jobs.txt") kernels, $(du -sh --apparent-size "$work/jobs" | cut -f 1)"

echo "== the guest: a kernel, busybox, the programs with their libraries, the jobs"
# The cloud kernel has all that is needed built in, and boots sooner than the usual one.
package=$(apt-cache depends linux-image-cloud-amd64 | awk '$1 == "Depends:" && /linux-image/ { print $2; exit }')
[ -n "$package" ] || give_up "apt knows no linux-image-cloud-amd64: apt-get update"
mkdir -p "$work/kernel" "$work"/guest/{bin,proc,sys,dev,tmp,nw} "$work/iso/isolinux"
(cd "$work/kernel" && apt-get download -qq "$package" 2>/dev/null) || give_up "$package cannot be downloaded"
dpkg -x "$work/kernel/$package"_*.deb "$work/kernel"
cp "$work"/kernel/boot/vmlinuz-* "$work/iso/vmlinuz"

cp /bin/busybox "$work/guest/bin/"
cp "$programs/templates_elsewhere" "$programs/nestwright-runner" "$work/guest/nw/"
cp -r "$work/jobs" "$work/guest/nw/jobs"
rm -f "$work"/guest/nw/jobs/*.case
# The runner loads OpenMP's library by its name.
openmp=$(ldconfig -p | awk '$1 == "libgomp.so.1" && /x86-64/ { print $NF; exit }')
[ -n "$openmp" ] || give_up "libgomp.so.1 is missing: apt-get install libgomp1"
for file in "$programs/templates_elsewhere" "$programs/nestwright-runner" "$openmp" "$(find "$work/jobs" -name '*.so' | head -n 1)"; do
    ldd "$file" | awk '$2 == "=>" && $3 ~ /^\// { print $3 } $1 ~ /^\/.*ld-linux/ { print $1 }'
done | cat - <(echo "$openmp") | sort -u | while read -r library; do
    mkdir -p "$work/guest$(dirname "$library")"
    cp -L "$library" "$work/guest$library"
done

cat >"$work/guest/init" <<'END'
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mount -t tmpfs none /tmp
echo 3 >/proc/sys/kernel/printk
grep -m 1 'model name' /proc/cpuinfo
flags=$(grep -m 1 '^flags' /proc/cpuinfo)
# The kernel lists these only where it keeps the wide registers' state.
echo "vector flags: $(echo "$flags" | tr ' ' '\n' | grep -E '^(xsave|avx|fma)' | tr '\n' ' ')"
dmesg | grep 'XSAVE feature'
lacking=
for flag in xsave avx2 fma avx512f avx512bw avx512cd avx512dq avx512vl; do
    echo "$flags " | grep -q " $flag " || lacking="$lacking $flag"
done
if [ -n "$lacking" ]; then
    echo "This processor lacks$lacking: code for x86-64-v4 cannot run on it."
    code=2
else
    /nw/templates_elsewhere run /nw/jobs
    code=$?
fi
echo "ended with exit code $code"
sleep 2
poweroff -f
END
chmod +x "$work/guest/init"
(cd "$work/guest" && find . | cpio -o -H newc --quiet) >"$work/iso/initrd"
rm -rf "$work/guest"

cp /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 "$work/iso/isolinux/"
# Bochs 2.7 tells a compacted size of the vector state that does not add up, and Linux then goes without vectors: use the plain form.
cat >"$work/iso/isolinux/isolinux.cfg" <<'END'
default linux
prompt 0
label linux
kernel /vmlinuz
append initrd=/initrd console=ttyS0 quiet mitigations=off clearcpuid=xsavec,xsaves panic=5
END
xorriso -as mkisofs -quiet -o "$work/boot.iso" -b isolinux/isolinux.bin -c isolinux/boot.cat -no-emul-boot -boot-load-size 4 \
    -boot-info-table "$work/iso" 2>/dev/null
rm -rf "$work/iso"

# rfb: a display that may stand without anyone looking (the one for terminals blocks when its pseudo-terminal is not read).
cat >"$work/bochsrc" <<END
config_interface: textconfig
display_library: rfb, options="timeout=0"
plugin_ctrl: serial=1
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
cpu: model=corei7_skylake_x, count=1, ips=100000000, reset_on_triple_fault=0
megs: 1536
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=cdrom, path=$work/boot.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=$work/serial.txt
log: $work/bochs.log
panic: action=fatal
error: action=ignore
END
echo c >"$work/continue" # Debian's Bochs has its debugger built in, which waits for a word

# Bochs 2.7 takes the index register's fifth bit for a register that the instruction does not have, and refuses every gather and scatter
# whose index lies in zmm16 to zmm31. The test in assign_srcs() becomes one of the other four bits: 10 bytes, found in one place or left alone.
cat >"$work/mend.pl" <<'END'
undef $/;
binmode STDIN; binmode STDOUT;
$_ = <STDIN>;
my $places = s/\x45\x84\xf6\x75\x0a\K\xb8\x03\x00\x00\x00\x45\x85\xff\x75\x02(?=\x31\xc0)/\x6a\x03\x58\x41\xf6\xc7\x0f\x75\x03\x90/g;
print;
exit($places == 1 ? 0 : 1);
END
perl "$work/mend.pl" <"$(command -v bochs-bin || command -v bochs)" >"$work/bochs" \
    || { echo "   another Bochs than 2.7-4 of Debian 12: used as it is"; cp "$(command -v bochs)" "$work/bochs"; }
chmod +x "$work/bochs"

echo "== booting ($(date +%H:%M), $limit minutes at most)"
: >"$work/serial.txt"
"$work/bochs" -q -f "$work/bochsrc" -rc "$work/continue" </dev/null >"$work/bochs.out" 2>&1 &
machine=$!
disown $machine
stop() { kill -KILL $machine 2>/dev/null || true; } # it does not heed a polite end
trap 'stop; cleanup' EXIT
timeout "${limit}m" tail -n +1 -F --pid=$machine "$work/serial.txt" 2>/dev/null | sed -u 's|\r||' || true
! kill -0 $machine 2>/dev/null || give_up "the guest was not done after $limit minutes (--limit)"
ended=$(tr -d '\r' <"$work/serial.txt" | sed -n 's/^ended with exit code //p' | tail -n 1)
[ -n "$ended" ] || { tail -n 5 "$work/bochs.log" >&2; give_up "the guest ended before the check did (--keep FOLDER keeps bochs.log)"; }
exit "$ended"
