"""Parameter names of photometric lights and of materials of renderers and exchange formats.

The ids are facts from public lists: the header that plug-ins get for photometric lights, and the
lists by which published exporters read the materials.  On the corpus types and defaults agree for
all 16 photometric lights and 18 OpenPBR materials.  **Unproven** are VRayMtl (partly confirmed by
another reading of files that are not in the corpus), glTF Material, Arnold Standard Surface and
Corona Physical: no file of the corpus has such a block.  Their types keep them from naming
anything else.

The form of the lines is told in :mod:`maxsidecar.scene.params.names`.
"""

from __future__ import annotations

from typing import Final

__all__ = ["TABLE"]

TABLE: Final = """
# Photometric lights: spheres, and free and target lights of older releases.
7ca93582/1abb6b32/30 Photometric light; b0; 1=distribution on cast_shadows light_color filter_color
    intensity 8=kelvin 10=use_kelvin 13=intensity_at intensity_type flux original_intensity
    original_flux use_dimmer dimmer color_shift_dimming use_far_attenuation show_far_attenuation
    far_start far_end; ibbccf fb fifffbfbbbff
7ca93582/1abb6b32/30 Photometric light; b2; hotspot falloff; ff
7ca93582/1abb6b32/30 Photometric light; b3; web_file; s
7ca93582/1abb6b32/30 Photometric light; b4; contrast soften_diffuse_edge projector_on projector_map
    affect_diffuse affect_specular ambient_only target_distance; ffbtbbbf
32375fcc/b025cf0/30 Photometric light; b0; 1=distribution on cast_shadows light_color filter_color
    intensity 8=kelvin 10=use_kelvin 13=intensity_at intensity_type flux original_intensity
    original_flux use_dimmer dimmer color_shift_dimming use_far_attenuation show_far_attenuation
    far_start far_end; ibbccf fb fifffbfbbbff
32375fcc/b025cf0/30 Photometric light; b2; hotspot falloff; ff
32375fcc/b025cf0/30 Photometric light; b3; web_file; s
32375fcc/b025cf0/30 Photometric light; b4; contrast soften_diffuse_edge projector_on projector_map
    affect_diffuse affect_specular ambient_only target_distance; ffbtbbbf
658d4f97/72cd4259/30 Photometric light; b0; 1=distribution on cast_shadows light_color filter_color
    intensity 8=kelvin 10=use_kelvin 13=intensity_at intensity_type flux original_intensity
    original_flux use_dimmer dimmer color_shift_dimming use_far_attenuation show_far_attenuation
    far_start far_end; ibbccf fb fifffbfbbbff
658d4f97/72cd4259/30 Photometric light; b2; hotspot falloff; ff
658d4f97/72cd4259/30 Photometric light; b3; web_file; s
658d4f97/72cd4259/30 Photometric light; b4; contrast soften_diffuse_edge projector_on projector_map
    affect_diffuse affect_specular ambient_only target_distance; ffbtbbbf

# OpenPBR: a map has id 499 + that of its value, its switch 100 more.
f1551e33/37fb1337/c00 OpenPBR; b0;
    1=base_weight base_color base_metalness base_diffuse_roughness specular_weight specular_color
    specular_roughness specular_roughness_anisotropy specular_ior transmission_weight
    transmission_color transmission_depth transmission_scatter transmission_scatter_anisotropy
    transmission_dispersion_scale transmission_dispersion_abbe_number subsurface_weight
    subsurface_color subsurface_radius subsurface_radius_scale subsurface_scatter_anisotropy
    coat_weight coat_color coat_roughness coat_roughness_anisotropy coat_ior coat_darkening
    fuzz_weight fuzz_color fuzz_roughness emission_weight emission_color emission_luminance
    thin_film_weight thin_film_thickness thin_film_ior 38=thin_walled 500=base_weight_map
    base_color_map base_metalness_map base_diffuse_roughness_map specular_weight_map
    specular_color_map specular_roughness_map specular_roughness_anisotropy_map specular_ior_map
    transmission_weight_map transmission_color_map transmission_depth_map transmission_scatter_map
    transmission_scatter_anisotropy_map transmission_dispersion_scale_map
    transmission_dispersion_abbe_number_map subsurface_weight_map subsurface_color_map
    subsurface_radius_map subsurface_radius_scale_map subsurface_scatter_anisotropy_map
    coat_weight_map coat_color_map coat_roughness_map coat_roughness_anisotropy_map coat_ior_map
    coat_darkening_map fuzz_weight_map fuzz_color_map fuzz_roughness_map emission_weight_map
    emission_color_map emission_luminance_map thin_film_weight_map thin_film_thickness_map
    thin_film_ior_map 580=bump_map coat_bump_map displacement_map geometry_normal_map
    geometry_tangent_map geometry_coat_normal_map geometry_coat_tangent_map geometry_opacity_map
    600=base_weight_map_on base_color_map_on base_metalness_map_on base_diffuse_roughness_map_on
    specular_weight_map_on specular_color_map_on specular_roughness_map_on
    specular_roughness_anisotropy_map_on specular_ior_map_on transmission_weight_map_on
    transmission_color_map_on transmission_depth_map_on transmission_scatter_map_on
    transmission_scatter_anisotropy_map_on transmission_dispersion_scale_map_on
    transmission_dispersion_abbe_number_map_on subsurface_weight_map_on subsurface_color_map_on
    subsurface_radius_map_on subsurface_radius_scale_map_on subsurface_scatter_anisotropy_map_on
    coat_weight_map_on coat_color_map_on coat_roughness_map_on coat_roughness_anisotropy_map_on
    coat_ior_map_on coat_darkening_map_on fuzz_weight_map_on fuzz_color_map_on
    fuzz_roughness_map_on emission_weight_map_on emission_color_map_on emission_luminance_map_on
    thin_film_weight_map_on thin_film_thickness_map_on thin_film_ior_map_on 680=bump_map_on
    coat_bump_map_on displacement_map_on geometry_normal_map_on geometry_tangent_map_on
    geometry_coat_normal_map_on geometry_coat_tangent_map_on geometry_opacity_map_on
    780=bump_map_amount coat_bump_map_amount displacement_map_amount; fcfffcffff cfcffffcfc
    ffcfffffcf fcffffbttt tttttttttt tttttttttt tttttttttt tttttttttt tbbbbbbbbb bbbbbbbbbb
    bbbbbbbbbb bbbbbbbbbb bbbbbfff

# VRayMtl: ids are unique in all its blocks; a map, its switch 50 and its multiplier 100 more.
37bf3f2f/7034695c/c00 VRayMtl; b1-6;
    1=diffuse reflection reflection_glossiness 5=refraction refraction_glossiness 8=fresnel ior
    brdf_type trace_reflection trace_refraction double_sided reflect_on_back 23=fog_color
    fog_multiplier 54=anisotropy 58=anisotropy_rotation 62=highlight_glossiness reflection_ior
    lock_glossiness lock_ior fog_bias 68=diffuse_roughness 81=self_illumination
    self_illumination_gi self_illumination_multiplier opacity_mode 89=use_roughness 91=metalness
    96=coat_amount 98=coat_glossiness 100=diffuse_map reflection_map refraction_map bump_map
    reflection_glossiness_map refraction_glossiness_map displacement_map environment_map
    translucency_map ior_map highlight_glossiness_map reflection_ior_map opacity_map roughness_map
    anisotropy_map anisotropy_rotation_map fog_map self_illumination_map gtr_tail_falloff_map
    metalness_map 150=diffuse_map_on reflection_map_on refraction_map_on bump_map_on
    reflection_glossiness_map_on refraction_glossiness_map_on displacement_map_on
    environment_map_on translucency_map_on ior_map_on highlight_glossiness_map_on
    reflection_ior_map_on opacity_map_on roughness_map_on anisotropy_map_on
    anisotropy_rotation_map_on fog_map_on self_illumination_map_on gtr_tail_falloff_map_on
    metalness_map_on 200=diffuse_map_multiplier reflection_map_multiplier
    refraction_map_multiplier bump_map_multiplier reflection_glossiness_map_multiplier
    refraction_glossiness_map_multiplier displacement_map_multiplier environment_map_multiplier
    translucency_map_multiplier ior_map_multiplier highlight_glossiness_map_multiplier
    reflection_ior_map_multiplier opacity_map_multiplier roughness_map_multiplier
    anisotropy_map_multiplier anisotropy_rotation_map_multiplier fog_map_multiplier
    self_illumination_map_multiplier gtr_tail_falloff_map_multiplier metalness_map_multiplier;
    ccfcfbfibb bbcfffffbb ffcbfi.fff tttttttttt tttttttttt bbbbbbbbbb bbbbbbbbbb ffffffffff
    ffffffffff

# glTF Material.
38420192/45fe4e1b/c00 glTF Material; b0;
    base_color base_color_map alpha_mode alpha_map alpha_cutoff metalness metalness_map roughness
    roughness_map normal normal_map ambient_occlusion ambient_occlusion_map emission_color
    emission_map double_sided; ctitfftftf tftctb

# Arnold Standard Surface: after each value whether its map counts, then the map.  The files of
# the corpus keep no such block, only block 0 with other objects.
7e73161f/62f74b4c/c00 Standard Surface; b1;
    base base_map_on base_map base_color base_color_map_on base_color_map diffuse_roughness
    diffuse_roughness_map_on diffuse_roughness_map specular specular_map_on specular_map
    specular_color specular_color_map_on specular_color_map specular_roughness
    specular_roughness_map_on specular_roughness_map specular_ior specular_ior_map_on
    specular_ior_map 27=metalness metalness_map_on metalness_map transmission transmission_map_on
    transmission_map transmission_color transmission_color_map_on transmission_color_map
    117=emission emission_map_on emission_map emission_color emission_color_map_on
    emission_color_map opacity opacity_map_on opacity_map; fbtcbtfbtf btcbtfbtfb tfbtfbtcbt
    fbtcbtcbt

# Corona Physical Material.
6912ab89/87151720/c00 Corona Physical; b0-9;
    101=base_color base_level base_map base_map_on base_map_amount 111=metalness_mode
    121=opacity_color opacity_level opacity_map opacity_map_on opacity_map_amount 131=roughness
    roughness_map roughness_map_on roughness_map_amount 141=anisotropy anisotropy_map
    anisotropy_map_on anisotropy_map_amount 151=anisotropy_rotation anisotropy_rotation_map
    anisotropy_rotation_map_on anisotropy_rotation_map_amount 171=ior ior_map ior_map_on
    ior_map_amount 191=refraction_amount refraction_amount_map refraction_amount_map_on
    refraction_amount_map_amount 211=clearcoat_amount clearcoat_amount_map clearcoat_amount_map_on
    clearcoat_amount_map_amount 221=clearcoat_ior clearcoat_ior_map clearcoat_ior_map_on
    clearcoat_ior_map_amount 231=clearcoat_roughness clearcoat_roughness_map
    clearcoat_roughness_map_on clearcoat_roughness_map_amount 241=sheen_amount sheen_amount_map
    sheen_amount_map_on sheen_amount_map_amount sheen_color sheen_color_map sheen_color_map_on
    sheen_color_map_amount 251=sheen_roughness sheen_roughness_map sheen_roughness_map_on
    sheen_roughness_map_amount 291=sss_amount sss_amount_map sss_amount_map_on
    sss_amount_map_amount 325=displacement_map displacement_map_on 331=self_illumination_color
    self_illumination_level self_illumination_map self_illumination_map_on
    self_illumination_map_amount 351=bump_map bump_map_on bump_map_amount 411=metalness_map
    metalness_map_on 421=roughness_mode 461=ior_mode; cftbficftb fftbfftbff tbfftbfftb fftbfftbff
    tbfftbfctb fftbfftbft bcftbftbft bii
"""
