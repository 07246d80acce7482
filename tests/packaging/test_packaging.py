"""What packagers are given says what ``pyproject.toml`` says, and a real flux takes what is its."""

import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

import fluxtui
from fluxtui.bridge.live.connection import FLUX
from tests.each import the
from tests.recorded import Agree

ROOT = Path(__file__).parents[2]
PACKAGING = ROOT / ".packaging"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
INSTALL = ROOT / "fluxtui" / "docs" / "install.md"

_RANGE = re.compile(r"([\w-]+)>=([\d.]+)(?:,<(\d+))?")


def ranges(lines: list[str]) -> dict[str, tuple[str, str]]:
    """Names of packages with the oldest version, and the first that is too new."""
    found = (_RANGE.fullmatch(line.replace(" ", "").lower()) for line in lines)
    return {one[1]: (one[2], one[3] or "") for one in found if one is not None}


WANTED = ranges(PROJECT["project"]["dependencies"])
BUILDS = ranges(PROJECT["build-system"]["requires"])
PYTHON = PROJECT["project"]["requires-python"].removeprefix(">=")


def loaded(path: Path) -> ModuleType:
    """A file of Python as a module."""
    spec = the(spec_from_file_location(path.stem, path))
    module = module_from_spec(spec)
    the(spec.loader).exec_module(module)
    return module


def test_each_dependency_has_a_range() -> None:
    assert len(WANTED) == len(PROJECT["project"]["dependencies"])
    assert all(newest for _, newest in WANTED.values())


def test_the_recipe_of_conda_says_the_same() -> None:
    recipe = yaml.safe_load((PACKAGING / "conda" / "recipe.yaml").read_text("utf-8"))
    assert recipe["context"] == {"version": fluxtui.__version__, "python_min": PYTHON}
    assert ranges(recipe["requirements"]["run"]) == WANTED
    assert ranges(recipe["requirements"]["host"]) == BUILDS
    scripts = PROJECT["project"]["scripts"]
    assert recipe["build"]["python"]["entry_points"] == [f"{k} = {v}" for k, v in scripts.items()]
    assert recipe["about"]["license"] == PROJECT["project"]["license"]
    assert recipe["about"]["summary"] == PROJECT["project"]["description"]


def test_the_package_of_spack_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[tuple[str, Any]] = []

    def directive(name: str) -> Any:
        return lambda *words, **more: said.append((name, (words, more.get("type"))))

    spack = ModuleType("spack.package")
    spack.__dict__.update({name: directive(name) for name in ("version", "depends_on", "license")})
    python = ModuleType("spack_repo.builtin.build_systems.python")
    python.__dict__["PythonPackage"] = object
    for name in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "spack.package", spack)
    monkeypatch.setitem(sys.modules, python.__name__, python)
    packages = PACKAGING / "spack" / "spack_repo" / "fluxtui" / "packages"
    package = loaded(packages / "py_fluxtui" / "package.py").PyFluxtui
    version, both = fluxtui.__version__, ("build", "run")
    assert package.__doc__ == f"{PROJECT['project']['description']}."
    assert package.pypi == f"fluxtui/fluxtui-{version}.tar.gz"
    needs = {words[0]: kind for name, (words, kind) in said if name == "depends_on"}

    def written(found: dict[str, tuple[str, str]]) -> set[str]:
        return {f"py-{name}@{low}:{int(high) - 1}" for name, (low, high) in found.items()}

    assert {one for one, kind in needs.items() if kind == both} == {
        f"python@{PYTHON}:",
        *written(WANTED),
    }
    assert {one for one, kind in needs.items() if kind == "build"} == written(BUILDS)
    assert ("license", (("MIT",), None)) in said
    assert [words for name, (words, _) in said if name == "version"] == [(version,)]


def test_both_modules_set_the_same() -> None:
    folder = PACKAGING / "modulefiles"
    lua = re.findall(r'prepend_path\("(\w+)"', (folder / "fluxtui.lua").read_text("utf-8"))
    tcl = re.findall(r"prepend-path (\w+) ", (folder / "fluxtui").read_text("utf-8"))
    assert lua == tcl == ["PATH", "FLUX_EXEC_PATH_PREPEND", "FLUX_CMDHELP_PATTERN", "MANPATH"]


def test_the_classifiers_name_the_python_versions_that_are_allowed() -> None:
    named = [line.rpartition(" ")[2] for line in PROJECT["project"]["classifiers"] if "3." in line]
    assert named[0] == PYTHON
    assert f"Python {PYTHON} to {named[-1]}" in (ROOT / "README.md").read_text("utf-8")


def test_the_licences_that_are_listed_are_those_of_what_is_installed(agree: Agree) -> None:
    text = INSTALL.read_text("utf-8")
    begin, end = "<!-- licences: made by .packaging/licences.py -->\n", "<!-- /licences -->"
    before, rest = text.split(begin)
    now: str = loaded(PACKAGING / "licences.py").table()
    agree(INSTALL, before + begin + now + end + rest.split(end)[1])
    for name in WANTED:
        assert f"| {name} |" in now
    assert not re.search(r"\| +\|", now)  # each of them says its licence


def test_a_release_in_the_changelog_has_a_date() -> None:
    heads = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert heads[0] == "[Unreleased]"
    assert all(re.fullmatch(r"\[[\w.]+\] - \d{4}-\d\d-\d\d", head) for head in heads[1:])


def test_the_workflow_has_what_trusted_publishing_needs() -> None:
    flow = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8"))
    publish = flow["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write"}
    assert publish["environment"] == "release"
    assert flow["permissions"] == {}
    assert "password" not in json.dumps(publish)


def test_the_line_of_flux_help_is_as_flux_reads_it() -> None:
    (group,) = json.loads((PACKAGING / "flux-help.json").read_text("utf-8"))
    (command,) = group["commands"]
    assert (command["name"], bool(command["description"] and group["description"])) == ("tui", True)


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the search path with ``flux-tui`` in it."""
    script = tmp_path / "flux-tui"
    code = "from fluxtui.cli import flux_tui; flux_tui()"
    script.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -c "{code}" "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("FLUX_CMDHELP_PATTERN", str(PACKAGING / "flux-help.json"))
    return tmp_path


@pytest.mark.skipif(FLUX not in os.environ, reason=f"{FLUX} names no flux")
def test_flux_finds_and_lists_it(commands: Path) -> None:
    flux, path = os.environ[FLUX], os.environ["PATH"]

    def run(*words: str, **more: str) -> str:
        done = subprocess.run(
            [flux, *words], capture_output=True, text=True, env={**os.environ, **more}, check=True
        )
        return done.stdout + done.stderr

    version = f"fluxtui {fluxtui.__version__}\n"
    assert run("tui", "--version", PATH=f"{commands}:{path}") == version
    assert run("tui", "--version", FLUX_EXEC_PATH_PREPEND=str(commands)) == version
    assert re.search(r"a workbench for jobspecs.*\n +tui +build a job", run("help"))
