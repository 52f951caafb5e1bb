package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/dataset"
	"github.com/trackgen-go/trackgen/export/labels"
)

type datasetFlags struct {
	configFlags
	tracks, shardTracks int64
	out                 string
	seed, epoch         int32
	shard               string
	files               string
	layout              layoutFlags
	device              string
	workers             int
	progress            string
	quiet               bool
	labels              labelFlags
}

// The forms of progress.
const (
	progressBar  = "bar"
	progressJSON = "json"
)

var datasetHelp = `Dataset makes a data set of tracks of any size in a folder: files ("shards") of a fixed range of seeds each, and
manifest.json, which says what they hold: versions, configuration, seeds, rows, and the SHA-256 of each file.

  tracks-00000-of-00306.parquet  the shards; docs/formats.md says what a file holds
  manifest.json                  written when the last shard is finished
  _plan.json, _records/          what the data set is to hold, and what is finished

Track e is made from seed --seed + e, so a shard is the same, byte for byte, wherever it is made. A run makes only the
shards that are missing, or whose file is not what its record says: after a crash, kill -9 or a full disk, the same
command goes on. Files appear under their name when they are complete and on the disk.

Many processes and machines make one data set together: each makes the shards of --shard i/n, those whose number
divided by n leaves i, into the same folder, or into folders of their own that "trackgen dataset merge" joins. Without
--shard, the environment of a scheduler says which, and a message tells: that of Kubernetes Indexed Jobs
(JOB_COMPLETION_INDEX, and JOB_COMPLETIONS, which the job must pass), of Slurm arrays (SLURM_ARRAY_TASK_ID, ...) and
of torchrun (RANK, WORLD_SIZE). All write the same files, so nothing is lost if two of them make the same shard.

--where keeps only the tracks whose labels match a condition: the help of trackgen stats says more. Each shard holds
those of its seeds that match.

--out s3://BUCKET/PREFIX?region=REGION and gs://BUCKET/PREFIX are buckets of object stores, with the credentials of the
environment. An object appears when its upload is complete. docs/datasets.md has the parameters.

--columns, --precision half and --compression make the files of Parquet smaller; docs/datasets.md has the sizes.

"trackgen dataset verify" makes shards again and compares.

With --progress json a line of JSON is written to standard error every second, and at the end, instead of a bar:
  {"shard": 3, "shards": 153, "made_shards": 2, "kept_shards": 1, "seeds": 201000, "all_seeds": 10000000,
   "rows": 135000, "valid": 134731, "bytes": 870123456, "seconds": 12.3}

Exit codes: 0 done, 1 the run failed, 2 bad usage or input, or another data set in the folder (nothing was written),
130 interrupted. Finished shards stay in any case.`

func (a *app) datasetCommand() *cobra.Command {
	f := datasetFlags{}
	command := &cobra.Command{
		Use:   "dataset",
		Short: "Make a data set of any number of tracks, on any number of machines",
		Long:  datasetHelp,
		Example: `  trackgen dataset --tracks 10M --out tracks
  trackgen dataset --tracks 1M --config race.yaml --where 'hairpins >= 2' --out hard
  trackgen dataset --tracks 10M --shard 3/8 --out tracks
  trackgen dataset verify tracks --sample 5
  trackgen dataset merge tracks part0 part1 part2`,
		Args: noArguments,
	}
	command.RunE = a.run(func(ctx context.Context, _ []string) error {
		f.labels.note(command, "device")
		return a.makeDataset(ctx, f)
	})
	flags := command.Flags()
	f.registerGenerator(command, "road.half_width=12cm")
	flags.Var(countFlag{&f.tracks, 1, dataset.MaxTracks}, "tracks",
		"how many tracks to generate: 5000, 64k, 10M (required)")
	flags.Var(countFlag{&f.shardTracks, 1, dataset.MaxShardTracks}, "shard-tracks", fmt.Sprintf(
		"tracks that are generated for each shard (default %d, of npz %d)", dataset.DefaultShardTracks,
		dataset.DefaultShardTracksNPZ))
	fileFlag(command, &f.out, "out", "o", roleFolder, "`folder` of the data set, or a URL such as s3://bucket/tracks (required)", "manifest.json", "_plan.json")
	flags.Var(numberFlag(&f.seed, 0, math.MinInt32, math.MaxInt32), "seed", "seed of the first track (default 0)")
	flags.Var(numberFlag(&f.epoch, 0, math.MinInt32, math.MaxInt32), "epoch", "epoch of every track (default 0)")
	flags.StringVar(&f.shard, "shard", "", "`i/n`: make the shards whose number divided by n leaves i (default all)")
	flags.StringVar(&f.files, "files", string(dataset.Parquet), "`format` of the shards: parquet or npz")
	f.layout.register(command)
	flags.StringVarP(&f.device, "device", "d", "auto", "`name` of the device: see trackgen devices. Several, such as cuda:all or "+
		"cuda:0,cuda:1, make shards at the same time")
	flags.Var(numberFlag(&f.workers, 0, 0, trackgen.MaxWorkers), "workers", "CPU workers, 0 for one on each core")
	flags.StringVar(&f.progress, "progress", progressBar, "`form` of the progress: bar, on a terminal, or json")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no progress and no messages, only errors")
	f.labels.addWhere(command, "keep")
	f.labels.addLimits(command)
	completeDevice(command)
	completeFlag(command, "files", string(dataset.Parquet), string(dataset.NPZ))
	completeFlag(command, "progress", progressBar, progressJSON)
	command.AddCommand(a.datasetVerifyCommand(), a.datasetMergeCommand())
	return command
}

// plan returns the plan that the flags request.
func (f *datasetFlags) plan(stdin io.Reader) (dataset.Plan, error) {
	switch {
	case f.tracks == 0:
		return dataset.Plan{}, badInputf("--tracks is missing: must say how many tracks, such as 10M")
	case f.out == "":
		return dataset.Plan{}, badInputf("--out is missing: must name the folder of the data set")
	}
	loaded, err := f.load(stdin, nil)
	if err != nil {
		return dataset.Plan{}, err
	}
	where, err := f.labels.words()
	if err != nil {
		return dataset.Plan{}, err
	}
	plan := dataset.Plan{
		Config: loaded.Config, First: f.seed, Tracks: f.tracks, Epoch: f.epoch, ShardTracks: int(f.shardTracks),
		Format: dataset.Format(f.files), Layout: f.layout.layout(), Where: where,
	}
	return plan, datasetError(plan.Validate())
}

// words returns the condition of --where with the limits of the car that its labels depend on, "" without --where.
func (f labelFlags) words() (string, error) {
	if f.where == "" {
		return "", nil
	}
	limits, err := json.Marshal(labels.SettingsOf(f.config))
	if err != nil {
		return "", err
	}
	return f.where + " with " + string(limits), nil
}

// datasetError returns an error of the input for a wrong field of a plan, by the name of its flag.
func datasetError(err error) error {
	var wrong *dataset.PlanError
	switch {
	case errors.As(err, &wrong):
		names := map[string]string{"shard_tracks": "--shard-tracks", "format": "--files", "tracks": "--tracks",
			"seed": "--seed", "shard": "--shard", "folder": "--out"}
		name, isFlag := names[wrong.Field]
		if !isFlag {
			name = wrong.Field
		}
		return badInputf("%s is %s: must be %s", name, wrong.Value, wrong.Allowed)
	case errors.Is(err, dataset.ErrNoDataset), errors.Is(err, trackgen.ErrConfig):
		return badInput(err)
	}
	return layoutError(err)
}

// part returns the shards of this process: those of --shard, or those that a scheduler gives it.
func (f *datasetFlags) part(a *app) (dataset.Part, error) {
	if f.shard != "" {
		part, err := dataset.ParsePart(f.shard)
		return part, datasetError(err)
	}
	part, scheduler, err := dataset.PartOf(os.LookupEnv)
	if err != nil {
		return part, datasetError(err)
	}
	if scheduler != "" && !f.quiet {
		a.message("shards %s, as the environment says (%s)", part, scheduler)
	}
	return part, nil
}

// makeDataset runs the command. It checks all input before it generates anything.
func (a *app) makeDataset(ctx context.Context, f datasetFlags) (err error) {
	if f.progress != progressBar && f.progress != progressJSON {
		return badInputf("--progress is %q: must be bar or json", f.progress)
	}
	plan, err := f.plan(a.stdin)
	if err != nil {
		return err
	}
	part, err := f.part(a)
	if err != nil {
		return err
	}
	run, done, err := a.openRun(ctx, f, plan, part)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	report := a.reportProgress(f.progress, f.quiet, "generating", thingsOf(courseTracks))
	defer report.done()
	run.Progress = report.add
	result, err := dataset.Make(ctx, run)
	report.done()
	if err != nil {
		return datasetError(err)
	}
	if !f.quiet {
		a.message("%s", datasetSummary(f.out, result))
	}
	return nil
}

// openRun opens what a run needs, and returns what closes it.
func (a *app) openRun(ctx context.Context, f datasetFlags, plan dataset.Plan, part dataset.Part) (
	r dataset.Run, done func() error, err error,
) {
	f.labels.device = f.device
	labeller, err := f.labels.open(a, f.quiet, "")
	if err != nil {
		return r, nil, err
	}
	devices, err := a.openAllDevices(f.device, f.workers, f.quiet)
	if err != nil {
		return r, nil, errors.Join(err, labeller.close())
	}
	done = func() error { return errors.Join(closeDevices(devices), labeller.close()) }
	store, closed, err := openStore(ctx, f.out, true)
	if err != nil {
		return r, nil, errors.Join(err, done())
	}
	done = func() error { return errors.Join(closed(), closeDevices(devices), labeller.close()) }
	r = dataset.Run{Device: devices[0], Others: devices[1:], Plan: plan, Store: store, Part: part, Version: version()}
	if labeller != nil {
		r.Keep = func(ctx context.Context, batch *trackgen.Batch) ([]bool, error) {
			matches, err := labeller.matching(ctx, batch)
			if err != nil {
				return nil, err
			}
			keep := make([]bool, batch.Envs)
			for e := range keep {
				keep[e] = matches(e)
			}
			return keep, nil
		}
	}
	return r, done, nil
}

// datasetSummary says what a run did.
func datasetSummary(out string, r dataset.Result) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %d shards made, %d there before", out, r.MadeShards, r.KeptShards)
	if r.Manifest == nil {
		return text.String() + "; those of other processes are not finished"
	}
	m := r.Manifest
	fmt.Fprintf(&text, "; complete: %d tracks, %d of them valid, in %d files, %.4g MB", m.Rows, m.Valid, len(m.Shards),
		float64(m.Bytes)/1e6)
	return text.String()
}

// progressReport shows how far a run is, as a bar or as lines of JSON.
type progressReport struct {
	a             *app
	screen        io.Writer
	doing, things string
	json          bool
	bar           *progress
	seeds         int64
	start, told   time.Time
	last          dataset.Progress
	closed        bool
}

func (a *app) reportProgress(form string, quiet bool, doing, things string) *progressReport {
	now := time.Now()
	return &progressReport{a: a, screen: a.screen(quiet), doing: doing, things: things,
		json: form == progressJSON && !quiet, start: now, told: now}
}

// add takes the progress of a run.
func (p *progressReport) add(at dataset.Progress) {
	p.last = at
	if p.json {
		if now := time.Now(); now.Sub(p.told) >= time.Second {
			p.told = now
			p.line()
		}
		return
	}
	if p.bar == nil {
		p.bar = newProgress(p.screen, p.doing, p.things, int(at.AllSeeds))
	}
	p.bar.Add(int(at.Seeds - p.seeds))
	p.seeds = at.Seeds
}

// line writes the progress as JSON.
func (p *progressReport) line() {
	text, err := json.Marshal(struct {
		dataset.Progress
		Seconds float64 `json:"seconds"`
	}{p.last, math.Round(time.Since(p.start).Seconds()*1000) / 1000})
	if err == nil {
		p.a.tell(func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "%s\n", text)
			return err
		})
	}
}

// done ends the report.
func (p *progressReport) done() {
	if p.closed {
		return
	}
	p.closed = true
	p.bar.Done()
	if p.json {
		p.line()
	}
}
