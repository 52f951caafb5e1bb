package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/export/labels"
	"github.com/trackgen-go/trackgen/internal/suggest"
)

// Limits of an export that writes a file or a folder for each track.
const (
	maxRoads    = 10_000
	maxMapCells = 1 << 31 // total of all maps
)

// courseExtensions are the extensions of the files that the commands for tracks and gate courses read.
var courseExtensions = []string{"npz", "json", "csv", "parquet"}

type exportFlags struct {
	envChoice
	to         string
	out        string
	invalid    string
	scale      float64
	resolution float64
	margin     float64 // negative: not given
	pgm        bool
	geoJSON    geoJSONFlags
	quiet      bool
	labels     labelFlags
	layout     layoutFlags
	labelled   *labeller // writes the labels, too; nil without --labels

	levelCrossings bool
}

// exportHelp says what the command does.
var exportHelp = `Export writes tracks or gate courses of an .npz file, which generate, import or gates made, in the formats
that other programs read. docs/formats.md describes each of them. Gate courses are also read from the .json, .csv and
.parquet that generate and export write.

Formats of any number of tracks or courses, all by default:
  npz      arrays for NumPy: a part of the file that is read
  parquet  one row for each track or gate, with what reproduces it, for DuckDB, Polars, pandas, Spark
  json     every track with its points or course with its gates, and a summary
  points   CSV with one row for each point or gate
  geojson  roads as polygons and centrelines, courses as lines and gates as points, in metres, or with --origin
           in degrees, for QGIS and the like
  svg, png  a picture of the first ` + fmt.Sprint(export.DefaultTracks) + `; "trackgen plot" has more to choose

Formats of one track:
  csv      x, y and the width to the right and to the left of each point, as in the public collections of
           circuits; with hills also z
  ros      an occupancy-grid map (image, YAML) and the centreline, for ROS and the simulators of F1TENTH
           (RoboRacer)
  xodr     OpenDRIVE: a ring of roads with their heights and banking, for CARLA, Scenic, esmini and other
           driving simulators

Formats of one gate course:
  csv      place, direction, orientation and size of each gate
  toml, yaml  the section of a level file of the simulator lsy_drone_racing: gates, order and start

Without --to the extension of --out says which. --env chooses tracks: 7 is one, and 0-9,40,100- are 0 to 9,
40, and all from 100 on. Several tracks in a format of one, or 7-7, make a folder with a file or folder for
each: Monza.csv, or env-40.csv if no name tells it from the others. A folder must be new or empty, and
takes at most 10,000 tracks, and maps of 2,147,483,648 cells in all.

The files of a ros map are map.yaml, map.png and map_centerline.csv for --out map or --out map.yaml. With
--out Monza/ they are Monza_map.yaml, Monza_map.png and Monza_centerline.csv in that folder, where F1TENTH
looks for them. A map is flat: the bridge of a circuit that crosses itself would be a level crossing, so such
a circuit is refused, unless --level-crossings allows it.

--labels also writes the labels of each track to npz and parquet, as columns label_lap_time and so on.
--where writes only the tracks whose labels match, which are those of the racing line of a car with the limits of
--max-speed and the others: trackgen stats --labels prints them, and its help says what a condition is.

What is not valid is left out of geojson and the formats of one track or course; the other formats hold it,
marked as such. --invalid skip or keep says otherwise; csv, ros and xodr cannot mark it, as the command then
says.

How long it takes: 10,000 tracks about a second in one file, and half a minute as maps.

--scale makes metres of track units: with 50 the default road, 0.2 units wide, becomes 10 m. It applies to
geojson and the formats of one track or course. Without it, a unit is 1 m. The units of imported circuits are metres already:
--scale 0.1 makes models of them for cars of scale 1:10.

The metres of geojson are those of a plane of their own. --crs names another one, such as EPSG:32632, without
changing them; --origin converts them to degrees. Circuits that were imported from degrees go back to degrees
without it, unless --crs local is given.

Exit codes: 0 done, 1 the run failed, 2 bad usage or input (nothing was written), 130 interrupted.`

func (a *app) exportCommand() *cobra.Command {
	var f exportFlags
	command := &cobra.Command{
		Use:   "export FILE",
		Short: "Write tracks or gate courses of a file in the formats of other programs",
		Long:  exportHelp,
		Example: `  trackgen export tracks.npz --out tracks.parquet
  trackgen export tracks.npz --env 7 --scale 50 --out track7.csv
  trackgen export tracks.npz --to ros --env 7 --scale 10 --resolution 0.05 --out track7.yaml
  trackgen export tracks.npz --to xodr --env 0-99 --scale 50 --out roads
  trackgen export gates.npz --env 7 --scale 6 --out level.toml`,
		Args:        oneFile("export"),
		Annotations: fileArguments(roleInput),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return courseExtensions, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	command.RunE = a.run(func(ctx context.Context, arguments []string) error {
		if f.labels.where != "" && f.envs == "" {
			f.envs = "0-" // a condition chooses among all tracks
		}
		f.envChoice = chooseEnvs(f.envs)
		return a.export(ctx, arguments[0], f, command)
	})
	flags, names := command.Flags(), exportFormatNames(exportFormats, courseFormats)
	flags.StringVar(&f.to, "to", "", "`format`: "+strings.Join(names, ", ")+
		" (default: by the extension of --out)")
	fileFlag(command, &f.out, "out", "o", roleOutput,
		"`file` to write, or folder for several tracks as csv, ros or xodr (required)")
	envFlag(command, &f.envs, "write")
	flags.StringVar(&f.invalid, "invalid", "", "`choice` for tracks that are not valid: skip or keep (default: see above)")
	flags.Var(realNumber(&f.scale, 1), "scale", "metres of a track unit")
	flags.Var(realNumber(&f.resolution, 0), "resolution",
		"ros: side of a cell of the map in metres (default a twentieth of the narrowest road)")
	flags.Var(realNumber(&f.margin, -1), "margin",
		"ros: metres of the map beyond the road (default the width of the road)")
	flags.Lookup("margin").DefValue = "0" // the help omits a default of 0
	flags.BoolVar(&f.pgm, "pgm", false, "ros: write the image as PGM instead of PNG")
	flags.BoolVar(&f.levelCrossings, "level-crossings", false,
		"ros: a bridge becomes a level crossing, because a map is flat")
	f.geoJSON.add(command)
	f.layout.register(command)
	flags.BoolVar(&f.labels.show, "labels", false, "npz, parquet: also write the labels of each track, as columns label_*")
	f.labels.add(command, "write")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no messages, only errors")
	completeFlag(command, "to", names...)
	completeFlag(command, "invalid", "skip", "keep")
	return command
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

// export runs the command. It checks the arguments before it reads the tracks, and the tracks before it writes a file.
func (a *app) export(ctx context.Context, path string, f exportFlags, command *cobra.Command) (err error) {
	f.labels.note(command)
	if export.HoldsGates(path) {
		if err := f.labels.refuseGates(path); err != nil {
			return err
		}
		return a.exportCourses(ctx, path, f, command)
	}
	chosen, err := f.format(path, courseTracks)
	if err != nil {
		return err
	}
	if err := f.findName(path); err != nil {
		return err
	}
	if err := f.check(chosen, courseTracks, command.Flags().Changed); err != nil {
		return err
	}
	screen := a.screen(f.quiet)
	labeller, err := f.labels.open(a, f.quiet, " or --labels")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, labeller.close()) }()
	if f.labels.show {
		f.labelled = labeller
	}
	picked, err := pickTracks(ctx, path, f.envChoice, f.keeps(chosen), screen)
	if err != nil {
		return err
	}
	if err := picked.keepMatching(ctx, path, labeller); err != nil {
		return err
	}
	help := ""
	if picked.metadata.Import != nil {
		help = "trackgen import says where, and what makes room; "
	}
	if err := f.checkPicked(path, picked.envsPicked, chosen, "track", help); err != nil {
		return err
	}
	f.pgm = f.pgm || f.isMapOfFiles(chosen) && strings.EqualFold(filepath.Ext(f.out), mapPGM)
	if err := f.probe(path, chosen); err != nil {
		return err
	}
	bar := newProgress(screen, "writing", "tracks", len(picked.envs))
	defer bar.Done()
	roads := newWrittenRoads()
	switch {
	case f.isMapOfFiles(chosen):
		err = f.checkMaps(ctx, path, picked)
		if err == nil {
			err = f.writeMapFiles(ctx, path, picked, roads)
			bar.Add(1)
		}
	case chosen.single:
		err = f.writeRoads(ctx, path, picked, chosen, roads, bar)
	default:
		err = f.writeBatch(ctx, path, picked, chosen, bar)
	}
	if err != nil {
		return err
	}
	bar.Finish()
	if !f.quiet {
		a.exportMessages(f, picked, chosen, roads, command.Flags().Changed("scale"))
	}
	return nil
}

// checkPicked returns an error of the input if the picked envs cannot be written in the chosen format. thing is what an
// env is, and help how to make an invalid one valid.
func (f exportFlags) checkPicked(path string, picked envsPicked, chosen exportFormat, thing, help string) error {
	switch {
	case picked.asked == 1 && picked.skipped == 1:
		return badInputf("%s: the %s is not valid: %s (%s--invalid keep writes it all the same)", path, thing, picked.reason,
			help)
	case len(picked.envs) == 0:
		return badInputf("%s: none of the %d %ss is valid", path, picked.asked, thing)
	case chosen.single && f.env < 0 && f.envs == "" && picked.shape.Envs > 1:
		return badInputf("%s holds %d %ss, and %s one: choose one with --env 7, or several with --env 0-9 and a folder for "+
			"--out", path, picked.shape.Envs, thing, chosen.name)
	case chosen.single && len(picked.envs) > maxRoads:
		return badInputf("--env chooses %d %ss: must be at most %d for a folder of %s", len(picked.envs), thing, maxRoads,
			chosen.name)
	}
	return nil
}

// keeps reports whether a file in the chosen format also holds invalid envs.
func (f exportFlags) keeps(chosen exportFormat) bool {
	return f.invalid == "keep" || f.invalid == "" && chosen.marks
}

// isMapOfFiles reports whether to write the files of one map beside other files.
func (f exportFlags) isMapOfFiles(chosen exportFormat) bool {
	return chosen.name == formatROS && f.envs == "" && !namesFolder(f.out)
}

// probe returns an error of the input if the output cannot be written.
func (f exportFlags) probe(path string, chosen exportFormat) error {
	switch {
	case f.isMapOfFiles(chosen):
		return f.probeMap(path)
	case chosen.single && (f.envs != "" || chosen.name == formatROS):
		return badInput(export.ProbeFolder(f.out))
	default:
		return badInput(export.Probe(f.out))
	}
}

// exportMessages says what was written.
func (a *app) exportMessages(f exportFlags, picked tracksPicked, chosen exportFormat, roads *writtenRoads,
	scaled bool) {
	if chosen.single && picked.invalid > 0 {
		a.message("warning: %s not valid (%s), and %s cannot say so", countIs(picked.invalid), picked.reason, chosen.name)
	}
	left, out := "", f.out
	if picked.skipped > 0 {
		left = fmt.Sprintf(", left out %d that are not valid", picked.skipped)
	}
	if f.isMapOfFiles(chosen) {
		out = strings.Join(f.mapFiles(), ", ")
	}
	a.message("wrote %s%s: %s", tracksText(len(picked.envs)), left, out)
	if start := roads.start; chosen.name == formatROS && len(picked.envs) == 1 {
		a.message("start pose (x, y, theta): %.4f, %.4f, %.4f", start.x, start.y, start.theta)
	}
	if chosen.takesScale() && !scaled {
		if hint := scaleHint(chosen, picked.metadata, roads); hint != "" {
			a.message("%s", hint)
		}
	}
}

func tracksText(n int) string { return countText(n, "track") }

// countText returns a number with what it counts.
func countText(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// countIs writes a number as the subject of a sentence.
func countIs(n int) string {
	if n == 1 {
		return "1 track is"
	}
	return fmt.Sprintf("%d tracks are", n)
}

// format returns the format that --to names or, without --to, the one of the extension of --out, for a file of a kind
// of course.
func (f exportFlags) format(path, course string) (exportFormat, error) {
	if f.out == "" {
		return exportFormat{}, badInputf("--out is missing: name the file to write, for example --out tracks.parquet")
	}
	names := exportFormatNames(exportFormatsOf(course))
	if known, found := f.formatAmong(exportFormatsOf(course), course); found {
		return known, nil
	}
	if other, found := f.formatAmong(exportFormatsOf(otherCourse(course)), course); found {
		if err := holdsTracks(path); course == courseTracks && err != nil {
			return exportFormat{}, err
		}
		return exportFormat{}, badInputf("%s is a format of %s, and %s holds %s: must be one of %s", other.name,
			contentsOf(otherCourse(course)), path, contentsOf(course), strings.Join(names, ", "))
	}
	if f.to != "" {
		return exportFormat{}, badInputf("--to is %q: must be one of %s%s", f.to, strings.Join(names, ", "),
			suggest.Phrase(f.to, names))
	}
	return exportFormat{}, badInputf("--out is %q, which does not say a format: add --to, one of %s", f.out,
		strings.Join(names, ", "))
}

// holdsTracks returns an error of the input if a file cannot be read as tracks: it may be damaged, or not there.
func holdsTracks(path string) error {
	reader, err := export.OpenNPZ(path)
	if err != nil {
		return badInput(err)
	}
	return reader.Close()
}

// otherCourse returns the kind of course that is not the given one.
func otherCourse(course string) string {
	if course == courseGates {
		return courseTracks
	}
	return courseGates
}

// contentsOf returns what a file of a kind of course holds, for messages.
func contentsOf(course string) string {
	if course == courseGates {
		return "gate courses"
	}
	return "tracks"
}

// formatAmong finds the format of --to and --out in a list.
func (f exportFlags) formatAmong(formats []exportFormat, course string) (exportFormat, bool) {
	extension := strings.ToLower(filepath.Ext(f.out))
	for _, known := range formats {
		isMap := course == courseTracks && known.name == formatROS && (extension == mapDescription || extension == mapPGM)
		if f.to == string(known.name) || f.to == "" && extension != "" && (extension == known.extension || isMap) {
			return known, true
		}
	}
	return exportFormat{}, false
}

// check returns an error of the input if the flags are wrong or do not fit the format, which is one of a kind of
// course.
func (f exportFlags) check(chosen exportFormat, course string, given func(string) bool) error {
	var wrong []error
	extension := strings.ToLower(filepath.Ext(f.out))
	refuse := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	if info, err := os.Stat(f.out); err == nil && info.IsDir() && !chosen.single {
		refuse("--out is %q, a folder: must be the name of a file", f.out)
	}
	for _, other := range exportFormatsOf(course) {
		isOther := other.extension != "" && other.extension == extension && other.name != chosen.name
		fits := chosen.single && f.envs != "" || chosen.name == formatPoints && other.name == formatCSV ||
			chosen.name == formatROS && (isMapFile(extension) || namesFolder(f.out))
		if isOther && !fits {
			refuse("--to is %s, but --out is %q: leave --to out, or give the file another extension", chosen.name, f.out)
		}
	}
	isFile := extension != "" && extension == chosen.extension || chosen.name == formatROS && isMapFile(extension)
	if chosen.single && f.envs != "" && isFile && !namesFolder(f.out) {
		refuse("--out is %q, the name of a file, but a %s file holds one %s: name a folder for those of --env, with "+
			"--to %s", f.out, chosen.name, strings.TrimSuffix(thingsOf(course), "s"), chosen.name)
	}
	if f.isMapOfFiles(chosen) {
		wrong = append(wrong, f.checkMap(extension)...)
	}
	if f.invalid != "" && f.invalid != "skip" && f.invalid != "keep" {
		refuse("--invalid is %q: must be skip or keep", f.invalid)
	}
	if given("scale") && !chosen.takesScale() {
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
	for _, flag := range []string{"resolution", "margin", "pgm", "level-crossings"} {
		if given(flag) && chosen.name != formatROS {
			refuse("--%s applies to ros only, and the format is %s", flag, chosen.name)
		}
	}
	if f.labels.show && chosen.name != formatNPZ && chosen.name != formatParquet {
		refuse("--labels applies to npz and parquet only, and the format is %s", chosen.name)
	}
	for _, flag := range layoutNames {
		if given(flag) && (chosen.name != formatParquet || course != courseTracks) {
			refuse("--%s applies to parquet of tracks only, and this is %s of %s", flag, chosen.name, course)
		}
	}
	if err := layoutError(f.layout.layout().Validate()); err != nil {
		wrong = append(wrong, err)
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
func (f exportFlags) writeBatch(ctx context.Context, path string, picked tracksPicked, chosen exportFormat,
	bar *progress) error {
	w, err := f.create(chosen, export.Shape{Envs: len(picked.envs), NMax: picked.shape.NMax}, picked)
	if err != nil {
		return err
	}
	return noRoadIsBadInput(writeChunks(ctx, w, trackParts, f.out, bar,
		func(take func(*trackgen.Batch, []int) error) error { return picked.each(ctx, path, take) }))
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
	var arrays []export.NPZOption
	columns := []export.EncoderOption{numbered}
	picked.metadata.Labels = nil // those of a file that had some are not copied
	if f.labelled != nil {
		extra, about := labels.Columns(f.labelled.device, f.labelled.config)
		arrays, columns = append(arrays, export.ExtraArrays(extra)), append(columns, export.ExtraColumns(extra))
		picked.metadata.Labels = about
	}
	encode := func(encoder func(io.Writer) (export.Encoder, error)) (export.BatchWriter, error) {
		return export.Create(f.out, encoder)
	}
	switch chosen.name {
	case formatNPZ:
		return export.NewNPZWriter(f.out, shape, picked.renumbered(), arrays...)
	case formatParquet:
		return encode(func(w io.Writer) (export.Encoder, error) {
			return f.layout.layout().NewEncoder(w, shape, picked.metadata, columns...)
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
		p := newPicture(target{path: f.out, format: chosen.name}, picked.metadata, picked.shape.Envs)
		p.called = picked.envs
		return p, nil
	}
}

// writeRoads writes the chosen tracks in a format that holds a single track: to a file, or to a folder of files.
func (f exportFlags) writeRoads(ctx context.Context, path string, picked tracksPicked, chosen exportFormat,
	roads *writtenRoads, bar *progress) error {
	if chosen.name != formatROS && f.envs == "" {
		return picked.each(ctx, path, func(chunk *trackgen.Batch, envs []int) error {
			defer bar.Add(1)
			road, err := f.roadOf(chunk, 0, envs[0])
			if err != nil {
				return err
			}
			roads.add(road)
			return noRoadIsBadInput(export.WriteFile(f.out, func(w io.Writer) error {
				return writeRoad(w, road, chosen.name)
			}))
		})
	}
	if chosen.name == formatROS {
		if err := f.checkMaps(ctx, path, picked); err != nil {
			return err
		}
	}
	called := fileNames(picked.names, picked.envs)
	return writeFolder(f.out, func(folder *export.AtomicFolder) error {
		return picked.each(ctx, path, func(chunk *trackgen.Batch, envs []int) error {
			for e, env := range envs {
				if err := ctx.Err(); err != nil {
					return err
				}
				road, err := f.roadOf(chunk, e, env)
				if err != nil {
					return err
				}
				roads.add(road)
				name, rest := called[0], called[1:]
				called = rest
				if err := f.writeInto(folder, road, chosen, name); err != nil {
					return err
				}
				bar.Add(1)
			}
			return nil
		})
	})
}

// writeFolder writes a folder of files. It appears only when it is complete.
func writeFolder(path string, write func(*export.AtomicFolder) error) (err error) {
	folder, err := export.CreateAtomicFolder(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Abort()) }()
	if err := write(folder); err != nil {
		return err
	}
	return folder.Commit()
}

// writeInto writes a road to a folder. name is the name of its file or folder. A single map gets the name of the output
// folder instead.
func (f exportFlags) writeInto(folder *export.AtomicFolder, road *export.Road, chosen exportFormat,
	name string) error {
	if chosen.name != formatROS {
		return noRoadIsBadInput(folder.WriteFile(name+chosen.extension,
			func(w io.Writer) error { return writeRoad(w, road, chosen.name) }))
	}
	path := filepath.Join(name, name+"_map")
	if f.envs == "" {
		absolute, err := filepath.Abs(f.out)
		if err != nil {
			return err
		}
		path = filepath.Base(absolute) + "_map"
	}
	return mapIsBadInput(road.Env, export.WriteOccupancyMap(folder, path, road, f.mapStyle()))
}

// writeRoad writes one road in a format that holds a single track.
func writeRoad(w io.Writer, road *export.Road, to format) error {
	if to == formatCSV {
		return export.WriteCircuit(w, road)
	}
	name := cmp.Or(road.Name, fmt.Sprintf("trackgen seed %d epoch %d", road.Seed, road.Epoch))
	return export.WriteOpenDRIVE(w, road, name)
}
