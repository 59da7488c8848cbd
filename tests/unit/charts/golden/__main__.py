"""Writes the golden specifications anew, with a picture of each to be looked at in the folder that is named."""

import json
import sys
from pathlib import Path

from runtime.charts import spec
from runtime.charts.png import draw
from tests.unit.charts.awkward import MORE, SETS

for name, make in {**SETS, **MORE}.items():
    text = json.dumps(spec(make()), indent=1, ensure_ascii=False) + "\n"
    (Path(__file__).parent / f"{name}.json").write_text(text, encoding="utf-8")
    if sys.argv[1:]:
        (Path(sys.argv[1]) / f"{name}.png").write_bytes(draw(make()))
