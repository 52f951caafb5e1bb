package main

import (
	"context"
	"errors"
	"io"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/cmd/trackgen/internal/settings"
	"github.com/trackgen-go/trackgen/export"
)

// gateFormats are the formats of files of gate courses.
var gateFormats = []format{formatNPZ, formatCSV, formatJSON}

// gatePlan describes a batch of gate courses to generate.
type gatePlan struct {
	config trackgen.GateConfig // num_envs counts the whole batch
	schedule
}

// printGateConfig prints the configuration of gate courses that the flags give.
func (a *app) printGateConfig(f *configFlags, chosen format) error {
	c, _, err := loadConfig(f, settings.Gates, trackgen.GateConfig.Validate, a.stdin, nil)
	if err != nil {
		return err
	}
	if chosen == formatJSON {
		return writeJSON(a.stdout, export.GateConfig(c))
	}
	return settings.Gates.Write(a.stdout, c)
}

// gatePlan returns the plan of the configuration and the seeds that the flags request.
func (f *generateFlags) gatePlan(a *app) (gatePlan, error) {
	s, extra, err := seedSchedule(f, a, settings.Gates)
	if err != nil {
		return gatePlan{}, err
	}
	config, _, err := loadConfig(&f.configFlags, settings.Gates, trackgen.GateConfig.Validate, a.stdin, extra)
	if err != nil {
		return gatePlan{}, err
	}
	p := gatePlan{config: config, schedule: s}
	perEnv, err := config.BytesPerEnv()
	if err != nil {
		return gatePlan{}, badInput(err)
	}
	p.chunk = largestChunk(perEnv, config.NumEnvs, config.MaxEnvs())
	return p, f.fit(&p.schedule, "courses", config.NumEnvs, config.MaxEnvs())
}

// gateTargets returns the files that the flags name.
func (f *generateFlags) gateTargets() ([]target, error) {
	if f.plot != "" {
		return nil, badInputf("--plot is %q: pictures are of tracks only, and --course is %s", f.plot, courseGates)
	}
	var files []target
	if f.out != "" {
		chosen, err := fileFormat("--out", f.out, f.format, gateFormats...)
		if err != nil {
			return nil, err
		}
		files = append(files, target{path: f.out, format: chosen, arrays: f.arrayOptions()})
	}
	return files, f.checkArrayOptions(files)
}

// createGates creates the file for gate courses of the given shape.
func (t target) createGates(shape export.Shape, metadata export.GateMetadata) (export.GateWriter, error) {
	switch t.format {
	case formatNPZ:
		return export.NewGateNPZWriter(t.path, shape, metadata, t.arrays...)
	case formatCSV:
		return export.Create(t.path, func(w io.Writer) (export.GateEncoder, error) { return export.NewGatesCSV(w, shape) })
	default:
		return export.Create(t.path, func(w io.Writer) (export.GateEncoder, error) {
			return export.NewCoursesJSON(w, shape, metadata)
		})
	}
}

// generateGates runs the command for gate courses. It checks all input before it generates anything.
func (a *app) generateGates(ctx context.Context, f generateFlags) (err error) {
	p, err := f.gatePlan(a)
	if err != nil {
		return err
	}
	files, err := f.gateTargets()
	if err != nil {
		return err
	}
	summaryFormat := formatText
	if f.out == "" {
		if summaryFormat, err = a.reportFormat(f.format, summaryFormats...); err != nil {
			return err
		}
	}
	if err := probe(files); err != nil {
		return err
	}
	rowsOnScreen := f.out == "" && summaryFormat == formatCSV && isTerminal(a.stdout.w)
	bar := newProgress(a.screen(f.quiet || rowsOnScreen), "generating", "courses", p.config.NumEnvs)
	defer bar.Done()
	device, err := a.openDevice(f.device, f.workers, f.quiet)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	if err := p.checkDevice(device); err != nil {
		return err
	}
	made, rows, err := a.writeGates(ctx, p, device, files, f.out == "" && summaryFormat == formatCSV, bar)
	if err != nil {
		return err
	}
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
		a.message("the courses are not kept: --out names a file for them, such as --out gates.npz")
	}
	return err
}

// writeGates generates the courses and writes the files. With printRows, it writes the rows of the summary to standard
// output, and returns their encoder, which the caller finishes.
func (a *app) writeGates(ctx context.Context, p gatePlan, device trackgen.Device, files []target, printRows bool,
	bar *progress) (made gateReport, rows export.GateEncoder, err error) {
	shape := export.Shape{Envs: p.config.NumEnvs, NMax: p.config.Output.MaxGates}
	metadata := export.GateMetadata{Version: version(), Device: device.Info().Name, Config: p.config}
	written, err := createAll(files, func(t target) (export.GateWriter, error) { return t.createGates(shape, metadata) })
	defer func() { err = errors.Join(err, written.abort()) }()
	if err != nil {
		return made, nil, err
	}
	if printRows {
		if rows, err = export.NewGateSummaryCSV(a.stdout, shape); err != nil {
			return made, nil, err
		}
	}
	var summarizer export.GateSummarizer
	from := newGateOrigins(p.config)
	done, err := p.generate(ctx, device, func(batch *trackgen.GateBatch) error {
		defer bar.Add(batch.Envs)
		from.count(batch.Candidate, batch.Component, batch.Valid)
		if err := written.add(ctx, batch); err != nil {
			return err
		}
		if rows != nil {
			if err := rows.Append(ctx, batch); err != nil {
				return err
			}
		}
		return summarizer.Add(batch)
	})
	if err != nil {
		return made, rows, err
	}
	if err := written.commit(ctx, bar); err != nil {
		return made, rows, err
	}
	bar.Finish()
	return newGateReport(p, device.Info(), summarizer.Summary(), from, done, written.paths()), rows, nil
}

// generate generates the whole batch and calls take with each chunk, in the order of the envs.
func (p gatePlan) generate(ctx context.Context, device trackgen.Device, take func(*trackgen.GateBatch) error) (result,
	error) {
	made := production[*trackgen.GateBatch]{schedule: p.schedule, envs: p.config.NumEnvs, things: "courses", take: take}
	made.open = func(seeds []int32) (producer[*trackgen.GateBatch], error) {
		config := p.config
		config.NumEnvs = len(seeds)
		generator, err := trackgen.NewGateGenerator(device, config, trackgen.WithSeeds(seeds), trackgen.WithEpoch(p.epoch))
		if err != nil {
			return nil, err
		}
		return gateProducer{generator}, nil
	}
	return made.run(ctx)
}

// gateProducer makes chunks of gate courses.
type gateProducer struct{ *trackgen.GateGenerator }

func (p gateProducer) again(ctx context.Context) error {
	_, err := p.Generate(ctx)
	return err
}

func (p gateProducer) read(ctx context.Context) (*trackgen.GateBatch, trackgen.Counters, error) {
	batch, err := p.Sequence().Batch(ctx)
	return batch, trackgen.Counters{}, err
}

// checkDevice returns an error of the input if the device cannot run the configuration. The error names the field or
// the flag that is wrong.
func (p gatePlan) checkDevice(device trackgen.Device) error {
	chunk := p.config
	chunk.NumEnvs = min(p.chunk, p.config.NumEnvs)
	err := chunk.CheckDevice(device)
	var wrong *trackgen.ConfigError
	if errors.As(err, &wrong) && wrong.Field == "num_envs" {
		return badInputf("--chunk is %d: must be %s (%w)", p.chunk, wrong.Allowed, wrong.Err)
	}
	return badInput(err)
}
