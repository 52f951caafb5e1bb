package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export/layers"
	"github.com/trackgen-go/trackgen/internal/settings"
)

// drawnSetting is a field of a course that a picture shows.
type drawnSetting struct {
	field string // of the course
	flag  string // of plot, which wins; empty: there is none
	set   func(to *layers.Config, from trackgen.CourseConfig)
}

// drawnSettings are the fields of a course that a picture shows. Where the course has none of something, the picture
// keeps its default.
var drawnSettings = []drawnSetting{
	{"agents", "cars", setCars},
	{"boxes", "cars", setCars},
	{"collision.method", "", func(to *layers.Config, from trackgen.CourseConfig) {
		if from.Collision.Method != trackgen.CollisionNone {
			to.Collision = from.Collision.Method
		}
	}},
	{"checkpoints.spacing", "checkpoint-spacing", func(to *layers.Config, from trackgen.CourseConfig) {
		to.CheckpointSpacing = cmp.Or(from.Checkpoints.Spacing, to.CheckpointSpacing)
	}},
	{"checkpoints.max", "", func(to *layers.Config, from trackgen.CourseConfig) {
		to.MaxCheckpoints = cmp.Or(from.Checkpoints.Max, to.MaxCheckpoints)
	}},
	{"collision.sdf_resolution", "field-resolution", func(to *layers.Config, from trackgen.CourseConfig) {
		to.FieldResolution = cmp.Or(from.Collision.SdfResolution, to.FieldResolution)
	}},
	{"posts.radius", "post-radius", func(to *layers.Config, from trackgen.CourseConfig) {
		to.PostRadius = cmp.Or(from.Posts.Radius, to.PostRadius)
	}},
	{"frames.thickness", "frame-thickness", func(to *layers.Config, from trackgen.CourseConfig) {
		to.FrameThickness = cmp.Or(from.Frames.Thickness, to.FrameThickness)
	}},
	{"frames.depth", "frame-depth", func(to *layers.Config, from trackgen.CourseConfig) {
		to.FrameDepth = cmp.Or(from.Frames.Depth, to.FrameDepth)
	}},
	{"frames.agent_radius", "ball-radius", func(to *layers.Config, from trackgen.CourseConfig) {
		to.BallRadius = cmp.Or(from.Frames.AgentRadius, to.BallRadius)
	}},
	{"line.samples_per_gate", "", func(to *layers.Config, from trackgen.CourseConfig) {
		to.SamplesPerGate = cmp.Or(from.Line.SamplesPerGate, to.SamplesPerGate)
	}},
	{"ground.resolution", "ground-resolution", func(to *layers.Config, from trackgen.CourseConfig) {
		to.GroundResolution = cmp.Or(from.Ground.Resolution, to.GroundResolution)
	}},
}

// setCars draws as many cars as the course has boxes.
func setCars(to *layers.Config, from trackgen.CourseConfig) {
	to.Cars = cmp.Or(from.Boxes, from.Agents)
}

// settle applies the settings of the course, but for what flags set. gates says whether the file holds gate courses.
func (f *courseFlags) settle(gates bool, stdin io.Reader) error {
	if f.names == nil || !f.settings.given() {
		return nil
	}
	list, err := f.settings.read(stdin)
	if err != nil {
		return err
	}
	course, err := changed(plotted(gates), list)
	if err != nil {
		return badInput(err)
	}
	var wrong []error
	for _, s := range list {
		for _, drawn := range drawnSettings {
			if drawn.field == s.Field.Name && !slices.Contains(f.given, drawn.flag) {
				drawn.set(&f.config, course)
				wrong = append(wrong, f.tooLarge(s))
			}
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return badInput(err)
	}
	return nil
}

// plotted returns the course whose fields the settings change: one that is valid, with the kind of the file.
func plotted(gates bool) trackgen.CourseConfig {
	course := trackgen.DefaultCourseConfig()
	course.Collision.Method, course.Localize.Enabled = trackgen.CollisionSegments, true
	if !gates {
		tracks := trackgen.DefaultConfig()
		tracks.NumEnvs = 1
		course.Tracks, course.Checkpoints.Spacing = &tracks, 1
		return course
	}
	courses := trackgen.DefaultGateConfig()
	courses.NumEnvs, courses.Gate.Width = 1, 0.1
	course.Gates, course.Collision.Method, course.Localize.Enabled = &courses, trackgen.CollisionNone, false
	return course
}

// tooLarge returns an error for a setting that a course may have, but no picture.
func (f *courseFlags) tooLarge(s settings.Setting[trackgen.CourseConfig]) error {
	const most = 1024
	if max(f.config.FieldResolution, f.config.GroundResolution, f.config.Cars) <= most {
		return nil
	}
	return fmt.Errorf("%s: %s is %v: must be at most %d in a picture", s.Origin, s.Field.Name, s.Value, most)
}
