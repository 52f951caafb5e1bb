package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/cmd/trackgen/internal/seedsfile"
	"github.com/trackgen-go/trackgen/cmd/trackgen/internal/settings"
	"github.com/trackgen-go/trackgen/export"
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
}

func (a *app) generateCommand() *cobra.Command {
	var f generateFlags
	command := &cobra.Command{
		Use:   "generate",
		Short: "Generate a batch of tracks",
		Long: `Generate makes a batch of tracks. With --out it writes them to a file, in the format of its extension:
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

Without --out the tracks are not kept: it prints a summary of them, a table on a terminal, else JSON;
--format text, json or csv (one row for each track) says which. Only data goes to standard output;
progress and messages go to standard error.

Track e of the batch is made from seed --seed + e, or from line e of --seeds-file: whole numbers from
-2147483648 to 2147483647, separated by line ends, blanks or commas; # starts a comment.

The configuration is made of defaults, then the file of --config, then --set, then other flags; what is
stated later wins. "trackgen config" prints it, with every field explained.

Large batches are generated and written in chunks, whose size follows the time that they take, so that the
progress moves in every second; --chunk sets it. The file is the same, byte by byte, for every size of
chunks and every --workers; on another --device only its name in the metadata differs. Files are written
under a temporary name and replace an existing file when they are complete: after an error or Ctrl-C the
old file is still there. What a killed run leaves, .trackgen-*.tmp, the next run that writes to the folder removes.

How long it takes: two cores of a server make about 10,000 tracks a second, of the generator repulsive 60.

With --dry-run it generates nothing and writes no file. It prints what the run would take, in the form of a
summary (--format text or json): generations, launches and nodes of the graph, device and host memory, and
for each kernel how many iterations its loops may make, which some drivers end without a word after 65,535.
It says whether the device of --device can run the configuration; --device noop is no device, and counts on
any machine.

The device "auto" is the best one there is, or what the environment variable TRACKGEN_DEVICE names. The
device "gpu" is the best one that is no CPU: the first of CUDA, else the first of Vulkan that is hardware.
"trackgen devices" lists all.

Exit codes: 0 done, 1 the run failed, 2 bad usage or input (nothing was written), 130 interrupted.`,
		Example: `  trackgen generate --envs 512 --out tracks.npz --plot tracks.png
  trackgen generate --envs 64 --generator polar --seed 1000 --set road.half_width=12cm --out tracks.csv
  trackgen generate --envs 512 --mix bezier=2,polar,hull=0.5 --set candidates=4 --out tracks.npz
  trackgen generate --envs 10000 --tight --compress --out small.npz
  trackgen generate --seeds-file seeds.txt --config race.yaml --out tracks.json
  trackgen generate --envs 10000 --dry-run --device noop
  trackgen generate --envs 10000 | jq .yield`,
		Args: noArguments,
	}
	command.RunE = a.run(func(ctx context.Context, _ []string) error {
		f.seedGiven = command.Flags().Changed("seed")
		switch {
		case f.dryRun:
			return a.dryRun(f)
		case f.device == idleDevice:
			return badInputf("--device is %q, which generates nothing: must be given with --dry-run", f.device)
		}
		return a.generate(ctx, f)
	})
	f.register(command)
	f.registerRun(command)
	return command
}

// registerRun adds the flags that do not set a field of the configuration.
func (f *generateFlags) registerRun(command *cobra.Command) {
	flags := command.Flags()
	flags.Var(numberFlag(&f.seed, 0, math.MinInt32, math.MaxInt32), "seed", "seed of the first track")
	fileFlag(command, &f.seedsFile, "seeds-file", "", roleStream,
		"`file` with one seed for each track (- for standard input); instead of --seed")
	flags.Var(numberFlag(&f.epoch, 0, math.MinInt32, math.MaxInt32), "epoch",
		"epoch of every track: other epochs give other tracks")
	flags.StringVarP(&f.device, "device", "d", "auto", "`name` of the device: see trackgen devices")
	flags.Var(numberFlag(&f.workers, 0, 0, trackgen.MaxWorkers), "workers", "CPU workers, 0 for one on each core")
	flags.Var(numberFlag(&f.chunk, 0, 0, maxEnvs), "chunk",
		fmt.Sprintf("tracks generated at a time, 0 for as many as take 0.4 seconds and fit %d MiB, at most %d",
			chunkBytes>>20, maxChunk))
	fileFlag(command, &f.out, "out", "o", roleOutput, "`file` to write: .npz, .csv, .json, .parquet, .svg or .png")
	fileFlag(command, &f.plot, "plot", "", roleOutput, "`file` for a picture of the first tracks: .png or .svg")
	formatFlag(command, &f.format, "that of --out; without it, of the summary, "+reportDefault,
		append(slices.Clone(fileFormats), formatText)...)
	flags.BoolVar(&f.compress, "compress", false, "deflate the arrays of .npz")
	flags.BoolVar(&f.tight, "tight", false, "cut the arrays of .npz to the longest track of the batch")
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
	summaryFormat := formatText
	if f.out == "" {
		if summaryFormat, err = a.reportFormat(f.format, summaryFormats...); err != nil {
			return err
		}
	}
	for _, file := range files {
		if err := export.Probe(file.path); err != nil {
			return badInput(err)
		}
	}
	rowsOnScreen := f.out == "" && summaryFormat == formatCSV && isTerminal(a.stdout.w)
	bar := newProgress(a.screen(f.quiet || rowsOnScreen), "generating", "tracks", p.config.NumEnvs)
	defer bar.Done()
	device, err := a.openDevice(f.device, f.workers, f.quiet)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	if err := p.checkDevice(device); err != nil {
		return err
	}

	shape := export.Shape{Envs: p.config.NumEnvs, NMax: p.config.Resolved().Output.MaxPoints}
	metadata := export.Metadata{Version: version(), Device: device.Info().Name, Config: p.config.Resolved()}
	var writers []export.BatchWriter
	defer func() {
		for _, w := range writers {
			err = errors.Join(err, w.Abort())
		}
	}()
	for _, file := range files {
		w, err := file.create(shape, metadata)
		if err != nil {
			return err
		}
		writers = append(writers, w)
	}
	var rows export.Encoder // encodes the rows of the summary as CSV
	if f.out == "" && summaryFormat == formatCSV {
		if rows, err = export.NewSummaryCSV(a.stdout, shape); err != nil {
			return err
		}
	}
	var summarizer export.Summarizer
	from := newOrigins(p.config)
	done, err := p.generate(ctx, device, func(batch *trackgen.Batch) error {
		defer bar.Add(batch.Envs)
		from.add(batch)
		for _, w := range writers {
			if err := w.Append(ctx, batch); err != nil {
				return err
			}
		}
		if rows != nil {
			if err := rows.Append(ctx, batch); err != nil {
				return err
			}
		}
		return summarizer.Add(batch)
	})
	if err != nil {
		return err
	}
	var names []string
	for i, w := range writers {
		bar.Do("writing " + files[i].path)
		if err := w.Commit(ctx); err != nil {
			return err
		}
		names = append(names, files[i].path)
	}
	bar.Finish()
	made := newReport(p, device.Info(), summarizer.Summary(), from, done, names)
	switch {
	case f.out != "" && f.quiet:
		return nil
	case f.out != "":
		a.tell(made.writeText)
		return nil
	case summaryFormat == formatText:
		err = a.print(made.writeText)
	case summaryFormat == formatCSV:
		err = rows.Finish()
	default:
		err = writeJSON(a.stdout, made)
	}
	if err == nil && !f.quiet {
		a.message("the tracks are not kept: --out names a file for them, such as --out tracks.npz")
	}
	return err
}

// plan returns the plan of the configuration and the seeds that the flags request.
func (f *generateFlags) plan(a *app) (plan, error) {
	if f.seedGiven && f.seedsFile != "" {
		return plan{}, badInputf("--seed and --seeds-file exclude each other")
	}
	p := plan{first: f.seed, epoch: f.epoch}
	var extra []settings.Setting[trackgen.Config]
	if f.seedsFile != "" {
		var err error
		if p.seeds, err = f.readSeeds(a); err != nil {
			return plan{}, badInput(err)
		}
		if f.envs > 0 && f.envs != len(p.seeds) {
			return plan{}, badInputf("%s holds %d seeds, but --envs is %d", f.seedsFile, len(p.seeds), f.envs)
		}
		count, err := settings.Tracks.Parse("num_envs", fmt.Sprint(len(p.seeds)), "--seeds-file")
		if err != nil {
			return plan{}, badInput(err)
		}
		extra = append(extra, count)
	}
	loaded, err := f.load(a.stdin, extra)
	if err != nil {
		return plan{}, err
	}
	p.config = loaded.Config
	p.config.NumEnvs = max(1, p.config.NumEnvs)
	if last := lastSeed(p.config.NumEnvs); p.seeds == nil && int64(p.first) > last {
		return plan{}, badInputf("--seed is %d: must be at most %d, so that %d tracks have seeds up to %d", p.first, last,
			p.config.NumEnvs, math.MaxInt32)
	}
	if p.chunk, err = defaultChunk(p.config); err != nil {
		return plan{}, badInput(err)
	}
	if p.adapt = f.chunk == 0; !p.adapt {
		p.chunk = min(f.chunk, p.config.NumEnvs)
		if most := p.config.MaxEnvs(); p.chunk > most {
			return plan{}, badInputf("--chunk is %d: must be at most %d in this configuration", f.chunk, most)
		}
	}
	return p, nil
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
	if f.plot != "" {
		chosen, err := fileFormat("--plot", f.plot, "", pictureFormats...)
		if err != nil {
			return nil, err
		}
		files = append(files, target{path: f.plot, format: chosen})
	}
	return files, nil
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
	warn := func(w trackgen.Warning) {
		if !quiet {
			a.message("warning: %s", w.Warning())
		}
	}
	device, err := trackgen.Open(name, trackgen.Workers(workers), trackgen.DeviceWarnings(warn))
	if errors.Is(err, trackgen.ErrInvalid) {
		return nil, badInput(err)
	}
	return device, err
}
