# Measures in how many of 50 kinds of lines of other programs laps are found: those of compilers,
# downloads, servers, package managers, backups. Goal: 0.
import json
import re
import subprocess
import sys
import tempfile

from common import print_figure

build = sys.argv[1]

# {n} counts from 1, {total} stays, {x} and {y} are fractions that change, {z} is another whole number that
# changes, {half} grows with every second line.
KINDS = """
[{n}/{total}] Building CXX object src/CMakeFiles/core.dir/file{n}.cc.o
[{z}%] Building C object lib/CMakeFiles/z.dir/inflate{n}.c.o
  CC      drivers/net/ethernet/intel/e1000/e1000_main{n}.o
gcc -O2 -c -o obj/part{n}.o src/part{n}.c
   Compiling serde v1.0.{n}
[{n} / {total}] Compiling //base:strings_{n}; {z}s processwrapper-sandbox
Step {n}/{total} : RUN make -j4
#{n} [build {n}/{total}] COPY src ./src
Downloading file {n} of {total}: {x} MB/s eta {y}s
 {z}% {n}.{z} MiB  {x} MB/s  00:{half:02}
Collecting package{n}==1.{z}.0
Get:{n} http://deb.debian.org/debian bookworm/main amd64 lib{z} amd64 1.{n} [{z} kB]
Unpacking lib{z} ({n} of {total}) ...
({n}/{total}) installing package-{z}
remote: Compressing objects: {z}% ({n}/{total})
Receiving objects:  {z}% ({n}/{total}), {x} MiB | {y} MiB/s
Updating files: {z}% ({n}/{total})
10.0.0.{z} - - [29/Nov/2026:20:17:{half:02} +0000] "GET /item/{n} HTTP/1.1" 200 {z} {x}
INFO:     127.0.0.1:{z} - "POST /predict?id={n} HTTP/1.1" 200 OK
level=info msg="request {n} served" duration={x}ms size={z}
2026-11-29 20:17:{half:02} worker {n} started, {total} workers in all
{n}: received job {z}, queue {half}, load {x}
[{n}] pid {z} exited with status 0 after {x} s
{n} packets transmitted, {z} received, {x} ms
64 bytes from 10.0.0.1: icmp_seq={n} ttl=64 time={x} ms
{half}  0  0  {z}  {n}  {x}  {y}
PID {z} %CPU {x} %MEM {y} TIME 00:{half:02} COMMAND process{n}
test {n} of {total} ... ok ({x}s)
ok {n} - case {z} # time={x}ms
tests/test_file{n}.py::test_{z} PASSED [ {z}%]
=== RUN   TestCase{n}
PASS: check {n}/{total} ({x} seconds)
copied {n}/{total} files, {x} MB
rsync: file{n}.bin  {z} 100%  {x}MB/s  0:00:{half:02} (xfr#{n}, to-chk={z}/{total})
backup: {n} files, {x} GiB, {z} directories
Row {n}: inserted {z} rows in {x} ms
migrating {n}/{total}: 20261129_{z}_add_table
frame={n} fps= {z} q=28.0 size= {z}kB time=00:00:{half:02}.{z} bitrate={x}kbits/s speed={y}x
page {n} of {total} rendered in {x} ms
tile {n}/{total} done, {z} rays, {x} s left
job {n}/{total} submitted to partition gpu, id {z}
[{half}:{z}] user{n}: hello {x}
mem: {n} MB used, {z} MB free, swap {x}
temperature of disk {z}: {n}.{half} C, fan {total} rpm
scan {n}/{total}: host 10.0.{half}.{z} is up ({x}s latency)
Extracting {n}/{total} [{x} MB]
Tokenizing shard {n}/{total}: {z} documents, {x} s
Loading checkpoint shards: {n}/{total} in {x} s
query {n}: {z} rows, cost {x}, plan {half}
{n},{z},{x},{y}
""".strip().splitlines()
PROGRAM = """
import sys, time
for n in range(1, 41):
    print(sys.argv[1].format(n=n, total=400, x=round(7 / n + n % 3, 3), y=round(5 - n % 4 / 7, 2),
                             z=(n * 37) % 97, half=n // 2), flush=True)
    time.sleep(0.01)
"""
wrong = 0
with tempfile.TemporaryDirectory() as folder:
    for number, form in enumerate(KINDS):
        command = [f"{build}/lapcast", "--store", f"{folder}/runs.db", "--quiet"]
        subprocess.run([*command, "probe", "--", "/usr/bin/python3", "-c", PROGRAM, form],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        run = json.loads(subprocess.run([*command, "export", "last"], check=True, stdout=subprocess.PIPE).stdout)
        laps = sum(len(re.findall(r"^\d+ i ", log, re.M)) for log in run["lap_logs"])
        if laps:
            wrong += 1
            print(f"{laps} laps: {form}")
print(f"laps in {wrong} of {len(KINDS)} kinds of lines")
print_figure("lines-of-others", wrong, "kinds")
