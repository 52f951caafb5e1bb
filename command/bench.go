package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/bench/measure"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/internal/settings"
)

type benchFlags struct {
	configFlags
	devices    []string
	generators []string
	sizes      []int
	quick      bool
	limit      time.Duration
	format     string
	out        string
	plot       string
	profile    string
	from       string
	estimate   bool
	step       bool
	signals    courseSettings
	races      bool // steps of races are measured
	race       partSettings[trackgen.RaceConfig]
	beams      int
}

// Batch sizes and times of bench. On two cores, a run takes less than ten minutes, a quick one less than one minute.
var (
	benchSizes = []int{1, 64, 512, 4096, 8192}
	quickSizes = []int{1, 64, 512}
)

const (
	benchLimit = 8 * time.Minute
	quickLimit = 45 * time.Second
	benchEach  = 60 * time.Millisecond
	quickEach  = 10 * time.Millisecond
)

func (a *app) benchCommand() *cobra.Command {
	f := benchFlags{race: partSettings[trackgen.RaceConfig]{name: "race", of: "--race", language: settings.Races}}
	command := &cobra.Command{
		Use:   "bench",
		Short: "Measure how fast the devices are",
		Long: `Bench measures, for every device, generator and batch size: one generation (median, and the distance of the
10th from the 90th percentile), tracks per second, the replay of a recorded generation, the first call,
recording, regeneration of 1, 10 and 100 % of the tracks by mask, and every stage by itself; what a
generation launches, and how much device memory a track takes. On the CPU it also measures the first
generator with 1, 2, 4, ... workers.

In the same run it measures what the device can do at most: bytes copied, and products and sums made, per
second. Instrumented twins of the kernels count the bytes and the operations of a track. From both follows
the floor: no generation can be faster. For the CPU that is with vectors: eight products or sums in an
instruction, each rounded, because results with fused ones would differ. TIMES FLOOR is how much slower it is; below 1 it says that other
programs disturbed the run.

The device "cpu:go" is the CPU with the Go functions of the kernels, "cpu" that with their machine code for
eight lanes, where there is some. Without --devices both are measured, against the floor of the latter.

Small batches come first. Batches that would take more than their share of the time that is left are
skipped, and the report says so. Everything takes less than ten minutes, with --quick less than one.

With --course gates the batches are of gate courses. In JSON, "tracks_per_second" then counts courses.

--step measures a step of a course on the batches instead of a generation: cars drive along the lines, and
progress, localisation and collision with borders, or with the posts of gates, look at each. REPLAY is that
of a recorded step, and the regenerations include the signals. The stages are the components by themselves;
in the step, progress and localisation are one launch. Gates need a width: see the example. --course-set and
--course-config set other fields of the course, such as agents=4 or collision.method=sdf (docs/course.md).

--race measures a step of a race: a reference driver and cars with the dynamics of a single-track model,
with a preview of 20 places ahead and --beams 64 distances, on tracks that are enlarged until the road is
three and a half times as wide as a car is long. A regeneration is a reset. Stages that run one after the
other make the step: the driver, new episodes of cars that are done, the vehicles, progress with
localisation, collision, rewards and observations. --race-set and --race-config set other fields of the
race, such as agents=4 or vehicle.model=kinematic (docs/racing.md).

Of steps, the table has each stage with its own floor, the time for each agent and the steps of agents in a
second.

--gpu-estimate adds what an H200 could do at most, from the same counts and its data sheet: a prediction.

On a terminal it prints tables, else JSON. As "go" it prints lines that benchstat reads.`,
		Example: `  trackgen bench --quick
  trackgen bench --devices cpu --generators bezier --sizes 1,512,65536 --out bench.json
  trackgen bench --quick --plot bench.png
  trackgen bench --course gates --devices cpu --generators bezier,voronoi --sizes 4096
  trackgen bench --step --devices cpu --generators bezier --sizes 4096
  trackgen bench --step --course gates --set gate.width=10cm --devices cpu --generators voronoi --sizes 4096
  trackgen bench --race --devices cpu --generators bezier --sizes 4096 --beams 0
  trackgen bench --devices cpu --generators bezier --sizes 512 --profile out && go tool pprof -top out/cpu.pprof
  trackgen bench --out new.json && trackgen bench --from new.json --format go > new.txt && benchstat old.txt new.txt`,
		Args: noArguments,
	}
	command.RunE = a.run(func(ctx context.Context, _ []string) error {
		f.generators = chosenGenerators(command, f.generators)
		return a.bench(ctx, f)
	})
	flags := command.Flags()
	f.registerSettings(command, settingExamples)
	f.registerCourse(command)
	registerCourseSettings(&f.signals, command, "--step")
	f.race.register(command, "ends.laps=2")
	flags.StringSliceVar(&f.devices, "devices", nil, "`names` of the devices (default all, cpu and cpu:go first)")
	generatorsFlag(command, &f.generators, "generators")
	flags.Var(numbers{&f.sizes, 1, maxEnvs}, "sizes",
		"`numbers` of tracks or courses (default 1,64,512,4096,8192; with --quick 1,64,512)")
	flags.BoolVar(&f.step, "step", false, "measure a step of a course on the batches instead of a generation")
	flags.BoolVar(&f.races, "race", false, "measure a step of a race on the batches instead of a generation")
	flags.Var(numberFlag(&f.beams, benchBeams, 0, maxBeams), "beams",
		"beams of the range finder of each car of --race, 0 for none")
	flags.BoolVar(&f.quick, "quick", false, "fewer runs of smaller batches")
	flags.DurationVar(&f.limit, "limit", 0, "`time` after which nothing more is begun, 0 for 8m, with --quick 45s")
	formatFlag(command, &f.format, "that of --out, else "+reportDefault, benchFormats...)
	fileFlag(command, &f.out, "out", "o", roleOutput, "`file` to write: .json or .csv")
	fileFlag(command, &f.plot, "plot", "", roleOutput, "`file` for a picture of time over batch size: .png or .svg")
	fileFlag(command, &f.from, "from", "", roleStream,
		"`file` of an earlier run, .json, to print or draw again instead of measuring (- for standard input)")
	flags.BoolVar(&f.estimate, "gpu-estimate", false,
		"add to the tables what an NVIDIA H200 could do at most by its data sheet: computed, not measured")
	fileFlag(command, &f.profile, "profile", "", roleFolder,
		"`folder` for a CPU profile of the run (cpu.pprof) and what each kernel takes of it (kernels.csv)", profileFiles...)
	completeDevices(command)
	cobra.CheckErr(command.MarkFlagFilename("from", "json")) // the flag exists
	return command
}

// formatGo is the format of go test -bench.
const formatGo format = "go"

var benchFormats = []format{formatText, formatJSON, formatCSV, formatGo}

// benchReport is the output of bench.
type benchReport struct {
	Version  string `json:"version"`
	Course   string `json:"course,omitempty"` // gates; absent for tracks
	Step     bool   `json:"step,omitempty"`   // the figures of a generation are those of a step of a course
	Race     bool   `json:"race,omitempty"`   // the figures of a generation are those of a step of a race
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Cores    int    `json:"cores"`
	Date     string `json:"date"`
	measure.Suite
}

func (a *app) bench(ctx context.Context, f benchFlags) (err error) {
	write, err := a.benchOutput(f)
	if err != nil {
		return err
	}
	if f.from != "" {
		report, err := a.readBench(f.from)
		if err != nil {
			return err
		}
		return write(report)
	}
	plan, err := f.plan(a.stdin)
	if err != nil {
		return err
	}
	names := devicesToOpen(f.devices)
	cases := len(plan.Envs) * len(plan.Subjects) * len(names)
	bar := newProgress(a.stderr, "peak speed of the devices", "", cases)
	defer bar.Done()
	names, devices, err := a.openBenchDevices(names, len(f.devices) == 0)
	defer func() { err = errors.Join(err, closeDevices(devices)) }()
	if err != nil {
		return err
	}
	plan.Names = names
	var profile *measure.Profile
	if f.profile != "" {
		if err := probeFiles(f.profile, profileFiles); err != nil {
			return badInput(err)
		}
		if profile, err = measure.StartProfile(); err != nil {
			return err
		}
	}
	completed := 0
	suite, err := measure.RunSuite(ctx, devices, plan, func(done, _ int, device, generator string, envs int) {
		bar.Add(done - completed)
		completed = done
		bar.Do(fmt.Sprintf("%s on %s, %s", generator, device, countText(envs, thingOf(f.course))))
	})
	err = flagOfRace(err) // that it has no driver is known once it is made
	if err == nil {
		bar.Finish()
	}
	bar.Done()
	if profile != nil {
		profile.Stop()
	}
	if err == nil && profile != nil {
		err = writeProfile(f.profile, profile, suite, thingOf(f.course))
	}
	if err != nil {
		return err
	}
	return write(f.report(suite))
}

// inGo is the name of the CPU that runs the Go functions of kernels, as a device of bench.
const inGo = "cpu:go"

// openBenchDevices opens devices by their names, inGo among them. If add is set, inGo follows the CPU that runs machine
// code. With an error, it also returns what it has opened.
func (a *app) openBenchDevices(names []string, add bool) (opened []string, devices []trackgen.Device, err error) {
	for _, name := range names {
		if name == inGo {
			device, err := openInGo()
			if err != nil {
				return opened, devices, err
			}
			opened, devices = append(opened, inGo), append(devices, device)
			continue
		}
		device, err := a.openDevice(name, 0, false)
		if err != nil {
			return opened, devices, err
		}
		info := device.Info()
		opened, devices = append(opened, info.Name), append(devices, device)
		if !add || info.Lanes <= 1 {
			continue
		}
		if device, err = openInGo(); err == nil {
			opened, devices = append(opened, inGo), append(devices, device)
		} else if !errors.Is(err, errLanesForced) {
			return opened, devices, err
		}
	}
	return opened, devices, nil
}

// errLanesForced is the error of a device in Go where the environment demands machine code.
var errLanesForced = badInputf("--devices: there is no %s while TRACKGEN_CPU is lanes", inGo)

// openInGo opens the CPU that runs the Go functions of kernels.
func openInGo() (trackgen.Device, error) {
	device, err := trackgen.Open("cpu", trackgen.Scalar(true))
	if errors.Is(err, trackgen.ErrInvalid) {
		return nil, badInput(err)
	}
	if err == nil && device.Info().Lanes > 1 {
		err = errors.Join(errLanesForced, device.Close())
	}
	if err != nil {
		return nil, err
	}
	return device, nil
}

// report returns the report of a suite, in the order of the devices and of the generators.
func (f benchFlags) report(suite measure.Suite) benchReport {
	order := func(device string) int {
		return slices.IndexFunc(suite.Machines, func(m measure.Machine) bool { return m.Device == device })
	}
	slices.SortStableFunc(suite.Results, func(x, y measure.Result) int {
		return cmp.Or(cmp.Compare(order(x.Device), order(y.Device)),
			cmp.Compare(slices.Index(f.generators, x.Generator), slices.Index(f.generators, y.Generator)))
	})
	r := benchReport{Version: version(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Cores: runtime.GOMAXPROCS(0), Date: time.Now().UTC().Format(time.DateOnly), Suite: suite}
	if f.course == courseGates {
		r.Course = courseGates
	}
	r.Step, r.Race = f.step, f.races
	return r
}

// readBench reads the report of an earlier run.
func (a *app) readBench(path string) (r benchReport, err error) {
	err = a.readInput(path, func(from io.Reader) error {
		text, err := io.ReadAll(io.LimitReader(from, maxBenchBytes+1))
		switch {
		case err != nil:
			return err
		case len(text) > maxBenchBytes:
			return fmt.Errorf("the file has more than %d bytes", maxBenchBytes)
		}
		if err := checkRows(text); err != nil {
			return err
		}
		return json.Unmarshal(text, &r)
	})
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		err = fmt.Errorf("this is no report of trackgen bench: it is not JSON: %w", err)
	case err == nil && r.Course != "" && r.Course != courseGates:
		err = fmt.Errorf("course is %q: must be %s or absent", r.Course, courseGates)
	case err == nil && (len(r.Machines) == 0 || len(r.Results) == 0):
		err = errors.New("this is no report of trackgen bench")
	}
	if err != nil {
		return r, badInput(fmt.Errorf("--from %s: %w", path, err))
	}
	return r, nil
}

// Limits for reading a report. Real reports are far smaller.
const (
	maxBenchBytes = 1 << 22
	maxBenchRows  = 10_000
)

// checkRows refuses a report with lists that are too long, because a decoded row takes far more memory than its text.
func checkRows(text []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		var rows []json.RawMessage
		if json.Unmarshal(fields[name], &rows) == nil && len(rows) > maxBenchRows {
			return fmt.Errorf("%s has %d rows: must be at most %d", name, len(rows), maxBenchRows)
		}
	}
	return nil
}

// plan returns the measurements that the flags request, and an error of the input (exit code 2) for bad values.
func (f benchFlags) plan(stdin io.Reader) (measure.Plan, error) {
	plan := measure.Plan{Envs: benchSizes, Each: benchEach, Limit: benchLimit}
	if f.quick {
		plan.Envs, plan.Each, plan.Limit = quickSizes, quickEach, quickLimit
	}
	if f.limit < 0 {
		return plan, badInputf("--limit is %v: must be 0 or more", f.limit)
	}
	if f.limit > 0 {
		plan.Limit = f.limit
	}
	if len(f.sizes) > 0 {
		plan.Envs = slices.Compact(slices.Sorted(slices.Values(f.sizes)))
	}
	err := f.subjects(&plan, stdin)
	return plan, err
}

// benchOutput returns a function that writes the report to the destinations and in the formats that the flags request.
func (a *app) benchOutput(f benchFlags) (func(benchReport) error, error) {
	chosen, err := a.outputFormat(f.out, f.format, []format{formatJSON, formatCSV}, benchFormats)
	if err == nil && f.out != "" {
		err = badInput(export.Probe(f.out))
	}
	if err != nil {
		return nil, err
	}
	var picture format
	if f.plot != "" {
		if picture, err = fileFormat("--plot", f.plot, "", pictureFormats...); err == nil {
			err = badInput(export.Probe(f.plot))
		}
		if err != nil {
			return nil, err
		}
	}
	write := map[format]func(io.Writer, benchReport) error{
		formatText: func(w io.Writer, r benchReport) error {
			return writeBenchTables(w, r, columnsOf(a.stdout.w), f.estimate)
		},
		formatCSV: writeBenchCSV, formatGo: writeBenchGo,
		formatJSON: func(w io.Writer, r benchReport) error { return writeJSON(w, r) },
	}[chosen]
	return func(r benchReport) error {
		if picture != "" && len(r.Results) == 0 {
			a.message("nothing was measured: there is no picture")
		} else if picture != "" {
			if err := export.WriteFile(f.plot, func(w io.Writer) error { return writeBenchPicture(w, r, picture) }); err != nil {
				return err
			}
		}
		if f.out == "" {
			return write(a.stdout, r)
		}
		return export.WriteFile(f.out, func(w io.Writer) error { return write(w, r) })
	}, nil
}
