package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/command/internal/seedsfile"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/internal/settings"
)

type generateFlags struct {
	configFlags
	seed      int32
	seedGiven bool
	seedsFile string
	epoch     int32
	device    string
	workers   int
	chunk     int // 0: adapted to the time that chunks take
	out       string
	plot      string
	format    string
	compress  bool
	tight     bool
	quiet     bool
	dryRun    bool
	labels    labelFlags
}

// generateHelp says what the command does.
const generateHelp = `Generate makes a batch of tracks. With --out it writes them to a file, in the format of its extension:
  .npz   arrays for NumPy, which docs/results.md lists: center [envs, N_max, 3], length [envs] and others, and
         metadata (JSON)
  .csv   one row for each point
  .json  every track with its points, and the summary
  .parquet  one row for each track, with what reproduces it
  .svg, .png  a picture of the first tracks, as --plot draws it beside another --out
"trackgen export" makes files for other programs of an .npz file.

The arrays of an .npz file have room for output.max_points (N_max) points of every track, and NaN behind
the last point of each. --tight gives them only the room that the longest track of the batch needs, so
that other batches have arrays of other shapes. --compress deflates them: the file is smaller, and slower
to write and to read. Both hold the same tracks.

With --course gates it makes gate courses for drone racing: sequences of gates with positions, orientations
and posts. Their fields are those of docs/gates.md, such as gate.width, the distance of the posts, which is 0
unless it is set. --out writes the same formats, .csv and .parquet with one row for each gate.

Without --out the tracks are not kept: it prints a summary of them, a table on a terminal, else JSON;
--format text, json or csv (one row for each track) says which. Only data goes to standard output;
progress and messages go to standard error.

Track e of the batch is made from seed --seed + e, or from line e of --seeds-file: whole numbers from
-2147483648 to 2147483647, separated by line ends, blanks or commas; # starts a comment.

The configuration is made of defaults, then the file of --config, then --set, then other flags; what is
stated later wins. "trackgen config" prints it, with every field explained.

--where keeps only the tracks whose labels match a condition, such as 'lap_time < 8 and hairpins >= 2': the help
of trackgen stats says more. All tracks are generated and labelled first, and those that match once more, from their
seeds. A message says how many match.

Large batches are generated and written in chunks, whose size follows the time that they take, so that the
progress moves in every second; --chunk sets it. The file is the same, byte by byte, for every size of
chunks and every --workers; on another --device only its name in the metadata differs. Files are written
under a temporary name and replace an existing file when they are complete: after an error or Ctrl-C the
old file is still there. What a killed run leaves, .trackgen-*.tmp, the next run that writes to the folder removes.

How long it takes: two cores of a server make about 10,000 tracks or more than 100,000 gate courses a second, of
the generator repulsive 60.

With --dry-run it generates nothing and writes no file. It prints what the run would take, in the form of a
summary (--format text or json): generations, launches and nodes of the graph, device and host memory, and
for each kernel how many iterations its loops may make, which some drivers end without a word after 65,535.
It says whether the device of --device can run the configuration; --device noop is no device, and counts on
any machine.

The device "auto" is the best one there is, or what the environment variable TRACKGEN_DEVICE names. The
device "gpu" is the best one that is no CPU: the first of CUDA, else the first of Vulkan that is hardware.
"trackgen devices" lists all.

Exit codes: 0 done, 1 the run failed, 2 bad usage or input (nothing was written), 130 interrupted.`

func (a *app) generateCommand() *cobra.Command {
	var f generateFlags
	command := &cobra.Command{
		Use:   "generate",
		Short: "Generate a batch of tracks or of gate courses",
		Long:  generateHelp,
		Example: `  trackgen generate --envs 512 --out tracks.npz --plot tracks.png
  trackgen generate --envs 64 --generator polar --seed 1000 --set road.half_width=12cm --out tracks.csv
  trackgen generate --envs 512 --mix bezier=2,polar,hull=0.5 --set candidates=4 --out tracks.npz
  trackgen generate --envs 10000 --tight --compress --out small.npz
  trackgen generate --course gates --envs 512 --set gate.radius=3cm --out gates.npz
  trackgen generate --seeds-file seeds.txt --config race.yaml --out tracks.json
  trackgen generate --envs 10000 --dry-run --device noop
  trackgen generate --envs 1000 --where 'hairpins >= 3' --out hard.npz
  trackgen generate --envs 10000 | jq .yield`,
		Args: noArguments,
	}
	command.RunE = a.run(func(ctx context.Context, _ []string) error {
		f.seedGiven = command.Flags().Changed("seed")
		f.labels.note(command, "device")
		ofGates, err := f.ofGates()
		switch {
		case err != nil:
			return err
		case ofGates && f.labels.flag() != "":
			return badInputf("--%s has no effect with --course gates: only tracks have labels", f.labels.flag())
		case f.dryRun && f.labels.flag() != "":
			return badInputf("--%s has no effect with --dry-run", f.labels.flag())
		case f.dryRun && ofGates:
			return a.dryRunGates(f)
		case f.dryRun:
			return a.dryRun(f)
		case f.device == idleDevice:
			return badInputf("--device is %q, which generates nothing: must be given with --dry-run", f.device)
		case ofGates:
			return a.generateGates(ctx, f)
		}
		return a.generate(ctx, f)
	})
	f.register(command)
	f.registerCourse(command)
	f.registerRun(command)
	f.labels.addWhere(command, "keep")
	f.labels.addLimits(command)
	return command
}

// registerRun adds the flags that do not set a field of the configuration.
func (f *generateFlags) registerRun(command *cobra.Command) {
	flags := command.Flags()
	flags.Var(numberFlag(&f.seed, 0, math.MinInt32, math.MaxInt32), "seed",
		"seed of the first track or course (default 0)")
	fileFlag(command, &f.seedsFile, "seeds-file", "", roleStream,
		"`file` with one seed for each track (- for standard input); instead of --seed")
	flags.Var(numberFlag(&f.epoch, 0, math.MinInt32, math.MaxInt32), "epoch",
		"epoch of every track or course: other epochs give other tracks (default 0)")
	flags.StringVarP(&f.device, "device", "d", "auto", "`name` of the device: see trackgen devices")
	flags.Var(numberFlag(&f.workers, 0, 0, trackgen.MaxWorkers), "workers", "CPU workers, 0 for one on each core")
	flags.Var(numberFlag(&f.chunk, 0, 0, maxEnvs), "chunk",
		fmt.Sprintf("tracks or courses generated at a time, 0 for as many as take 0.4 seconds and fit %d MiB, at most %d",
			chunkBytes>>20, maxChunk))
	fileFlag(command, &f.out, "out", "o", roleOutput, "`file` to write: .npz, .csv, .json, .parquet, .svg or .png")
	fileFlag(command, &f.plot, "plot", "", roleOutput, "`file` for a picture of the first tracks or courses: .png or .svg")
	formatFlag(command, &f.format, "that of --out; without it, of the summary, "+reportDefault,
		append(slices.Clone(fileFormats), formatText)...)
	flags.BoolVar(&f.compress, "compress", false, "deflate the arrays of .npz")
	flags.BoolVar(&f.tight, "tight", false, "cut the arrays of .npz to the longest track or course of the batch")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print what the run would take, and generate nothing")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no progress and no messages, only errors")
	completeDevice(command)
}

// generate runs the command. It checks all input before it generates anything.
func (a *app) generate(ctx context.Context, f generateFlags) (err error) {
	p, err := f.plan(a)
	if err != nil {
		return err
	}
	files, err := f.targets()
	if err != nil {
		return err
	}
	if err := a.search(ctx, f, files, &p); err != nil {
		return err
	}
	r, err := startRun[*trackgen.Batch](a, f, files, courseTracks, p.config.NumEnvs, p.checkDevice)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	config, info := p.config.Resolved(), r.device.Info()
	shape := export.Shape{Envs: p.config.NumEnvs, NMax: config.Output.MaxPoints}
	metadata := export.Metadata{Version: version(), Device: info.Name, Config: config}
	create := func(t target) (export.BatchWriter, error) { return t.create(shape, metadata) }
	encode := func(w io.Writer) (export.Encoder, error) { return export.NewSummaryCSV(w, shape) }
	var summarizer export.Summarizer
	from := newOrigins(p.config)
	done, err := r.write(ctx, p.generate, create, encode, func(batch *trackgen.Batch) error {
		defer r.bar.Add(batch.Envs)
		from.add(batch)
		return summarizer.Add(batch)
	})
	if err != nil {
		return err
	}
	made := newReport(p, info, summarizer.Summary(), from, done, pathsOf(files))
	return r.print(made, made.writeText)
}

// plan returns the plan of the configuration and the seeds that the flags request.
func (f *generateFlags) plan(a *app) (plan, error) {
	s, extra, err := seedSchedule(f, a, settings.Tracks)
	if err != nil {
		return plan{}, err
	}
	loaded, err := f.load(a.stdin, extra)
	if err != nil {
		return plan{}, err
	}
	p := plan{config: loaded.Config, schedule: s}
	p.config.NumEnvs = max(1, p.config.NumEnvs)
	if p.chunk, err = defaultChunk(p.config); err != nil {
		return plan{}, badInput(err)
	}
	return p, f.fit(&p.schedule, courseTracks, p.config.NumEnvs, p.config.MaxEnvs())
}

// seedSchedule returns a schedule with the seeds that the flags request, and the setting of their number.
func seedSchedule[C any](f *generateFlags, a *app, language settings.Language[C]) (s schedule,
	extra []settings.Setting[C], err error) {
	s = schedule{first: f.seed, epoch: f.epoch}
	switch {
	case f.seedsFile == "":
		return s, nil, nil
	case f.seedGiven:
		return s, nil, badInputf("--seed and --seeds-file exclude each other")
	}
	if s.seeds, err = f.readSeeds(a); err != nil {
		return s, nil, badInput(err)
	}
	if f.envs > 0 && f.envs != len(s.seeds) {
		return s, nil, badInputf("%s holds %d seeds, but --envs is %d", f.seedsFile, len(s.seeds), f.envs)
	}
	count, err := language.Parse("num_envs", fmt.Sprint(len(s.seeds)), "--seeds-file")
	if err != nil {
		return s, nil, badInput(err)
	}
	return s, []settings.Setting[C]{count}, nil
}

// fit checks that the seeds of all envs exist, and sets the size of the chunks that --chunk requests, which is at most
// most. s.chunk is the default.
func (f *generateFlags) fit(s *schedule, course string, envs, most int) error {
	if last := lastSeed(envs); s.seeds == nil && int64(s.first) > last {
		return badInputf("--seed is %d: must be at most %d, so that %d %s have seeds up to %d", s.first, last, envs,
			thingsOf(course), math.MaxInt32)
	}
	if s.adapt = f.chunk == 0; s.adapt {
		return nil
	}
	if s.chunk = min(f.chunk, envs); s.chunk > most {
		return badInputf("--chunk is %d: must be at most %d in this configuration", f.chunk, most)
	}
	return nil
}

func (f *generateFlags) readSeeds(a *app) ([]int32, error) {
	if f.seedsFile == "-" {
		return seedsfile.Read("standard input", a.stdin)
	}
	return seedsfile.ReadFile(f.seedsFile)
}

// targets returns the files that the flags name.
func (f *generateFlags) targets() ([]target, error) {
	var files []target
	if f.out != "" {
		chosen, err := fileFormat("--out", f.out, f.format, fileFormats...)
		if err != nil {
			return nil, err
		}
		files = append(files, target{path: f.out, format: chosen, arrays: f.arrayOptions()})
	}
	if err := f.checkArrayOptions(files); err != nil {
		return nil, err
	}
	return f.withPlot(files)
}

// withPlot adds the picture of --plot to the files.
func (f *generateFlags) withPlot(files []target) ([]target, error) {
	if f.plot == "" {
		return files, nil
	}
	chosen, err := fileFormat("--plot", f.plot, "", pictureFormats...)
	if err != nil {
		return nil, err
	}
	return append(files, target{path: f.plot, format: chosen}), nil
}

// arrayOptions returns the options of an .npz file.
func (f *generateFlags) arrayOptions() []export.NPZOption {
	var options []export.NPZOption
	if f.compress {
		options = append(options, export.Compressed())
	}
	if f.tight {
		options = append(options, export.Tight())
	}
	return options
}

// checkArrayOptions returns an error if options of an .npz file are given, but no such file is written.
func (f *generateFlags) checkArrayOptions(files []target) error {
	if len(files) > 0 && files[0].format == formatNPZ {
		return nil
	}
	written := "there is no --out"
	if f.out != "" {
		written = fmt.Sprintf("--out is %q", f.out)
	}
	var wrong []error
	for _, flag := range []struct {
		name  string
		given bool
	}{{"compress", f.compress}, {"tight", f.tight}} {
		if flag.given {
			wrong = append(wrong, fmt.Errorf("--%s applies to .npz files only, and %s", flag.name, written))
		}
	}
	return badInput(errors.Join(wrong...))
}

// openDevice opens a device by name. An unknown name is an error of the input; a device that is not available is not.
// Warnings about the device are messages, which a quiet run leaves out.
func (a *app) openDevice(name string, workers int, quiet bool) (trackgen.Device, error) {
	device, err := trackgen.Open(name, a.deviceOptions(workers, quiet)...)
	if errors.Is(err, trackgen.ErrInvalid) {
		return nil, badInput(err)
	}
	return device, err
}

// openAllDevices is openDevice for the names that trackgen.OpenAll takes.
func (a *app) openAllDevices(names string, workers int, quiet bool) ([]trackgen.Device, error) {
	devices, err := trackgen.OpenAll(names, a.deviceOptions(workers, quiet)...)
	if errors.Is(err, trackgen.ErrInvalid) {
		return nil, badInput(err)
	}
	return devices, err
}

func (a *app) deviceOptions(workers int, quiet bool) []trackgen.OpenOption {
	warn := func(w trackgen.Warning) {
		if !quiet {
			a.message("warning: %s", w.Warning())
		}
	}
	return []trackgen.OpenOption{trackgen.Workers(workers), trackgen.DeviceWarnings(warn)}
}
