package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/cmd/trackgen/internal/suggest"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/export/parquet"
)

// exportFormat describes a format that export writes.
type exportFormat struct {
	name      format
	extension string // of the file; empty if the format is a folder
	single    bool   // holds a single track; several tracks are written to a folder
	marks     bool   // includes invalid tracks, marked as invalid, unless --invalid is skip
	canMark   bool   // includes invalid tracks if --invalid requests it
}

// Limits of an export that writes a file or a folder for each track.
const (
	maxRoads    = 10_000
	maxMapCells = 1 << 31 // total of all maps
)

var exportFormats = []exportFormat{
	{name: formatNPZ, extension: ".npz", marks: true, canMark: true},
	{name: formatParquet, extension: ".parquet", marks: true, canMark: true},
	{name: formatJSON, extension: ".json", marks: true, canMark: true},
	{name: formatPoints, marks: true, canMark: true},
	{name: formatGeoJSON, extension: ".geojson", canMark: true},
	{name: formatSVG, extension: ".svg", marks: true, canMark: true},
	{name: formatPNG, extension: ".png", marks: true, canMark: true},
	{name: formatCSV, extension: ".csv", single: true},
	{name: formatROS, single: true},
	{name: formatXODR, extension: ".xodr", single: true},
}

type exportFlags struct {
	to         string
	out        string
	env        int    // the number of --env if it is one, else -1
	envs       string // --env as it was given if it is not one number, else empty
	invalid    string
	scale      float64
	resolution float64
	margin     float64 // negative: not given
	pgm        bool
	geoJSON    geoJSONFlags
	quiet      bool
}

func (a *app) exportCommand() *cobra.Command {
	var f exportFlags
	command := &cobra.Command{
		Use:   "export FILE.npz",
		Short: "Write tracks of an .npz file in the formats of other programs",
		Long: `Export writes tracks of an .npz file, as generate made it, in the formats that other programs read.
docs/formats.md describes each of them.

Formats of any number of tracks, all by default:
  npz      arrays for NumPy: a part of the file that is read
  parquet  one row for each track, with what reproduces it, for DuckDB, Polars, pandas, Spark
  json     every track with its points, and a summary
  points   CSV with one row for each point
  geojson  roads as polygons and centrelines, in metres, or with --origin in degrees, for QGIS and the like
  svg, png  a picture of the first ` + fmt.Sprint(export.DefaultTracks) + `; "trackgen plot" has more to choose

Formats of one track:
  csv      x, y and the width to the right and to the left of each point, as in the public collections of
           circuits
  ros      a folder with an occupancy-grid map (image, YAML) and the centreline, for ROS and the simulators of
           F1TENTH (RoboRacer)
  xodr     OpenDRIVE: one closed road, for CARLA, esmini and other driving simulators

Without --to the extension of --out says which. --env chooses tracks: 7 is one, and 0-9,40,100- are 0 to 9,
40, and all from 100 on. Several tracks in a format of one, or 7-7, make a folder with a file or
folder for each: env-40.csv. A folder must be new or empty, and takes at most 10,000 tracks, and maps of 2,147,483,648
cells in all.

Tracks that are not valid are left out of geojson, and cannot be written as csv, ros or xodr; the other
formats hold them, marked as such. --invalid skip or keep says otherwise.

--scale makes metres of track units: with 50 the default road, 0.2 units wide, becomes 10 m. It applies to
geojson, csv, ros and xodr.

The metres of geojson are those of a plane of their own. --crs names another one, such as EPSG:32632, without
changing them; --origin converts them to degrees. Circuits that were imported from degrees go back to degrees
without it, unless --crs local is given.

Exit codes: 0 done, 1 the run failed, 2 bad usage or input (nothing was written), 130 interrupted.`,
		Example: `  trackgen export tracks.npz --out tracks.parquet
  trackgen export tracks.npz --env 7 --scale 50 --out track7.csv
  trackgen export tracks.npz --to ros --env 7 --scale 10 --resolution 0.05 --out track7
  trackgen export tracks.npz --to xodr --env 0-99 --scale 50 --out roads`,
		Args:        oneFile("export"),
		Annotations: fileArguments(roleInput),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"npz"}, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	command.RunE = a.run(func(ctx context.Context, arguments []string) error {
		f.env = -1
		if env, err := strconv.ParseUint(f.envs, 10, 31); err == nil {
			f.env, f.envs = int(env), ""
		}
		return a.export(ctx, arguments[0], f, command)
	})
	flags := command.Flags()
	flags.StringVar(&f.to, "to", "", "`format`: "+strings.Join(exportFormatNames(),
		", ")+" (default: by the extension of --out)")
	fileFlag(command, &f.out, "out", "o", roleOutput,
		"`file` to write, or folder for ros and for several tracks as csv or xodr (required)")
	envFlag(command, &f.envs, "write")
	flags.StringVar(&f.invalid, "invalid", "", "`choice` for tracks that are not valid: skip or keep (default: see above)")
	flags.Var(realNumber(&f.scale, 1), "scale", "metres of a track unit")
	flags.Var(realNumber(&f.resolution, 0), "resolution",
		"ros: side of a cell of the map in metres (default a twentieth of the narrowest road)")
	flags.Var(realNumber(&f.margin, -1), "margin",
		"ros: metres of the map beyond the road (default the width of the road)")
	flags.Lookup("margin").DefValue = "0" // the help omits a default of 0
	flags.BoolVar(&f.pgm, "pgm", false, "ros: write the image as PGM instead of PNG")
	f.geoJSON.add(command)
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no messages, only errors")
	completeFlag(command, "to", exportFormatNames()...)
	completeFlag(command, "invalid", "skip", "keep")
	return command
}

// findName makes a name that one track of the file has the one track to write. Any other selection stays as it is.
func (f *exportFlags) findName(path string) error {
	if isNumeric(strings.Trim(f.envs, " ,")) {
		return nil
	}
	reader, err := export.OpenNPZ(path)
	if err != nil {
		return badInput(err)
	}
	defer reader.Close() //nolint:errcheck // the file was only read
	if list := called(reader.Names(), f.envs); len(list) == 1 {
		f.env, f.envs = list[0].first, ""
	}
	return nil
}

// oneFile refuses any number of arguments except one.
func oneFile(name string) cobra.PositionalArgs {
	return func(_ *cobra.Command, arguments []string) error {
		if len(arguments) != 1 {
			return fmt.Errorf("%s takes one file, and has %d", name, len(arguments))
		}
		return nil
	}
}

func exportFormatNames() []string {
	var names []string
	for _, f := range exportFormats {
		names = append(names, string(f.name))
	}
	return names
}

// export runs the command. It checks the arguments before it reads the tracks, and the tracks before it writes a file.
func (a *app) export(ctx context.Context, path string, f exportFlags, command *cobra.Command) error {
	chosen, err := f.format()
	if err != nil {
		return err
	}
	if err := f.findName(path); err != nil {
		return err
	}
	if err := f.check(chosen, command.Flags().Changed); err != nil {
		return err
	}
	keep := chosen.marks
	if f.invalid != "" {
		keep = f.invalid == "keep"
	}
	picked, err := pickTracks(ctx, path, f, keep)
	if err != nil {
		return err
	}
	switch {
	case picked.asked == 1 && picked.skipped == 1:
		return badInputf("%s: the track is not valid: %s", path, picked.reason)
	case len(picked.envs) == 0:
		return badInputf("%s: none of the %d tracks is valid", path, picked.asked)
	case chosen.single && f.env < 0 && f.envs == "" && picked.shape.Envs > 1:
		return badInputf(
			"%s holds %d tracks, and %s one: choose one with --env 7, or several with --env 0-9 and a folder for --out",
			path, picked.shape.Envs, chosen.name)
	case chosen.single && len(picked.envs) > maxRoads:
		return badInputf("--env chooses %d tracks: must be at most %d for a folder of %s",
			len(picked.envs), maxRoads, chosen.name)
	}
	folder := chosen.single && f.envs != ""
	probe := export.Probe
	if folder || chosen.name == formatROS {
		probe = export.ProbeFolder
	}
	if err := probe(f.out); err != nil {
		return badInput(err)
	}
	if chosen.single {
		err = f.writeRoads(ctx, path, picked, chosen, folder)
	} else {
		err = f.writeBatch(ctx, path, picked, chosen)
	}
	if err != nil {
		return err
	}
	if !f.quiet {
		left := ""
		if picked.skipped > 0 {
			left = fmt.Sprintf(", left out %d that are not valid", picked.skipped)
		}
		a.message("wrote %s%s: %s", tracksText(len(picked.envs)), left, f.out)
	}
	return nil
}

func tracksText(n int) string {
	if n == 1 {
		return "1 track"
	}
	return fmt.Sprintf("%d tracks", n)
}

// format returns the format that --to names or, without --to, the one of the extension of --out.
func (f exportFlags) format() (exportFormat, error) {
	if f.out == "" {
		return exportFormat{}, badInputf("--out is missing: name the file to write, for example --out tracks.parquet")
	}
	extension := strings.ToLower(filepath.Ext(f.out))
	for _, known := range exportFormats {
		if f.to == string(known.name) || f.to == "" && extension != "" && extension == known.extension {
			return known, nil
		}
	}
	names := exportFormatNames()
	if f.to != "" {
		return exportFormat{}, badInputf("--to is %q: must be one of %s%s", f.to, strings.Join(names, ", "),
			suggest.Phrase(f.to, names))
	}
	return exportFormat{}, badInputf("--out is %q, which does not say a format: add --to, one of %s", f.out,
		strings.Join(names, ", "))
}

// check returns an error of the input if the flags are wrong or do not fit the format.
func (f exportFlags) check(chosen exportFormat, given func(string) bool) error {
	var wrong []error
	extension := strings.ToLower(filepath.Ext(f.out))
	refuse := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	if info, err := os.Stat(f.out); err == nil && info.IsDir() && !chosen.single {
		refuse("--out is %q, a folder: must be the name of a file", f.out)
	}
	for _, other := range exportFormats {
		isOther := other.extension != "" && other.extension == extension && other.name != chosen.name
		folder := chosen.single && (chosen.extension == "" || f.envs != "")
		fits := folder || chosen.name == formatPoints && other.name == formatCSV
		if isOther && !fits {
			refuse("--to is %s, but --out is %q: leave --to out, or give the file another extension", chosen.name, f.out)
		}
	}
	if chosen.single && f.envs != "" && chosen.extension != "" && extension == chosen.extension {
		refuse("--out is %q, the name of a file, but a %s file holds one track: name a folder for those of --env, with "+
			"--to %s", f.out, chosen.name, chosen.name)
	}
	switch f.invalid {
	case "", "skip":
	case "keep":
		if !chosen.canMark {
			refuse("--invalid is keep, but %s has no way to mark tracks that are not valid", chosen.name)
		}
	default:
		refuse("--invalid is %q: must be skip or keep", f.invalid)
	}
	if given("scale") && !chosen.single && chosen.name != formatGeoJSON {
		refuse("--scale does not apply to %s, which holds the numbers as they were made", chosen.name)
	}
	if !(f.scale >= 1e-9 && f.scale <= 1e9) {
		refuse("--scale is %v: must be a number from 1e-9 to 1e9", f.scale)
	}
	for _, flag := range []string{"crs", "origin"} {
		if given(flag) && chosen.name != formatGeoJSON {
			refuse("--%s applies to geojson only, and the format is %s", flag, chosen.name)
		}
	}
	if err := f.geoJSON.check(); err != nil && chosen.name == formatGeoJSON {
		wrong = append(wrong, err)
	}
	for _, flag := range []string{"resolution", "margin", "pgm"} {
		if given(flag) && chosen.name != formatROS {
			refuse("--%s applies to ros only, and the format is %s", flag, chosen.name)
		}
	}
	if given("resolution") && !(f.resolution > 0 && f.resolution <= 1e9) {
		refuse("--resolution is %v: must be a number above 0 and up to 1e9", f.resolution)
	}
	if given("margin") && !(f.margin >= 0 && f.margin <= 1e9) {
		refuse("--margin is %v: must be a number from 0 to 1e9", f.margin)
	}
	return badInput(errors.Join(wrong...))
}

// roadOf returns the road of env e of a chunk; env is its number in the file.
func (f exportFlags) roadOf(chunk *trackgen.Batch, e, env int) (*export.Road, error) {
	road, err := export.RoadOf(chunk, e, f.scale)
	var none *export.RoadError
	if errors.As(err, &none) {
		none.Env = env
	}
	if err != nil {
		return nil, noRoadIsBadInput(err)
	}
	road.Env = env
	return road, nil
}

// writeBatch writes the chosen tracks to one file.
func (f exportFlags) writeBatch(ctx context.Context, path string, picked tracksPicked,
	chosen exportFormat) (err error) {
	shape := export.Shape{Envs: len(picked.envs), NMax: picked.shape.NMax}
	w, err := f.create(chosen, shape, picked)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Abort()) }()
	err = picked.each(ctx, path, func(chunk *trackgen.Batch, _ []int) error { return w.Append(ctx, chunk) })
	if err != nil {
		return noRoadIsBadInput(err)
	}
	return w.Commit(ctx)
}

// noRoadIsBadInput marks the error for a track that a format cannot represent as an error of the input.
func noRoadIsBadInput(err error) error {
	if errors.Is(err, export.ErrNoRoad) {
		return badInput(err)
	}
	return err
}

// create creates the file of a format that holds many tracks.
func (f exportFlags) create(chosen exportFormat, shape export.Shape, picked tracksPicked) (export.BatchWriter, error) {
	numbered := export.Numbered(picked.envs)
	encode := func(encoder func(io.Writer) (export.Encoder, error)) (export.BatchWriter, error) {
		return export.Create(f.out, encoder)
	}
	switch chosen.name {
	case formatNPZ:
		return export.NewNPZWriter(f.out, shape, picked.renumbered())
	case formatParquet:
		return encode(func(w io.Writer) (export.Encoder, error) {
			return parquet.NewEncoder(w, shape, picked.metadata, numbered)
		})
	case formatJSON:
		return encode(func(w io.Writer) (export.Encoder, error) {
			return export.NewTracksJSON(w, shape, picked.metadata, numbered)
		})
	case formatPoints:
		return encode(func(w io.Writer) (export.Encoder, error) { return export.NewPointsCSV(w, shape, numbered) })
	case formatGeoJSON:
		style, err := f.geoJSON.style(f.scale)
		if err != nil {
			return nil, badInput(err)
		}
		return encode(func(w io.Writer) (export.Encoder, error) {
			return export.NewGeoJSON(w, shape, picked.metadata, style, numbered)
		})
	default:
		p := &picture{
			target: target{path: f.out, format: chosen.name},
			config: picked.metadata.Config, envs: picked.shape.Envs, called: picked.envs,
			circuits: picked.metadata.Import != nil,
		}
		if p.circuits {
			p.style.CellSize = circuitCell(shape.Envs)
		}
		return p, nil
	}
}

// writeRoads writes the chosen tracks in a format that holds a single track: to a file, or to a folder of files.
func (f exportFlags) writeRoads(ctx context.Context, path string, picked tracksPicked, chosen exportFormat,
	several bool) (err error) {
	if chosen.name != formatROS && !several {
		return picked.each(ctx, path, func(chunk *trackgen.Batch, envs []int) error {
			road, err := f.roadOf(chunk, 0, envs[0])
			if err != nil {
				return err
			}
			return noRoadIsBadInput(export.WriteFile(f.out, func(w io.Writer) error { return writeRoad(w, road, chosen.name) }))
		})
	}
	if chosen.name == formatROS {
		if err := f.checkMaps(ctx, path, picked); err != nil {
			return err
		}
	}
	folder, err := export.CreateAtomicFolder(f.out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Abort()) }()
	err = picked.each(ctx, path, func(chunk *trackgen.Batch, envs []int) error {
		for e, env := range envs {
			if err := ctx.Err(); err != nil {
				return err
			}
			road, err := f.roadOf(chunk, e, env)
			if err != nil {
				return err
			}
			if err := f.writeInto(folder, road, chosen, several); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return folder.Commit()
}

// checkMaps returns an error if a map cannot be drawn or if all maps together are too large. It draws none.
func (f exportFlags) checkMaps(ctx context.Context, path string, picked tracksPicked) error {
	style, cells := f.mapStyle(), 0
	return picked.each(ctx, path, func(chunk *trackgen.Batch, envs []int) error {
		for e, env := range envs {
			road, err := f.roadOf(chunk, e, env)
			if err != nil {
				return err
			}
			n, err := style.Cells(road)
			if err != nil {
				return mapIsBadInput(env, err)
			}
			if cells += n; cells > maxMapCells {
				return badInputf("the maps up to that of env %d have %d cells: must be at most %d in all; "+
					"choose fewer tracks or a coarser --resolution", env, cells, maxMapCells)
			}
		}
		return nil
	})
}

// mapStyle returns the properties of maps that the flags request.
func (f exportFlags) mapStyle() export.OccupancyMap {
	style := export.OccupancyMap{Resolution: f.resolution, PGM: f.pgm}
	if f.margin >= 0 {
		style.Margin = &f.margin
	}
	return style
}

// mapIsBadInput marks the error for a map that cannot be drawn as an error of the input.
func mapIsBadInput(env int, err error) error {
	if errors.Is(err, export.ErrMap) {
		return badInput(fmt.Errorf("env %d: %w", env, err))
	}
	return err
}

// writeInto writes a road to a folder. The name of its file or folder contains its number, except for a single map,
// which gets the name of the output folder.
func (f exportFlags) writeInto(folder *export.AtomicFolder, road *export.Road, chosen exportFormat,
	several bool) error {
	name := fmt.Sprintf("env-%d", road.Env)
	if chosen.name != formatROS {
		return noRoadIsBadInput(folder.WriteFile(name+chosen.extension,
			func(w io.Writer) error { return writeRoad(w, road, chosen.name) }))
	}
	below := name
	if !several {
		absolute, err := filepath.Abs(f.out)
		if err != nil {
			return err
		}
		name, below = filepath.Base(absolute), ""
	}
	return mapIsBadInput(road.Env, export.WriteOccupancyMap(folder, below, name, road, f.mapStyle()))
}

// writeRoad writes one road in a format that holds a single track.
func writeRoad(w io.Writer, road *export.Road, to format) error {
	if to == formatCSV {
		return export.WriteCircuit(w, road)
	}
	return export.WriteOpenDRIVE(w, road, fmt.Sprintf("trackgen seed %d epoch %d", road.Seed, road.Epoch))
}
