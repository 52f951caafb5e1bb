package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/internal/suggest"
)

// Formats of terrain.
const (
	formatOBJ format = "obj"
	formatGLB format = "glb"
)

var terrainFormats = []format{formatNPZ, formatPNG, formatOBJ, formatGLB}

// Limits of a terrain that is written.
const (
	maxGroundCells = 1 << 28 // of all grids of an .npz file, which are in memory together
	bakedCells     = 1 << 24 // of the grids that a device bakes at a time
)

type terrainFlags struct {
	to          string
	out         string
	envs        string
	resolution  int
	padding     float64 // metres; 0: not given
	blend       string
	blendLength float64 // metres; 0: not given
	scale       float64
	gap         float64 // metres; 0: not given
	device      string
	quiet       bool
}

// terrainHelp says what the command does.
const terrainHelp = `Terrain makes the ground around the tracks of an .npz file, as generate made it: a square grid of heights
over each track, for simulators with terrain. docs/terrain.md describes the formats.

  npz      the heights of any number of tracks, all by default, for NumPy: height [E, R, R], lo and hi [E, 2]
  png      a grey image with 16 bits per pixel, and a .json file beside it with its place and its scale
  obj      a mesh of the road and the ground, with a .mtl file beside it: Wavefront OBJ, z upwards
  glb      the same as binary glTF, y upwards

The extension of --out says which, or --to. The last three hold one track. Several, or 7-7, make a folder with
the files of each: Monza.png and Monza.json, or env-40.png and env-40.json if no name tells it from the others.
A folder must be new or empty, and takes at most 10,000 tracks. Tracks that are not valid have no ground: npz
has NaN for them, and folders leave them out.

A cell has the height of the nearest point of the centreline. --blend smooth blends the heights off the road, so
that the ground has no steps between parts of the track; on the road it has the same heights. In meshes the
ground is lower than the road where they meet, by --gap or more, so that it does not show through.

--scale makes metres of track units, in all formats but npz. The other lengths are metres after that.

Exit codes: 0 done, 1 the run failed, 2 bad usage or input (nothing was written), 130 interrupted.`

func (a *app) terrainCommand() *cobra.Command {
	f := terrainFlags{}
	defaults := trackgen.DefaultHeightConfig()
	command := &cobra.Command{
		Use:   "terrain FILE.npz",
		Short: "Make the ground around tracks: height fields and meshes",
		Long:  terrainHelp,
		Example: `  trackgen terrain tracks.npz --out heights.npz
  trackgen terrain tracks.npz --env 7 --blend smooth --resolution 256 --scale 50 --out track7.glb
  trackgen terrain tracks.npz --env 0-99 --blend smooth --to png --out images`,
		Args:        oneFile("terrain"),
		Annotations: fileArguments(roleInput),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"npz"}, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	command.RunE = a.run(func(ctx context.Context, arguments []string) error {
		return a.terrain(ctx, arguments[0], f, command.Flags().Changed)
	})
	flags := command.Flags()
	flags.StringVar(&f.to, "to", "", "`format`: "+strings.Join(formatNames(terrainFormats), ", ")+
		" (default: by the extension of --out)")
	fileFlag(command, &f.out, "out", "o", roleOutput,
		"`file` to write, or folder for several tracks as png, obj or glb (required)")
	envFlag(command, &f.envs, "take")
	flags.Var(numberFlag(&f.resolution, defaults.Resolution, 8, 4096), "resolution",
		"cells along each side of a grid, 8 to 4096")
	flags.Var(metres(&f.padding, positive), "padding",
		"metres of ground around the bounding box of a track (default a tenth of its larger side)")
	flags.StringVar(&f.blend, "blend", defaults.Blend.Mode, "`choice` of the heights off the road: nearest or smooth")
	flags.Var(metres(&f.blendLength, positive), "blend-length",
		"smooth: metres that a segment may be farther than the nearest one and still count (default no limit)")
	flags.Var(realNumber(&f.scale, 1), "scale", "metres of a track unit")
	flags.Var(metres(&f.gap, positive), "gap",
		"obj, glb: metres from the road down to the ground (default a hundredth of its width)")
	flags.StringVarP(&f.device, "device", "d", "auto", "`name` of the device: see trackgen devices")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no messages, only errors")
	completeFlag(command, "to", formatNames(terrainFormats)...)
	completeFlag(command, "blend", "nearest", "smooth")
	completeDevice(command)
	return command
}

// chosen returns the format that --to names or, without --to, the one of the extension of --out.
func (f terrainFlags) chosen() (format, error) {
	if f.out == "" {
		return "", badInputf("--out is missing: name the file to write, for example --out heights.npz")
	}
	extension := strings.ToLower(filepath.Ext(f.out))
	names := formatNames(terrainFormats)
	named := format(strings.TrimPrefix(extension, "."))
	if !slices.Contains(terrainFormats, named) {
		named = ""
	}
	switch {
	case f.to == "" && named == "":
		return "", badInputf("--out is %q, which does not say a format: add --to, one of %s", f.out,
			strings.Join(names, ", "))
	case f.to == "":
		return named, nil
	case !slices.Contains(names, f.to):
		return "", badInputf("--to is %q: must be one of %s%s", f.to, strings.Join(names, ", "),
			suggest.Phrase(f.to, names))
	case named != "" && named != format(f.to):
		return "", badInputf("--to is %s, but --out is %q: leave --to out, or give the file another extension", f.to, f.out)
	}
	return format(f.to), nil
}

// check returns an error of the input if the flags are wrong or do not fit the format.
func (f terrainFlags) check(to format, given func(string) bool) error {
	var wrong []error
	refuse := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	if given("scale") && to == formatNPZ {
		refuse("--scale does not apply to npz, which holds the numbers in track units")
	}
	if !(f.scale >= 1e-9 && f.scale <= 1e9) {
		refuse("--scale is %v: must be a number from 1e-9 to 1e9", f.scale)
	}
	if given("gap") && to != formatOBJ && to != formatGLB {
		refuse("--gap applies to obj and glb only, and the format is %s", to)
	}
	if f.blend != "nearest" && f.blend != "smooth" {
		refuse("--blend is %q: must be nearest or smooth%s", f.blend, suggest.Phrase(f.blend, []string{"nearest", "smooth"}))
	}
	if given("blend-length") && f.blend != "smooth" {
		refuse("--blend-length applies to --blend smooth only")
	}
	if info, err := os.Stat(f.out); to == formatNPZ && err == nil && info.IsDir() {
		refuse("--out is %q, a folder: must be the name of a file", f.out)
	}
	return badInput(errors.Join(wrong...))
}

// config returns the configuration of the grids, in track units.
func (f terrainFlags) config() (trackgen.HeightConfig, error) {
	c := trackgen.DefaultHeightConfig()
	c.Resolution, c.Padding = f.resolution, f.padding/f.scale
	c.Blend.Mode, c.Blend.Length = f.blend, f.blendLength/f.scale
	if err := c.Validate(); err != nil {
		return c, badInputf("with --scale %v, in track units: %w", f.scale, err)
	}
	return c, nil
}

// terrain runs the command. It checks the arguments before it reads the tracks, and the tracks before it writes a file.
func (a *app) terrain(ctx context.Context, path string, f terrainFlags, given func(string) bool) (err error) {
	to, err := f.chosen()
	if err != nil {
		return err
	}
	if err := f.check(to, given); err != nil {
		return err
	}
	config, err := f.config()
	if err != nil {
		return err
	}
	choice := chooseEnvs(f.envs)
	if err := choice.findName(path); err != nil {
		return err
	}
	screen := a.screen(f.quiet)
	picked, err := pickTracks(ctx, path, choice, to == formatNPZ, screen)
	if err != nil {
		return err
	}
	ground := &groundRun{terrainFlags: f, to: to, config: config, path: path, picked: picked, many: choice.envs != ""}
	if err := ground.check(); err != nil {
		return err
	}
	if err := ground.probe(); err != nil {
		return err
	}
	if ground.device, err = a.openDevice(f.device, 0, f.quiet); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ground.device.Close()) }()
	ground.bar = newProgress(screen, "baking", "tracks", len(picked.envs))
	defer ground.bar.Done()
	if err := ground.write(ctx); err != nil {
		return err
	}
	ground.bar.Finish()
	if !f.quiet {
		a.groundMessages(ground, given("scale"))
	}
	return nil
}

// groundMessages says what was written.
func (a *app) groundMessages(g *groundRun, scaled bool) {
	left := ""
	if g.picked.skipped > 0 {
		left = fmt.Sprintf(", left out %d that are not valid", g.picked.skipped)
	}
	a.message("wrote the ground of %s%s: %s", tracksText(len(g.picked.envs)), left, strings.Join(g.files(), ", "))
	if g.picked.invalid > 0 {
		a.message("warning: %s not valid: the heights are NaN", countIs(g.picked.invalid))
	}
	if !scaled && g.to != formatNPZ && g.picked.metadata.Import == nil {
		a.message("without --scale a track unit is 1 m")
	}
}
