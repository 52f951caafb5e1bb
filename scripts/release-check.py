"""Unpacks a release and checks what its archives, its notices and its lists of parts hold.

python3 scripts/release-check.py RELEASE EMPTY-FOLDER VERSION
"""

import json
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

OURS = "github.com/trackgen-go/trackgen"
PLATFORMS = [(system, arch) for system in ("linux", "darwin", "windows") for arch in ("amd64", "arm64")]
TEXTS = {"LICENSE", "README.md", "CHANGELOG.md", "NOTICE.txt"}
COMPLETIONS = {f"completions/{name}" for name in ("trackgen.bash", "_trackgen", "trackgen.fish", "trackgen.ps1")}


def fail(message):
    sys.exit(f"release-check: {message}")


def unpack(archive, folder):
    """Unpacks an archive whose files all lie in one folder of its name. Returns their names below it, and the folder."""
    name = archive.name.removesuffix(".tar.gz").removesuffix(".zip")
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as opened:
            names, modes = opened.namelist(), {i.filename: i.external_attr >> 16 for i in opened.infolist()}
            opened.extractall(folder)
    else:
        with tarfile.open(archive) as opened:
            names, modes = [m.name for m in opened if not m.isdir()], {m.name: m.mode for m in opened}
            owners = {(m.uname, m.gname) for m in opened if not m.isdir()}
            if owners != {("root", "root")}:
                fail(f"{archive.name} has files of {owners}")
            opened.extractall(folder, filter="data")
    names = [n for n in names if not n.endswith("/")]
    if outside := [n for n in names if not n.startswith(name + "/")]:
        fail(f"{archive.name} has {outside[0]} outside of its folder")
    for n in names:
        wanted = 0o755 if Path(n).name in ("trackgen", "trackgen.exe") else 0o644
        if modes[n] & 0o777 != wanted:
            fail(f"{archive.name}: {n} has the mode {modes[n] & 0o777:o}, not {wanted:o}")
    return {n.removeprefix(name + "/") for n in names}, folder / name


def modules_of(program):
    """The modules and the version of Go that a program was built of, as go version -m says."""
    out = subprocess.run(["go", "version", "-m", program], check=True, capture_output=True, text=True).stdout
    fields = [line.split() for line in out.splitlines()]
    if any(f[0] == "=>" for f in fields):
        fail(f"{program} is built with replaced modules")
    found = {(f[1], f[2]) for f in fields if f[0] == "dep"}
    if len(found) < 20:
        fail(f"{program} has {len(found)} modules")
    return found, fields[0][-1]


def check_program(release, version, system, arch, folder):
    stem = f"trackgen_{version}_{system}_{arch}"
    names, unpacked = unpack(release / (stem + (".zip" if system == "windows" else ".tar.gz")), folder)
    program = "trackgen.exe" if system == "windows" else "trackgen"
    pages = {n for n in names if n.startswith("man/man1/trackgen") and n.endswith(".1")}
    if names - pages != TEXTS | COMPLETIONS | {program} or len(pages) < 20:
        fail(f"{stem} has {len(pages)} manual pages and {sorted(names - pages)}")
    if empty := [n for n in names if (unpacked / n).stat().st_size == 0]:
        fail(f"{stem} has empty files: {empty}")
    modules, go = modules_of(unpacked / program)
    notice = (unpacked / "NOTICE.txt").read_text().splitlines()
    if missing := {f"{path} {v}" for path, v in modules} - {line.strip() for line in notice}:
        fail(f"{stem}: NOTICE.txt lacks {sorted(missing)}: run scripts/notices.sh")
    parts = json.loads((release / f"{stem}.cdx.json").read_text())
    main = parts["metadata"]["component"]
    if parts["bomFormat"] != "CycloneDX" or (main["name"], main["version"]) != (OURS, f"v{version}"):
        fail(f"{stem}.cdx.json describes {main['name']} {main['version']}")
    listed = {(c["name"], c["version"]) for c in parts["components"]}
    if listed != modules | {("std", go)}:
        fail(f"{stem}.cdx.json differs from the program in {sorted(listed ^ (modules | {('std', go)}))}")
    return len(modules)


def main(release, folder, version):
    counts = [check_program(release, version, *p, folder) for p in PLATFORMS]
    libraries = list(release.glob(f"libtrackgen_{version}_linux_*.tar.gz"))
    if len(libraries) != 1:
        fail(f"there are {len(libraries)} archives of the C library")
    names, _ = unpack(libraries[0], folder)
    if names != {"libtrackgen.so", "trackgen.h", "LICENSE", "NOTICE.txt"}:
        fail(f"{libraries[0].name} has {sorted(names)}")
    wheels = list(release.glob(f"trackgen-{version}-py3-none-manylinux*.whl"))
    if len(wheels) != 1:
        fail(f"there are {len(wheels)} wheels of version {version}")
    with zipfile.ZipFile(wheels[0]) as wheel:
        inside = {Path(n).name for n in wheel.namelist()}
    if missing := {"libtrackgen.so", "LICENSE", "NOTICE.txt", "py.typed"} - inside:
        fail(f"{wheels[0].name} lacks {sorted(missing)}")
    others = {f.name for f in release.iterdir()} - {f"trackgen_{version}_{s}_{a}.{e}" for s, a in PLATFORMS
                                                    for e in ("tar.gz", "zip", "cdx.json")}
    if others != {libraries[0].name, wheels[0].name, "SHA256SUMS"}:
        fail(f"there are other files: {sorted(others)}")
    print(f"{len(PLATFORMS)} archives with {min(counts)} to {max(counts)} modules, all in their notices and lists of parts")


main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
