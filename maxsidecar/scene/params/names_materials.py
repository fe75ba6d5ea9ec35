"""Parameter names of materials, shaders, maps and what belongs to maps.

The form of the lines is told in :mod:`maxsidecar.scene.params.names`.
"""

from __future__ import annotations

from typing import Final

__all__ = ["TABLE"]

TABLE: Final = """
# Coordinates and output of maps.
100/0/c20 UV coordinates; s0n13; u_offset* v_offset* u_tiling* v_tiling* u_angle* v_angle* w_angle*
    blur* noise_amount* noise_size* noise_level* noise_phase* blur_offset*
100/0/c20 UV coordinates; s0n11; u_offset v_offset u_tiling v_tiling w_angle blur noise_amount
    noise_size noise_level noise_phase blur_offset
100/0/c30 XYZ coordinates; s0n5; offset* tiling* angle* blur* blur_offset*
100/0/c40 Output; s0; rgb_level* rgb_offset* output_amount* bump_amount*

# Standard material and its shaders.
2/0/c00 Standard, first releases; s0n11; ambient diffuse specular shininess shininess_strength
    self_illumination opacity falloff filter_color wire_size ior
2/0/c00 Standard: shader; b0; shader_type wire two_sided! face_map faceted shader_name
2/0/c00 Standard: extended; b1; opacity_type opacity! filter_color filter_map falloff_direction
    opacity_falloff ior wire_size wire_units dim_reflections reflection_dim_level reflection_level
# The manual's defaults (quality 0.5, threshold 0.1, supersampling off, global settings on, which
# older files lack) tell them apart in all 595 blocks looked at; 3, 5 and 6 are alike and stay open.
2/0/c00 Standard: sampling; b2; sampler_index sampler_quality sampler_enabled 4=sampler_threshold
    7=sampler_name sampler_user_0 sampler_user_1 sampler_global
2/0/c00 Standard: maps; b3; map_enabled maps! map_amounts maps_locked
2/0/c00 Standard: dynamics; b4; bounce static_friction sliding_friction
38/0/10b0 Blinn; b0; ambient diffuse! specular ambient_diffuse_map_lock ambient_diffuse_lock
    diffuse_specular_lock! use_self_illumination_color self_illumination self_illumination_color
    specular_level glossiness soften
37/0/10b0 Phong; b0; ambient diffuse! specular ambient_diffuse_map_lock ambient_diffuse_lock
    diffuse_specular_lock! use_self_illumination_color self_illumination self_illumination_color
    specular_level glossiness soften
39/0/10b0 Metal; b0; ambient diffuse! specular 6=use_self_illumination_color self_illumination
    self_illumination_color specular_level glossiness soften
# The other shaders: public lists of their ids.  No file of the corpus has one: unproven, and their
# types keep them from naming anything else.
2857f421/0/10b0 Oren-Nayar-Blinn; b0; ambient diffuse specular self_illumination_color
    self_illumination glossiness specular_level soften diffuse_level diffuse_roughness
    ambient_diffuse_map_lock ambient_diffuse_lock diffuse_specular_lock
    use_self_illumination_color; cccc ffffff bbbb
2857f460/0/10b0 Anisotropic; b0; ambient diffuse specular self_illumination_color diffuse_level
    specular_level self_illumination glossiness anisotropy orientation map_channel
    ambient_diffuse_map_lock ambient_diffuse_lock diffuse_specular_lock
    use_self_illumination_color; cccc ffffff i bbbb
2857f470/0/10b0 Multi-Layer; b0; ambient diffuse self_illumination_color self_illumination
    diffuse_level diffuse_roughness specular specular_level glossiness anisotropy orientation
    specular2 specular_level2 glossiness2 anisotropy2 orientation2 map_channel
    ambient_diffuse_map_lock ambient_diffuse_lock use_self_illumination_color;
    ccc fff c ffff c ffff i bbb
2857f480/0/10b0 Translucent; b0; ambient diffuse specular self_illumination_color
    self_illumination glossiness specular_level diffuse_level filter_color translucent_color
    backside_specular ambient_diffuse_map_lock ambient_diffuse_lock diffuse_specular_lock
    use_self_illumination_color; cccc ffff cc bbbbb
2857f450/0/10b0 Strauss; b0; color glossiness metalness; cff

# Raytrace: public list; types and the documented defaults (glossiness 0.4, level 0.5) fit the one
# scene that has it.
27190ff4/329b106e/c00 Raytrace; s0; ambient ambient_amount ambient_color_on diffuse reflection
    reflection_amount reflection_type luminosity luminosity_amount luminosity_color_on
    transparency transparency_amount transparency_color_on ior specular glossiness
    specular_level; cfb c cfi cfb cfb f c ff

# Physical material.
3d6b1cec/deadc001/c00 Physical Material; b0;
    1=base_weight* base_color! reflectivity* roughness! roughness_inverted metalness!
    10=reflection_color* diffuse_roughness* 13=brdf_low* brdf_high* brdf_exponent*
    20=anisotropy* anisotropy_angle*
    30=transparency! transparency_color* transparency_depth* ior* transparency_roughness_lock
    transparency_roughness* transparency_roughness_inverted thin_walled
    40=scattering* sss_color* sss_depth* sss_scale* sss_scatter_color*
    50=emission! emission_color! luminance* 54=kelvin*
    60=coating_weight* coating_color* coating_roughness* coating_roughness_inverted
    coating_affect_color* coating_affect_roughness* coating_ior*
    70=sheen sheen_color sheen_roughness 100=base_weight_map*
    base_color_map! reflectivity_map* reflection_color_map* roughness_map! metalness_map!
    diffuse_roughness_map! anisotropy_map* anisotropy_angle_map* transparency_map!
    transparency_color_map* transparency_roughness_map* ior_map* scattering_map* sss_color_map*
    sss_scale_map* emission_map* emission_color_map! coating_weight_map* coating_color_map*
    coating_roughness_map*
    130=bump_map! coating_bump_map* displacement_map* cutout_map*
    150=base_weight_map_on base_color_map_on reflectivity_map_on reflection_color_map_on
    roughness_map_on metalness_map_on diffuse_roughness_map_on anisotropy_map_on
    anisotropy_angle_map_on transparency_map_on transparency_color_map_on
    transparency_roughness_map_on ior_map_on scattering_map_on sss_color_map_on sss_scale_map_on
    emission_map_on emission_color_map_on coating_weight_map_on coating_color_map_on
    coating_roughness_map_on
    180=bump_map_on coating_bump_map_on displacement_map_on cutout_map_on
    230=bump_map_amount* coating_bump_map_amount* displacement_map_amount*

# Arch & Design.
70b05735/4a163654/c00 Arch & Design; b0; diffuse_color* diffuse_roughness* diffuse_weight*
    5=reflection_color* reflection_glossiness* reflection_samples reflection_interpolate
    reflection_highlights_only reflection_metal reflectivity*
    15=refraction_color* refraction_glossiness* refraction_samples refraction_interpolate ior*
    transparency* 25=translucency_on translucency_color translucency_weight 30=anisotropy*
    anisotropy_angle* anisotropy_mode anisotropy_channel 35=brdf_fresnel brdf_low brdf_high
    brdf_exponent
    120=diffuse_color_map* diffuse_roughness_map* reflection_color_map*
    reflection_glossiness_map* refraction_color_map* refraction_glossiness_map* ior_map*
    translucency_color_map* translucency_weight_map* anisotropy_map* anisotropy_angle_map*
    reflection_fade_map* refraction_fade_map* fg_multiplier_map* fg_quality_map* ao_shadow_map*
    ao_ambient_map* bump_map* displacement_map* cutout_map* environment_map*
    additional_color_map* radius_map* self_illumination_map*
    150=diffuse_color_map_on diffuse_roughness_map_on reflection_color_map_on
    reflection_glossiness_map_on refraction_color_map_on refraction_glossiness_map_on ior_map_on
    translucency_color_map_on translucency_weight_map_on anisotropy_map_on anisotropy_angle_map_on
    reflection_fade_map_on refraction_fade_map_on fg_multiplier_map_on fg_quality_map_on
    ao_shadow_map_on ao_ambient_map_on bump_map_on displacement_map_on cutout_map_on
    environment_map_on additional_color_map_on radius_map_on self_illumination_map_on
    197=bump_map_amount displacement_map_amount

# PBR Material (Metal/Rough).
d00f1e00/be77e500/c00 PBR Metal/Rough; b1; base_color base_color_map metalness metalness_map
    roughness roughness_map

# Materials made of materials, and Matte/Shadow.  No file of the corpus has Blend, Composite,
# Top/Bottom, Shell and Matte/Shadow: documented, unproven.
200/0/c00 Multi/Sub-Object; b0; materials! enabled names material_ids!
250/0/c00 Blend; b0; mix_amount curve_lower curve_upper use_curve interactive material1 material2
    mask material1_on material2_on mask_on; fff bi mmt bbb
61dc0cd7/13640af6/c00 Composite; b0; materials types enabled amounts
210/0/c00 Double Sided; b0; front_material back_material front_on back_on translucency
100/0/c00 Top/Bottom; b0; top_material bottom_material top_on bottom_on blend position
    coordinates; mm bb ff i
260/0/c00 Matte/Shadow; b0; opaque_alpha apply_atmosphere atmosphere_depth receive_shadows
    affect_alpha shadow_brightness color reflection_amount reflection_map reflection_map_on
    additive_reflection; bbi bbf cf tbb
255/0/c00 Shell; b0; viewport_material render_material original_material baked_material

# Maps.
240/0/c10 Bitmap; b0; clip_u_offset* clip_v_offset* clip_u_width* clip_v_width* jitter_amount*
    jitter_on crop_apply crop_or_place filtering mono_output rgb_output alpha_source
    premultiplied_alpha bitmap! coordinates! output! filename!
240/0/c10 Bitmap: time; b1; start_time playback_rate end_condition tie_to_material_id
200/0/c10 Checker; b0; soften color1 color2 map1 map2
243e22c6/63f6a014/c10 Normal Bump; b0; normal_multiplier bump_multiplier normal_map bump_map
    normal_map_on bump_map_on method
290/0/c10 RGB Multiply; b0; color1 color2! map1 map2 map1_on map2_on alpha_from
230/0/c10 Mix; b0; mix_amount - - use_curve color1 color2 map1 map2 mask map1_on map2_on mask_on
220/0/c10 Mask; b0; map mask map_on mask_on invert_mask
2b0/0/c10 Output map; b0; map map_on output
# Composite: public list, unproven.  Gradient and Noise: public lists, types fit one and two maps.
280/0/c10 Composite map; b0; 5=blend_modes layer_names - opacities maps masks; I S . F T T
270/0/c10 Gradient; b0; color1 color2 color3 map1 map2 map3 map1_on map2_on map3_on color2_position
    gradient_type noise_amount noise_type noise_size noise_phase noise_levels noise_threshold_low
    noise_threshold_high noise_threshold_smooth coordinates output;
    ccc ttt bbb f i f i ffffff rr
234/0/c10 Noise; b0; color1 color2 map1 map2 map1_on map2_on size phase levels threshold_low
    threshold_high noise_type coordinates output; cc tt bb fffff i rr
6ec3730c/0/c10 Falloff; b0; color1 amount1 map1 map1_on color2 amount2 map2 map2_on 12=ior
    14=near_distance far_distance
"""
