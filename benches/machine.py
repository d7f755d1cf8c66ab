"""Where and with what it was measured: facts that a figure is worth nothing without."""

from __future__ import annotations

import datetime
import hashlib
import importlib.util
import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path

from . import rivals


def facts() -> dict[str, str]:
    """The machine, how busy it is, and the versions of all who take part."""
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": _processor(),
        "cores": str(len(os.sched_getaffinity(0))),
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 1e9:.0f} GB",
        "system": f"{platform.system()} {platform.release()}",
        "load when it began": f"{os.getloadavg()[0]:.1f}",
        "Python": platform.python_version(),
        "numpy": metadata.version("numpy"),
        "wc": _wc(),
        "deciban's core": _core(),
        **{package: _version(package) for package in _packages()},
    }


def environment(**more: str) -> dict[str, str]:
    """What children are given: Python may keep what it compiles, as it has it for whoever installs a package."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | more


def _packages() -> list[str]:
    return sorted({kind.package for kind in rivals.RIVALS.values() if kind.package})


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed: skipped"


def _processor() -> str:
    """The model, with its cache: which is what lexicons want to fit into."""
    lines = [line.split(":", 1) for line in Path("/proc/cpuinfo").read_text().splitlines() if ":" in line]
    known = {name.strip(): value.strip() for name, value in reversed(lines)}
    names = {"model name": "{}", "cpu family": "family {}", "model": "model {}", "cache size": "{} cache a core"}
    return ", ".join(wording.format(known[name]) for name, wording in names.items() if name in known)


def _core() -> str:
    """Which build of the core: a version number stays the same while it is worked on."""
    found = importlib.util.find_spec("deciban._core")
    if found is None or found.origin is None:
        return "not built"
    return f"BLAKE2b {hashlib.blake2b(Path(found.origin).read_bytes(), digest_size=6).hexdigest()}"


def _wc() -> str:
    done = subprocess.run(["/usr/bin/env", "wc", "--version"], capture_output=True, text=True, check=False)
    return done.stdout.partition("\n")[0]
