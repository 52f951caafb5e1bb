package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
)

// maxDrawn is the maximum number of tracks in one picture.
const maxDrawn = 1000

type plotFlags struct {
	out         string
	format      string
	envs        string
	most        int
	columns     int
	cell        int
	fit         bool
	validOnly   bool
	invalidOnly bool
	title       string
	density     float64
	quiet       bool
}

func (a *app) plotCommand() *cobra.Command {
	var f plotFlags
	command := &cobra.Command{
		Use:   "plot FILE.npz",
		Short: "Draw tracks of an .npz file",
		Long: `Plot draws a grid of tracks, as SVG or PNG by the extension of --out: the road between its borders, the
centreline, the start line across the road with the direction of travel, and a label with env and seed.
Tracks that are not valid are red, with the reason. Mixed batches show the generator of each track, and imported
circuits their names, in metres. Names in other letters than Latin, Greek and Cyrillic ones need SVG.

Without --env it draws the first tracks of the file, at most --max. --env takes numbers and spans:
0-9,40,100- means 0 to 9, 40, and all from 100 on; and names: Spa is every track that has this name.
--valid-only and --invalid-only choose among them.

How long it takes: 30 tracks a tenth of a second, 1000 about 3 seconds.

The file may come from generate or from NumPy: np.savez with outer, center, inner, tangent, normal
[envs, N_max, 2 or 3], arclen [envs, N_max], length, winding, valid, count [envs], and as they are there
reason, seed, epoch and metadata. docs/formats.md has the limits of what is read.

Exit codes: 0 done, 1 the run failed, 2 bad usage or input (nothing was written), 130 interrupted.`,
		Example: `  trackgen plot tracks.npz --out tracks.png
  trackgen plot tracks.npz --out some.svg --env 0-9,40 --columns 4
  trackgen plot tracks.npz --out invalid.png --invalid-only --max 100`,
		Args:        oneFile("plot"),
		Annotations: fileArguments(roleInput),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"npz"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: a.run(func(ctx context.Context, arguments []string) error {
			return a.plot(ctx, arguments[0], f)
		}),
	}
	flags := command.Flags()
	fileFlag(command, &f.out, "out", "o", roleOutput, "`file` to write: .png or .svg (required)")
	formatFlag(command, &f.format, "that of --out", pictureFormats...)
	envFlag(command, &f.envs, "draw")
	flags.Var(numberFlag(&f.most, export.DefaultTracks, 1, maxDrawn), "max", "most tracks to draw")
	flags.Var(numberFlag(&f.columns, 0, 0, maxDrawn), "columns", "tracks in a row, 0 for a page a little wider than high")
	flags.Var(numberFlag(&f.cell, export.DefaultCellSize, 100, 2000), "cell", "side of a cell in pixels")
	flags.Var(realNumber(&f.density, 1), "density", "PNG: pixels of the image for each pixel of the layout, 0.5 to 8")
	flags.BoolVar(&f.fit, "fit", false, "fit each track to its cell, instead of one scale for all")
	flags.BoolVar(&f.validOnly, "valid-only", false, "draw valid tracks only")
	flags.BoolVar(&f.invalidOnly, "invalid-only", false, "draw only tracks that are not valid")
	flags.StringVar(&f.title, "title", "", "`heading` (default: how many tracks are drawn)")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no messages, only errors")
	return command
}

func (a *app) plot(ctx context.Context, path string, f plotFlags) error {
	switch {
	case f.out == "":
		return badInputf("--out is missing: name the picture to write, for example --out tracks.png")
	case f.validOnly && f.invalidOnly:
		return badInputf("--valid-only and --invalid-only exclude each other")
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
	reader, err := export.OpenNPZ(path)
	if err != nil {
		return badInput(err)
	}
	defer reader.Close() //nolint:errcheck // the file was only read
	drawing := newPicture(target{path: f.out, format: chosen}, reader.Metadata(), reader.Shape().Envs)
	drawing.most = f.most
	drawing.style.Columns, drawing.style.CellSize, drawing.style.FitCells = f.columns, f.cell, f.fit
	drawing.style.Title, drawing.style.Density = f.title, f.density
	switch {
	case f.validOnly:
		drawing.which = "valid"
	case f.invalidOnly:
		drawing.which = "invalid"
	}
	wanted, err := chosenEnvs(f.envs, drawing.envs, reader.Names())
	if err != nil {
		return err
	}
	drawing.wanted = func(b *trackgen.Batch, e, env int) bool {
		if valid := b.Valid[e] != 0; valid && f.invalidOnly || !valid && f.validOnly {
			return false
		}
		return wanted.contains(env)
	}
	screen := a.screen(f.quiet)
	bar := newProgress(screen, "reading", "tracks", wanted.last()+1)
	defer bar.Done()
	err = readChunks(ctx, reader, wanted.last()+1, func(chunk *trackgen.Batch, _ int) (bool, error) {
		defer bar.Add(chunk.Envs)
		return !drawing.full(), drawing.Append(ctx, chunk)
	})
	if err != nil {
		return err
	}
	if len(drawing.numbers) == 0 {
		return badInputf("%s: none of the tracks is to be drawn: %s", path, f.nothing(wanted, drawing.envs))
	}
	bar.Finish()
	bar = newProgress(screen, "drawing", "", len(drawing.numbers))
	defer bar.Done()
	if err := drawing.Commit(ctx); err != nil {
		return err
	}
	bar.Finish()
	if !f.quiet {
		a.message("drew %d of %d tracks: %s", len(drawing.numbers), drawing.envs, f.out)
	}
	return nil
}

// nothing returns the reason why there is no track to draw.
func (f plotFlags) nothing(chosen selection, envs int) string {
	of := fmt.Sprintf("the %d", envs)
	if f.envs != "" {
		of = "--env " + f.envs
	}
	if f.invalidOnly {
		return "all of " + of + " are valid"
	}
	return "none of " + of + " is valid"
}
