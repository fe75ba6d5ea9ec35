"""Controllers: keys, interpolation and how controllers are put together.

Importing the package registers the views; none of it needs numpy until keys are read or a value is
evaluated.  See docs/format/controllers.md for what is stored and how it was proved.
"""

from __future__ import annotations

from maxsidecar.scene.controllers.base import (
    NEUTRAL,
    Controller,
    FloatController,
    Point3Controller,
    Point4Controller,
    PositionController,
    RotationController,
    ScaleController,
    TransformController,
)
from maxsidecar.scene.controllers.bodies import FOREVER, NEVER, ORT
from maxsidecar.scene.controllers.composite import (
    PRS,
    EulerXYZ,
    ListController,
    LookAt,
    TripleController,
)
from maxsidecar.scene.controllers.key_flags import TangentType
from maxsidecar.scene.controllers.keyed import KeyedController, TCBRotation
from maxsidecar.scene.controllers.other import (
    IKControl,
    LinkConstraint,
    LookAtConstraint,
    OnOff,
    OrientationConstraint,
    PathConstraint,
    PositionConstraint,
    ScaleScript,
)

__all__ = [
    "FOREVER",
    "NEUTRAL",
    "NEVER",
    "ORT",
    "PRS",
    "Controller",
    "EulerXYZ",
    "FloatController",
    "IKControl",
    "KeyedController",
    "LinkConstraint",
    "ListController",
    "LookAt",
    "LookAtConstraint",
    "OnOff",
    "OrientationConstraint",
    "PathConstraint",
    "Point3Controller",
    "Point4Controller",
    "PositionConstraint",
    "PositionController",
    "RotationController",
    "ScaleController",
    "ScaleScript",
    "TCBRotation",
    "TangentType",
    "TransformController",
    "TripleController",
]
