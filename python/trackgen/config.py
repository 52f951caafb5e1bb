"""Configurations: the settings of each kind of producer, with their defaults and ranges.

generate_config.py writes this file from the tables of the library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Mapping, Optional, Union

from ._settings import Configuration, Settings, setting

__all__ = ["CourseConfig", "GateConfig", "RaceConfig", "TrackConfig"]


class TrackConfig(Configuration):
    """Settings of batches of tracks."""

    kind = "tracks"

    class Spline(Settings):
        """Settings of the group spline."""

        samples_per_segment: int = setting(
            "spline.samples_per_segment", "int", 30, low=2, high=4096, reference="num_points_per_segment"
        )
        """Samples of each curve segment of bezier, hull, polar and voronoi. Default 30; a whole number >= 2 and <=
        4096. num_points_per_segment of the reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                samples_per_segment: int = ...,
            ) -> None: ...

    class Corners(Settings):
        """Settings of the group corners."""

        min_count: int = setting("corners.min_count", "int", 9, low=2, high=512, reference="min_num_points")
        """Minimum number of corner points. Default 9; a whole number >= 2 and <= 512. min_num_points of the reference.
        """
        max_count: int = setting("corners.max_count", "int", 13, low=2, high=512, reference="max_num_points")
        """Maximum number of corner points, at least min_count. Default 13; a whole number >= 2 and <= 512.
        max_num_points of the reference.
        """
        half_cell_size: float = setting(
            "corners.half_cell_size", "float", 0.05, low=2e-05, high=0.5, reference="min_point_distance"
        )
        """Half the cell size of the grid that corner points are drawn from, as a fraction of scale. Default 0.05; a
        number >= 2e-05 and <= 0.5. min_point_distance of the reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                min_count: int = ...,
                max_count: int = ...,
                half_cell_size: float = ...,
            ) -> None: ...

    class Bezier(Settings):
        """Settings of the group bezier."""

        handle_length: float = setting("bezier.handle_length", "float", 0.4, low=-10, high=10, reference="rad")
        """Handle length as a fraction of the chord; negative handles point backwards and make loops at the corners.
        Default 0.4; a number >= -10 and <= 10. rad of the reference.
        """
        handle_limit: float = setting(
            "bezier.handle_limit", "float", 0.4, low=0, high=10, reference="handle_clamp_frac"
        )
        """Longest handle as a fraction of the shorter edge at its corner. Default 0.4; a number >= 0 and <= 10.
        handle_clamp_frac of the reference.
        """
        edginess: float = setting("bezier.edginess", "float", 0.0, low=-1000000, high=1000000, reference="edgy")
        """How far a corner's tangent leans to its outgoing edge; 0 is the middle. Default 0.0; a number >= -1000000 and
        <= 1000000. edgy of the reference.
        """
        style_sampling: bool = setting("bezier.style_sampling", "bool", False, reference="style_sampling")
        """Draw handle_length, handle_limit and scale for each env from the ranges below. Default False; True or False.
        style_sampling of the reference.
        """
        handle_length_range: Optional[tuple[float, float]] = setting(
            "bezier.handle_length_range", "range", None, low=0, high=10, reference="rad_range", zero=True
        )
        """Range of handle_length with style_sampling. Default None: handle_length for all envs; a pair [min, max] with
        min <= max, each >= 0 and <= 10. rad_range of the reference.
        """
        handle_limit_range: Optional[tuple[float, float]] = setting(
            "bezier.handle_limit_range", "range", None, low=0, high=10, reference="handle_clamp_frac_range", zero=True
        )
        """Range of handle_limit with style_sampling. Default None: handle_limit for all envs; a pair [min, max] with
        min <= max, each >= 0 and <= 10. handle_clamp_frac_range of the reference.
        """
        scale_range: Optional[tuple[float, float]] = setting(
            "bezier.scale_range", "range", None, low=0, high=1000000, open="low", reference="scale_range", zero=True
        )
        """Range of scale with style_sampling, in track units. Default None: scale for all envs; a pair [min, max] with
        min <= max, each > 0 and <= 1000000. scale_range of the reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                handle_length: float = ...,
                handle_limit: float = ...,
                edginess: float = ...,
                style_sampling: bool = ...,
                handle_length_range: Optional[tuple[float, float]] = ...,
                handle_limit_range: Optional[tuple[float, float]] = ...,
                scale_range: Optional[tuple[float, float]] = ...,
            ) -> None: ...

    class Hull(Settings):
        """Settings of the group hull."""

        displacement: float = setting(
            "hull.displacement", "float", 0.15, low=-10, high=10, reference="hull_displacement"
        )
        """Largest move of the middle of an edge, as a fraction of its distance to the centroid of the corners; with a
        negative one every move has the opposite sign. Default 0.15; a number >= -10 and <= 10. hull_displacement of
        the reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                displacement: float = ...,
            ) -> None: ...

    class Polar(Settings):
        """Settings of the group polar."""

        knots: int = setting("polar.knots", "int", 12, low=0, high=512, reference="polar_num_knots")
        """Knots around the circle; fewer than 4 count as 4. Default 12; a whole number >= 0 and <= 512. polar_num_knots
        of the reference.
        """
        radial_jitter: float = setting(
            "polar.radial_jitter", "float", 0.6, low=0, high=10, reference="polar_radial_jitter"
        )
        """Largest relative change of a knot's radius; 0.85 is the most that counts. Default 0.6; a number >= 0 and <=
        10. polar_radial_jitter of the reference.
        """
        angular_jitter: float = setting(
            "polar.angular_jitter", "float", 0.3, low=0, high=10, reference="polar_angular_jitter"
        )
        """Largest move of a knot along the circle, as a fraction of the knot spacing; 0.45 is the most that counts.
        Default 0.3; a number >= 0 and <= 10. polar_angular_jitter of the reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                knots: int = ...,
                radial_jitter: float = ...,
                angular_jitter: float = ...,
            ) -> None: ...

    class Voronoi(Settings):
        """Settings of the group voronoi."""

        sites: int = setting("voronoi.sites", "int", 256, low=6, high=65536, reference="voronoi_num_sites")
        """Random sites, at least control_points. Default 256; a whole number >= 6 and <= 65536. voronoi_num_sites of
        the reference.
        """
        layout: Literal["ring", "void_ring", "clustered", "mixed"] = setting(
            "voronoi.layout", "string", "void_ring", choices=("ring", "void_ring", "clustered", "mixed",),
            reference="voronoi_layout"
        )
        """Where sites lie: all over a square, around an empty middle, in clusters, or as a mixture of the first two.
        Default 'void_ring'; one of ring, void_ring, clustered, mixed. voronoi_layout of the reference.
        """
        control_points: int = setting(
            "voronoi.control_points", "int", 18, low=6, high=512, reference="voronoi_control_points"
        )
        """Sectors around the origin, in each of which the loop goes through one site. Default 18; a whole number >= 6
        and <= 512. voronoi_control_points of the reference.
        """
        radial_variation: float = setting(
            "voronoi.radial_variation", "float", 0.62, low=0, high=10, reference="voronoi_radial_variation"
        )
        """How far the target distance of a site from the origin varies along the loop, as a fraction of its mean; the
        layouts enlarge it by up to 1.16, and 0.85 is the most that counts. Default 0.62; a number >= 0 and <= 10.
        voronoi_radial_variation of the reference.
        """
        angular_jitter: float = setting(
            "voronoi.angular_jitter", "float", 0.08, low=0, high=6.283185307179586, reference="voronoi_angular_jitter"
        )
        """Largest random change of the target direction of a site, in radians. Default 0.08; a number >= 0 and <=
        6.283185307179586. voronoi_angular_jitter of the reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                sites: int = ...,
                layout: Literal["ring", "void_ring", "clustered", "mixed"] = ...,
                control_points: int = ...,
                radial_variation: float = ...,
                angular_jitter: float = ...,
            ) -> None: ...

    class Checkpoint(Settings):
        """Settings of the group checkpoint."""

        count: int = setting("checkpoint.count", "int", 12, low=3, high=512, reference="checkpoint_count")
        """Checkpoints around a circle of radius 1. Default 12; a whole number >= 3 and <= 512. checkpoint_count of the
        reference.
        """
        min_radius: float = setting(
            "checkpoint.min_radius", "float", 0.33, low=0, high=1, open="high", reference="checkpoint_radius_min_frac"
        )
        """Smallest distance of a checkpoint from the middle of the circle, as a fraction of its radius. Default 0.33; a
        number >= 0 and < 1. checkpoint_radius_min_frac of the reference.
        """
        angular_jitter: float = setting(
            "checkpoint.angular_jitter", "float", 0.55, low=0, high=10, reference="checkpoint_angle_jitter"
        )
        """Largest move of a checkpoint along the circle, as a fraction of the distance between two. Default 0.55; a
        number >= 0 and <= 10. checkpoint_angle_jitter of the reference.
        """
        turn_rate: float = setting(
            "checkpoint.turn_rate", "float", 0.42, low=0, high=3.141592653589793, reference="checkpoint_turn_rate"
        )
        """Largest turn in one step; a lap has output.loop_points steps, in radians. Default 0.42; a number >= 0 and <=
        3.141592653589793. checkpoint_turn_rate of the reference.
        """
        steering_gain: float = setting(
            "checkpoint.steering_gain", "float", 0.65, low=0, high=10, reference="checkpoint_steer_gain"
        )
        """Fraction of the angle to the next checkpoint that one step turns by. Default 0.65; a number >= 0 and <= 10.
        checkpoint_steer_gain of the reference.
        """
        lookahead: float = setting(
            "checkpoint.lookahead", "float", 0.16, low=0, high=10, reference="checkpoint_lookahead_frac"
        )
        """Distance to a checkpoint at which the one after it becomes the next, as a fraction of the radius of the
        circle. Default 0.16; a number >= 0 and <= 10. checkpoint_lookahead_frac of the reference.
        """
        best_of: int = setting("checkpoint.best_of", "int", 4, low=1, high=4096, reference="checkpoint_best_of_k")
        """Loops drawn for each env; the one with the fewest crossings is kept. Default 4; a whole number >= 1 and <=
        4096. checkpoint_best_of_k of the reference.
        """
        clip_crossings: bool = setting("checkpoint.clip_crossings", "bool", False, reference="checkpoint_clip_fallback")
        """Cut off the shorter part of a loop that still crosses itself, up to 16 times, and space the points of every
        loop evenly. Default False; True or False. checkpoint_clip_fallback of the reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                count: int = ...,
                min_radius: float = ...,
                angular_jitter: float = ...,
                turn_rate: float = ...,
                steering_gain: float = ...,
                lookahead: float = ...,
                best_of: int = ...,
                clip_crossings: bool = ...,
            ) -> None: ...

    class Repulsive(Settings):
        """Settings of the group repulsive."""

        min_growth: float = setting(
            "repulsive.min_growth", "float", 4.5, low=1, high=1000, reference="repulsive_grow_mult_min"
        )
        """Shortest loop, as a multiple of the circle that it grows from. Default 4.5; a number >= 1 and <= 1000.
        repulsive_grow_mult_min of the reference.
        """
        max_growth: float = setting(
            "repulsive.max_growth", "float", 5.5, low=1, high=1000, open="low", reference="repulsive_grow_mult_max"
        )
        """Longest loop, at least min_growth. Default 5.5; a number > 1 and <= 1000. repulsive_grow_mult_max of the
        reference.
        """
        wall_radius: float = setting(
            "repulsive.wall_radius", "float", 0.35, low=0, high=1000, open="low", reference="repulsive_domain_frac"
        )
        """Radius of the wall around the loop, in units of 4.9029 times scale. Default 0.35; a number > 0 and <= 1000.
        repulsive_domain_frac of the reference.
        """
        wall_to_circle_ratio: float = setting(
            "repulsive.wall_to_circle_ratio", "float", 4.0, low=1, high=1000, open="low",
            reference="repulsive_domain_init_ratio"
        )
        """Ratio of the radius of the wall to that of the first circle. Default 4.0; a number > 1 and <= 1000.
        repulsive_domain_init_ratio of the reference.
        """
        min_obstacles: int = setting(
            "repulsive.min_obstacles", "int", 8, low=1, high=16, reference="repulsive_obstacle_count_min"
        )
        """Minimum number of discs that the loop grows around. Default 8; a whole number >= 1 and <= 16.
        repulsive_obstacle_count_min of the reference.
        """
        max_obstacles: int = setting(
            "repulsive.max_obstacles", "int", 12, low=1, high=16, reference="repulsive_obstacle_count_max"
        )
        """Maximum number of discs, at least min_obstacles. Default 12; a whole number >= 1 and <= 16.
        repulsive_obstacle_count_max of the reference.
        """
        min_obstacle_radius: float = setting(
            "repulsive.min_obstacle_radius", "float", 0.02, low=0, high=1, open="low",
            reference="repulsive_obstacle_radius_frac_min"
        )
        """Smallest disc, its radius as a fraction of that of the wall. Default 0.02; a number > 0 and <= 1.
        repulsive_obstacle_radius_frac_min of the reference.
        """
        max_obstacle_radius: float = setting(
            "repulsive.max_obstacle_radius", "float", 0.045, low=0, high=1, open="low",
            reference="repulsive_obstacle_radius_frac_max"
        )
        """Largest disc, at least min_obstacle_radius. Default 0.045; a number > 0 and <= 1.
        repulsive_obstacle_radius_frac_max of the reference.
        """
        drop_obstacles: bool = setting(
            "repulsive.drop_obstacles", "bool", True, reference="repulsive_deactivate_obstacles"
        )
        """Drop the discs once a loop has its length. Default True; True or False. repulsive_deactivate_obstacles of the
        reference.
        """
        growth_rate: float = setting(
            "repulsive.growth_rate", "float", 0.012, low=0, high=1, open="low", reference="repulsive_ratchet_rate"
        )
        """Growth of the loop in one iteration. Default 0.012; a number > 0 and <= 1. repulsive_ratchet_rate of the
        reference.
        """
        alpha: float = setting("repulsive.alpha", "float", 3.0, low=0, high=12, open="low", reference="repulsive_alpha")
        """Exponent of the tangent-point energy: that of the distance of a point from another point's tangent. Default
        3.0; a number > 0 and <= 12. repulsive_alpha of the reference.
        """
        beta: float = setting("repulsive.beta", "float", 6.0, low=0, high=12, open="low", reference="repulsive_beta")
        """Exponent of the tangent-point energy: that of the distance of two points; obstacles repel with the distance
        to the power alpha - beta; other exponents than 3 and 6 take about ten times as long. Default 6.0; a number >
        0 and <= 12. repulsive_beta of the reference.
        """
        step_size: float = setting(
            "repulsive.step_size", "float", 0.4, low=0, high=10, open="low", reference="repulsive_tau"
        )
        """Largest move of a point in one iteration, as a fraction of the mean distance of neighbours. Default 0.4; a
        number > 0 and <= 10. repulsive_tau of the reference.
        """
        stages: Optional[list[int]] = setting(
            "repulsive.stages", "int_list", None, low=4, high=256, reference="repulsive_stages", zero=True
        )
        """Points of the loop while it grows, multiples of 4, ascending to output.loop_points. Default None: a quarter,
        a half and all of output.loop_points; a list of whole numbers, each >= 4 and <= 256. repulsive_stages of the
        reference.
        """
        settle_iterations: int = setting(
            "repulsive.settle_iterations", "int", 40, low=1, high=10000, reference="repulsive_settle_iters"
        )
        """Iterations after the loop has grown to its full length. Default 40; a whole number >= 1 and <= 10000.
        repulsive_settle_iters of the reference.
        """
        resample_every: int = setting(
            "repulsive.resample_every", "int", 25, low=1, high=100000, reference="repulsive_resample_every"
        )
        """Iterations between two resamplings at even spacing. Default 25; a whole number >= 1 and <= 100000.
        repulsive_resample_every of the reference.
        """
        horizon: Optional[int] = setting("repulsive.horizon", "int", None, low=1, high=10000, zero=True)
        """Iteration until which the points of a loop that is done are still spread evenly, as in a batch of the
        reference system that ends then. Default None: 1.6 times the iterations in which the longest loop grows; a
        whole number >= 1 and <= 10000.
        """
        stall_window: int = setting(
            "repulsive.stall_window", "int", 16, low=1, high=10000, reference="repulsive_stall_window"
        )
        """Iterations between two checks whether a loop is done. Default 16; a whole number >= 1 and <= 10000.
        repulsive_stall_window of the reference.
        """
        stall_area_tolerance: float = setting(
            "repulsive.stall_area_tolerance", "float", 0.05, low=0, high=1000, reference="repulsive_stall_area_tol"
        )
        """Change of the enclosed area since the last check, as a fraction, below which a loop of full length is done.
        Default 0.05; a number >= 0 and <= 1000. repulsive_stall_area_tol of the reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                min_growth: float = ...,
                max_growth: float = ...,
                wall_radius: float = ...,
                wall_to_circle_ratio: float = ...,
                min_obstacles: int = ...,
                max_obstacles: int = ...,
                min_obstacle_radius: float = ...,
                max_obstacle_radius: float = ...,
                drop_obstacles: bool = ...,
                growth_rate: float = ...,
                alpha: float = ...,
                beta: float = ...,
                step_size: float = ...,
                stages: Optional[list[int]] = ...,
                settle_iterations: int = ...,
                resample_every: int = ...,
                horizon: Optional[int] = ...,
                stall_window: int = ...,
                stall_area_tolerance: float = ...,
            ) -> None: ...

    class Variation(Settings):
        """Settings of the group variation."""

        half_width_range: Optional[tuple[float, float]] = setting(
            "variation.half_width_range", "range", None, low=0, high=1000000, open="low", zero=True
        )
        """Range from which each env draws half the width of its road, uniformly, in track units. Default None:
        road.half_width for all envs; a pair [min, max] with min <= max, each > 0 and <= 1000000.
        """
        random_direction: bool = setting("variation.random_direction", "bool", False)
        """Drive each track the other way round with a probability of one half, from the same point. Default False; True
        or False.
        """
        random_mirror: bool = setting("variation.random_mirror", "bool", False)
        """Mirror each track at the y axis with a probability of one half. Default False; True or False."""

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                half_width_range: Optional[tuple[float, float]] = ...,
                random_direction: bool = ...,
                random_mirror: bool = ...,
            ) -> None: ...

    class Road(Settings):
        """Settings of the group road."""

        half_width: float = setting(
            "road.half_width", "float", 0.1, low=0, high=1000000, open="low", reference="half_width"
        )
        """Half the width of the road, in track units. Default 0.1; a number > 0 and <= 1000000. half_width of the
        reference.
        """
        height: float = setting("road.height", "float", 0.0, low=-1000000, high=1000000, reference="z_base")
        """Height of a flat track, and the height that random_walk and noise vary, in track units. Default 0.0; a number
        >= -1000000 and <= 1000000. z_base of the reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                half_width: float = ...,
                height: float = ...,
            ) -> None: ...

    class Elevation(Settings):
        """Settings of the group elevation."""

        profile: Literal["flat", "uniform", "random_walk", "noise"] = setting(
            "elevation.profile", "string", "flat", choices=("flat", "uniform", "random_walk", "noise",),
            reference="z_profile"
        )
        """Heights along the track: one for all points, a random one for each control point, a random walk over the
        control points, or sums of sines. Default 'flat'; one of flat, uniform, random_walk, noise. z_profile of the
        reference.
        """
        min: float = setting("elevation.min", "float", 0.0, low=-1000000, high=1000000, reference="z_min")
        """Lowest height of a track that is not flat, in track units. Default 0.0; a number >= -1000000 and <= 1000000.
        z_min of the reference.
        """
        max: float = setting("elevation.max", "float", 0.0, low=-1000000, high=1000000, reference="z_max")
        """Highest height of a track that is not flat, at least min, in track units. Default 0.0; a number >= -1000000
        and <= 1000000. z_max of the reference.
        """
        control_points: int = setting(
            "elevation.control_points", "int", 10, low=3, high=65536, reference="z_control_points"
        )
        """Points at equal distances along the track whose heights uniform and random_walk draw; a smooth curve goes
        through them. Default 10; a whole number >= 3 and <= 65536. z_control_points of the reference.
        """
        max_step: float = setting("elevation.max_step", "float", 0.0, low=0, high=1000000, reference="z_max_step")
        """Largest change of the height of random_walk per unit of length in plan view, before the walk is closed.
        Default 0.0; a number >= 0 and <= 1000000. z_max_step of the reference.
        """
        noise_amplitude: float = setting(
            "elevation.noise_amplitude", "float", 0.0, low=0, high=1000000, reference="z_noise_amplitude"
        )
        """Largest deviation of the height of noise from road.height, in track units. Default 0.0; a number >= 0 and <=
        1000000. z_noise_amplitude of the reference.
        """
        noise_harmonics: int = setting(
            "elevation.noise_harmonics", "int", 3, low=1, high=1000, reference="z_noise_harmonics"
        )
        """Sines of noise, with 1, 2, ... periods to the track. Default 3; a whole number >= 1 and <= 1000.
        z_noise_harmonics of the reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                profile: Literal["flat", "uniform", "random_walk", "noise"] = ...,
                min: float = ...,
                max: float = ...,
                control_points: int = ...,
                max_step: float = ...,
                noise_amplitude: float = ...,
                noise_harmonics: int = ...,
            ) -> None: ...

    class Banking(Settings):
        """Settings of the group banking."""

        profile: Literal["none", "curvature"] = setting(
            "banking.profile", "string", "none", choices=("none", "curvature",)
        )
        """Bank angle along the track: none, or proportional to the curvature, with the inside of bends lower. Default
        'none'; one of none, curvature.
        """
        factor: float = setting("banking.factor", "float", 0.05, low=0, high=1000000)
        """Bank angle in radians times the radius of the bend; for small angles, v^2/g of the speed at which a vehicle
        needs no side force, in track units. Default 0.05; a number >= 0 and <= 1000000.
        """
        max_angle: float = setting("banking.max_angle", "float", 0.2, low=0, high=1, open="low")
        """Largest bank angle to either side, in radians. Default 0.2; a number > 0 and <= 1."""
        transition: float = setting("banking.transition", "float", 0.5, low=0, high=1000000)
        """Length of the line over which the bank angle is averaged, with weights that fall to 0 at its ends; the angle
        changes by at most 4 max_angle on this way, in track units. Default 0.5; a number >= 0 and <= 1000000.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                profile: Literal["none", "curvature"] = ...,
                factor: float = ...,
                max_angle: float = ...,
                transition: float = ...,
            ) -> None: ...

    class Relax(Settings):
        """Settings of the group relax."""

        enabled: bool = setting("relax.enabled", "bool", True, reference="relax_enable")
        """Push the centreline apart and round it until the road fits. Default True; True or False. relax_enable of the
        reference.
        """
        sweeps: int = setting("relax.sweeps", "int", 50, low=0, high=100000, reference="relax_iters")
        """Jacobi sweeps; without any, the loop is only smoothed and spaced. Default 50; a whole number >= 0 and <=
        100000. relax_iters of the reference.
        """
        margin: float = setting("relax.margin", "float", 0.15, low=-1, high=10, reference="relax_margin")
        """Extra distance to which points are pushed apart, as a fraction of what the road needs; a negative one leaves
        less than the road needs. Default 0.15; a number >= -1 and <= 10. relax_margin of the reference.
        """
        band: Optional[int] = setting("relax.band", "int", None, low=-1, high=65536, reference="relax_band", zero=True)
        """Neighbours along the loop that never push each other; with as many as the loop has points, no points do, and
        with -1 all do. Default None: the road width over the mean spacing, per env; a whole number >= -1 and <=
        65536. relax_band of the reference.
        """
        acceleration: Literal["chebyshev", "none"] = setting(
            "relax.acceleration", "string", "chebyshev", choices=("chebyshev", "none",), reference="relax_accel"
        )
        """Acceleration of the sweeps. Default 'chebyshev'; one of chebyshev, none. relax_accel of the reference."""
        chebyshev_spectral_radius: float = setting(
            "relax.chebyshev_spectral_radius", "float", 0.98, low=0, high=1, open="high", reference="relax_cheby_rho"
        )
        """Estimated spectral radius for Chebyshev. Default 0.98; a number >= 0 and < 1. relax_cheby_rho of the
        reference.
        """
        chebyshev_under_relaxation: float = setting(
            "relax.chebyshev_under_relaxation", "float", 0.9, low=0, high=1, open="low", reference="relax_cheby_gamma"
        )
        """Under-relaxation of each Chebyshev step. Default 0.9; a number > 0 and <= 1. relax_cheby_gamma of the
        reference.
        """
        chebyshev_start: int = setting(
            "relax.chebyshev_start", "int", 8, low=1, high=100000, reference="relax_cheby_start"
        )
        """First sweep that is accelerated. Default 8; a whole number >= 1 and <= 100000. relax_cheby_start of the
        reference.
        """
        separation_weight: float = setting(
            "relax.separation_weight", "float", 1.0, low=-10, high=10, reference="relax_sep_relax"
        )
        """Weight of the separation push; a negative one pulls close points together. Default 1.0; a number >= -10 and
        <= 10. relax_sep_relax of the reference.
        """
        spacing_weight: float = setting(
            "relax.spacing_weight", "float", 1.0, low=0, high=10, reference="relax_spc_relax"
        )
        """Weight of the spacing correction. Default 1.0; a number >= 0 and <= 10. relax_spc_relax of the reference."""
        bending_weight: float = setting(
            "relax.bending_weight", "float", 1.5, low=0, high=10, reference="relax_bend_relax"
        )
        """Weight of the bending correction. Default 1.5; a number >= 0 and <= 10. relax_bend_relax of the reference."""
        separation_search_every: int = setting(
            "relax.separation_search_every", "int", 20, low=1, high=100000, reference="relax_sep_every"
        )
        """Sweeps between two searches for close points. Default 20; a whole number >= 1 and <= 100000. relax_sep_every
        of the reference.
        """
        separation_cache_slots: int = setting(
            "relax.separation_cache_slots", "int", 16, low=0, high=65536, reference="relax_sep_cache_slots"
        )
        """Close points remembered per point; 0 searches densely instead. Default 16; a whole number >= 0 and <= 65536.
        relax_sep_cache_slots of the reference.
        """
        separation_cache_skin: float = setting(
            "relax.separation_cache_skin", "float", 0.5, low=0, high=100, reference="relax_sep_cache_skin"
        )
        """Extra search distance, as a fraction of the separation target. Default 0.5; a number >= 0 and <= 100.
        relax_sep_cache_skin of the reference.
        """
        smoothing_passes: int = setting(
            "relax.smoothing_passes", "int", 5, low=0, high=100000, reference="relax_smooth_passes"
        )
        """Taubin smoothing passes after the sweeps. Default 5; a whole number >= 0 and <= 100000. relax_smooth_passes
        of the reference.
        """
        spacing_sweeps: int = setting(
            "relax.spacing_sweeps", "int", 10, low=0, high=100000, reference="relax_smooth_spacing_iters"
        )
        """Spacing-only sweeps at the end. Default 10; a whole number >= 0 and <= 100000. relax_smooth_spacing_iters of
        the reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                enabled: bool = ...,
                sweeps: int = ...,
                margin: float = ...,
                band: Optional[int] = ...,
                acceleration: Literal["chebyshev", "none"] = ...,
                chebyshev_spectral_radius: float = ...,
                chebyshev_under_relaxation: float = ...,
                chebyshev_start: int = ...,
                separation_weight: float = ...,
                spacing_weight: float = ...,
                bending_weight: float = ...,
                separation_search_every: int = ...,
                separation_cache_slots: int = ...,
                separation_cache_skin: float = ...,
                smoothing_passes: int = ...,
                spacing_sweeps: int = ...,
            ) -> None: ...

    class Output(Settings):
        """Settings of the group output."""

        loop_points: int = setting("output.loop_points", "int", 256, low=8, high=65536, reference="num_points")
        """Points of the first loop, before it is resampled at constant spacing. Default 256; a whole number >= 8 and <=
        65536. num_points of the reference.
        """
        spacing: Optional[float] = setting(
            "output.spacing", "float", None, low=0, high=1000000, open="low", reference="spacing", zero=True
        )
        """Distance between points of the relaxed loop, in track units. Default None: 0.6 times the half width, per env;
        a number > 0 and <= 1000000. spacing of the reference.
        """
        max_points: int = setting("output.max_points", "int", 384, low=8, high=65536, reference="N_max")
        """Points stored per track; the rest of a row is NaN, except z. Default 384; a whole number >= 8 and <= 65536.
        N_max of the reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                loop_points: int = ...,
                spacing: Optional[float] = ...,
                max_points: int = ...,
            ) -> None: ...

    class Validity(Settings):
        """Settings of the group validity."""

        turning_tolerance: float = setting(
            "validity.turning_tolerance", "float", 0.1, low=0, high=6.283185307179586, open="low",
            reference="turning_tol"
        )
        """Largest deviation of the total turning from one revolution, in radians. Default 0.1; a number > 0 and <=
        6.283185307179586. turning_tol of the reference.
        """
        thickness_tolerance: float = setting(
            "validity.thickness_tolerance", "float", 0.02, low=-10, high=10, reference="relax_tol"
        )
        """Shortfall of thickness that still counts as valid, as a fraction of the half width; a negative one asks for
        more than that, and from 1 on any thickness counts. Default 0.02; a number >= -10 and <= 10. relax_tol of the
        reference.
        """
        min_half_width: float = setting(
            "validity.min_half_width", "float", 0.001, low=0, high=1000000, reference="w_floor"
        )
        """Half width that a valid track must exceed, in track units. Default 0.001; a number >= 0 and <= 1000000.
        w_floor of the reference.
        """
        check_borders: bool = setting("validity.check_borders", "bool", False, reference="validity_border_check")
        """Also require that no border crosses itself or the other one. Default False; True or False.
        validity_border_check of the reference.
        """
        max_grade: Optional[float] = setting(
            "validity.max_grade", "float", None, low=0, high=1000000, open="low", reference="z_valid_grade", zero=True
        )
        """Largest change of height between two successive points, as a fraction of their distance in plan view. Default
        None: no limit; a number > 0 and <= 1000000. z_valid_grade of the reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                turning_tolerance: float = ...,
                thickness_tolerance: float = ...,
                min_half_width: float = ...,
                check_borders: bool = ...,
                max_grade: Optional[float] = ...,
            ) -> None: ...

    generator: Literal["bezier", "hull", "polar", "voronoi", "checkpoint", "repulsive", "mixed"] = setting(
        "generator", "string", "bezier", choices=("bezier", "hull", "polar", "voronoi", "checkpoint", "repulsive",
        "mixed",), reference="generator"
    )
    """Which generator draws the first loop. Default 'bezier'; one of bezier, hull, polar, voronoi, checkpoint,
    repulsive, mixed. generator of the reference.
    """
    num_envs: int = setting("num_envs", "int", 1, low=1, high=16777216, reference="num_envs")
    """Tracks in the batch, E. Default 1; a whole number >= 1 and <= 16777216. num_envs of the reference."""
    candidates: int = setting("candidates", "int", 1, low=1, high=64)
    """Maximum number of tracks that an env draws until one is valid and its first loop has no crossing; the best one is
    kept. Default 1; a whole number >= 1 and <= 64.
    """
    scale: float = setting("scale", "float", 1.0, low=-1000000, high=1000000, open="zero", reference="scale")
    """Side of the square that corner points are drawn in; the loops of polar, voronoi and checkpoint span 1.44 times as
    much; a negative scale turns every loop by half a turn, in track units. Default 1.0; a number other than 0, >=
    -1000000 and <= 1000000. scale of the reference.
    """
    mix: Optional[list[dict[str, Any]]] = setting("mix", "mix", None, zero=True)
    """Components of a mixed batch, as configuration files have them: a dict of weight, generator and its settings each.
    Default None: one generator.
    """
    spline: Spline
    corners: Corners
    bezier: Bezier
    hull: Hull
    polar: Polar
    voronoi: Voronoi
    checkpoint: Checkpoint
    repulsive: Repulsive
    variation: Variation
    road: Road
    elevation: Elevation
    banking: Banking
    relax: Relax
    output: Output
    validity: Validity
    _groups = {
        "spline": Spline,
        "corners": Corners,
        "bezier": Bezier,
        "hull": Hull,
        "polar": Polar,
        "voronoi": Voronoi,
        "checkpoint": Checkpoint,
        "repulsive": Repulsive,
        "variation": Variation,
        "road": Road,
        "elevation": Elevation,
        "banking": Banking,
        "relax": Relax,
        "output": Output,
        "validity": Validity,
    }

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            generator: Literal["bezier", "hull", "polar", "voronoi", "checkpoint", "repulsive", "mixed"] = ...,
            num_envs: int = ...,
            candidates: int = ...,
            scale: float = ...,
            mix: Optional[list[dict[str, Any]]] = ...,
            spline: Union[Spline, Mapping[str, Any]] = ...,
            corners: Union[Corners, Mapping[str, Any]] = ...,
            bezier: Union[Bezier, Mapping[str, Any]] = ...,
            hull: Union[Hull, Mapping[str, Any]] = ...,
            polar: Union[Polar, Mapping[str, Any]] = ...,
            voronoi: Union[Voronoi, Mapping[str, Any]] = ...,
            checkpoint: Union[Checkpoint, Mapping[str, Any]] = ...,
            repulsive: Union[Repulsive, Mapping[str, Any]] = ...,
            variation: Union[Variation, Mapping[str, Any]] = ...,
            road: Union[Road, Mapping[str, Any]] = ...,
            elevation: Union[Elevation, Mapping[str, Any]] = ...,
            banking: Union[Banking, Mapping[str, Any]] = ...,
            relax: Union[Relax, Mapping[str, Any]] = ...,
            output: Union[Output, Mapping[str, Any]] = ...,
            validity: Union[Validity, Mapping[str, Any]] = ...,
        ) -> None: ...



class GateConfig(Configuration):
    """Settings of batches of gate courses."""

    kind = "gates"

    class Corners(Settings):
        """Settings of the group corners."""

        min_count: int = setting("corners.min_count", "int", 9, low=2, high=512, reference="min_num_points")
        """Minimum number of gates of bezier and hull. Default 9; a whole number >= 2 and <= 512. min_num_points of the
        reference.
        """
        max_count: int = setting("corners.max_count", "int", 13, low=2, high=512, reference="max_num_points")
        """Maximum number of gates of bezier and hull, at least min_count. Default 13; a whole number >= 2 and <= 512.
        max_num_points of the reference.
        """
        half_cell_size: float = setting(
            "corners.half_cell_size", "float", 0.05, low=2e-05, high=0.5, reference="min_point_distance"
        )
        """Half the cell size of the grid that corner points are drawn from, as a fraction of scale. Default 0.05; a
        number >= 2e-05 and <= 0.5. min_point_distance of the reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                min_count: int = ...,
                max_count: int = ...,
                half_cell_size: float = ...,
            ) -> None: ...

    class Polar(Settings):
        """Settings of the group polar."""

        knots: int = setting("polar.knots", "int", 12, low=0, high=512, reference="polar_num_knots")
        """Gates around the circle; fewer than 4 count as 4. Default 12; a whole number >= 0 and <= 512. polar_num_knots
        of the reference.
        """
        radial_jitter: float = setting(
            "polar.radial_jitter", "float", 0.6, low=0, high=10, reference="polar_radial_jitter"
        )
        """Largest relative change of a gate's radius; 0.85 is the most that counts. Default 0.6; a number >= 0 and <=
        10. polar_radial_jitter of the reference.
        """
        angular_jitter: float = setting(
            "polar.angular_jitter", "float", 0.3, low=0, high=10, reference="polar_angular_jitter"
        )
        """Largest move of a gate along the circle, as a fraction of the spacing; 0.45 is the most that counts. Default
        0.3; a number >= 0 and <= 10. polar_angular_jitter of the reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                knots: int = ...,
                radial_jitter: float = ...,
                angular_jitter: float = ...,
            ) -> None: ...

    class Voronoi(Settings):
        """Settings of the group voronoi."""

        sites: int = setting("voronoi.sites", "int", 256, low=3, high=65536, reference="voronoi_num_sites")
        """Random sites, at least control_points. Default 256; a whole number >= 3 and <= 65536. voronoi_num_sites of
        the reference.
        """
        layout: Literal["ring", "void_ring", "clustered", "mixed"] = setting(
            "voronoi.layout", "string", "void_ring", choices=("ring", "void_ring", "clustered", "mixed",),
            reference="voronoi_site_layout"
        )
        """Where sites lie: all over a square, around an empty middle, in clusters, or as a mixture of the first two.
        Default 'void_ring'; one of ring, void_ring, clustered, mixed. voronoi_site_layout of the reference.
        """
        control_points: int = setting(
            "voronoi.control_points", "int", 18, low=3, high=512, reference="voronoi_control_points"
        )
        """Sectors around the origin, in each of which one site becomes a gate. Default 18; a whole number >= 3 and <=
        512. voronoi_control_points of the reference.
        """
        radial_variation: float = setting(
            "voronoi.radial_variation", "float", 0.62, low=0, high=10, reference="voronoi_radial_variation"
        )
        """How far the target distance of a site from the origin varies along the course, as a fraction of its mean; the
        layouts enlarge it by up to 1.16, and 0.85 is the most that counts. Default 0.62; a number >= 0 and <= 10.
        voronoi_radial_variation of the reference.
        """
        angular_jitter: float = setting(
            "voronoi.angular_jitter", "float", 0.08, low=0, high=6.283185307179586, reference="voronoi_angular_jitter"
        )
        """Largest random change of the target direction of a site, in radians. Default 0.08; a number >= 0 and <=
        6.283185307179586. voronoi_angular_jitter of the reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                sites: int = ...,
                layout: Literal["ring", "void_ring", "clustered", "mixed"] = ...,
                control_points: int = ...,
                radial_variation: float = ...,
                angular_jitter: float = ...,
            ) -> None: ...

    class Checkpoint(Settings):
        """Settings of the group checkpoint."""

        count: int = setting("checkpoint.count", "int", 12, low=3, high=512, reference="checkpoint_count")
        """Gates around a circle of radius 1. Default 12; a whole number >= 3 and <= 512. checkpoint_count of the
        reference.
        """
        min_radius: float = setting(
            "checkpoint.min_radius", "float", 0.33, low=0, high=1, open="high", reference="checkpoint_radius_min_frac"
        )
        """Smallest distance of a gate from the middle of the circle, as a fraction of its radius. Default 0.33; a
        number >= 0 and < 1. checkpoint_radius_min_frac of the reference.
        """
        angular_jitter: float = setting(
            "checkpoint.angular_jitter", "float", 0.55, low=0, high=10, reference="checkpoint_angle_jitter"
        )
        """Largest move of a gate along the circle, as a fraction of the distance between two. Default 0.55; a number >=
        0 and <= 10. checkpoint_angle_jitter of the reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                count: int = ...,
                min_radius: float = ...,
                angular_jitter: float = ...,
            ) -> None: ...

    class Repulsive(Settings):
        """Settings of the group repulsive."""

        min_count: int = setting("repulsive.min_count", "int", 18, low=2, high=512)
        """Minimum number of gates, at equal distances along the curve. Default 18; a whole number >= 2 and <= 512."""
        max_count: int = setting("repulsive.max_count", "int", 24, low=2, high=512)
        """Maximum number of gates, at least min_count. Default 24; a whole number >= 2 and <= 512."""
        min_growth: float = setting(
            "repulsive.min_growth", "float", 4.5, low=1, high=1000, reference="repulsive_grow_mult_min"
        )
        """Shortest loop, as a multiple of the circle that it grows from. Default 4.5; a number >= 1 and <= 1000.
        repulsive_grow_mult_min of the reference.
        """
        max_growth: float = setting(
            "repulsive.max_growth", "float", 5.5, low=1, high=1000, open="low", reference="repulsive_grow_mult_max"
        )
        """Longest loop, at least min_growth. Default 5.5; a number > 1 and <= 1000. repulsive_grow_mult_max of the
        reference.
        """
        wall_radius: float = setting(
            "repulsive.wall_radius", "float", 0.35, low=0, high=1000, open="low", reference="repulsive_domain_frac"
        )
        """Radius of the wall around the loop, in units of 4.9029 times scale. Default 0.35; a number > 0 and <= 1000.
        repulsive_domain_frac of the reference.
        """
        wall_to_circle_ratio: float = setting(
            "repulsive.wall_to_circle_ratio", "float", 4.0, low=1, high=1000, open="low",
            reference="repulsive_domain_init_ratio"
        )
        """Ratio of the radius of the wall to that of the first circle. Default 4.0; a number > 1 and <= 1000.
        repulsive_domain_init_ratio of the reference.
        """
        min_obstacles: int = setting(
            "repulsive.min_obstacles", "int", 8, low=1, high=16, reference="repulsive_obstacle_count_min"
        )
        """Minimum number of discs that the loop grows around. Default 8; a whole number >= 1 and <= 16.
        repulsive_obstacle_count_min of the reference.
        """
        max_obstacles: int = setting(
            "repulsive.max_obstacles", "int", 12, low=1, high=16, reference="repulsive_obstacle_count_max"
        )
        """Maximum number of discs, at least min_obstacles. Default 12; a whole number >= 1 and <= 16.
        repulsive_obstacle_count_max of the reference.
        """
        min_obstacle_radius: float = setting(
            "repulsive.min_obstacle_radius", "float", 0.02, low=0, high=1, open="low",
            reference="repulsive_obstacle_radius_frac_min"
        )
        """Smallest disc, its radius as a fraction of that of the wall. Default 0.02; a number > 0 and <= 1.
        repulsive_obstacle_radius_frac_min of the reference.
        """
        max_obstacle_radius: float = setting(
            "repulsive.max_obstacle_radius", "float", 0.045, low=0, high=1, open="low",
            reference="repulsive_obstacle_radius_frac_max"
        )
        """Largest disc, at least min_obstacle_radius. Default 0.045; a number > 0 and <= 1.
        repulsive_obstacle_radius_frac_max of the reference.
        """
        drop_obstacles: bool = setting(
            "repulsive.drop_obstacles", "bool", True, reference="repulsive_deactivate_obstacles"
        )
        """Drop the discs once a loop has its length. Default True; True or False. repulsive_deactivate_obstacles of the
        reference.
        """
        growth_rate: float = setting(
            "repulsive.growth_rate", "float", 0.012, low=0, high=1, open="low", reference="repulsive_ratchet_rate"
        )
        """Growth of the loop in one iteration. Default 0.012; a number > 0 and <= 1. repulsive_ratchet_rate of the
        reference.
        """
        alpha: float = setting("repulsive.alpha", "float", 3.0, low=0, high=12, open="low", reference="repulsive_alpha")
        """Exponent of the tangent-point energy: that of the distance of a point from another point's tangent. Default
        3.0; a number > 0 and <= 12. repulsive_alpha of the reference.
        """
        beta: float = setting("repulsive.beta", "float", 6.0, low=0, high=12, open="low", reference="repulsive_beta")
        """Exponent of the tangent-point energy: that of the distance of two points; obstacles repel with the distance
        to the power alpha - beta; other exponents than 3 and 6 take about ten times as long. Default 6.0; a number >
        0 and <= 12. repulsive_beta of the reference.
        """
        step_size: float = setting(
            "repulsive.step_size", "float", 0.4, low=0, high=10, open="low", reference="repulsive_tau"
        )
        """Largest move of a point in one iteration, as a fraction of the mean distance of neighbours. Default 0.4; a
        number > 0 and <= 10. repulsive_tau of the reference.
        """
        settle_iterations: int = setting(
            "repulsive.settle_iterations", "int", 40, low=1, high=10000, reference="repulsive_settle_iters"
        )
        """Iterations after the loop has grown to its full length. Default 40; a whole number >= 1 and <= 10000.
        repulsive_settle_iters of the reference.
        """
        resample_every: int = setting(
            "repulsive.resample_every", "int", 25, low=1, high=100000, reference="repulsive_resample_every"
        )
        """Iterations between two resamplings at even spacing. Default 25; a whole number >= 1 and <= 100000.
        repulsive_resample_every of the reference.
        """
        horizon: Optional[int] = setting("repulsive.horizon", "int", None, low=1, high=10000, zero=True)
        """Iteration until which the points of a loop that is done are still spread evenly, as in a batch of the
        reference system that ends then. Default None: 1.6 times the iterations in which the longest loop grows; a
        whole number >= 1 and <= 10000.
        """
        stall_window: int = setting(
            "repulsive.stall_window", "int", 16, low=1, high=10000, reference="repulsive_stall_window"
        )
        """Iterations between two checks whether a loop is done. Default 16; a whole number >= 1 and <= 10000.
        repulsive_stall_window of the reference.
        """
        stall_area_tolerance: float = setting(
            "repulsive.stall_area_tolerance", "float", 0.05, low=0, high=1000, reference="repulsive_stall_area_tol"
        )
        """Change of the enclosed area since the last check, as a fraction, below which a loop of full length is done.
        Default 0.05; a number >= 0 and <= 1000. repulsive_stall_area_tol of the reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                min_count: int = ...,
                max_count: int = ...,
                min_growth: float = ...,
                max_growth: float = ...,
                wall_radius: float = ...,
                wall_to_circle_ratio: float = ...,
                min_obstacles: int = ...,
                max_obstacles: int = ...,
                min_obstacle_radius: float = ...,
                max_obstacle_radius: float = ...,
                drop_obstacles: bool = ...,
                growth_rate: float = ...,
                alpha: float = ...,
                beta: float = ...,
                step_size: float = ...,
                settle_iterations: int = ...,
                resample_every: int = ...,
                horizon: Optional[int] = ...,
                stall_window: int = ...,
                stall_area_tolerance: float = ...,
            ) -> None: ...

    class Along(Settings):
        """Settings of the group along."""

        spacing: float = setting("along.spacing", "float", 1.0, low=0, high=1000000, open="low")
        """Distance between gates along a track; the track is divided into equal parts of about this length, in track
        units. Default 1.0; a number > 0 and <= 1000000.
        """
        road_fraction: float = setting("along.road_fraction", "float", 1.0, low=0, high=10)
        """Width of a gate as a fraction of the width of the road, where gate.width is 0; the road counts as twice as
        wide as it is to its narrower side. Default 1.0; a number >= 0 and <= 10.
        """
        any_track: bool = setting("along.any_track", "bool", False)
        """Whether courses along tracks that are not valid may be valid. Default False; True or False."""

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                spacing: float = ...,
                road_fraction: float = ...,
                any_track: bool = ...,
            ) -> None: ...

    class Gate(Settings):
        """Settings of the group gate."""

        radius: float = setting("gate.radius", "float", 0.025, low=0, high=1000000, reference="gate_radius")
        """Half the distance in plan view below which two gates are too near; gates are moved apart to it, in track
        units. Default 0.025; a number >= 0 and <= 1000000. gate_radius of the reference.
        """
        separation_sweeps: int = setting(
            "gate.separation_sweeps", "int", 8, low=0, high=10000, reference="gate_solve_iters"
        )
        """Sweeps over all pairs of gates that move gates apart; with 0, gates stay where they were drawn. Default 8; a
        whole number >= 0 and <= 10000. gate_solve_iters of the reference.
        """
        width: float = setting("gate.width", "float", 0.0, low=0, high=1000000, reference="gate_width")
        """Width of the opening of a gate, from post to post, in track units. Default 0.0; a number >= 0 and <= 1000000.
        gate_width of the reference.
        """
        size_range: Optional[tuple[float, float]] = setting(
            "gate.size_range", "range", None, low=0, high=1000000, open="low", zero=True
        )
        """Range from which each env draws a factor for gate.radius and gate.width, uniformly. Default None: 1 for all
        envs; a pair [min, max] with min <= max, each > 0 and <= 1000000.
        """
        align: Literal["full_tangent", "yaw_only"] = setting(
            "gate.align", "string", "yaw_only", choices=("full_tangent", "yaw_only",), reference="gate_align"
        )
        """Whether gates stand upright or tilt with the course. Default 'yaw_only'; one of full_tangent, yaw_only.
        gate_align of the reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                radius: float = ...,
                separation_sweeps: int = ...,
                width: float = ...,
                size_range: Optional[tuple[float, float]] = ...,
                align: Literal["full_tangent", "yaw_only"] = ...,
            ) -> None: ...

    class Elevation(Settings):
        """Settings of the group elevation."""

        profile: Literal["flat", "uniform", "random_walk", "noise"] = setting(
            "elevation.profile", "string", "flat", choices=("flat", "uniform", "random_walk", "noise",),
            reference="z_profile"
        )
        """Heights of the gates: one for all, a random one for each, a random walk along the course, or sums of sines.
        Default 'flat'; one of flat, uniform, random_walk, noise. z_profile of the reference.
        """
        base: float = setting("elevation.base", "float", 0.0, low=-1000000, high=1000000, reference="z_base")
        """Height of a flat course, and the height that random_walk and noise vary, in track units. Default 0.0; a
        number >= -1000000 and <= 1000000. z_base of the reference.
        """
        min: float = setting("elevation.min", "float", 0.0, low=-1000000, high=1000000, reference="z_min")
        """Lowest height of a course that is not flat, in track units. Default 0.0; a number >= -1000000 and <= 1000000.
        z_min of the reference.
        """
        max: float = setting("elevation.max", "float", 0.0, low=-1000000, high=1000000, reference="z_max")
        """Highest height of a course that is not flat, at least min, in track units. Default 0.0; a number >= -1000000
        and <= 1000000. z_max of the reference.
        """
        max_step: float = setting("elevation.max_step", "float", 0.0, low=0, high=1000000, reference="z_max_step")
        """Largest change of the height of random_walk per unit of length in plan view. Default 0.0; a number >= 0 and
        <= 1000000. z_max_step of the reference.
        """
        noise_amplitude: float = setting(
            "elevation.noise_amplitude", "float", 0.0, low=0, high=1000000, reference="z_noise_amplitude"
        )
        """Largest deviation of the height of noise from base, in track units. Default 0.0; a number >= 0 and <=
        1000000. z_noise_amplitude of the reference.
        """
        noise_harmonics: int = setting(
            "elevation.noise_harmonics", "int", 3, low=1, high=1000, reference="z_noise_harmonics"
        )
        """Sines of noise, with 1, 2, ... periods to the course. Default 3; a whole number >= 1 and <= 1000.
        z_noise_harmonics of the reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                profile: Literal["flat", "uniform", "random_walk", "noise"] = ...,
                base: float = ...,
                min: float = ...,
                max: float = ...,
                max_step: float = ...,
                noise_amplitude: float = ...,
                noise_harmonics: int = ...,
            ) -> None: ...

    class Output(Settings):
        """Settings of the group output."""

        max_gates: int = setting("output.max_gates", "int", 32, low=2, high=512, reference="max_gates")
        """Gates stored per course; the rest of a row is NaN. Default 32; a whole number >= 2 and <= 512. max_gates of
        the reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                max_gates: int = ...,
            ) -> None: ...

    class Validity(Settings):
        """Settings of the group validity."""

        min_gates: int = setting("validity.min_gates", "int", 4, low=2, high=512, reference="min_gates")
        """Minimum number of gates of a valid course. Default 4; a whole number >= 2 and <= 512. min_gates of the
        reference.
        """
        max_grade: Optional[float] = setting(
            "validity.max_grade", "float", None, low=0, high=1000000, open="low", reference="z_valid_grade", zero=True
        )
        """Largest change of height from gate to gate, as a fraction of their distance in plan view. Default None: no
        limit; a number > 0 and <= 1000000. z_valid_grade of the reference.
        """
        min_distance: float = setting("validity.min_distance", "float", 0.0, low=0, high=1000000)
        """Smallest distance from a gate to the next one, in track units. Default 0.0; a number >= 0 and <= 1000000."""
        max_distance: Optional[float] = setting(
            "validity.max_distance", "float", None, low=0, high=1000000, open="low", zero=True
        )
        """Largest distance from a gate to the next one, at least min_distance, in track units. Default None: no limit;
        a number > 0 and <= 1000000.
        """
        min_turn: float = setting("validity.min_turn", "float", 0.0, low=0, high=3.141592653589793)
        """Smallest angle between the way to a gate and the way from it, in radians. Default 0.0; a number >= 0 and <=
        3.141592653589793.
        """
        max_turn: Optional[float] = setting(
            "validity.max_turn", "float", None, low=0, high=3.141592653589793, open="low", zero=True
        )
        """Largest angle between the way to a gate and the way from it, at least min_turn, in radians. Default None: no
        limit; a number > 0 and <= 3.141592653589793.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                min_gates: int = ...,
                max_grade: Optional[float] = ...,
                min_distance: float = ...,
                max_distance: Optional[float] = ...,
                min_turn: float = ...,
                max_turn: Optional[float] = ...,
            ) -> None: ...

    generator: Literal["bezier", "hull", "polar", "voronoi", "checkpoint", "repulsive", "mixed"] = setting(
        "generator", "string", "bezier", choices=("bezier", "hull", "polar", "voronoi", "checkpoint", "repulsive",
        "mixed",), reference="generator"
    )
    """Which generator draws the control points. Default 'bezier'; one of bezier, hull, polar, voronoi, checkpoint,
    repulsive, mixed. generator of the reference.
    """
    num_envs: int = setting("num_envs", "int", 1, low=1, high=16777216, reference="num_envs")
    """Courses in the batch, E. Default 1; a whole number >= 1 and <= 16777216. num_envs of the reference."""
    candidates: int = setting("candidates", "int", 1, low=1, high=64)
    """Maximum number of courses that an env draws until one is valid; the first valid one is kept. Default 1; a whole
    number >= 1 and <= 64.
    """
    ordering: Optional[Literal["raw", "ccw", "random_pairs"]] = setting(
        "ordering", "string", None, choices=("raw", "ccw", "random_pairs",), reference="gate_ordering", zero=True
    )
    """Order of the gates: by angle around their centroid, as they were drawn, or pairs in random order; bezier and hull
    allow ccw and random_pairs, polar, voronoi and checkpoint allow ccw and raw. Default None: ccw, and raw with
    repulsive; one of raw, ccw, random_pairs. gate_ordering of the reference.
    """
    scale: float = setting("scale", "float", 1.0, low=-1000000, high=1000000, reference="scale")
    """Side of the square that corner points are drawn in; the courses of polar, voronoi, checkpoint and repulsive span
    1.44 times as much before gates are moved apart; 0 puts all gates in one place, in track units. Default 1.0; a
    number >= -1000000 and <= 1000000. scale of the reference.
    """
    mix: Optional[list[dict[str, Any]]] = setting("mix", "mix", None, zero=True)
    """Components of a mixed batch, as configuration files have them: a dict of weight, generator and its settings each.
    Default None: one generator.
    """
    corners: Corners
    polar: Polar
    voronoi: Voronoi
    checkpoint: Checkpoint
    repulsive: Repulsive
    along: Along
    gate: Gate
    elevation: Elevation
    output: Output
    validity: Validity
    _groups = {
        "corners": Corners,
        "polar": Polar,
        "voronoi": Voronoi,
        "checkpoint": Checkpoint,
        "repulsive": Repulsive,
        "along": Along,
        "gate": Gate,
        "elevation": Elevation,
        "output": Output,
        "validity": Validity,
    }

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            generator: Literal["bezier", "hull", "polar", "voronoi", "checkpoint", "repulsive", "mixed"] = ...,
            num_envs: int = ...,
            candidates: int = ...,
            ordering: Optional[Literal["raw", "ccw", "random_pairs"]] = ...,
            scale: float = ...,
            mix: Optional[list[dict[str, Any]]] = ...,
            corners: Union[Corners, Mapping[str, Any]] = ...,
            polar: Union[Polar, Mapping[str, Any]] = ...,
            voronoi: Union[Voronoi, Mapping[str, Any]] = ...,
            checkpoint: Union[Checkpoint, Mapping[str, Any]] = ...,
            repulsive: Union[Repulsive, Mapping[str, Any]] = ...,
            along: Union[Along, Mapping[str, Any]] = ...,
            gate: Union[Gate, Mapping[str, Any]] = ...,
            elevation: Union[Elevation, Mapping[str, Any]] = ...,
            output: Union[Output, Mapping[str, Any]] = ...,
            validity: Union[Validity, Mapping[str, Any]] = ...,
        ) -> None: ...



class CourseConfig(Configuration):
    """Settings of a course: checkpoints, collisions, places, and its tracks or gates."""

    kind = "course"

    class Checkpoints(Settings):
        """Settings of the group checkpoints."""

        spacing: Optional[float] = setting(
            "checkpoints.spacing", "float", None, low=0, high=1000000, open="low", reference="checkpoint_spacing",
            zero=True
        )
        """Distance between checkpoints along a track; the track is divided into equal parts of about this length; a
        course of tracks needs it, in track units. Default None: the gates of a gate course; a number > 0 and <=
        1000000. checkpoint_spacing of the reference.
        """
        max: Optional[int] = setting(
            "checkpoints.max", "int", None, low=3, high=65536, reference="max_checkpoints", zero=True
        )
        """Checkpoints stored per track; a longer track gets fewer with more distance. Default None: 1.5 times as many
        as the longest valid track of the first batch needs; a whole number >= 3 and <= 65536. max_checkpoints of the
        reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                spacing: Optional[float] = ...,
                max: Optional[int] = ...,
            ) -> None: ...

    class Collision(Settings):
        """Settings of the group collision."""

        method: Literal["none", "segments", "sdf"] = setting(
            "collision.method", "string", "none", choices=("none", "segments", "sdf",), reference="collision"
        )
        """What boxes collide with: nothing, the segments of the borders, or a signed distance field. Default 'none';
        one of none, segments, sdf. collision of the reference.
        """
        sdf_resolution: Optional[int] = setting(
            "collision.sdf_resolution", "int", None, low=8, high=4096, reference="sdf_resolution", zero=True
        )
        """Cells along each side of the distance field of an env. Default None: 128; a whole number >= 8 and <= 4096.
        sdf_resolution of the reference.
        """
        agents: bool = setting("collision.agents", "bool", False)
        """Whether the boxes of an env collide with each other, as seen from above: heights do not count. Default False;
        True or False.
        """
        swept: bool = setting("collision.swept", "bool", False)
        """Whether to find when a box first touches something on its way from its position at the last step. Default
        False; True or False.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                method: Literal["none", "segments", "sdf"] = ...,
                sdf_resolution: Optional[int] = ...,
                agents: bool = ...,
                swept: bool = ...,
            ) -> None: ...

    class Posts(Settings):
        """Settings of the group posts."""

        radius: float = setting("posts.radius", "float", 0.0, low=0, high=1000000, reference="post_radius")
        """Radius of the posts; without one there are no posts, in track units. Default 0.0; a number >= 0 and <=
        1000000. post_radius of the reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                radius: float = ...,
            ) -> None: ...

    class Frames(Settings):
        """Settings of the group frames."""

        enabled: bool = setting("frames.enabled", "bool", False, reference="frame_collision")
        """Whether agents collide with the frames of the gates around their next one. Default False; True or False.
        frame_collision of the reference.
        """
        thickness: float = setting("frames.thickness", "float", 0.0, low=0, high=1000000, reference="frame_thickness")
        """Thickness of posts and bars across the opening, in track units. Default 0.0; a number >= 0 and <= 1000000.
        frame_thickness of the reference.
        """
        depth: float = setting("frames.depth", "float", 0.0, low=0, high=1000000, reference="frame_depth")
        """Thickness of posts and bars along the way through the gate, in track units. Default 0.0; a number >= 0 and <=
        1000000. frame_depth of the reference.
        """
        agent_radius: float = setting(
            "frames.agent_radius", "float", 0.0, low=0, high=1000000, reference="agent_radius"
        )
        """Radius of the ball that stands for an agent, in track units. Default 0.0; a number >= 0 and <= 1000000.
        agent_radius of the reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                enabled: bool = ...,
                thickness: float = ...,
                depth: float = ...,
                agent_radius: float = ...,
            ) -> None: ...

    class Line(Settings):
        """Settings of the group line."""

        samples_per_gate: int = setting(
            "line.samples_per_gate", "int", 8, low=2, high=1024, reference="samples_per_gate"
        )
        """Points of the line for each gate. Default 8; a whole number >= 2 and <= 1024. samples_per_gate of the
        reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                samples_per_gate: int = ...,
            ) -> None: ...

    class Localize(Settings):
        """Settings of the group localize."""

        enabled: bool = setting("localize.enabled", "bool", False)
        """Whether agents of a course of tracks are localised; those of a gate course always are. Default False; True or
        False.
        """
        warm_window: Optional[int] = setting(
            "localize.warm_window", "int", None, low=1, high=65536, reference="localize_window", zero=True
        )
        """Segments on either side of the last one in which an agent is sought; it then stays on its part of a line that
        comes near itself. Default None: all segments; a whole number >= 1 and <= 65536. localize_window of the
        reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                enabled: bool = ...,
                warm_window: Optional[int] = ...,
            ) -> None: ...

    class Ground(Settings):
        """Settings of the group ground."""

        resolution: Optional[int] = setting(
            "ground.resolution", "int", None, low=8, high=4096, reference="heightfield_resolution", zero=True
        )
        """Cells along each side of the height field of an env. Default None: no height fields; a whole number >= 8 and
        <= 4096. heightfield_resolution of the reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                resolution: Optional[int] = ...,
            ) -> None: ...

    agents: int = setting("agents", "int", 1, low=1, high=1024)
    """Cars of each env, A. Default 1; a whole number >= 1 and <= 1024."""
    boxes: Optional[int] = setting("boxes", "int", None, low=1, high=65536, reference="max_boxes", zero=True)
    """Boxes of each env that collide, B. Default None: as many as agents; a whole number >= 1 and <= 65536. max_boxes
    of the reference.
    """
    checkpoints: Checkpoints
    collision: Collision
    posts: Posts
    frames: Frames
    line: Line
    localize: Localize
    ground: Ground
    tracks: TrackConfig
    """The tracks; None where gates are set."""
    gates: GateConfig
    """The gates in place of tracks; None by default."""
    _parts = ("tracks", "gates")
    _groups = {
        "checkpoints": Checkpoints,
        "collision": Collision,
        "posts": Posts,
        "frames": Frames,
        "line": Line,
        "localize": Localize,
        "ground": Ground,
        "tracks": TrackConfig,
        "gates": GateConfig,
    }

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            agents: int = ...,
            boxes: Optional[int] = ...,
            checkpoints: Union[Checkpoints, Mapping[str, Any]] = ...,
            collision: Union[Collision, Mapping[str, Any]] = ...,
            posts: Union[Posts, Mapping[str, Any]] = ...,
            frames: Union[Frames, Mapping[str, Any]] = ...,
            line: Union[Line, Mapping[str, Any]] = ...,
            localize: Union[Localize, Mapping[str, Any]] = ...,
            ground: Union[Ground, Mapping[str, Any]] = ...,
            tracks: Union[TrackConfig, Mapping[str, Any]] = ...,
            gates: Union[GateConfig, Mapping[str, Any]] = ...,
        ) -> None: ...



class RaceConfig(Configuration):
    """Settings of a race: vehicles, rewards, ends, observations, and those of its course."""

    kind = "race"

    class Checkpoints(Settings):
        """Settings of the group checkpoints."""

        spacing: float = setting(
            "checkpoints.spacing", "float", 2.0, low=0, high=1000000, open="low", reference="checkpoint_spacing",
            zero=True
        )
        """Distance between checkpoints along a track; the track is divided into equal parts of about this length; a
        course of tracks needs it, in track units. Default 2.0; a number > 0 and <= 1000000. checkpoint_spacing of
        the reference.
        """
        max: Optional[int] = setting(
            "checkpoints.max", "int", None, low=3, high=65536, reference="max_checkpoints", zero=True
        )
        """Checkpoints stored per track; a longer track gets fewer with more distance. Default None: 1.5 times as many
        as the longest valid track of the first batch needs; a whole number >= 3 and <= 65536. max_checkpoints of the
        reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                spacing: float = ...,
                max: Optional[int] = ...,
            ) -> None: ...

    class Collision(Settings):
        """Settings of the group collision."""

        method: Literal["none", "segments", "sdf"] = setting(
            "collision.method", "string", "segments", choices=("none", "segments", "sdf",), reference="collision"
        )
        """What boxes collide with: nothing, the segments of the borders, or a signed distance field. Default
        'segments'; one of none, segments, sdf. collision of the reference.
        """
        sdf_resolution: Optional[int] = setting(
            "collision.sdf_resolution", "int", None, low=8, high=4096, reference="sdf_resolution", zero=True
        )
        """Cells along each side of the distance field of an env. Default None: 128; a whole number >= 8 and <= 4096.
        sdf_resolution of the reference.
        """
        agents: bool = setting("collision.agents", "bool", False)
        """Whether the boxes of an env collide with each other, as seen from above: heights do not count. Default False;
        True or False.
        """
        swept: bool = setting("collision.swept", "bool", False)
        """Whether to find when a box first touches something on its way from its position at the last step. Default
        False; True or False.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                method: Literal["none", "segments", "sdf"] = ...,
                sdf_resolution: Optional[int] = ...,
                agents: bool = ...,
                swept: bool = ...,
            ) -> None: ...

    class Posts(Settings):
        """Settings of the group posts."""

        radius: float = setting("posts.radius", "float", 0.0, low=0, high=1000000, reference="post_radius")
        """Radius of the posts; without one there are no posts, in track units. Default 0.0; a number >= 0 and <=
        1000000. post_radius of the reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                radius: float = ...,
            ) -> None: ...

    class Frames(Settings):
        """Settings of the group frames."""

        enabled: bool = setting("frames.enabled", "bool", False, reference="frame_collision")
        """Whether agents collide with the frames of the gates around their next one. Default False; True or False.
        frame_collision of the reference.
        """
        thickness: float = setting("frames.thickness", "float", 0.0, low=0, high=1000000, reference="frame_thickness")
        """Thickness of posts and bars across the opening, in track units. Default 0.0; a number >= 0 and <= 1000000.
        frame_thickness of the reference.
        """
        depth: float = setting("frames.depth", "float", 0.0, low=0, high=1000000, reference="frame_depth")
        """Thickness of posts and bars along the way through the gate, in track units. Default 0.0; a number >= 0 and <=
        1000000. frame_depth of the reference.
        """
        agent_radius: float = setting(
            "frames.agent_radius", "float", 0.0, low=0, high=1000000, reference="agent_radius"
        )
        """Radius of the ball that stands for an agent, in track units. Default 0.0; a number >= 0 and <= 1000000.
        agent_radius of the reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                enabled: bool = ...,
                thickness: float = ...,
                depth: float = ...,
                agent_radius: float = ...,
            ) -> None: ...

    class Line(Settings):
        """Settings of the group line."""

        samples_per_gate: int = setting(
            "line.samples_per_gate", "int", 8, low=2, high=1024, reference="samples_per_gate"
        )
        """Points of the line for each gate. Default 8; a whole number >= 2 and <= 1024. samples_per_gate of the
        reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                samples_per_gate: int = ...,
            ) -> None: ...

    class Localize(Settings):
        """Settings of the group localize."""

        enabled: bool = setting("localize.enabled", "bool", True)
        """Whether agents of a course of tracks are localised; those of a gate course always are. Default True; True or
        False.
        """
        warm_window: Optional[int] = setting(
            "localize.warm_window", "int", None, low=1, high=65536, reference="localize_window", zero=True
        )
        """Segments on either side of the last one in which an agent is sought; it then stays on its part of a line that
        comes near itself. Default None: all segments; a whole number >= 1 and <= 65536. localize_window of the
        reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                enabled: bool = ...,
                warm_window: Optional[int] = ...,
            ) -> None: ...

    class Ground(Settings):
        """Settings of the group ground."""

        resolution: Optional[int] = setting(
            "ground.resolution", "int", None, low=8, high=4096, reference="heightfield_resolution", zero=True
        )
        """Cells along each side of the height field of an env. Default None: no height fields; a whole number >= 8 and
        <= 4096. heightfield_resolution of the reference.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                resolution: Optional[int] = ...,
            ) -> None: ...

    class Vehicle(Settings):
        """Settings of the group vehicle."""

        model: Literal["kinematic", "single_track", "drone"] = setting(
            "vehicle.model", "string", "single_track", choices=("kinematic", "single_track", "drone",)
        )
        """How vehicles move. Default 'single_track'; one of kinematic, single_track, drone."""
        control: Literal["target", "rate"] = setting("vehicle.control", "string", "target", choices=("target", "rate",))
        """Whether the steering action of a car is the angle to steer to, or how fast the angle changes. Default
        'target'; one of target, rate.
        """
        tyres: Literal["linear", "friction_circle"] = setting(
            "vehicle.tyres", "string", "linear", choices=("linear", "friction_circle",)
        )
        """Whether the forces of the tyres of a single-track car grow with the slip angle without end, as in
        CommonRoad's model, or end at the friction circle. Default 'linear'; one of linear, friction_circle.
        """
        time_step: float = setting("vehicle.time_step", "float", 0.02, low=0, high=1, open="low")
        """Duration of a step in seconds. Default 0.02; a number > 0 and <= 1."""
        substeps: int = setting("vehicle.substeps", "int", 1, low=1, high=64)
        """Equal parts into which the integration divides a step. Default 1; a whole number >= 1 and <= 64."""
        integrator: Literal["rk4", "semi_implicit_euler"] = setting(
            "vehicle.integrator", "string", "rk4", choices=("rk4", "semi_implicit_euler",)
        )
        """Method of integration. Default 'rk4'; one of rk4, semi_implicit_euler."""
        start_speed: tuple[float, float] = setting("vehicle.start_speed", "range", (0.0, 0.0), low=-1000, high=1000)
        """Range from which each vehicle draws its speed along the body at a reset, in m/s. Default (0.0, 0.0); a pair
        [min, max] with min <= max, each >= -1000 and <= 1000.
        """
        start_velocity: bool = setting("vehicle.start_velocity", "bool", False)
        """Whether vehicles begin with the velocity that the State holds, as package spawn writes it, and not with a
        drawn speed. Default False; True or False.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                model: Literal["kinematic", "single_track", "drone"] = ...,
                control: Literal["target", "rate"] = ...,
                tyres: Literal["linear", "friction_circle"] = ...,
                time_step: float = ...,
                substeps: int = ...,
                integrator: Literal["rk4", "semi_implicit_euler"] = ...,
                start_speed: tuple[float, float] = ...,
                start_velocity: bool = ...,
            ) -> None: ...

    class Car(Settings):
        """Settings of the group car."""

        mass: tuple[float, float] = setting("car.mass", "range", (3.74, 3.74), low=0, high=1000000, open="low")
        """Mass in kg. Default (3.74, 3.74); a pair [min, max] with min <= max, each > 0 and <= 1000000."""
        inertia: tuple[float, float] = setting(
            "car.inertia", "range", (0.04712, 0.04712), low=0, high=100000000, open="low"
        )
        """Moment of inertia about the vertical axis in kg m^2. Default (0.04712, 0.04712); a pair [min, max] with min
        <= max, each > 0 and <= 100000000.
        """
        friction: tuple[float, float] = setting("car.friction", "range", (1.0489, 1.0489), low=0, high=10)
        """Coefficient of friction between tyre and road. Default (1.0489, 1.0489); a pair [min, max] with min <= max,
        each >= 0 and <= 10.
        """
        stiffness_front: tuple[float, float] = setting("car.stiffness_front", "range", (4.718, 4.718), low=0, high=1000)
        """Cornering stiffness of the front axle for each unit of load and friction, in 1/rad. Default (4.718, 4.718); a
        pair [min, max] with min <= max, each >= 0 and <= 1000.
        """
        stiffness_rear: tuple[float, float] = setting("car.stiffness_rear", "range", (5.4562, 5.4562), low=0, high=1000)
        """That of the rear axle. Default (5.4562, 5.4562); a pair [min, max] with min <= max, each >= 0 and <= 1000."""
        distance_front: tuple[float, float] = setting(
            "car.distance_front", "range", (0.15875, 0.15875), low=0, high=1000, open="low"
        )
        """Distance from the centre of mass to the front axle in m. Default (0.15875, 0.15875); a pair [min, max] with
        min <= max, each > 0 and <= 1000.
        """
        distance_rear: tuple[float, float] = setting(
            "car.distance_rear", "range", (0.17145, 0.17145), low=0, high=1000, open="low"
        )
        """That to the rear axle. Default (0.17145, 0.17145); a pair [min, max] with min <= max, each > 0 and <= 1000.
        """
        height: tuple[float, float] = setting("car.height", "range", (0.074, 0.074), low=0, high=1000)
        """Height of the centre of mass in m, for the load transfer. Default (0.074, 0.074); a pair [min, max] with min
        <= max, each >= 0 and <= 1000.
        """
        steering_max: tuple[float, float] = setting("car.steering_max", "range", (0.4189, 0.4189), low=0, high=1.5)
        """Largest steering angle to either side in rad. Default (0.4189, 0.4189); a pair [min, max] with min <= max,
        each >= 0 and <= 1.5.
        """
        steering_rate: tuple[float, float] = setting("car.steering_rate", "range", (3.2, 3.2), low=0, high=1000)
        """Largest rate of the steering angle in rad/s. Default (3.2, 3.2); a pair [min, max] with min <= max, each >= 0
        and <= 1000.
        """
        acceleration: tuple[float, float] = setting("car.acceleration", "range", (9.51, 9.51), low=0, high=1000)
        """Largest acceleration, and deceleration, in m/s^2. Default (9.51, 9.51); a pair [min, max] with min <= max,
        each >= 0 and <= 1000.
        """
        switch_speed: tuple[float, float] = setting("car.switch_speed", "range", (7.319, 7.319), low=0, high=1000)
        """Speed in m/s above which the power of the motor limits the acceleration. Default (7.319, 7.319); a pair [min,
        max] with min <= max, each >= 0 and <= 1000.
        """
        speed_min: tuple[float, float] = setting("car.speed_min", "range", (-5.0, -5.0), low=-1000, high=0)
        """Lowest speed in m/s; below 0 backwards. Default (-5.0, -5.0); a pair [min, max] with min <= max, each >=
        -1000 and <= 0.
        """
        speed_max: tuple[float, float] = setting("car.speed_max", "range", (20.0, 20.0), low=0, high=1000)
        """Top speed in m/s. Default (20.0, 20.0); a pair [min, max] with min <= max, each >= 0 and <= 1000."""
        length: tuple[float, float] = setting("car.length", "range", (0.58, 0.58), low=0, high=1000, open="low")
        """Length of the body in m. Default (0.58, 0.58); a pair [min, max] with min <= max, each > 0 and <= 1000."""
        width: tuple[float, float] = setting("car.width", "range", (0.31, 0.31), low=0, high=1000, open="low")
        """Width of the body in m. Default (0.31, 0.31); a pair [min, max] with min <= max, each > 0 and <= 1000."""

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                mass: tuple[float, float] = ...,
                inertia: tuple[float, float] = ...,
                friction: tuple[float, float] = ...,
                stiffness_front: tuple[float, float] = ...,
                stiffness_rear: tuple[float, float] = ...,
                distance_front: tuple[float, float] = ...,
                distance_rear: tuple[float, float] = ...,
                height: tuple[float, float] = ...,
                steering_max: tuple[float, float] = ...,
                steering_rate: tuple[float, float] = ...,
                acceleration: tuple[float, float] = ...,
                switch_speed: tuple[float, float] = ...,
                speed_min: tuple[float, float] = ...,
                speed_max: tuple[float, float] = ...,
                length: tuple[float, float] = ...,
                width: tuple[float, float] = ...,
            ) -> None: ...

    class Drone(Settings):
        """Settings of the group drone."""

        mass: tuple[float, float] = setting("drone.mass", "range", (0.752, 0.752), low=0, high=1000000, open="low")
        """Mass in kg. Default (0.752, 0.752); a pair [min, max] with min <= max, each > 0 and <= 1000000."""
        thrust_max: tuple[float, float] = setting("drone.thrust_max", "range", (49.0, 49.0), low=0, high=1000000)
        """Largest collective thrust in N. Default (49.0, 49.0); a pair [min, max] with min <= max, each >= 0 and <=
        1000000.
        """
        tilt_rate: tuple[float, float] = setting("drone.tilt_rate", "range", (10.0, 10.0), low=0, high=1000)
        """Largest rate about the x and y axes of the body in rad/s. Default (10.0, 10.0); a pair [min, max] with min <=
        max, each >= 0 and <= 1000.
        """
        turn_rate: tuple[float, float] = setting("drone.turn_rate", "range", (4.0, 4.0), low=0, high=1000)
        """Largest rate about its z axis in rad/s. Default (4.0, 4.0); a pair [min, max] with min <= max, each >= 0 and
        <= 1000.
        """
        thrust_lag: tuple[float, float] = setting("drone.thrust_lag", "range", (0.033, 0.033), low=0, high=1)
        """Time constant in s with which the thrust follows the action. Default (0.033, 0.033); a pair [min, max] with
        min <= max, each >= 0 and <= 1.
        """
        rate_lag: tuple[float, float] = setting("drone.rate_lag", "range", (0.04, 0.04), low=0, high=1)
        """That of the body rates. Default (0.04, 0.04); a pair [min, max] with min <= max, each >= 0 and <= 1."""
        drag_side: tuple[float, float] = setting("drone.drag_side", "range", (0.52, 0.52), low=0, high=1000000)
        """Drag across the z axis of the body for each unit of speed, in N s/m. Default (0.52, 0.52); a pair [min, max]
        with min <= max, each >= 0 and <= 1000000.
        """
        drag_up: tuple[float, float] = setting("drone.drag_up", "range", (1.01, 1.01), low=0, high=1000000)
        """Drag along that axis. Default (1.01, 1.01); a pair [min, max] with min <= max, each >= 0 and <= 1000000."""
        length: tuple[float, float] = setting("drone.length", "range", (0.35, 0.35), low=0, high=1000, open="low")
        """Length of the body in m. Default (0.35, 0.35); a pair [min, max] with min <= max, each > 0 and <= 1000."""
        width: tuple[float, float] = setting("drone.width", "range", (0.4, 0.4), low=0, high=1000, open="low")
        """Width of the body in m. Default (0.4, 0.4); a pair [min, max] with min <= max, each > 0 and <= 1000."""

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                mass: tuple[float, float] = ...,
                thrust_max: tuple[float, float] = ...,
                tilt_rate: tuple[float, float] = ...,
                turn_rate: tuple[float, float] = ...,
                thrust_lag: tuple[float, float] = ...,
                rate_lag: tuple[float, float] = ...,
                drag_side: tuple[float, float] = ...,
                drag_up: tuple[float, float] = ...,
                length: tuple[float, float] = ...,
                width: tuple[float, float] = ...,
            ) -> None: ...

    class Spawn(Settings):
        """Settings of the group spawn."""

        mode: Literal["start", "anywhere", "grid"] = setting(
            "spawn.mode", "string", "start", choices=("start", "anywhere", "grid",)
        )
        """Where agents begin: in front of the start of the line, anywhere along it, or in front of the start on a grid.
        Default 'start'; one of start, anywhere, grid.
        """
        attitude: Literal["level", "pitched"] = setting(
            "spawn.attitude", "string", "level", choices=("level", "pitched",)
        )
        """Whether agents are level, as cars, or look along the line in space. Default 'level'; one of level, pitched.
        """
        behind: float = setting("spawn.behind", "float", 0.0, low=0, high=1000000)
        """Distance from the front of the first agent to the start, with the modes start and grid, in track units.
        Default 0.0; a number >= 0 and <= 1000000.
        """
        lateral: tuple[float, float] = setting("spawn.lateral", "range", (0.0, 0.0), low=-1, high=1)
        """Range of the offset to the right, in parts of the room on that side. Default (0.0, 0.0); a pair [min, max]
        with min <= max, each >= -1 and <= 1.
        """
        corridor: float = setting("spawn.corridor", "float", 0.0, low=0, high=1000000)
        """Room on either side of a line without widths, in track units. Default 0.0; a number >= 0 and <= 1000000."""
        yaw: tuple[float, float] = setting(
            "spawn.yaw", "range", (0.0, 0.0), low=-3.141592653589793, high=3.141592653589793
        )
        """Range of the angle from the direction of the line, counter-clockwise, in radians, in radians. Default (0.0,
        0.0); a pair [min, max] with min <= max, each >= -3.141592653589793 and <= 3.141592653589793.
        """
        height: tuple[float, float] = setting("spawn.height", "range", (0.0, 0.0), low=-1000000, high=1000000)
        """Range of the height above the line, in track units. Default (0.0, 0.0); a pair [min, max] with min <= max,
        each >= -1000000 and <= 1000000.
        """
        gap: Optional[float] = setting("spawn.gap", "float", None, low=0, high=1000000, open="low", zero=True)
        """Least distance along the line between agents of an env, with the mode anywhere, in track units. Default None:
        twice the diagonal of the box of an agent; a number > 0 and <= 1000000.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                mode: Literal["start", "anywhere", "grid"] = ...,
                attitude: Literal["level", "pitched"] = ...,
                behind: float = ...,
                lateral: tuple[float, float] = ...,
                corridor: float = ...,
                yaw: tuple[float, float] = ...,
                height: tuple[float, float] = ...,
                gap: Optional[float] = ...,
            ) -> None: ...

    class Grid(Settings):
        """Settings of the group grid."""

        columns: int = setting("grid.columns", "int", 2, low=1, high=1024)
        """Agents in each row. Default 2; a whole number >= 1 and <= 1024."""
        row_spacing: Optional[float] = setting(
            "grid.row_spacing", "float", None, low=0, high=1000000, open="low", zero=True
        )
        """Distance between rows, in track units. Default None: one and a half lengths of the box of an agent; a number
        > 0 and <= 1000000.
        """
        stagger: float = setting("grid.stagger", "float", 0.0, low=0, high=1000000)
        """How much farther back each column is than the one on its left, in track units. Default 0.0; a number >= 0 and
        <= 1000000.
        """
        spread: float = setting("grid.spread", "float", 1.0, low=0, high=1)
        """Part of the room over which the columns are spread evenly. Default 1.0; a number >= 0 and <= 1."""

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                columns: int = ...,
                row_spacing: Optional[float] = ...,
                stagger: float = ...,
                spread: float = ...,
            ) -> None: ...

    class Speed(Settings):
        """Settings of the group speed."""

        lateral_acceleration: float = setting(
            "speed.lateral_acceleration", "float", 5.0, low=0, high=1000000, open="low"
        )
        """Highest acceleration across the line, in length/time². Default 5.0; a number > 0 and <= 1000000."""
        acceleration: float = setting("speed.acceleration", "float", 5.0, low=0, high=1000000)
        """Highest acceleration along the line, in length/time². Default 5.0; a number >= 0 and <= 1000000."""
        braking: float = setting("speed.braking", "float", 2.5, low=0, high=1000000)
        """Highest deceleration along the line, in length/time². Default 2.5; a number >= 0 and <= 1000000."""
        max_speed: float = setting("speed.max_speed", "float", 20.0, low=0, high=1000000, open="low")
        """Highest speed, in length/time. Default 20.0; a number > 0 and <= 1000000."""
        window: int = setting("speed.window", "int", 2, low=0, high=1048576)
        """Points on each side of a point whose curvatures are averaged with its own; 0 averages nothing. Default 2; a
        whole number >= 0 and <= 1048576.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                lateral_acceleration: float = ...,
                acceleration: float = ...,
                braking: float = ...,
                max_speed: float = ...,
                window: int = ...,
            ) -> None: ...

    class Raceline(Settings):
        """Settings of the group raceline."""

        margin: float = setting("raceline.margin", "float", 0.36, low=0, high=1000000)
        """What stays free between the car and a border. Default 0.36; a number >= 0 and <= 1000000."""
        power: float = setting("raceline.power", "float", 0.0, low=0, high=1000000)
        """Power of the engine by the mass of the car, in length²/time³; 0 is no limit. Default 0.0; a number >= 0 and
        <= 1000000.
        """
        rounds: int = setting("raceline.rounds", "int", 20, low=1, high=100)
        """Steps of the optimisation. Default 20; a whole number >= 1 and <= 100."""

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                margin: float = ...,
                power: float = ...,
                rounds: int = ...,
            ) -> None: ...

    class Reward(Settings):
        """Settings of the group reward."""

        backward_speed: float = setting("reward.backward_speed", "float", 0.05, low=0, high=1000000)
        """Speed along the line, in track units per second, above which an agent that moves against it goes the wrong
        way, in track units. Default 0.05; a number >= 0 and <= 1000000.
        """
        near_distance: float = setting("reward.near_distance", "float", 0.0, low=0, high=1000000)
        """Distance from a border below which an agent is near it, in track units. Default 0.0; a number >= 0 and <=
        1000000.
        """
        walls: bool = setting("reward.walls", "bool", False)
        """Whether the borders are walls, so that an agent that leaves the road collides. Default False; True or False.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                backward_speed: float = ...,
                near_distance: float = ...,
                walls: bool = ...,
            ) -> None: ...

    class Weights(Settings):
        """Settings of the group weights."""

        progress: float = setting("weights.progress", "float", 1.0, low=-1000000, high=1000000)
        """Per track unit of progress along the line. Default 1.0; a number >= -1000000 and <= 1000000."""
        passed: float = setting("weights.passed", "float", 0.0, low=-1000000, high=1000000)
        """Per checkpoint passed. Default 0.0; a number >= -1000000 and <= 1000000."""
        lap: float = setting("weights.lap", "float", 0.0, low=-1000000, high=1000000)
        """Per complete lap. Default 0.0; a number >= -1000000 and <= 1000000."""
        wrong_way: float = setting("weights.wrong_way", "float", 0.0, low=-1000000, high=1000000)
        """Per second against the line. Default 0.0; a number >= -1000000 and <= 1000000."""
        off_road: float = setting("weights.off_road", "float", 0.0, low=-1000000, high=1000000)
        """Per second off the road. Default 0.0; a number >= -1000000 and <= 1000000."""
        collision: float = setting("weights.collision", "float", 0.0, low=-1000000, high=1000000)
        """Per contact that begins. Default 0.0; a number >= -1000000 and <= 1000000."""
        smoothness: float = setting("weights.smoothness", "float", 0.0, low=-1000000, high=1000000)
        """Per squared change of the actions in a step. Default 0.0; a number >= -1000000 and <= 1000000."""
        lateral: float = setting("weights.lateral", "float", 0.0, low=-1000000, high=1000000)
        """Per track unit beside the line, for a second. Default 0.0; a number >= -1000000 and <= 1000000."""
        travel: float = setting("weights.travel", "float", 0.0, low=-1000000, high=1000000)
        """Per track unit that the agent moves in space. Default 0.0; a number >= -1000000 and <= 1000000."""
        near_border: float = setting("weights.near_border", "float", 0.0, low=-1000000, high=1000000)
        """Per track unit by which the agent is nearer to a border than near_distance, for a second. Default 0.0; a
        number >= -1000000 and <= 1000000.
        """
        failure: float = setting("weights.failure", "float", 0.0, low=-1000000, high=1000000)
        """Per episode that ends off the road, the wrong way, stuck or by a collision. Default 0.0; a number >= -1000000
        and <= 1000000.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                progress: float = ...,
                passed: float = ...,
                lap: float = ...,
                wrong_way: float = ...,
                off_road: float = ...,
                collision: float = ...,
                smoothness: float = ...,
                lateral: float = ...,
                travel: float = ...,
                near_border: float = ...,
                failure: float = ...,
            ) -> None: ...

    class Ends(Settings):
        """Settings of the group ends."""

        off_road: bool = setting("ends.off_road", "bool", True)
        """Whether an episode ends off the road. Default True; True or False."""
        off_road_time: Optional[float] = setting(
            "ends.off_road_time", "float", None, low=0, high=1000000, open="low", zero=True
        )
        """Seconds in a row off the road after which it ends. Default None: at once; a number > 0 and <= 1000000."""
        wrong_way_time: float = setting("ends.wrong_way_time", "float", 2.0, low=0, high=1000000, open="low", zero=True)
        """Seconds in a row against the line after which an episode ends. Default 2.0; a number > 0 and <= 1000000."""
        stuck_time: float = setting("ends.stuck_time", "float", 5.0, low=0, high=1000000, open="low", zero=True)
        """Seconds without the progress of stuck_progress after which an episode ends. Default 5.0; a number > 0 and <=
        1000000.
        """
        stuck_progress: float = setting("ends.stuck_progress", "float", 0.1, low=0, high=1000000, open="low")
        """Progress along the line that an agent must make within stuck_time, in track units. Default 0.1; a number > 0
        and <= 1000000.
        """
        collision: bool = setting("ends.collision", "bool", False)
        """Whether a contact ends an episode. Default False; True or False."""
        laps: Optional[int] = setting("ends.laps", "int", None, low=0, high=1000000, open="low", zero=True)
        """Laps that end an episode. Default None: never; a whole number > 0 and <= 1000000."""
        max_steps: Optional[int] = setting("ends.max_steps", "int", None, low=0, high=2000000000, open="low", zero=True)
        """Steps after which an episode is cut off. Default None: never; a whole number > 0 and <= 2000000000."""
        max_time: Optional[float] = setting("ends.max_time", "float", None, low=0, high=1000000, open="low", zero=True)
        """Seconds after which an episode is cut off. Default None: never; a number > 0 and <= 1000000."""
        env: Literal["all", "any"] = setting("ends.env", "string", "all", choices=("all", "any",))
        """Whether an env is done when all of its agents have ended, or with the first of them. Default 'all'; one of
        all, any.
        """
        paused: bool = setting("ends.paused", "bool", True)
        """Whether an env is done while all of its agents are paused, such as one without a track. Default True; True or
        False.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                off_road: bool = ...,
                off_road_time: Optional[float] = ...,
                wrong_way_time: float = ...,
                stuck_time: float = ...,
                stuck_progress: float = ...,
                collision: bool = ...,
                laps: Optional[int] = ...,
                max_steps: Optional[int] = ...,
                max_time: Optional[float] = ...,
                env: Literal["all", "any"] = ...,
                paused: bool = ...,
            ) -> None: ...

    class Observe(Settings):
        """Settings of the group observe."""

        motion: Optional[list[str]] = setting(
            "observe.motion", "string_list", None, choices=("velocity_x", "velocity_y", "velocity_z", "up_x", "up_y",
            "up_z", "speed", "steering", "slip", "yaw_rate", "roll_rate", "pitch_rate", "thrust",), zero=True
        )
        """What agents know of their own motion. Default None: nothing; a list of different names of velocity_x,
        velocity_y, velocity_z, up_x, up_y, up_z, speed, steering, slip, yaw_rate, roll_rate, pitch_rate, thrust.
        """
        vector: bool = setting("observe.vector", "bool", False)
        """Whether there is a vector of all observations of an agent. Default False; True or False."""
        places: Optional[int] = setting("observe.places", "int", None, low=1, high=4096, zero=True)
        """Places of the way ahead that agents see. Default None: none; a whole number >= 1 and <= 4096."""
        spacing: float = setting("observe.spacing", "float", 0.5, low=0, high=1000000, open="low")
        """Distance from one place to the next, and from the agent to the first, in track units. Default 0.5; a number >
        0 and <= 1000000.
        """
        distances: Optional[list[float]] = setting(
            "observe.distances", "float_list", None, low=-1000000, high=1000000, zero=True
        )
        """Distances of the places along the line, below 0 behind the agent, in track units. Default None: places of
        them, spacing apart; a list of numbers, each >= -1000000 and <= 1000000.
        """
        channels: Optional[list[str]] = setting(
            "observe.channels", "string_list", None, choices=("center_x", "center_y", "center_z", "left_x", "left_y",
            "left_z", "right_x", "right_y", "right_z", "width_left", "width_right", "curvature", "heading_cos",
            "heading_sin", "tangent_x", "tangent_y", "tangent_z", "height", "grade", "speed",), zero=True
        )
        """What agents see of each place. Default None: points of centre and borders in plan view with the curvature,
        for drones points in space with the speed; a list of different names of center_x, center_y, center_z, left_x,
        left_y, left_z, right_x, right_y, right_z, width_left, width_right, curvature, heading_cos, heading_sin,
        tangent_x, tangent_y, tangent_z, height, grade, speed.
        """
        length_scale: float = setting("observe.length_scale", "float", 1.0, low=0, high=1000000, open="low")
        """Factor of the lengths that agents see of places and gates. Default 1.0; a number > 0 and <= 1000000."""
        curvature_scale: float = setting("observe.curvature_scale", "float", 1.0, low=0, high=1000000, open="low")
        """Factor of curvatures. Default 1.0; a number > 0 and <= 1000000."""
        speed_scale: float = setting("observe.speed_scale", "float", 1.0, low=0, high=1000000, open="low")
        """Factor of speeds and velocities. Default 1.0; a number > 0 and <= 1000000."""
        gates: Optional[int] = setting("observe.gates", "int", None, low=1, high=4096, zero=True)
        """Next gates that agents see. Default None: none; a whole number >= 1 and <= 4096."""
        beams: Optional[int] = setting("observe.beams", "int", None, low=1, high=65536, zero=True)
        """Beams of the range finder of each agent. Default None: none; a whole number >= 1 and <= 65536."""
        range: float = setting("observe.range", "float", 30.0, low=0, high=1000000, open="low")
        """Largest distance that a beam measures, in track units. Default 30.0; a number > 0 and <= 1000000."""

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                motion: Optional[list[str]] = ...,
                vector: bool = ...,
                places: Optional[int] = ...,
                spacing: float = ...,
                distances: Optional[list[float]] = ...,
                channels: Optional[list[str]] = ...,
                length_scale: float = ...,
                curvature_scale: float = ...,
                speed_scale: float = ...,
                gates: Optional[int] = ...,
                beams: Optional[int] = ...,
                range: float = ...,
            ) -> None: ...

    autoreset: Literal["regenerate", "restart", "never"] = setting(
        "autoreset", "string", "regenerate", choices=("regenerate", "restart", "never",)
    )
    """What the next step does with an env whose episode is over: a new track, a new begin on the same track, or
    nothing. Default 'regenerate'; one of regenerate, restart, never.
    """
    bridges: bool = setting("bridges", "bool", False)
    """Whether tracks may cross themselves: then an agent is off the road where it is farther beside the line than the
    border, because a box on a bridge crosses the borders of the other road. Default False; True or False.
    """
    agents: int = setting("agents", "int", 1, low=1, high=1024)
    """Cars of each env, A. Default 1; a whole number >= 1 and <= 1024."""
    boxes: Optional[int] = setting("boxes", "int", None, low=1, high=65536, reference="max_boxes", zero=True)
    """Boxes of each env that collide, B. Default None: as many as agents; a whole number >= 1 and <= 65536. max_boxes
    of the reference.
    """
    follow: Literal["centre", "racing"] = setting("follow", "string", "centre", choices=("centre", "racing",))
    """Which line reference drivers of cars follow: the centreline, or the racing line. Default 'centre'; one of centre,
    racing.
    """
    checkpoints: Checkpoints
    collision: Collision
    posts: Posts
    frames: Frames
    line: Line
    localize: Localize
    ground: Ground
    vehicle: Vehicle
    car: Car
    drone: Drone
    spawn: Spawn
    grid: Grid
    speed: Speed
    raceline: Raceline
    reward: Reward
    weights: Weights
    ends: Ends
    observe: Observe
    tracks: TrackConfig
    """The tracks; None where gates are set."""
    gates: GateConfig
    """The gates in place of tracks; None by default."""
    _parts = ("tracks", "gates")
    _groups = {
        "checkpoints": Checkpoints,
        "collision": Collision,
        "posts": Posts,
        "frames": Frames,
        "line": Line,
        "localize": Localize,
        "ground": Ground,
        "vehicle": Vehicle,
        "car": Car,
        "drone": Drone,
        "spawn": Spawn,
        "grid": Grid,
        "speed": Speed,
        "raceline": Raceline,
        "reward": Reward,
        "weights": Weights,
        "ends": Ends,
        "observe": Observe,
        "tracks": TrackConfig,
        "gates": GateConfig,
    }

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            autoreset: Literal["regenerate", "restart", "never"] = ...,
            bridges: bool = ...,
            agents: int = ...,
            boxes: Optional[int] = ...,
            follow: Literal["centre", "racing"] = ...,
            checkpoints: Union[Checkpoints, Mapping[str, Any]] = ...,
            collision: Union[Collision, Mapping[str, Any]] = ...,
            posts: Union[Posts, Mapping[str, Any]] = ...,
            frames: Union[Frames, Mapping[str, Any]] = ...,
            line: Union[Line, Mapping[str, Any]] = ...,
            localize: Union[Localize, Mapping[str, Any]] = ...,
            ground: Union[Ground, Mapping[str, Any]] = ...,
            vehicle: Union[Vehicle, Mapping[str, Any]] = ...,
            car: Union[Car, Mapping[str, Any]] = ...,
            drone: Union[Drone, Mapping[str, Any]] = ...,
            spawn: Union[Spawn, Mapping[str, Any]] = ...,
            grid: Union[Grid, Mapping[str, Any]] = ...,
            speed: Union[Speed, Mapping[str, Any]] = ...,
            raceline: Union[Raceline, Mapping[str, Any]] = ...,
            reward: Union[Reward, Mapping[str, Any]] = ...,
            weights: Union[Weights, Mapping[str, Any]] = ...,
            ends: Union[Ends, Mapping[str, Any]] = ...,
            observe: Union[Observe, Mapping[str, Any]] = ...,
            tracks: Union[TrackConfig, Mapping[str, Any]] = ...,
            gates: Union[GateConfig, Mapping[str, Any]] = ...,
        ) -> None: ...
