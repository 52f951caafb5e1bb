package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/export/layers"
	"github.com/trackgen-go/trackgen/internal/suggest"
)

// maxDrawn is the maximum number of envs in one picture.
const maxDrawn = 1000

type plotFlags struct {
	out         string
	format      string
	envs        string
	most        int
	columns     int
	cell        int
	fit         bool
	view        string
	validOnly   bool
	invalidOnly bool
	title       string
	density     float64
	quiet       bool
	course      courseFlags
	labels      labelFlags
}

// plotHelp says what the command does.
const plotHelp = `Plot draws a grid of tracks, as SVG or PNG by the extension of --out: the road between its borders, the
centreline, the start line across the road with the direction of travel, and a label with env and seed.
Tracks that are not valid are red, with the reason. Mixed batches show the generator of each track, and imported
circuits their names, in metres. Names in other letters than Latin, Greek and Cyrillic ones need SVG.

If the tracks have hills, the road is coloured by its height, and below each track there is a profile of the
height over the way, in which the steepest place is marked.

Of gate courses it draws each gate as a bar between its two posts, with its number, and a line with arrows
through the gates in their order. The first gate is marked. Colours show heights, if the gates have any.
Gates that would be too small to be seen are drawn larger, with thin lines.

--view oblique shows the same from the side and above: hills as a ribbon above its shadow on the ground, and
gates as frames that stand on it. Lines far from the viewer are as long as near ones. Below each course it says
how far apart the lines on the ground are, and by what heights are multiplied to be seen.

--course draws what the components of a course answer (docs/course.md), computed on the device of --device,
in place of heights. Alone it draws all layers that the file can have; --course=field,cars draws some:

  field        tracks: distances to the borders, in bands of colours; a black line where they are 0
  ground       tracks: heights of the ground, in bands of colours, or as lines over field; heights below the cars
  speed        how fast a car with the limits of --max-speed and the others can be, as colours of the line
  checkpoints  tracks: bars across the road with their numbers; the start is yellow. Gates are checkpoints
  props        tracks: props along the outer border
  posts        gates: the posts with which cars collide
  frames       gates: their frames, and balls near them: both are red where they touch
  line         gates: the smooth line through them
  cars         boxes of sample cars: green, or red if they are out of bounds or touch a post
  contacts     the cars, with the nearest point of a border or a post, and the normal of the border there
  ways         the cars, with their straight way in a step, and their outline where they first touch something
  others       the cars, with lines between those that touch each other

With --view oblique, what stands on the ground stands there, and cars and contacts lie above everything.

--cars and --car-seed say how many cars there are and draw their places: the same for the same track, whatever
else is drawn. Lengths are numbers in the unit of the file: metres for imported circuits. The limits of speeds
are those of a small race car in metres; on a circuit, try --max-speed 80 --max-lateral-acceleration 25
--max-acceleration 10 --max-braking 25.

--course-config and --course-set set fields of the course by their names, as trackgen bench --step reads them,
such as checkpoints.spacing, collision.method=sdf or frames.thickness; agents is then the number of cars. A flag of
the same meaning wins. Which layers are drawn is left to --course.

Without --env it draws the first envs of the file, at most --max. --env takes numbers and spans:
0-9,40,100- means 0 to 9, 40, and all from 100 on; and names: Spa is every track that has this name.
--valid-only and --invalid-only choose among them, and --where those whose labels match, as in trackgen stats:
the limits of the car of the labels are --max-speed and the others, and --car-width.

How long it takes: 30 tracks a tenth of a second, 1000 about 3 seconds; with hills or gates up to
six times as long.

The file may come from generate or from NumPy: np.savez with outer, center, inner, tangent, normal
[envs, N_max, 2 or 3], arclen [envs, N_max], length, winding, valid, count [envs], and as they are there
reason, seed, epoch and metadata. A file of gate courses may also be the .json, .csv or .parquet that generate
and export write. docs/formats.md has the limits of what is read.

Exit codes: 0 done, 1 the run failed, 2 bad usage or input (nothing was written), 130 interrupted.`

func (a *app) plotCommand() *cobra.Command {
	var f plotFlags
	command := &cobra.Command{
		Use:   "plot FILE",
		Short: "Draw the tracks of an .npz file, or gate courses",
		Long:  plotHelp,
		Example: `  trackgen plot tracks.npz --out tracks.png
  trackgen plot tracks.npz --out some.svg --env 0-9,40 --columns 4
  trackgen plot tracks.npz --out invalid.png --invalid-only --max 100
  trackgen plot gates.npz --out course.png --env 3 --view oblique
  trackgen plot tracks.npz --out course.png --env 3 --course
  trackgen plot tracks.npz --out hard.png --where 'hairpins >= 3 and lap_time > 4'
  trackgen plot tracks.npz --out field.png --max 4 --course=field,contacts --cars 20`,
		Args:        onePlot,
		Annotations: fileArguments(roleInput),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return courseExtensions, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	command.RunE = a.run(func(ctx context.Context, arguments []string) error {
		f.course.note(command)
		f.labels.note(command, layerFlagNames()...)
		return a.plot(ctx, arguments[0], f)
	})
	flags := command.Flags()
	fileFlag(command, &f.out, "out", "o", roleOutput, "`file` to write: .png or .svg (required)")
	formatFlag(command, &f.format, "that of --out", pictureFormats...)
	envFlag(command, &f.envs, "draw")
	flags.Var(numberFlag(&f.most, export.DefaultTracks, 1, maxDrawn), "max", "most tracks or courses to draw, 1 to 1000")
	flags.Var(numberFlag(&f.columns, 0, 0, maxDrawn), "columns", "cells in a row, 0 for a page a little wider than high")
	flags.Var(numberFlag(&f.cell, 0, 0, 2000), "cell",
		fmt.Sprintf("side of a cell in pixels, 100 to 2000; 0 for %d, or more for hills, gates and layers",
			export.DefaultCellSize))
	flags.Var(realNumber(&f.density, 1), "density", "PNG: pixels of the image for each pixel of the layout, 0.5 to 8")
	flags.BoolVar(&f.fit, "fit", false, "fit each track to its cell, instead of one scale for all")
	flags.StringVar(&f.view, "view", string(export.ViewAbove), "`direction` to look from: above or oblique")
	completeFlag(command, "view", viewNames()...)
	flags.BoolVar(&f.validOnly, "valid-only", false, "draw only what is valid")
	flags.BoolVar(&f.invalidOnly, "invalid-only", false, "draw only what is not valid")
	flags.StringVar(&f.title, "title", "", "`heading` (default: how many are drawn)")
	f.labels.addWhere(command, "draw")
	f.course.register(command)
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no messages, only errors")
	return command
}

// onePlot refuses any arguments but one file.
func onePlot(command *cobra.Command, arguments []string) error {
	for _, argument := range arguments {
		first, _, _ := strings.Cut(argument, ",")
		if len(arguments) > 1 && slices.Contains(layerNames(), first) {
			return fmt.Errorf("plot takes one file, and has %q beside it: write --%s=%s for layers", argument, courseFlag,
				argument)
		}
	}
	return oneFile("plot")(command, arguments)
}

func (a *app) plot(ctx context.Context, path string, f plotFlags) (err error) {
	switch {
	case f.out == "":
		return badInputf("--out is missing: name the picture to write, for example --out tracks.png")
	case f.validOnly && f.invalidOnly:
		return badInputf("--valid-only and --invalid-only exclude each other")
	case !slices.Contains(viewNames(), f.view):
		return badInputf("--view is %q: must be one of %s%s", f.view, strings.Join(viewNames(), ", "),
			suggest.Phrase(f.view, viewNames()))
	case f.cell != 0 && f.cell < 100:
		return badInputf("--cell is %d: must be 0, or 100 to 2000 pixels", f.cell)
	case !(f.density >= 0.5 && f.density <= 8):
		return badInputf("--density is %v: must be a number from 0.5 to 8", f.density)
	}
	chosen, err := fileFormat("--out", f.out, f.format, pictureFormats...)
	if err != nil {
		return err
	}
	if err := export.Probe(f.out); err != nil {
		return badInput(err)
	}
	to := target{path: f.out, format: chosen}
	gates := export.HoldsGates(path)
	if err := errors.Join(f.course.check(path, gates, f.labels.where != ""), f.course.settle(gates, a.stdin)); err != nil {
		return err
	}
	if gates {
		if err := f.labels.refuseGates(path); err != nil {
			return err
		}
		return a.plotGates(ctx, path, f, to)
	}
	f.course.limit(&f.labels)
	labeller, err := f.labels.open(a, f.quiet, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, labeller.close()) }()
	reader, err := export.OpenNPZ(path)
	if err != nil {
		return badInput(err)
	}
	defer reader.Close() //nolint:errcheck // the file was only read
	drawing := newPicture(to, reader.Metadata(), reader.Shape().Envs)
	drawing.layers = layersOf(a, f, layers.Tracks)
	return drawFile(ctx, a, f, path, reader, reader.Names(), courseTracks, drawing, labeller.matching)
}

// plotGates is plot for a file of gate courses.
func (a *app) plotGates(ctx context.Context, path string, f plotFlags, to target) error {
	reader, err := export.OpenGates(path)
	if err != nil {
		return badInput(err)
	}
	defer reader.Close() //nolint:errcheck // the file was only read
	drawing := newGatePicture(to, reader.Metadata(), reader.Shape().Envs)
	drawing.layers = layersOf(a, f, layers.Gates)
	return drawFile(ctx, a, f, path, reader, nil, courseGates, drawing, nil)
}

// drawFile draws the chosen envs of a file. names are the names of its envs, or nil. matching tells which envs of a
// chunk match a condition; it may be nil, and return nil for all of them.
func drawFile[B appender[B]](ctx context.Context, a *app, f plotFlags, path string, reader chunkReader[B],
	names []string, course string, drawing *picture[B],
	matching func(context.Context, B) (func(e int) bool, error)) error {
	drawing.most = f.most
	drawing.style.Columns, drawing.style.CellSize, drawing.style.FitCells = f.columns, f.cell, f.fit
	drawing.style.Title, drawing.style.Density = f.title, f.density
	drawing.style.View = export.View(f.view)
	switch {
	case f.validOnly:
		drawing.which = "valid"
	case f.invalidOnly:
		drawing.which = "invalid"
	}
	wanted, err := chosenEnvs(f.envs, drawing.envs, names)
	if err != nil {
		return err
	}
	var matches func(e int) bool // of the current chunk
	drawing.wanted = func(b B, e, env int) bool {
		if matches != nil && !matches(e) {
			return false
		}
		if valid := drawing.isValid(b, e); valid && f.invalidOnly || !valid && f.validOnly {
			return false
		}
		return wanted.contains(env)
	}
	screen := a.screen(f.quiet)
	bar := newProgress(screen, "reading", thingsOf(course), wanted.last()+1)
	defer bar.Done()
	err = readChunks(ctx, reader, wanted.last()+1, func(chunk B, _ int) (bool, error) {
		defer bar.Add(drawing.size(chunk))
		if matching != nil {
			if matches, err = matching(ctx, chunk); err != nil {
				return false, err
			}
		}
		return !drawing.full(), drawing.Append(ctx, chunk)
	})
	if err != nil {
		return err
	}
	if len(drawing.numbers) == 0 {
		return badInputf("%s: none of the %s is to be drawn: %s", path, thingsOf(course), f.nothing(drawing.envs))
	}
	bar.Finish()
	bar = newProgress(screen, "drawing", "", len(drawing.numbers))
	defer bar.Done()
	if err := drawing.Commit(ctx); err != nil {
		return err
	}
	bar.Finish()
	if !f.quiet {
		a.message("drew %d of %d %s: %s", len(drawing.numbers), drawing.envs, thingsOf(course), f.out)
	}
	return nil
}

// viewNames lists the values of --view.
func viewNames() []string {
	var names []string
	for _, view := range export.Views() {
		names = append(names, string(view))
	}
	return names
}

// nothing returns the reason why there is nothing to draw.
func (f plotFlags) nothing(envs int) string {
	of := fmt.Sprintf("the %d", envs)
	if f.envs != "" {
		of = "--env " + f.envs
	}
	if f.labels.where != "" {
		return "none of " + of + " matches --where and the other flags"
	}
	if f.invalidOnly {
		return "all of " + of + " are valid"
	}
	return "none of " + of + " is valid"
}
