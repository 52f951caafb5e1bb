package trackgen

import (
	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/kernel"
)

// CourseConfig describes a course: the tracks or gate courses to generate, and the signals of the cars on them. Make
// one with DefaultCourseConfig, set Tracks or Gates, and change its fields. Lengths are in track units. docs/course.md
// explains the fields.
type CourseConfig = course.Config

// CourseField describes one field of CourseConfig by its name in configuration files, such as "checkpoints.spacing".
type CourseField = course.Field

// Course follows a batch of tracks or gate courses through a training loop: Step tells what has happened to each car,
// Reset and Regenerate begin new episodes. All of it can run eagerly, be recorded into a capture, or replay graphs.
// Only one goroutine at a time may use a Course; different courses are independent. The caller closes it.
type Course = course.Course

// CourseInputs are the arrays, in device memory, that the steps of a Course read: where agents and their boxes are.
type CourseInputs = course.Inputs

// CourseSignals are what a step of a Course finds, in device memory. CourseSignals.Read copies it to host memory.
type CourseSignals = course.Signals

// CourseSource is a batch of tracks or gate courses that a Course follows.
type CourseSource = course.Source

// Quat is an orientation (x, y, z, w).
type Quat = kernel.Quat

// Methods of CourseConfig.Collision.
const (
	CollisionNone     = course.None     // no boxes against borders
	CollisionSegments = course.Segments // exact, against the segments of both borders
	CollisionSDF      = course.SDF      // against a signed distance field that is baked on a grid
)

// DefaultCourseConfig returns the default configuration of courses, without Tracks and Gates.
func DefaultCourseConfig() CourseConfig { return course.DefaultConfig() }

// CourseConfigKind describes CourseConfig to programs that read or write configurations of several kinds.
func CourseConfigKind() config.Kind[CourseConfig] { return course.Kind() }

// CourseFields lists the fields of CourseConfig, in the order of configuration files, without those of Tracks and
// Gates.
func CourseFields() []CourseField { return course.Fields() }

// NewCourse allocates a generator and the signals of its cars, and generates once. Its options are those of
// NewGenerator.
//
// It returns a *ConfigError (ErrConfig) for each wrong field of config, and if the number of checkpoints is to be
// derived and no track is valid; an *ArgumentError (ErrInvalid) for options that do not fit, ErrCapture inside a
// capture, ErrUnsupported for a configuration that the device cannot run, ErrOutOfMemory, or another error of the
// device.
func NewCourse(device Device, config CourseConfig, options ...Option) (*Course, error) {
	return course.New(device, config, options...)
}

// NewCourseOver makes a Course over a batch of the caller, such as imported circuits or gates along tracks, whose
// Tracks or Sequence must stay open. Course.Refresh follows each change of the batch. Of the options, WithStream and
// WithWarnings apply.
//
// It returns the errors of NewCourse.
func NewCourseOver(device Device, source CourseSource, config CourseConfig, options ...Option) (*Course, error) {
	return course.Over(device, source, config, options...)
}
