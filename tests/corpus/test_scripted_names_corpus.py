"""Names that scripts give to parameters follow an edit of the script."""

from __future__ import annotations

import re
from pathlib import Path

from maxsidecar.scene.custom_attributes import AttributeDefinition
from maxsidecar.scene.directories import ClassId
from maxsidecar.scene.maxfile import open_file
from maxsidecar.scene.params import ParamBlock2

#: Superclass of custom attributes.
ATTRIBUTE = 0x1160
WANTED = 2


def test_names_follow_the_text_of_a_definition(corpus_files: tuple[Path, ...]) -> None:
    tried = 0
    for path in corpus_files:
        if tried == WANTED:
            break
        file = open_file(path)
        stored = file.custom_attribute_definitions
        if stored is None:
            continue
        config = file.config
        # What Config describes is named there.
        listed = {c.class_id for c in config.scripted_classes()} if config is not None else set()
        sources = {one.class_id: one for one in stored.definitions if one.class_id not in listed}
        for block in file.scene.of_superclass(0x82):
            if isinstance(block, ParamBlock2) and rename(block, sources):
                tried += 1
                break
    assert tried == WANTED


def rename(block: ParamBlock2, sources: dict[ClassId, AttributeDefinition]) -> bool:
    """Rename the first parameter in the script of a block; returns whether there is one."""
    owner = block.owner_class
    definition = sources.get(owner[0]) if owner is not None and owner[1] == ATTRIBUTE else None
    if definition is None or not block.names:
        return False
    number, name = min(block.names.items())
    text, count = re.subn(rf"\b{re.escape(name)}\b", "renamed_here", definition.text)
    if not count:
        return False
    definition.text = text
    assert block.names[number] == "renamed_here"
    assert block["renamed_here"].id == number
    definition.text = re.sub(r"\brenamed_here\b", name, text)
    assert block.names[number] == name
    return True
