"""CPU time of evaluating bipeds: all bones of a rig over 300 frames; and of showing them as text.

    python bench/bench_biped.py [SCENE.max...]

Without scenes those of the corpus are used (MAXSIDECAR_CORPUS, or ../shared/corpus).
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np

import maxsidecar
from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.biped.system import BipedController, BipedSystem
from maxsidecar.scene.transform import Pose
from maxsidecar.sidecar.optional import optional_fields

FRAMES = 300


def scenes() -> list[Path]:
    if sys.argv[1:]:
        return [Path(name) for name in sys.argv[1:]]
    named = os.environ.get("MAXSIDECAR_CORPUS")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "corpus"
    return sorted(folder.rglob("*.max"))


def main() -> None:
    print(f"{'scene':40} {'bones':>6} {'keys':>6} {'ms cold':>8} {'ms again':>9} {'ms text':>8}")
    for path in scenes():
        try:
            scene_file = maxsidecar.open(path)
        except MaxSidecarError:
            continue
        systems = [s for s in scene_file.scene if isinstance(s, BipedSystem)]
        if not systems:
            continue
        nodes = [n for n in scene_file.nodes.values() if isinstance(n.controller, BipedController)]
        spent = []
        for _ in range(2):
            start = time.process_time()
            pose = Pose(scene_file.scene, np.arange(FRAMES) * 160)
            for node in nodes:
                pose.world(node)
            spent.append(1000 * (time.process_time() - start))
        keys = sum(len(track) for system in systems for track in system.rig.tracks.values())
        start = time.process_time()
        for node in nodes:
            for field in optional_fields(node, ["biped"]).values():
                _ = field.shown
        text = 1000 * (time.process_time() - start)
        columns = f"{len(nodes):6} {keys:6} {spent[0]:8.1f} {spent[1]:9.1f} {text:8.1f}"
        print(f"{path.name[-40:]:40} {columns}")


if __name__ == "__main__":
    main()
