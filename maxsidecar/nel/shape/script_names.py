"""Names of the parameters of the game's scripted classes, for files that do not keep them.

Since 3ds Max 4 the stream ``Config`` names them (measured: block.max, water_light.max); other
files have only ordinals.  A block is told by its number of parameters, since the scripts changed
over time (spec: nel-export-rules 9).
"""

from __future__ import annotations

from typing import Final

__all__ = ["ordinal_names"]

_BASIC: Final = (
    "bTwoSided cAmbient cDiffuse pOpacity cSpecular pSpecularLevel pGlossiness cSelfIllumColor"
    " pSelfIllumAmount bUseSelfIllumColor"
)
_HEAD: Final = (
    "bLightMap bUnlighted bStainedGlassWindow bAlphaTest bForceZWrite bForceNoZWrite bWater"
)
_SKY: Final = " bWaterUseSceneEnvMapAbove bWaterUseSceneEnvMapUnder"
_RIPPLES: Final = (
    " fBumpUScale fBumpVScale fBumpUSpeed fBumpVSpeed fDisplaceMapUScale fDisplaceMapVScale"
    " fDisplaceMapUSpeed fDisplaceMapVSpeed fWaterHeightFactor iWaterPoolID bCalcWaterLightmap"
)
_SPLASH: Final = " bEnableWaterSplash"
_TAIL: Final = (
    " bColorVertex bAlphaVertex iAlphaVertexChannel bAlphaBlend iBlendSrcFunc iBlendDestFunc"
    " iShader fZBias iLightMapChannel iShaderType bUserColor bSpecular bNormalShader"
    " bPerPixelLightingShader cUserColor bExportTextureMatrix"
)
_TEXTURES: Final = " ".join(
    f"{name}_{number}"
    for name in ("bEnableSlot", "bTexGen", "tTexture")
    for number in range(1, 9)
)  # fmt: skip
_SLOT: Final = (
    "cConstant iRgbOperation iRgbBlendSource iRgbArg0 iRgbArg1 iRgbArg2 iRgbArg0Operand"
    " iRgbArg1Operand iRgbArg2Operand iAlphaOperation iAlphaBlendSource iAlphaArg0 iAlphaArg1"
    " iAlphaArg2 iAlphaArg0Operand iAlphaArg1Operand iAlphaArg2Operand iTextureShader"
    " iConstantAlpha"
)
_FLARE: Final = " ".join(
    f"{name}{number}"
    for name in ("texFileName", "flareUsed", "size", "pos")
    for number in range(10)
) + (
    " ColorParam PersistenceParam Spacing AttenuationRange Attenuable FirstFlareKeepSize"
    " HasDazzle DazzleColor DazzleAttenuationRange MaxViewDist MaxViewDistRatio occlusionTestMesh"
    " occlusionTestMeshInheritScaleRot sizeDisappear angleDisappear scaleWhenDisappear lookAtMode"
)  # fmt: skip

#: Names by first half of the class id and number of parameters of a block.
_NAMES: Final[dict[tuple[int, int], str]] = {
    (0x64C75FEC, 10): _BASIC,
    (0x64C75FEC, 34): _HEAD + _RIPPLES + _TAIL,
    (0x64C75FEC, 37): _HEAD + _SKY + _RIPPLES + _SPLASH + _TAIL,
    (0x64C75FEC, 24): _TEXTURES,
    (0x64C75FEC, 19): _SLOT,
    (0x4E913532, 57): _FLARE,
    (0x58CE2893, 6): "ps_file_name PSParam0 PSParam1 PSParam2 PSParam3 PSTrigger",
    (0x77E24828, 5): "period intensity radius poolID impulsionMode",
    (0x5A8003F9, 8): " ".join(f"bitmap{number}FileName" for number in range(1, 9)),
}
_SLOT_SIZE: Final = 19


def ordinal_names(class_a: int, count: int, slot: int) -> list[str]:
    """Return the names of a block's parameters, nothing for one that is not known.

    Args:
        class_a: First half of the class id of the object that has the block.
        count: Number of its parameters.
        slot: How many blocks with as many parameters come before it.
    """
    names = _NAMES.get((class_a, count), "").split()
    if count == _SLOT_SIZE:
        return [f"{name}_{slot + 1}" for name in names]
    return names
