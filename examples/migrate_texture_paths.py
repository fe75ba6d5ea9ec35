"""Textures have moved: ``maxsidecar migrate run migrate_texture_paths.py scenes --dry-run``.

Every place that stores such a path follows: parameter blocks, the asset table, descriptions of
bitmaps and so on.  ``maxsidecar migrate paths --map RULES.toml`` does the same without a script;
this is for rules that need a program.
"""

from __future__ import annotations

from pathlib import Path

from maxsidecar import MaxFile
from maxsidecar.migrate.log import Log
from maxsidecar.migrate.paths.rename import rename_paths
from maxsidecar.migrate.rules.load import parse_rules

RULES = r"""
[[rule]]
prefix = 'C:\textures'
replace = '\\server\art\textures'

[[rule]]
glob = '**\*.tga'
extension = ".png"
"""


def migrate(scene: MaxFile, log: Log) -> None:
    """Rename the paths of one scene."""
    result = rename_paths(scene, parse_rules(RULES, Path(__file__)))
    for renaming in result.renamed:
        log.change(renaming.place.owner, renaming.place.field, renaming.place.path, renaming.new)
    for renaming in result.refused:
        log.problem(f"{renaming.place.path} stays: {renaming.problem}", renaming.place.owner)
