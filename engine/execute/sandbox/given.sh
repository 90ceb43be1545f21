#!/bin/sh
# given.sh [COMPILER [MACHINE]]: the bytes of given.c, by default with this machine's own gcc;
# for arm64 from elsewhere: given.sh 'aarch64-linux-gnu-gcc -mno-outline-atomics' aarch64
set -e
cd "$(dirname "$0")"
machine=${2:-$(uname -m)}; made=$(mktemp -d)
trap 'rm -r "$made"' EXIT
printf 'SECTIONS { . = 0; .text : { *(.text.head) *(.text*) *(.rodata*) } given = 0x10000; /DISCARD/ : { *(.eh_frame*) *(.comment) *(.note*) } }' > "$made/given.ld"
${1:-gcc} -Os -fPIC -ffreestanding -fno-builtin -fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none \
    -fvisibility=hidden -fno-jump-tables -nostdlib -static -Wl,-e,head -Wl,-T,"$made/given.ld" -Wl,--build-id=none -o "$made/given" given.c
objcopy -I elf64-little -O binary -j .text "$made/given" "given_$machine.bin"; chmod -x "given_$machine.bin"
