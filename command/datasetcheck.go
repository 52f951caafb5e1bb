package command

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen/dataset"
)

type datasetVerifyFlags struct {
	sample  int
	device  string
	workers int
	shard   string
	format  string
	quiet   bool
}

func (a *app) datasetVerifyCommand() *cobra.Command {
	var f datasetVerifyFlags
	command := &cobra.Command{
		Use:   "verify FOLDER",
		Short: "Compare the files of a data set with its records, and make some of its shards again",
		Long: `Verify reads every file of a data set and compares it with the record of its shard. It makes the shards of
--sample again, spread evenly over the data set, by default all, and compares every byte: a data set that a GPU made is
the same on a CPU. Shards that are missing, damaged or different are listed; the command that made the data set makes
them again if they are missing or damaged.

A data set that was chosen with --where is compared with its records alone (--sample 0).

Exit codes: 0 all is right, 1 something is not, or the run failed, 2 bad usage or input, 130 interrupted.`,
		Example: `  trackgen dataset verify tracks
  trackgen dataset verify tracks --sample 5 --device cpu`,
		Args: oneFolder("verify"),
	}
	command.RunE = a.run(func(ctx context.Context, arguments []string) error {
		return a.verifyDataset(ctx, arguments[0], f, command.Flags().Changed("sample"))
	})
	flags := command.Flags()
	flags.Var(numberFlag(&f.sample, -1, 0, dataset.MaxShards), "sample",
		"how many shards to make again, 0 for none (default all)")
	flags.StringVarP(&f.device, "device", "d", "auto", "`name` of the device: see trackgen devices")
	flags.Var(numberFlag(&f.workers, 0, 0, 1<<10), "workers", "CPU workers, 0 for one on each core")
	flags.StringVar(&f.shard, "shard", "", "`i/n`: look at the shards whose number divided by n leaves i (default all)")
	formatFlag(command, &f.format, reportDefault, reportFormats...)
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no progress, only the result")
	completeDevice(command)
	return command
}

// oneFolder refuses any number of arguments except one.
func oneFolder(name string) cobra.PositionalArgs {
	return func(_ *cobra.Command, arguments []string) error {
		if len(arguments) != 1 {
			return fmt.Errorf("%s takes one folder, and has %d", name, len(arguments))
		}
		return nil
	}
}

// datasetReport is the output of dataset verify.
type datasetReport struct {
	Right    bool             `json:"right"`
	Shards   int              `json:"shards"`
	Checked  int              `json:"checked"`
	Made     int              `json:"made"`
	Findings []datasetFinding `json:"findings"`
	Manifest string           `json:"manifest,omitempty"` // why manifest.json is not right
}

type datasetFinding struct {
	Shard  int    `json:"shard"`
	File   string `json:"file"`
	Reason string `json:"reason"`
}

func (r datasetReport) writeText(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%d shards, %d compared with their records, %d made again\n", r.Shards, r.Checked,
		r.Made); err != nil {
		return err
	}
	for _, f := range r.Findings {
		if _, err := fmt.Fprintf(w, "shard %d (%s): %s\n", f.Shard, f.File, f.Reason); err != nil {
			return err
		}
	}
	if r.Manifest != "" {
		if _, err := fmt.Fprintf(w, "manifest.json: %s\n", r.Manifest); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) verifyDataset(ctx context.Context, folder string, f datasetVerifyFlags, sampled bool) (err error) {
	chosen, err := a.reportFormat(f.format, formatText, formatJSON)
	if err != nil {
		return err
	}
	store, closed, err := openStore(ctx, folder, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closed()) }()
	plan, made, err := dataset.ReadPlan(ctx, store)
	if err != nil {
		return datasetError(err)
	}
	part := dataset.Part{}
	if f.shard != "" {
		if part, err = dataset.ParsePart(f.shard); err != nil {
			return datasetError(err)
		}
	}
	sample := dataset.Sample(f.sample, plan.Shards())
	switch {
	case sampled && f.sample == 0:
		sample = nil
	case made != version():
		return badInputf("%s belongs to version %s, and this is %s: must be the same to make shards again (or --sample 0)",
			folder, made, version())
	case plan.Where != "":
		return badInputf("%s holds tracks chosen with --where: its shards cannot be made again without it (--sample 0 "+
			"compares the files)", folder)
	}
	device, err := a.openDevice(f.device, f.workers, f.quiet)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	report := a.reportProgress(progressBar, f.quiet, "verifying", "shards")
	defer report.done()
	found, err := dataset.Verify(ctx, dataset.Run{
		Device: device, Plan: plan, Store: store, Part: part, Version: made, Progress: report.add,
	}, sample)
	report.done()
	if err != nil {
		return datasetError(err)
	}
	return a.concludeDataset(found, chosen)
}

// concludeDataset prints what was found. The error is nil if nothing was.
func (a *app) concludeDataset(found dataset.Verification, chosen format) error {
	r := datasetReport{Right: len(found.Findings) == 0 && found.Manifest == "", Shards: found.Shards,
		Checked: found.Checked, Made: found.Made, Findings: []datasetFinding{}, Manifest: found.Manifest}
	for _, f := range found.Findings {
		r.Findings = append(r.Findings, datasetFinding{f.Shard.Index, f.Shard.File, f.Reason})
	}
	var err error
	if chosen == formatJSON {
		err = writeJSON(a.stdout, r)
	} else {
		err = a.print(r.writeText)
	}
	if err == nil && len(r.Findings) > 0 {
		err = fmt.Errorf("%d of %d shards are not right", len(r.Findings), r.Shards)
	}
	if err == nil && r.Manifest != "" {
		err = fmt.Errorf("manifest.json is %s: the same trackgen dataset command writes it again", r.Manifest)
	}
	return err
}

func (a *app) datasetMergeCommand() *cobra.Command {
	var quiet bool
	command := &cobra.Command{
		Use:   "merge OUT FOLDER...",
		Short: "Join the parts of a data set that machines made into folders of their own",
		Long: `Merge copies the finished shards of the folders, which hold parts of one data set, into OUT, compares each file
with the record of its shard, and writes manifest.json. OUT may hold some of them already.

Exit codes: 0 done, 1 the run failed or shards are missing, 2 bad usage or input, or folders of different data sets,
130 interrupted. Shards that were copied stay in any case.`,
		Example: `  trackgen dataset merge tracks part0 part1 part2`,
		Args: func(_ *cobra.Command, arguments []string) error {
			if len(arguments) < 2 {
				return fmt.Errorf("merge takes a folder to write and one or more to read, and has %d", len(arguments))
			}
			return nil
		},
	}
	command.RunE = a.run(func(ctx context.Context, arguments []string) error {
		return a.mergeDatasets(ctx, arguments[0], arguments[1:], quiet)
	})
	command.Flags().BoolVarP(&quiet, "quiet", "q", false, "no progress and no messages, only errors")
	return command
}

func (a *app) mergeDatasets(ctx context.Context, out string, folders []string, quiet bool) (err error) {
	var from []dataset.Store
	for _, folder := range folders {
		store, closed, err := openStore(ctx, folder, false)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, closed()) }()
		from = append(from, store)
	}
	if _, _, err := dataset.ReadPlan(ctx, from[0]); err != nil {
		return datasetError(err)
	}
	into, closed, err := openStore(ctx, out, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closed()) }()
	var bar *progress
	manifest, err := dataset.Merge(ctx, into, from, func(_, all int) {
		if bar == nil {
			bar = newProgress(a.screen(quiet), "merging", "shards", all)
		}
		bar.Add(1)
	})
	bar.Done()
	if err != nil {
		return datasetError(err)
	}
	if !quiet {
		a.message("%s", datasetSummary(out, dataset.Result{Manifest: manifest}))
	}
	return nil
}
