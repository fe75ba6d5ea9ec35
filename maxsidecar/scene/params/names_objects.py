"""Parameter names of primitives, shapes, modifiers, lights, cameras, helpers and controllers.

The form of the lines is told in :mod:`maxsidecar.scene.params.names`.
"""

from __future__ import annotations

from typing import Final

__all__ = ["TABLE"]

TABLE: Final = """
# Primitives.
10/0/10 Box; s0 b2; length! width! height! width_segments! length_segments! height_segments!
    generate_uvs
11/0/10 Sphere; s0 b2; radius! segments! smooth! hemisphere squash base_to_pivot generate_uvs
    slice_on slice_from slice_to
12/0/10 Cylinder; s0 b2; radius! height! height_segments! cap_segments! sides! smooth! slice_on
    slice_from slice_to generate_uvs
a86c23dd/0/10 Cone; s0 b2; radius1! radius2! height! height_segments! cap_segments! sides! smooth!
    slice_on slice_from slice_to generate_uvs
7b21/0/10 Tube; s0 b2; radius1! radius2! height! sides! cap_segments height_segments! smooth!
    slice_on slice_from slice_to generate_uvs
20/0/10 Torus; s0 b2; radius1! radius2! rotation twist segments! sides! smooth slice_on slice_from
    slice_to generate_uvs
720/0/10 Torus Knot; s0; radius1! radius2! 4=segments! sides! 7=p! q! eccentricity twist
    13=generate_uvs u_tile! v_tile! u_offset v_offset
76bf318a/4bf37b10/10 Pyramid; s0 b2; width! depth! height! width_segments depth_segments
    height_segments generate_uvs
0/7f9e/10 GeoSphere; s0 b2; radius! segments! base_type! hemisphere smooth base_to_pivot
    generate_uvs
acad13d3/acad26d9/10 Teapot; s0 b2; radius! segments! smooth - body handle spout lid generate_uvs
f21c5e23/0/10 Hedra; s0 b2; radius family p q scale_p scale_q scale_r vertices generate_uvs
49bf599f/35f945ab/10 Gengon; s0 b2; sides radius fillet height side_segments fillet_segments
    height_segments generate_uvs smooth
81f1dfc/77566f65/10 Plane; b2; length! width! width_segments! length_segments! 6=generate_uvs
1ad73f40/48ea0f97/10 ChamferBox; s0 b2; length width height fillet length_segments width_segments
    height_segments fillet_segments generate_uvs smooth
7b9a546e/21a446a1/10 ChamferCyl; s0 b2; radius height fillet height_segments fillet_segments sides
    cap_segments smooth slice_on slice_from slice_to generate_uvs
210e642a/22f11ef8/10 OilTank; s0 b2; radius cap_height height centers blend sides height_segments
    smooth slice_on slice_from slice_to generate_uvs
130b141b/4b35afe/10 Spindle; s0 b2; radius cap_height height centers blend sides cap_segments
    height_segments smooth slice_on slice_from slice_to generate_uvs
6d3d77ac/79c939a9/10 Capsule; s0 b2; radius height centers sides height_segments smooth slice_on
    slice_from slice_to generate_uvs
63705fac/5c1f553f/10 Prism; s0 b2; side1_length side2_length side3_length height side1_segments
    side2_segments side3_segments height_segments generate_uvs
9e73a08/8693067/10 L-Ext; s0 b2; side_length front_length side_width front_width height
    side_segments front_segments width_segments height_segments generate_uvs
33b1284d/7af0200d/10 C-Ext; s0 b2; back_length side_length front_length back_width side_width
    front_width height back_segments side_segments front_segments width_segments height_segments
    generate_uvs

# Shapes: slot 0 is how they render, slot 1 their size, slot 2 how curves are divided.
1040/0/40 Line; s0; thickness sides angle viewport_thickness viewport_sides viewport_angle
    renderable generate_uvs display_render_mesh use_viewport_settings 11=rectangular section_width
    section_length section_angle 20=auto_smooth threshold
a/0/40 Editable Spline; s0; thickness sides angle viewport_thickness viewport_sides viewport_angle
    renderable generate_uvs display_render_mesh use_viewport_settings 11=rectangular section_width
    section_length section_angle 20=auto_smooth threshold
1050/0/40 NGon; s0; thickness sides angle viewport_thickness viewport_sides viewport_angle
    renderable generate_uvs display_render_mesh use_viewport_settings 11=rectangular section_width
    section_length section_angle 20=auto_smooth threshold
1050/0/40 NGon; s1; radius side_count circular corner_radius scribe
1050/0/40 NGon; s2; steps optimize adaptive
1060/0/40 Donut; s0; thickness sides angle viewport_thickness viewport_sides viewport_angle
    renderable generate_uvs display_render_mesh use_viewport_settings 11=rectangular section_width
    section_length section_angle 20=auto_smooth threshold
1060/0/40 Donut; s1; radius1 radius2
1060/0/40 Donut; s2; steps optimize adaptive
1065/0/40 Rectangle; s0; thickness sides angle viewport_thickness viewport_sides viewport_angle
    renderable generate_uvs display_render_mesh use_viewport_settings 11=rectangular section_width
    section_length section_angle 20=auto_smooth threshold
1065/0/40 Rectangle; s1; length width corner_radius
1065/0/40 Rectangle; s2; steps optimize adaptive
1097/0/40 Ellipse; s0; thickness sides angle viewport_thickness viewport_sides viewport_angle
    renderable generate_uvs display_render_mesh use_viewport_settings 11=rectangular section_width
    section_length section_angle 20=auto_smooth threshold
1097/0/40 Ellipse; s1; length width
1097/0/40 Ellipse; s2; steps optimize adaptive
1993/0/40 Text; s0; thickness sides angle viewport_thickness viewport_sides viewport_angle
    renderable generate_uvs display_render_mesh use_viewport_settings 11=rectangular section_width
    section_length section_angle 20=auto_smooth threshold
1993/0/40 Text; s1; size kerning leading
1993/0/40 Text; s2; steps optimize adaptive
1994/0/40 Helix; s0; thickness sides angle viewport_thickness viewport_sides viewport_angle
    renderable generate_uvs display_render_mesh use_viewport_settings 11=rectangular section_width
    section_length section_angle 20=auto_smooth threshold
1994/0/40 Helix; s1; radius1 radius2 height turns bias direction
1995/0/40 Star; s0; thickness sides angle viewport_thickness viewport_sides viewport_angle
    renderable generate_uvs display_render_mesh use_viewport_settings 11=rectangular section_width
    section_length section_angle 20=auto_smooth threshold
1995/0/40 Star; s1; radius1 radius2 points distortion fillet_radius1 fillet_radius2
1995/0/40 Star; s2; steps optimize adaptive
1996/0/40 Arc; s0; thickness sides angle viewport_thickness viewport_sides viewport_angle
    renderable generate_uvs display_render_mesh use_viewport_settings 11=rectangular section_width
    section_length section_angle 20=auto_smooth threshold
1996/0/40 Arc; s1; radius from to pie reverse
1996/0/40 Arc; s2; steps optimize adaptive
1999/0/40 Circle; s0; thickness sides angle viewport_thickness viewport_sides viewport_angle
    renderable generate_uvs display_render_mesh use_viewport_settings 11=rectangular section_width
    section_length section_angle 20=auto_smooth threshold
1999/0/40 Circle; s1; radius
1999/0/40 Circle; s2; steps optimize adaptive

# CAT.
2e6a0c09/43d5c9c0/10 CATBone; b0; - cat_units length width depth
73dc4833/65c93caa/10 HubObject; b0; - cat_units length width height pivot_y pivot_z
22d5030/4344191c/9008 CATParentTrans; b0; 5=cat_units
1cbb1d2f/30ea5264/9008 HubTrans; b0; 2=name color 8=spine_below spines tails limbs
6e4253a3/7ffa3373/200 CATLimbData2; b0; 1=hub 4=color name 7=flags collarbone palm 11=bone_count
    bones
1f781be7/19707e49/9008 CATBoneData; b0; limb number length width depth 7=segment_count
    12=twist_weight twist_angle 16=name segments
485a734c/795557cc/9008 CATBoneSegTrans; b0; bone number
4edf6dde/3d77551c/9008 PalmTrans2; b0; limb 7=target_align 10=digit_count digits 13=name
1d473a0e/3b151c9d/200 CATSpineData2; b0; 1=base_hub tip_hub 4=name 7=link_count 10=links 14=base
542e413e/8241aa2/9008 CATSpineTrans2; b0; spine number setup
68c00456/455634fe/9008 CATCollarBone; b0; limb 5=name
67e7064d/28271d66/200 DigitData; b0; 1=color name width depth root palm bone_count bones
1adf2684/2e3b60d2/9008 CATDigitSegTrans; b0; digit number length
71af1a7d/71c05de1/9008 CATFootTrans2; b0; 1=limb 4=node

# Inverse kinematics.
78724378/8a4fd9/9008 IKChainControl; b0; start_joint end_joint solver auto_enable swivel!
    position_threshold rotation_threshold iterations show_end end_size show_goal goal_size
    show_swivel swivel_size swivel_length show_solver auto_snap use_swivel_target swivel_target
    swivel_space
e6f5815/717f99a4/9008 IKControl; b0; move_x_free move_x_limited_below move_x_limited_above
    move_x_lowest move_x_highest move_y_free move_y_limited_below move_y_limited_above
    move_y_lowest move_y_highest move_z_free move_z_limited_below move_z_limited_above
    move_z_lowest move_z_highest turn_x_free turn_x_limited_below turn_x_limited_above
    turn_x_lowest turn_x_highest turn_y_free turn_y_limited_below turn_y_limited_above
    turn_y_lowest turn_y_highest turn_z_free turn_z_limited_below turn_z_limited_above
    turn_z_lowest turn_z_highest move_x_eased move_y_eased move_z_eased turn_x_eased turn_y_eased
    turn_z_eased preferred_x! preferred_y! preferred_z! preferred_turn_x! preferred_turn_y!
    preferred_turn_z!

# Compound objects.
51db4f2f/1c596b1a/10 Boolean; s4; operation! cut_type

# Modifiers.
a0/0/810 Extrude; s0; amount! segments! cap_start cap_end cap_type output mapping
    generate_material_ids use_shape_ids smooth
1017/7f9e/810 Bevel; s0; cap_start cap_end 3=curved_sides segments 8=separation start_outline
    level1_height level1_outline use_level2 level2_height level2_outline use_level3 level3_height
    level3_outline
b0/0/810 Lathe; s1; degrees! segments! cap_start cap_end cap_type weld_core output mapping
    flip_normals generate_material_ids use_shape_ids smooth
f72b1/0/810 UVW Map; s1; map_type! u_tile! v_tile! w_tile! u_flip v_flip w_flip cap vertex_colors
    length! width! height! axis map_channel 15=real_world_map_size
5f32de13/0/810 UVW XForm; s0 b0; u_tile v_tile w_tile u_offset v_offset w_offset u_flip v_flip
    w_flip vertex_colors map_channel w_angle rotate_about_center entire_object
25215824/0/810 XForm; b0; preserve_normals
2d7e702b/be41a6e/810 Symmetry; b0; axis! slice weld threshold! flip! format planar_x planar_y
    planar_z
    flip_x flip_y flip_z radial_axis radial_flip radial_count radial_mirror reference_object
d727b3e/491d29a7/810 TurboSmooth; b0; iterations! use_render_iterations render_iterations
    isoline_display smooth_result separate_by_material separate_by_smoothing_groups! update
    explicit_normals
32/7f9e/810 MeshSmooth; b0; strength relax smoothness face_type iterations! smooth_result
    separate_by_material separate_by_smoothing_groups whole_mesh subdivision_method! update
    25=old_style_mapping
f8613/0/810 Smooth; b0; auto_smooth threshold smoothing_bits prevent_indirect
f8614/0/810 Normal; s0 b0; unify flip
f8612/0/810 Material; s0; material_id
ef92aa7c/511bbe75/810 Mirror; s1; axis copy offset
10/0/810 Bend; s2 b0; angle direction axis limit_effect limit_from limit_to
20/0/810 Taper; s2 b0; amount curve axis effect_axis symmetry limit_effect limit_from limit_to
90/0/810 Twist; s2 b0; angle bias axis limit_effect limit_from limit_to
6f3cc2aa/0/810 Skew; s2; amount direction axis limit_effect limit_from limit_to
de17a34e/8a41e2a0/810 Spherify; s0; percent
100b0/bc2d21/810 Stretch; s2 b0; stretch amplify axis limit_effect limit_from limit_to
45/0/810 Ripple; s2; amplitude1 amplitude2 wavelength phase decay
47/0/810 Wave; s2; amplitude1 amplitude2 wavelength phase decay
c3a32/0/810 Face Extrude; s0 b0; amount scale from_center
a3b26ff2/0/810 Tessellate; s0 b0; type tension iterations face_type update
709029e0/2cfa07bd/810 Vertex Weld; b0; threshold
2e3741fe/12702ab7/810 Slice; s0-1n2 b0n2; slice_type polygons
c4e32/0/810 Affect Region; s0; falloff pinch bubble ignore_backfacing
64/7f9e/810 Relax; s0; relax iterations! keep_boundary save_outer_corners
f997b124/0/810 Noise; s2; seed scale fractal roughness iterations animate frequency phase strength
c4d32/0/810 Displace; s1; map_type u_tile v_tile w_tile blur use_map apply_mapping strength decay
    15=length width height axis
8ab36cc5/82d7fe74/810 FFD box; b0; display_lattice display_source deform_all falloff tension
    continuity 9=inside_points outside_points offset
98f37a63/3ffe9bca/810 FFD cylinder; b0; display_lattice display_source deform_all falloff tension
    continuity 9=inside_points outside_points offset
21325596/2cd10bd0/810 FFD 2x2x2; b0; display_lattice display_source deform_all inside_points
    outside_points offset
21325596/2cd10bd9/810 FFD 3x3x3; b0; display_lattice display_source deform_all inside_points
    outside_points offset
21325596/2cd10bd8/810 FFD 4x4x4; b0; display_lattice display_source deform_all inside_points
    outside_points offset
470a1d7a/53955c31/810 Cap Holes; s0; smooth_new_faces smooth_with_old_faces visible_edges
3b9b1a16/6d84e8d0/810 Shell; b0; inner_amount! outer_amount! bevel_edges segments
95c723/15666/810 Skin; b2; 7=bone_limit!
17bb6854/a5cba2a3/810 Morpher; s0; use_limits! minimum! maximum!
17bb6854/a5cba2a3/810 Morpher channel; s1-100; percent!

# Lights: slot 0 is the light.
1011/0/30 Omni; s0n15; color! multiplier! contrast soften_diffuse_edge near_start near_end far_start
    far_end decay_radius shadow_color 13=shadow_density
1012/0/30 Target Spot; s0n18; color! multiplier! contrast soften_diffuse_edge hotspot falloff!
    aspect near_start near_end far_start far_end decay_radius shadow_color 16=shadow_density
1015/0/30 Target Direct; s0n18; color! multiplier! contrast soften_diffuse_edge hotspot falloff
    aspect near_start near_end far_start far_end decay_radius shadow_color 16=shadow_density
1013/0/30 Free Direct; s0n19; color! multiplier! contrast soften_diffuse_edge hotspot falloff
    aspect near_start near_end far_start far_end decay_radius shadow_color 16=shadow_density
    18=target_distance
1014/0/30 Free Spot; s0n19; color! multiplier! contrast soften_diffuse_edge hotspot falloff!
    aspect near_start near_end far_start far_end decay_radius shadow_color 16=shadow_density
    18=target_distance
100/0/10d0 Shadow Map; s0; map_size sample_range bias absolute_bias
200/0/10d0 Ray Traced Shadows; s0; bias
7bf61478/522e4705/30 Skylight; b0; color* color_map_amount 10=multiplier 13=enabled*

# Cameras.
1001/0/20 Free Camera; s0; fov! target_distance near_clip! far_clip! near_environment!
    far_environment! 8=fov_type
1002/0/20 Target Camera; s0; fov! target_distance near_clip! far_clip! near_environment!
    far_environment! 8=fov_type
46697218/28e8008d/20 Physical Camera; b0; 4=film_width focal_length f_number 20=fov
    48=near_clip* far_clip* near_range* far_range*

# Helpers.
2013/0/50 Point; b0; size center_marker axis_tripod cross box constant_screen_size draw_on_top
28bf6e8d/2ecca840/10 Bone; b0; width height taper length side_fins side_fins_size
    side_fins_start_taper side_fins_end_taper front_fin front_fin_size front_fin_start_taper
    front_fin_end_taper back_fin back_fin_size back_fin_start_taper back_fin_end_taper generate_uvs

# Controllers.
4b4b1000/0/9003 Float List; b0; weights average
4b4b1001/0/9005 Point3 List; b0; weights average
4b4b1002/0/900b Position List; b0; weights average
4b4b1003/0/900c Rotation List; b0; weights average
4b4b1004/0/900d Scale List; b0; weights average
4b4b1005/0/9012 Point4 List; b0; weights average
2019/0/900b Position Constraint; b0; weights targets relative
2020/0/900c Orientation Constraint; b0; weights targets relative local_mode
2021/0/900c LookAt Constraint; b0; weights targets relative viewline_length 5=look_at_axis
    upnode_world upnode_axis 9=upnode
2011/0/900b Path Constraint; b0; percent path follow bank bank_amount smoothness allow_upside_down
    constant_velocity axis axis_flip weights paths loop relative
"""
