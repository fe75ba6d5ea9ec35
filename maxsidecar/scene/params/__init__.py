"""Parameter blocks: the named values of nearly every object of a scene.

``obj.parameters`` of any :class:`~maxsidecar.scene.objects.SceneObject` lists them by name;
``obj.param_blocks`` and ``obj.custom_attributes`` give the objects that hold them.  Layouts, names
and their proofs are in docs/format/parameters.md.
"""

from __future__ import annotations

from maxsidecar.scene.params.access import (
    CustomAttribute,
    ObjectParameters,
    custom_attributes,
)
from maxsidecar.scene.params.bitmap import BitmapInfo
from maxsidecar.scene.params.block import ParamBlockBase
from maxsidecar.scene.params.block1 import ParamBlock
from maxsidecar.scene.params.block2 import ParamBlock2
from maxsidecar.scene.params.parameter import Parameter
from maxsidecar.scene.params.records import ParamRecord, RecordCodec
from maxsidecar.scene.params.tab import TabParameter
from maxsidecar.scene.params.types import Kind, Matrix

__all__ = [
    "BitmapInfo",
    "CustomAttribute",
    "Kind",
    "Matrix",
    "ObjectParameters",
    "ParamBlock",
    "ParamBlock2",
    "ParamBlockBase",
    "ParamRecord",
    "Parameter",
    "RecordCodec",
    "TabParameter",
    "custom_attributes",
]
