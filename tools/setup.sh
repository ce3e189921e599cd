# Sourced by ./demo, ./check and ./bench: installs what is missing, finds LibTorch, builds.
# Everything is said before it is done; nothing is installed outside apt and this folder.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=$ROOT/build
VENV=$BUILD/venv
# The PyTorch that the set-up brings when the user has none (2.7 or newer will do).
TORCH_VERSION=2.13.0
# The frameworks that the tests of the Python hook train with, the parsers of their command lines,
# and what data frames and types of the package are tested with (mypy 1.19 still knows Python 3.9).
FRAMEWORKS=$BUILD/frameworks
FRAMEWORK_VERSIONS=(torch==$TORCH_VERSION tensorflow-cpu==2.21.0 keras==3.15.1 lightning==2.6.6
  pytorch-lightning==2.6.6 transformers==5.23.0 accelerate==1.15.0 jax==0.10.2 jaxlib==0.10.2
  pytest==9.2.0 nbconvert==7.17.2 ipykernel==7.4.0 papermill==2.7.0 tqdm==4.70.1
  tensorboard==2.21.0 pandas==3.1.1 matplotlib==3.11.2 plotly==7.1.0 fire==0.7.1
  hydra-core==1.3.8 typer==0.29.2 click==8.5.1 mypy==1.19.1)

# Whose JavaScript draws the charts of a report; tools/plotly_files.py takes it from the wheel.
PLOTLY=$BUILD/plotly
PLOTLY_WHEEL="plotly==7.1.0 --hash=sha256:dbb7fa18afce40d0a8e80d1bf162eceb3faa0ce5a77fe741ad09a74cf78f53f3"

# What the embryo workload's image chain is measured against.
OPENCV=$BUILD/opencv
OPENCV_VERSIONS=(opencv-python-headless==5.0.0.93 numpy==2.4.6)

# Drives Chromium in the tests of the report page.
BROWSER=$BUILD/browser
BROWSER_VERSIONS=(selenium==4.51.0)

say() { printf '%s\n' "-- $*" >&2; }
die() {
  printf '%s\n' "lapcast set-up: $*" >&2
  exit 6
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "this needs root, and there is no sudo: run as root: $*"
  fi
}

missing_packages() {
  local package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
  done
}

# need_packages WHY PACKAGE...: installs those that are missing.
need_packages() {
  local why=$1 missing size
  shift
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -gt 0 ] || return 0
  command -v apt-get >/dev/null || die "no apt-get here; install by hand: ${missing[*]} ($why)"
  if ! apt-cache show "${missing[@]}" >/dev/null 2>&1; then
    say "reading the package lists"
    as_root apt-get update -q >/dev/null || die "apt-get update failed"
  fi
  size=$(LC_ALL=C apt-get install --assume-no --no-install-recommends "${missing[@]}" 2>/dev/null |
    grep -E '^(Need to get|After this)' | tr '\n' ' ' || true)
  say "installing for $why: ${missing[*]}"
  say "${size:-size not known}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
    "${missing[@]}" >"${TMPDIR:-/tmp}/lapcast-apt.$$.log" 2>&1 ||
    { tail -n 20 "${TMPDIR:-/tmp}/lapcast-apt.$$.log" >&2; die "apt-get install failed"; }
  rm -f "${TMPDIR:-/tmp}/lapcast-apt.$$.log"
}

# As need_packages, for servers: none of them is started, now or at the next boot. The tests start
# their own.
need_server_packages() {
  local missing policy=/usr/sbin/policy-rc.d
  mapfile -t missing < <(missing_packages "${@:2}")
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ -e $policy ]; then
    policy=
  else
    printf '#!/bin/sh\nexit 101\n' | as_root tee $policy >/dev/null
    as_root chmod 755 $policy
  fi
  (need_packages "$@") || { [ -z "$policy" ] || as_root rm -f $policy; exit 6; }
  [ -z "$policy" ] || as_root rm -f $policy
  command -v systemctl >/dev/null || return 0
  as_root systemctl disable "${missing[@]/openssh-server/ssh}" >/dev/null 2>&1 || true
}

need_core_packages() {
  need_packages "building lapcast" g++ cmake ninja-build libcli11-dev libfmt-dev \
    nlohmann-json3-dev libtomlplusplus-dev libsqlite3-dev libsqlitecpp-dev libboost-dev \
    libexpected-dev libcsv-dev libeigen3-dev libre2-dev zlib1g-dev
  need_plotly
}

# Debian's Python, which the packages of the tests belong to; elsewhere the first on PATH.
base_python() {
  if [ -x /usr/bin/python3 ]; then echo /usr/bin/python3; else command -v python3; fi
}

# Downloads Plotly's wheel into $PLOTLY. That it cannot is not an error: reports then draw plain SVG.
need_plotly() {
  compgen -G "$PLOTLY/plotly-*.whl" >/dev/null && return
  need_packages "a private Python environment" python3 python3-venv
  say "downloading Plotly for the charts of reports, 10 MB: ${PLOTLY_WHEEL%% *}"
  mkdir -p "$PLOTLY"
  echo "$PLOTLY_WHEEL" >"$PLOTLY/requirements.txt"
  { "$(base_python)" -m venv "$PLOTLY/venv" &&
    "$PLOTLY/venv/bin/pip" download -q --disable-pip-version-check --no-deps --require-hashes \
      -r "$PLOTLY/requirements.txt" -d "$PLOTLY"; } >"$PLOTLY/download.log" 2>&1 ||
    say "that failed; reports draw plain SVG: $(tail -n 1 "$PLOTLY/download.log")"
  rm -rf "$PLOTLY/venv"
}

# The suite builds without them too, slower or with less.
need_workload_packages() {
  need_packages "the workloads" libdeflate-dev libpng-dev libturbojpeg0-dev
}

need_test_packages() {
  need_packages "the tests" libgtest-dev libgmock-dev libbenchmark-dev clang \
    clang-format-14 libclang-rt-14-dev lld python3-pytest python3-jsonschema python3-pyte man-db zsh fish bash-completion procps sqlite3 \
    slurm-client rsync iproute2 debootstrap
  need_server_packages "the tests of many machines" munge slurmctld slurmd openssh-server
}

torch_prefix_of() { # a Python interpreter; prints the folder of its PyTorch's CMake files
  "$1" - 2>/dev/null <<'PY'
import torch
assert tuple(int(part) for part in torch.__version__.split(".")[:2]) >= (2, 7)
print(torch.utils.cmake_prefix_path)
PY
}

# Sets TORCH_PREFIX: $LAPCAST_TORCH, the PyTorch of the user's own Python, else one in $VENV.
need_libtorch() {
  local python
  TORCH_PREFIX=${LAPCAST_TORCH:-}
  [ -z "$TORCH_PREFIX" ] || return 0
  for python in python3 "$VENV/bin/python"; do
    command -v "$python" >/dev/null || continue
    if TORCH_PREFIX=$(torch_prefix_of "$python"); then
      say "LibTorch: the PyTorch of $(command -v "$python")"
      return
    fi
  done
  need_packages "a private Python environment" python3 python3-venv
  say "installing PyTorch $TORCH_VERSION for the workloads into a private environment: a download of"
  say "about 200 MB and 0.9 GB on disk for the CPU build, several GB where pip only offers the CUDA"
  say "build. To use a PyTorch that you have: LAPCAST_TORCH=FOLDER (its share/cmake), or put its"
  say "python3 first on PATH."
  "$(base_python)" -m venv "$VENV" || die "cannot make a virtual environment in $VENV"
  "$VENV/bin/pip" install -q --no-compile --disable-pip-version-check "torch==$TORCH_VERSION" >&2 ||
    die "pip could not install torch==$TORCH_VERSION; is there a network?"
  TORCH_PREFIX=$(torch_prefix_of "$VENV/bin/python") || die "the installed PyTorch cannot be used"
}

make_frameworks_venv() { # the interpreter of a new one; one that works is kept
  "$FRAMEWORKS/bin/python" -m pip --version || "$1" -m venv --clear "$FRAMEWORKS"
}

# The frameworks' own virtual environment, $FRAMEWORKS. A failed installation is not an error: it leaves
# its reason in $FRAMEWORKS/missing, and the tests that need a framework are skipped with it.
need_frameworks() {
  local stamp=$FRAMEWORKS/installed
  if [ "$(cat "$stamp" 2>/dev/null)" = "${FRAMEWORK_VERSIONS[*]}" ]; then return 0; fi
  need_packages "a private Python environment" python3 python3-venv
  say "installing into ${FRAMEWORKS#"$ROOT"/} for the tests of the Python hook, a download of about"
  say "800 MB and 3.2 GB on disk: ${FRAMEWORK_VERSIONS[*]}"
  mkdir -p "$FRAMEWORKS"
  rm -f "$stamp" "$FRAMEWORKS/missing"
  if make_frameworks_venv "$(base_python)" >"$FRAMEWORKS.log" 2>&1 &&
    "$FRAMEWORKS/bin/pip" install -q --no-compile --disable-pip-version-check "${FRAMEWORK_VERSIONS[@]}" \
      >>"$FRAMEWORKS.log" 2>&1; then
    echo "${FRAMEWORK_VERSIONS[*]}" >"$stamp"
  else
    grep -v WARNING "$FRAMEWORKS.log" | tail -n 1 >"$FRAMEWORKS/missing"
    say "that failed; tests that need a framework are skipped: $(cat "$FRAMEWORKS/missing")"
  fi
}

# Python with OpenCV in a virtual environment of its own, $OPENCV.
need_opencv() {
  if [ "$(cat "$OPENCV/installed" 2>/dev/null)" = "${OPENCV_VERSIONS[*]}" ]; then return 0; fi
  need_packages "a private Python environment" python3 python3-venv
  say "installing into ${OPENCV#"$ROOT"/}, about 80 MB: ${OPENCV_VERSIONS[*]}"
  "$(base_python)" -m venv --clear "$OPENCV" &&
    "$OPENCV/bin/pip" install -q --no-compile --disable-pip-version-check "${OPENCV_VERSIONS[@]}" >&2 ||
    die "pip could not install ${OPENCV_VERSIONS[*]}; is there a network?"
  echo "${OPENCV_VERSIONS[*]}" >"$OPENCV/installed"
}

# Chromium from Debian, and Selenium in a virtual environment of its own, $BROWSER. That one of them
# cannot be had is not an error: the tests of the report page are skipped and say so.
need_browser() {
  (need_packages "the tests of the report page" chromium chromium-driver python3 python3-venv) ||
    say "that failed; the tests of the report page are skipped"
  if [ "$(cat "$BROWSER/installed" 2>/dev/null)" = "${BROWSER_VERSIONS[*]}" ]; then return 0; fi
  say "installing into ${BROWSER#"$ROOT"/}, about 10 MB: ${BROWSER_VERSIONS[*]}"
  if "$(base_python)" -m venv --clear "$BROWSER" >"$BROWSER.log" 2>&1 &&
    "$BROWSER/bin/pip" install -q --no-compile --disable-pip-version-check "${BROWSER_VERSIONS[@]}" \
      >>"$BROWSER.log" 2>&1; then
    echo "${BROWSER_VERSIONS[*]}" >"$BROWSER/installed"
  else
    say "that failed; the tests of the report page are skipped: $(tail -n 1 "$BROWSER.log")"
  fi
}

# The optimised build that ./demo, ./check and ./bench share. What one of them switched on stays on,
# so that the others compile nothing twice.
RELEASE=$BUILD/release

# The build for unit tests and fuzz targets. Of the suite it holds what needs neither LibTorch nor a
# GPU: its files and N-Queens.
build_sanitized() {
  build_fuzz_targets sanitize -DLAPCAST_TESTS=ON
}
# build_fuzz_targets NAME [CMAKE OPTION...]
build_fuzz_targets() {
  local name=$1
  shift
  configure "$name" "$@" -DLAPCAST_FUZZ=ON -DLAPCAST_WORKLOADS=ON -DLAPCAST_LIBTORCH=OFF \
    -DCMAKE_CUDA_COMPILER=NOTFOUND -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
    -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld
  compile "$name"
}

# configure NAME [CMAKE OPTION...]: prepares the build in $BUILD/NAME.
configure() {
  local folder=$BUILD/$1
  shift
  mkdir -p "$folder"
  cmake -S "$ROOT" -B "$folder" -G Ninja -DLAPCAST_GROUPS=ON -DPython3_EXECUTABLE="$(base_python)" "$@" \
    >"$folder/configure.log" 2>&1 ||
    { tail -n 30 "$folder/configure.log" >&2; die "cmake failed"; }
}

# compile NAME [TARGET...]: builds the targets, or all, and shows how far it is.
compile() {
  local name=$1 folder=$BUILD/$1 targets=()
  shift
  [ $# = 0 ] || targets=(--target "$@")
  NINJA_STATUS='[%f/%t %e] ' cmake --build "$folder" "${targets[@]}" 2>&1 |
    tee "$folder/build.log" | show_progress "${folder#"$ROOT"/}" ||
    { grep -E -A 5 'error|FAILED' "$folder/build.log" | tail -n 40 >&2; die "the build failed"; }
}

# Shows ninja's steps as one line with the time left; where stderr is not a terminal, a line for each
# quarter.
show_progress() {
  local terminal=0
  [ ! -t 2 ] || terminal=1
  awk -v terminal=$terminal -v what="building in $1" '
    match($0, /^\[[0-9]+\/[0-9]+ [0-9.]+\] /) {
      split(substr($0, 2, RLENGTH - 3), at, /[\/ ]/)
      if (at[2] < 4) next
      left = int(at[3] / at[1] * (at[2] - at[1]))
      line = sprintf("-- %s: step %d of %d, about %d:%02d min left", what, at[1], at[2],
                     left / 60, left % 60)
      quarter = int(4 * at[1] / at[2])
      if (terminal) printf "\r%s   ", line >"/dev/stderr"
      else if (quarter > shown) print line >"/dev/stderr"
      shown = quarter
      fflush("/dev/stderr")
    }
    END { if (terminal && line != "") printf "\n" >"/dev/stderr" }'
}
