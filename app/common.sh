# SPDX-License-Identifier: GPL-3.0-or-later
# Shared by app/run, tests/run and .ci/run: packages, build folder, compiler for CUDA.
# Source it from the top of the checkout; it defines functions only.

# What a bare Debian 12 lacks to build and run Ridgeline.
ridgeline_packages=(
    g++ cmake ninja-build ccache pkg-config ca-certificates git
    qt6-base-dev qt6-svg-dev qt6-qpa-plugins libgl-dev libxkbcommon-dev
    libqscintilla2-qt6-dev libqcustomplot-dev nlohmann-json3-dev libvalijson-dev
    libarchive-dev libyaml-cpp-dev libdtl-dev libboost-dev libzstd-dev
    bubblewrap python3 python3-venv fonts-dejavu-core
)
# Only the tests need these.
ridgeline_test_packages=(poppler-utils unzip)

say() { printf '%s\n' "$*" >&2; }

# install_packages NAME... : installs what is missing; does nothing, without root, when nothing is.
install_packages() {
    local missing=() name
    for name in "$@"; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    if ! command -v apt-get >/dev/null; then
        say "These packages are missing and this is no Debian system: ${missing[*]}"
        say "Install their equivalents, then run this again with RIDGELINE_SKIP_PACKAGES=1."
        return 3
    fi
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            say "Missing packages: ${missing[*]}"
            say "Run this as root, install sudo, or have somebody run: apt-get install ${missing[*]}"
            return 3
        fi
        as_root=(sudo)
    fi
    say "Installing: ${missing[*]}"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq >&2 || say "apt-get update failed; trying with the lists at hand"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2 || {
        say "Installing packages failed; see the lines above. Nothing was built."
        return 3
    }
}

ensure_packages() {
    [ -n "${RIDGELINE_SKIP_PACKAGES:-}" ] && return 0
    install_packages "$@"
}

# build PRESET [TARGET...] : configures when needed and builds; output goes to stderr.
build() {
    local preset=$1
    shift
    # A configured folder is configured again by ninja itself when a CMake file changes.
    [ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" >&2 || return 1
    cmake --build "build/$preset" --parallel "$(nproc)" --target "${@:-all}" >&2
}

# ensure_nvcc RIDGELINE : nvcc on PATH, under /usr/local/cuda, or the managed one; sets the last up and
# exports RIDGELINE_NVCC, so that it is found whatever cache folder a test chooses.
# Never fails: everything but compiling CUDA works without.
ensure_nvcc() {
    if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then
        return 0
    fi
    local answer
    if answer=$("$1" setup cuda) && [ -x "$(tail -n 1 <<<"$answer")" ]; then
        RIDGELINE_NVCC=$(tail -n 1 <<<"$answer")
        export RIDGELINE_NVCC
        return 0
    fi
    say "No CUDA compiler: candidates cannot be compiled here. Everything else works; '$1 devices' says what is lost."
}
