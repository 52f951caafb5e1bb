package command

import (
	"context"
	"errors"
	"io"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/export/parquet"
	"github.com/trackgen-go/trackgen/internal/settings"
)

// gateFormats are the formats of files of gate courses.
var gateFormats = []format{formatNPZ, formatCSV, formatJSON, formatParquet, formatSVG, formatPNG}

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
	return p, f.fit(&p.schedule, courseGates, config.NumEnvs, config.MaxEnvs())
}

// gateTargets returns the files that the flags name.
func (f *generateFlags) gateTargets() ([]target, error) {
	var files []target
	if f.out != "" {
		chosen, err := fileFormat("--out", f.out, f.format, gateFormats...)
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

// createGates creates the file for gate courses of the given shape.
func (t target) createGates(shape export.Shape, metadata export.GateMetadata, options ...export.EncoderOption) (
	export.GateWriter, error) {
	switch t.format {
	case formatNPZ:
		return export.NewGateNPZWriter(t.path, shape, metadata, t.arrays...)
	case formatCSV:
		return export.Create(t.path, func(w io.Writer) (export.GateEncoder, error) {
			return export.NewGatesCSV(w, shape, options...)
		})
	case formatParquet:
		return export.Create(t.path, func(w io.Writer) (export.GateEncoder, error) {
			return parquet.NewGateEncoder(w, shape, metadata, options...)
		})
	case formatJSON:
		return export.Create(t.path, func(w io.Writer) (export.GateEncoder, error) {
			return export.NewCoursesJSON(w, shape, metadata, options...)
		})
	default:
		return newGatePicture(t, metadata, shape.Envs), nil
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
	r, err := startRun[*trackgen.GateBatch](a, f, files, courseGates, p.config.NumEnvs, p.checkDevice)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	from := newGateOrigins(p.config)
	summary, done, err := writeGateCourses(ctx, r, p.config, p.generate, func(batch *trackgen.GateBatch) {
		from.count(batch.Candidate, batch.Component, batch.Valid)
	})
	if err != nil {
		return err
	}
	made := newGateReport(p, r.device.Info(), summary, from, done, pathsOf(files))
	return r.print(made, made.writeText)
}

// writeGateCourses generates the courses of a run and writes them. It calls count with each chunk, and returns the
// summary of all.
func writeGateCourses(ctx context.Context, r *batchRun[*trackgen.GateBatch], config trackgen.GateConfig,
	generate generateFunc[*trackgen.GateBatch], count func(*trackgen.GateBatch)) (export.GateSummary, result, error) {
	shape := export.Shape{Envs: config.NumEnvs, NMax: config.Output.MaxGates}
	metadata := export.GateMetadata{Version: version(), Device: r.device.Info().Name, Config: config}
	create := func(t target) (export.GateWriter, error) { return t.createGates(shape, metadata) }
	encode := func(w io.Writer) (export.GateEncoder, error) { return export.NewGateSummaryCSV(w, shape) }
	var summarizer export.GateSummarizer
	done, err := r.write(ctx, generate, create, encode, func(batch *trackgen.GateBatch) error {
		defer r.bar.Add(batch.Envs)
		count(batch)
		return summarizer.Add(batch)
	})
	return summarizer.Summary(), done, err
}

// generate generates the whole batch and calls take with each chunk, in the order of the envs.
func (p gatePlan) generate(ctx context.Context, device trackgen.Device, take func(*trackgen.GateBatch) error) (result,
	error) {
	made := production[*trackgen.GateBatch]{schedule: p.schedule, envs: p.config.NumEnvs, things: thingsOf(courseGates),
		take: take}
	made.open = func(lo int, seeds []int32) (producer[*trackgen.GateBatch], error) {
		config := p.config
		config.NumEnvs = len(seeds)
		generator, err := trackgen.NewGateGenerator(device, config, trackgen.WithSeeds(seeds), trackgen.WithEpoch(p.epoch),
			trackgen.WithFirstEnv(lo))
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
	return chunkError(chunk.CheckDevice(device), p.chunk)
}
