package command

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/export/layers"
	"github.com/trackgen-go/trackgen/internal/suggest"
)

// allLayers is the value of --course for all layers that a file can have.
const allLayers = "all"

// maxPlotCars is the maximum of --cars.
const maxPlotCars = 1024

// courseFlags are the flags of plot for the layers of a course.
type courseFlags struct {
	names    []string // of layers; nil without --course
	config   layers.Config
	settings courseSettings
	device   string
	given    []string // flags of layers that are given, without --course
}

// carLayers are the layers that show sample cars.
var carLayers = []layers.Layer{layers.Contacts, layers.Cars, layers.Ways, layers.Others}

// layerFlags maps the flags of layers to the fields of layers.Config that they set. Those of gates and of tracks have
// no effect on the others, and those of layers none if --course names none of these.
var layerFlags = map[string]struct {
	field             string
	ofTracks, ofGates bool
	layers            []layers.Layer // nil: all
}{
	"checkpoint-spacing":       {"checkpoint_spacing", true, false, []layers.Layer{layers.Checkpoints}},
	"prop-spacing":             {"prop_spacing", true, false, []layers.Layer{layers.Props}},
	"prop-mode":                {"prop_mode", true, false, []layers.Layer{layers.Props}},
	"field-resolution":         {"field_resolution", true, false, []layers.Layer{layers.Field}},
	"ground-resolution":        {"ground_resolution", true, false, []layers.Layer{layers.Ground}},
	"frame-thickness":          {"frame_thickness", false, true, []layers.Layer{layers.Frames}},
	"frame-depth":              {"frame_depth", false, true, []layers.Layer{layers.Frames}},
	"ball-radius":              {"ball_radius", false, true, []layers.Layer{layers.Frames}},
	"post-radius":              {"post_radius", false, true, append([]layers.Layer{layers.Posts}, carLayers...)},
	"max-lateral-acceleration": {"lateral_acceleration", true, true, []layers.Layer{layers.Speed}},
	"max-acceleration":         {"acceleration", true, true, []layers.Layer{layers.Speed}},
	"max-braking":              {"braking", true, true, []layers.Layer{layers.Speed}},
	"max-speed":                {"max_speed", true, true, []layers.Layer{layers.Speed}},
	"cars":                     {"cars", true, true, append([]layers.Layer{layers.Frames}, carLayers...)},
	"car-seed":                 {"seed", true, true, append([]layers.Layer{layers.Frames}, carLayers...)},
	courseConfigFlag:           {"", true, true, nil},
	courseSetFlag:              {"", true, true, nil},
	"device":                   {"device", true, true, nil},
}

// layerList is the value of --course. It implements pflag.Value.
type layerList struct{ names *[]string }

// Set implements pflag.Value. pflag prefixes the error with the flag and its value.
func (l layerList) Set(text string) error {
	known := layerNames()
	names := strings.Split(text, ",")
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
		if !slices.Contains(known, names[i]) {
			return fmt.Errorf("must be some of %s%s", strings.Join(known, ", "), suggest.Phrase(names[i], known))
		}
	}
	*l.names = names
	return nil
}

// String implements pflag.Value. The default is no list.
func (l layerList) String() string { return "" }

// Type implements pflag.Value. The help shows the word as the name of the value.
func (l layerList) Type() string { return "layers" }

// layerNames lists the values of --course: all, and the names of the layers of tracks and of gates.
func layerNames() []string {
	names := append([]string{allLayers}, layers.Names(layers.OfTracks())...)
	for _, name := range layers.Names(layers.OfGates()) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// register adds the flags.
func (f *courseFlags) register(command *cobra.Command) {
	f.config = layers.DefaultConfig()
	flags := command.Flags()
	flags.Var(layerList{&f.names}, courseFlag,
		"also draw what the components of a course compute: all, or some of "+strings.Join(layerNames()[1:], ", "))
	flags.Lookup(courseFlag).NoOptDefVal = allLayers
	completeList(command, courseFlag, layerNames()...)
	c := &f.config
	atLeast0 := metresRange{0, 1e6, false, "a number >= 0 and <= 1000000"}
	flags.Var(metres(&c.CheckpointSpacing, positive), "checkpoint-spacing",
		"`length` between checkpoints (default a sixteenth of the mean track)")
	flags.Var(metres(&c.PropSpacing, positive), "prop-spacing", "`length` between props (default a 48th of the mean track)")
	flags.StringVar(&c.PropMode, "prop-mode", c.PropMode, "`choice` of props: points, or segments from one to the next")
	flags.Var(numberFlag(&c.FieldResolution, c.FieldResolution, 8, 1024), "field-resolution",
		"cells along each side of the distance field, 8 to 1024")
	flags.Var(numberFlag(&c.GroundResolution, c.GroundResolution, 8, 1024), "ground-resolution",
		"cells along each side of the ground, 8 to 1024")
	flags.Var(metres(&c.FrameThickness, positive), "frame-thickness",
		"thickness of the frames of gates across the opening, a `length` (default a tenth of the mean width)")
	flags.Var(metres(&c.FrameDepth, positive), "frame-depth",
		"thickness of the frames of gates along the course, a `length` (default a tenth of the mean width)")
	flags.Var(metres(&c.BallRadius, positive), "ball-radius",
		"radius of the balls at frames, a `length` (default an eighth of the mean width)")
	flags.Var(metres(&c.Speed.LateralAcceleration, positive), "max-lateral-acceleration",
		"highest acceleration across the line, a `number` in length/time²")
	flags.Var(metres(&c.Speed.Acceleration, atLeast0), "max-acceleration",
		"highest acceleration along the line, a `number` in length/time²")
	flags.Var(metres(&c.Speed.Braking, atLeast0), "max-braking",
		"highest deceleration along the line, a `number` in length/time²")
	flags.Var(metres(&c.Speed.MaxSpeed, positive), "max-speed", "highest speed, a `number` in length/time")
	flags.Var(metres(&c.PostRadius, positive), "post-radius",
		"radius of the posts of gates, a `length` (default a tenth of the mean width)")
	flags.Var(numberFlag(&c.Cars, c.Cars, 1, maxPlotCars), "cars", "sample cars on each track or course, 1 to 1024")
	flags.Var(numberFlag[int32](&c.Seed, 0, -1<<31, 1<<31-1), "car-seed", "seed that draws the places of the cars")
	flags.StringVarP(&f.device, "device", "d", "auto", "`name` of the device that computes the layers: see trackgen devices")
	completeFlag(command, "prop-mode", "points", "segments")
	completeDevice(command)
	registerCourseSettings(&f.settings, command, "--"+courseFlag)
}

// note notes which flags of layers the command line has.
func (f *courseFlags) note(command *cobra.Command) {
	f.given = nil
	command.Flags().Visit(func(flag *pflag.Flag) {
		if _, ok := layerFlags[flag.Name]; ok {
			f.given = append(f.given, flag.Name)
		}
	})
}

// check returns an error of the input for flags that do not fit each other, or that do not fit the file, which holds
// gate courses or tracks. With labels, the flags of these have an effect, whatever layers there are.
func (f *courseFlags) check(path string, gates, labels bool) error {
	alone := slices.DeleteFunc(slices.Clone(f.given), func(name string) bool {
		return labels && slices.Contains(labelFlagNames, name)
	})
	if f.names == nil {
		switch {
		case len(alone) == 0:
			return nil
		case slices.Contains(labelFlagNames, alone[0]):
			return badInputf("--%s has an effect with --%s or --where only", alone[0], courseFlag)
		}
		return badInputf("--%s has an effect with --%s only", alone[0], courseFlag)
	}
	kind, has := "tracks", layers.OfTracks()
	if gates {
		kind, has = "gate courses", layers.OfGates()
	}
	for _, name := range f.given {
		if flag := layerFlags[name]; gates && !flag.ofGates || !gates && !flag.ofTracks {
			return badInputf("--%s has no effect: %s holds %s", name, path, kind)
		}
	}
	f.config.Layers = nil
	for _, name := range f.names {
		switch {
		case name == allLayers:
			f.config.Layers = nil
			return f.checkMode()
		case !slices.Contains(has, layers.Layer(name)):
			return badInputf("--%s is %q, and %s holds %s: must be some of %s, %s", courseFlag, name, path, kind, allLayers,
				strings.Join(layers.Names(has), ", "))
		}
		f.config.Layers = append(f.config.Layers, layers.Layer(name))
	}
	for _, name := range alone {
		if of := layerFlags[name].layers; of != nil && !slices.ContainsFunc(of, f.draws) {
			return badInputf("--%s has no effect: it needs %s in --%s", name, strings.Join(layers.Names(of), " or "), courseFlag)
		}
	}
	return f.checkMode()
}

// limit gives labels the device and the limits of the car, which are those of speeds.
func (f *courseFlags) limit(labels *labelFlags) {
	car, of := &labels.config.Car, f.config.Speed
	labels.device = f.device
	car.LateralAcceleration, car.Acceleration = of.LateralAcceleration, of.Acceleration
	car.Braking, car.MaxSpeed = of.Braking, of.MaxSpeed
}

// layerFlagNames lists the flags of layers.
func layerFlagNames() []string { return slices.Collect(maps.Keys(layerFlags)) }

// draws reports whether a layer is drawn.
func (f *courseFlags) draws(layer layers.Layer) bool { return slices.Contains(f.config.Layers, layer) }

func (f *courseFlags) checkMode() error {
	modes := []string{"points", "segments"}
	if !slices.Contains(modes, f.config.PropMode) {
		return badInputf("--prop-mode is %q: must be one of %s%s", f.config.PropMode, strings.Join(modes, ", "),
			suggest.Phrase(f.config.PropMode, modes))
	}
	return nil
}

// layersOf returns what computes the layers of the envs that are drawn, or nil without --course. compute runs the
// components on a device.
func layersOf[B any](a *app, f plotFlags,
	compute func(context.Context, trackgen.Device, B, layers.Config) ([]export.CourseLayers, error)) func(context.Context,
	B, []int) ([]export.CourseLayers, error) {
	if f.course.names == nil {
		return nil
	}
	return func(ctx context.Context, batch B, numbers []int) (_ []export.CourseLayers, err error) {
		device, err := a.openDevice(f.course.device, 0, f.quiet)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, device.Close()) }()
		config := f.course.config
		config.Numbers = numbers
		answers, err := compute(ctx, device, batch, config)
		return answers, flagOfField(err)
	}
}

// flagOfField names the flag in an error about a field of layers.Config, which is an error of the input.
func flagOfField(err error) error {
	var wrong *config.Error
	if !errors.As(err, &wrong) {
		return err
	}
	for name, flag := range layerFlags {
		if flag.field == wrong.Field {
			return badInputf("--%s is %s: must be %s", name, wrong.Value, wrong.Allowed)
		}
	}
	return badInput(err)
}
