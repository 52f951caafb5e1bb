package command

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
)

type importFlags struct {
	options  trackgen.ImportOptions
	reading  trackgen.ReadOptions
	forms    formFlags
	name     string
	recenter bool
	level    bool // --height is given
	device   string
	workers  int
	out      string
	plot     string
	format   string
	quiet    bool
}

// importExtensions are the usual extensions of files that import reads.
var importExtensions = []string{"csv", "txt", "tsv", "dat", "json", "geojson", "kml", "gpx", "yaml", "npy", "npz"}

func (a *app) importCommand() *cobra.Command {
	var f importFlags
	command := &cobra.Command{
		Use:   "import FILE [FILE ...]",
		Short: "Make tracks of real circuits",
		Long: `Import reads the centrelines of real circuits, one or several in each file, and makes tracks of them: a smooth
curve through the points, at constant spacing, with the measured width to the right and to the left of
each point. It prints what it made and whether it is a valid track, and with --out writes one batch of
all circuits, in the format of the extension: .npz, .csv, .json, .parquet, .svg or .png, as generate does.
The .npz has the widths, width_right and width_left [envs, N_max], and crossings [envs].

A line of a CSV file is a point: x, y, and the widths from there to the right and to the left border in
the direction of travel, in metres; or x, y and the width of the whole road; or x and y alone, with
--half-width; a named column may hold the height. The first line or a comment (#) may name the columns, in
any order and among others; what became of each is printed. Names that are not understood are an error: then --columns says what the
columns are. Columns are separated by commas, semicolons, tabs or blanks. The line is closed from the
last point to the first. "-" is standard input.

Files of two borders or of cones, GeoJSON, KML, GPX, the .npy files of DeepRacer, and the .npz, .parquet,
.json and .csv files that trackgen writes are read too, and two borders in a file each, with --left and
--right. The kind of a file is detected by its content. Degrees become metres around the middle of the
circuit.

A track has the heights of its file, in metres: of a CSV column, the third number of GeoJSON, absolute
altitudes of KML, ele of GPX. --height-smoothing averages noisy ones, and --height makes a level track. With
--bank-factor the road is tilted in bends. docs/importing.md has the details.

A circuit may cross itself on bridges, at 30 degrees or more, unless --no-crossings is given. Coordinates
of maps, far from the origin, need --recenter.

Without --out, what is printed goes to standard output: text on a terminal, else JSON.

How long it takes: a hundredth of a second for each circuit, and up to a second if it has borders or cones;
borders of 100,000 points half a minute.

Exit codes: 0 done, also with circuits that are not valid tracks; 1 the run failed, 2 bad usage or input
(nothing was written), 130 interrupted.`,
		Example: `  trackgen import Monza.csv --out monza.npz --plot monza.png
  trackgen import circuits/*.csv --spacing 3 --out circuits.npz
  trackgen import sketch.csv --half-width 5 --relax --plot sketch.svg
  trackgen import hairpins.csv --trim-inner --out hairpins.npz
  trackgen import Suzuka.csv | jq '.circuits[0].valid'
  trackgen import track.csv --columns x,y,width_left,width_right
  trackgen import --left Monza_left.csv --right Monza_right.csv --start 120 --out monza.npz
  curl -s https://example.org/ring.csv | trackgen import - --name ring --plot ring.png`,
		Args: func(_ *cobra.Command, arguments []string) error {
			return f.forms.check(arguments)
		},
		Annotations: fileArguments(roleStream),
		RunE: a.run(func(ctx context.Context, arguments []string) error {
			return a.importCircuits(ctx, f, arguments)
		}),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return importExtensions, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	f.registerReading(command)
	f.registerOutput(command)
	return command
}

// registerReading adds the flags that say how circuits are read and made into tracks.
func (f *importFlags) registerReading(command *cobra.Command) {
	flags := command.Flags()
	flags.Var(metres(&f.options.Spacing, positive), "spacing",
		"largest distance between points, `metres` (default: 0.6 times the mean half width of the circuit)")
	flags.Var(metres(&f.options.HalfWidth, positive), "half-width",
		"width to either side of circuits whose file has none, `metres`; if all files have widths, instead of these")
	flags.Var(numberFlag(&f.options.MaxPoints, 0, 0, maxImportPoints), "max-points",
		"points stored for each track, 0 for as many as the longest needs")
	flags.BoolVar(&f.options.Relax, "relax", false,
		"push the centreline apart and round it to make room for its widest road")
	flags.BoolVar(&f.options.TrimInner, "trim-inner", false,
		"cut the widths where the road has no room: inside of bends to the radius, and where it meets itself")
	flags.BoolVar(&f.options.NoCrossings, "no-crossings", false, "a circuit that crosses itself is not valid")
	flags.Var(levelFlag{metres(&f.options.Height, anyMetres), &f.level}, "height",
		"height of the tracks, `metres`, instead of the heights of the files (default: 0 for files without heights)")
	flags.Var(metres(&f.options.HeightSmoothing, positive), "height-smoothing",
		"length of the line over which heights are averaged, `metres` (default: heights as they are)")
	flags.Var(metres(&f.options.MaxGrade, positive), "max-grade",
		"steepest `grade` of a valid circuit, such as 0.2 for 20 % (default: no limit)")
	flags.Var(metres(&f.options.BankFactor, positive), "bank-factor",
		"bank the road in bends: angle in radians times the radius, `metres` (default: the road is not banked)")
	flags.Var(degrees(&f.options.MaxBank, 57), "max-bank",
		"largest bank angle, at most 57 `degrees`, with --bank-factor (default 11.5)")
	flags.Var(metres(&f.options.BankTransition, positive), "bank-transition",
		"length of the line over which bank angles are averaged, `metres`, with --bank-factor "+
			"(default: 5 widths of the road)")
	flags.BoolVar(&f.recenter, "recenter", false, "move the middle of each circuit to the origin")
	flags.Var(columnsFlag{&f.reading.Columns}, "columns",
		"what the columns are, in order: x, y, z, width_right, width_left, width, half_width, latitude, longitude or -")
	flags.StringVar(&f.name, "name", "", "`name` of the circuit (default: that of its file)")
	f.forms.add(command, &f.reading)
	flags.Var(metres(&f.reading.MaxGap, positive), "max-gap",
		"longest distance between points of a file, `metres` (default: 25 times the median)")
}

// registerOutput adds the flags of the device, the files and the messages of import.
func (f *importFlags) registerOutput(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVarP(&f.device, "device", "d", "auto", "`name` of the device: see trackgen devices")
	flags.Var(numberFlag(&f.workers, 0, 0, trackgen.MaxWorkers), "workers", "CPU workers, 0 for one on each core")
	fileFlag(command, &f.out, "out", "o", roleOutput, "`file` to write: .npz, .csv, .json, .parquet, .svg or .png")
	fileFlag(command, &f.plot, "plot", "", roleOutput, "`file` for a picture of the circuits: .png or .svg")
	formatFlag(command, &f.format, "text on a terminal and with --out, else json", reportFormats...)
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "with --out, print nothing but errors")
	completeDevice(command)
}

// importCircuits runs the command. It checks all input before it creates a file.
func (a *app) importCircuits(ctx context.Context, f importFlags, paths []string) (err error) {
	chosen, err := parseFormat("--format", f.format, formatText, formatJSON)
	if err != nil {
		return err
	}
	if n := f.options.MaxPoints; n != 0 && n < minImportPoints {
		return badInputf("--max-points is %d: must be 0, or %d to %d", n, minImportPoints, maxImportPoints)
	}
	files, err := targetsOf(f.out, f.plot)
	if err != nil {
		return err
	}
	bar := newProgress(a.screen(f.quiet), "reading", "", 2*len(paths)) // files to read, circuits to make
	defer bar.Done()
	circuits, made, err := f.read(ctx, a.stdin, paths, bar)
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := export.Probe(file.path); err != nil {
			return badInput(err)
		}
	}
	bar.Do("making the tracks")
	device, err := a.openDevice(f.device, f.workers, f.quiet)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	batch, err := f.measure(ctx, device, circuits)
	if err != nil {
		return err
	}
	bar.Do("writing")
	metadata := export.Metadata{Version: version(), Device: device.Info().Name,
		Import: &export.Import{Circuits: made, Options: f.options}}
	names, err := writeBatch(ctx, files, batch, metadata)
	if err != nil {
		return err
	}
	bar.Finish()
	report := importReport{Version: version(), Device: describeDevice(device.Info()), Files: names}
	for e, c := range circuits {
		described, err := describeCircuit(c, made[e], batch, e, f.options)
		if err != nil {
			return err
		}
		report.Circuits = append(report.Circuits, described)
	}
	switch {
	case f.out != "" && f.quiet:
		return nil
	case chosen == formatJSON, chosen == "" && f.out == "" && a.defaultTextFormat() == formatJSON:
		return writeJSON(a.stdout, report)
	case f.out != "" && chosen == "":
		a.tell(report.writeText)
		return nil
	default:
		return a.print(report.writeText)
	}
}

// read reads all files and returns their circuits and the metadata of their sources. The error joins the errors of all
// files. "-" is standard input.
func (f *importFlags) read(ctx context.Context, stdin io.Reader, paths []string, bar *progress) (
	[]*trackgen.CircuitFile, []export.ImportedCircuit, error) {
	if err := f.checkBanking(); err != nil {
		return nil, nil, err
	}
	var circuits []*trackgen.CircuitFile
	var made []export.ImportedCircuit
	var wrong []error
	needsWidth := false
	add := func(name string, c *trackgen.CircuitFile) {
		needsWidth = needsWidth || !c.Widths()
		source := export.ImportedCircuit{File: name, SHA256: hex.EncodeToString(c.SHA256[:]), Points: len(c.X),
			Projection: c.Projection}
		if f.recenter {
			x, y := c.Recenter()
			source.Origin = &[2]float64{x, y}
		}
		circuits, made = append(circuits, c), append(made, source)
	}
	if c, err := f.forms.borders(f.reading); err != nil {
		wrong = append(wrong, err)
	} else if c != nil {
		add(filepath.Base(f.forms.left)+", "+filepath.Base(f.forms.right), c)
	}
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		bar.Do("reading " + filepath.Base(path))
		bar.Add(1)
		read, err := f.readFile(stdin, path)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		for _, c := range read {
			add(filepath.Base(path), c)
		}
	}
	switch {
	case len(wrong) > 0:
	case f.reading.Start.Near != nil && len(circuits) > 1:
		wrong = append(wrong, fmt.Errorf("--start with a place is for one circuit, and these are %d", len(circuits)))
	case f.name != "" && len(circuits) > 1:
		wrong = append(wrong, fmt.Errorf("--name is for one circuit, and these are %d", len(circuits)))
	case f.name != "":
		circuits[0].Name = f.name
	}
	if f.options.HalfWidth != 0 && !needsWidth {
		replaceWidths(circuits)
	}
	if f.level {
		replaceHeights(circuits)
	}
	return circuits, made, badInput(errors.Join(wrong...))
}

// replaceHeights removes the heights of circuits, so that --height applies to them.
func replaceHeights(circuits []*trackgen.CircuitFile) {
	for _, c := range circuits {
		if c.Heights() {
			c.Z = nil
			c.Notes = append(c.Notes, "--height replaces the heights of the file")
		}
	}
}

// replaceWidths removes the widths of circuits, so that --half-width applies to them. It must only be called if all
// circuits have widths. Otherwise the flag applies to the circuits without widths, and the others keep theirs.
func replaceWidths(circuits []*trackgen.CircuitFile) {
	for _, c := range circuits {
		c.Right, c.Left = nil, nil
		c.Notes = append(c.Notes, "--half-width replaces the widths of the file")
	}
}

// standardInput is the name of standard input in messages, and of its circuit unless --name is given.
const standardInput = "standard input"

// readFile reads the circuits of one file, or of standard input if the path is "-".
func (f *importFlags) readFile(stdin io.Reader, path string) (read []*trackgen.CircuitFile, err error) {
	if path == "-" {
		path = standardInput
		read, err = trackgen.ReadCircuitsFrom(path, stdin, f.reading)
	} else if export.HoldsGates(path) {
		return nil, fmt.Errorf("%s holds gate courses, and import reads tracks: trackgen export writes their lines as "+
			"GeoJSON, which import reads", path)
	} else {
		read, err = trackgen.ReadCircuits(path, f.reading)
	}
	if err != nil {
		return nil, withHint(err)
	}
	for _, c := range read {
		if !c.Widths() && f.options.HalfWidth == 0 {
			return nil, fmt.Errorf("%s has no widths: give one with --half-width", path)
		}
	}
	return read, nil
}

// measure builds the tracks on the device and copies them to host memory.
func (f *importFlags) measure(ctx context.Context, device trackgen.Device, circuits []*trackgen.CircuitFile) (
	_ *trackgen.Batch, err error) {
	var lines []trackgen.Circuit
	for _, c := range circuits {
		lines = append(lines, c.Circuit)
	}
	tracks, err := trackgen.Import(ctx, device, f.options, lines...)
	var argument *trackgen.ArgumentError
	if errors.As(err, &argument) && argument.Argument == "spacing" && !f.recenter &&
		slices.ContainsFunc(circuits, farAway) {
		err = fmt.Errorf("%w (--recenter moves the circuit)", err)
	}
	var loops *trackgen.LoopsError
	if errors.As(err, &loops) {
		return nil, badInput(fmt.Errorf("%w (a larger --spacing makes fewer points)", err))
	}
	if errors.Is(err, trackgen.ErrConfig) || errors.Is(err, trackgen.ErrInvalid) {
		return nil, badInput(err)
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, tracks.Close()) }()
	return tracks.Batch(ctx)
}

// farAway reports whether the origin is outside the bounding box of a circuit.
func farAway(c *trackgen.CircuitFile) bool {
	return slices.Min(c.X) > 0 || slices.Max(c.X) < 0 || slices.Min(c.Y) > 0 || slices.Max(c.Y) < 0
}

// targetsOf returns the files that --out and --plot name, which may be empty.
func targetsOf(out, plot string) ([]target, error) {
	f := generateFlags{out: out, plot: plot}
	return f.targets()
}

// writeBatch writes a whole batch to every target and returns their names.
func writeBatch(ctx context.Context, files []target, batch *trackgen.Batch, metadata export.Metadata) (names []string,
	err error) {
	var writers []export.BatchWriter
	defer func() {
		for _, w := range writers {
			err = errors.Join(err, w.Abort())
		}
	}()
	for _, file := range files {
		w, err := file.create(export.ShapeOf(batch), metadata)
		if err != nil {
			return nil, err
		}
		writers = append(writers, w)
		if err := w.Append(ctx, batch); err != nil {
			return nil, err
		}
	}
	names = []string{}
	for i, w := range writers {
		if err := w.Commit(ctx); err != nil {
			return nil, err
		}
		names = append(names, files[i].path)
	}
	return names, nil
}

// Minimum and maximum of the number of points that a track has room for.
const (
	minImportPoints = 8
	maxImportPoints = 1 << 16
)
