"""The image by its recipe: not root, no build tools in the last stage, the lock's hashes enforced, fonts in place."""

import re

import pytest

from tests.unit.house.tree import ROOT

pytestmark = pytest.mark.smoke

TEXT = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text())
STAGES = re.split(r"^FROM ", re.sub(r"^\s*#.*\n", "", TEXT, flags=re.MULTILINE), flags=re.MULTILINE)[1:]
LAST = STAGES[-1]


def instructions(stage: str, keyword: str) -> list[str]:
    return re.findall(rf"^{keyword} (.*)$", stage, flags=re.MULTILINE)


def test_it_has_stages_and_only_the_first_builds() -> None:
    assert len(STAGES) == 2
    assert "pip install" in STAGES[0]
    assert not re.search(r"\b(pip|gcc|g\+\+|make|build-essential|python3-venv|-dev)\b", LAST)


def test_the_last_user_is_not_root() -> None:
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", instructions(LAST, "USER")[-1])
    assert LAST.index("USER") < LAST.index("ENTRYPOINT")


def test_what_is_installed_is_what_the_lock_holds() -> None:
    installs = re.findall(r"pip install ([^&\n]*)", STAGES[0])
    assert len(installs) == 3
    assert "--require-hashes" in installs[0] and "--require-hashes" in installs[1]
    assert {"--no-deps", "--no-build-isolation"} <= set(installs[2].split())
    assert "pip uninstall" in STAGES[0] and "development" in STAGES[0]


def test_the_sealed_python_is_built_and_its_builder_goes_again() -> None:
    assert "-m guest.build" in STAGES[0] and "pip uninstall --yes --quiet componentize-py" in STAGES[0]
    lock = (ROOT / "requirements.lock").read_text()
    assert "\ncomponentize-py==" in lock.partition("# == development")[2]


def test_the_markers_it_cuts_the_lock_at_exist() -> None:
    lock = (ROOT / "requirements.lock").read_text().splitlines()
    markers = re.findall(r"\^(# == [^$]+)\$", STAGES[0])
    assert markers and all(marker in lock for marker in markers)


def test_base_images_name_a_release_and_both_stages_share_it() -> None:
    bases = [stage.split()[0] for stage in STAGES]
    assert len(set(bases)) == 1 and ":" in bases[0] and not bases[0].endswith(":latest")


def test_package_lists_do_not_stay_in_a_layer() -> None:
    for stage in STAGES:
        for run in instructions(stage, "RUN"):
            if "apt-get install" in run:
                assert (
                    "--no-install-recommends" in run
                    and "rm -rf /var/lib/apt/lists/*" in run
                    and "apt-get update" in run
                )


def test_it_is_the_hosted_composition_with_fonts_and_no_secret() -> None:
    assert "FOOTNOTE_COMPOSITION=hosted" in LAST
    assert all(font in LAST for font in ("fonts-droid-fallback", "fonts-noto-color-emoji", "fonts-dejavu-core"))
    assert not re.search(r"TOKEN|SECRET|API_KEY", TEXT)


def test_the_build_context_holds_what_is_copied_and_nothing_else() -> None:
    lines = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")]
    allowed = {line[1:] for line in lines if line.startswith("!")}
    copied = {word.removeprefix("./") for line in instructions(STAGES[0], "COPY") for word in line.split()[:-1]}
    assert lines[0] == "*" and copied == allowed
