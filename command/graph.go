package command

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/export/graphview"
	"github.com/trackgen-go/trackgen/internal/capture"
	"github.com/trackgen-go/trackgen/internal/settings"
)

type graphFlags struct {
	configFlags
	device     string
	regenerate bool
	format     string
	out        string
}

func (a *app) graphCommand() *cobra.Command {
	var f graphFlags
	command := &cobra.Command{
		Use:   "graph",
		Short: "Show the work of a generation as a graph",
		Long: `Graph records one generation on a device and shows what is in the graph: launches with their kernel and
size, copies and fills, and the conditionals and loops around the work that they guard. With --regenerate
it records the generation of the envs of a mask, all of which is skipped on the device when the mask is
empty. With --course gates it is a generation of gate courses.

On a terminal it prints a listing, else JSON: {"device", "nodes", "operations": [{"kind", "kernel", "items",
"group", "bytes", "limit", "body"}]}, where kind is launch, copy, fill, upload, download, if, repeat or
replay, and the last three have a body. A file with --out is written as its extension says. A file in the
DOT language is for Graphviz: dot -Tpng graph.dot.`,
		Example: `  trackgen graph --generator bezier --device cpu
  trackgen graph --regenerate --envs 4096 --out graph.svg
  trackgen graph --set relax.enabled=false --format dot
  trackgen graph --course gates --generator voronoi --device cpu`,
		Args: noArguments,
		RunE: a.run(func(ctx context.Context, _ []string) error { return a.graph(ctx, f) }),
	}
	f.register(command)
	f.registerCourse(command)
	flags := command.Flags()
	flags.StringVarP(&f.device, "device", "d", "auto", "`name` of the device: see trackgen devices")
	flags.BoolVar(&f.regenerate, "regenerate", false, "record the generation of the envs of a mask")
	formatFlag(command, &f.format, "that of --out, else "+reportDefault, graphFormats...)
	fileFlag(command, &f.out, "out", "o", roleOutput,
		"`file` to write instead of the standard output: .dot, .svg, .json or .txt")
	completeDevice(command)
	return command
}

func (a *app) graph(ctx context.Context, f graphFlags) (err error) {
	chosen, err := a.outputFormat(f.out, f.format, graphFormats, graphFormats)
	if err != nil {
		return err
	}
	recording, err := f.recording(a.stdin)
	if err != nil {
		return err
	}
	if f.out != "" {
		if err := export.Probe(f.out); err != nil {
			return badInput(err)
		}
	}
	device, err := a.openDevice(f.device, 0, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	if err := recording.checkDevice(device); err != nil {
		return badInput(err)
	}
	view, err := recording.record(ctx, device)
	if err != nil {
		return err
	}
	if f.out == "" {
		return writeView(a.stdout, view, chosen)
	}
	return export.WriteFile(f.out, func(w io.Writer) error { return writeView(w, view, chosen) })
}

// recording says what to record.
type recording struct {
	envs        int
	regenerate  bool
	checkDevice func(trackgen.Device) error
	open        func(trackgen.Device, trackgen.Stream) (recordable, error)
}

// recordable is a trackProducer or a gateProducer.
type recordable interface {
	again(context.Context) error
	regenerate(context.Context, trackgen.Array[int32]) error
	Close() error
}

// recording returns what the flags request. An error is an error of the input.
func (f graphFlags) recording(stdin io.Reader) (recording, error) {
	r := recording{regenerate: f.regenerate}
	ofGates, err := f.ofGates()
	if err != nil {
		return r, err
	}
	// num_envs is checked once more, because flags may say more envs than one batch can hold.
	if ofGates {
		config, _, err := loadConfig(&f.configFlags, settings.Gates, trackgen.GateConfig.Validate, stdin, nil)
		if err == nil {
			err = badInput(config.Validate())
		}
		r.envs, r.checkDevice = config.NumEnvs, config.CheckDevice
		r.open = func(device trackgen.Device, stream trackgen.Stream) (recordable, error) {
			generator, err := trackgen.NewGateGenerator(device, config, trackgen.WithStream(stream))
			return gateProducer{generator}, err
		}
		return r, err
	}
	config, err := f.load(stdin, nil)
	if err == nil {
		err = badInput(config.Validate())
	}
	r.envs, r.checkDevice = config.Resolved().NumEnvs, config.CheckDevice
	r.open = func(device trackgen.Device, stream trackgen.Stream) (recordable, error) {
		generator, err := trackgen.NewGenerator(device, config.Config, trackgen.WithStream(stream))
		return trackProducer{generator}, err
	}
	return r, err
}

// regenerate makes the tracks of the envs of a mask anew.
func (p trackProducer) regenerate(ctx context.Context, mask trackgen.Array[int32]) error {
	_, err := p.Regenerate(ctx, mask)
	return err
}

// regenerate makes the courses of the envs of a mask anew.
func (p gateProducer) regenerate(ctx context.Context, mask trackgen.Array[int32]) error {
	_, err := p.Regenerate(ctx, mask)
	return err
}

// record records one generation on a new stream and returns its listing.
func (r recording) record(ctx context.Context, device trackgen.Device) (view graphview.View, err error) {
	stream, err := device.NewStream()
	if err != nil {
		return view, err
	}
	defer func() { err = errors.Join(err, stream.Close()) }()
	generator, err := r.open(device, stream)
	if err != nil {
		return view, err
	}
	defer func() { err = errors.Join(err, generator.Close()) }()
	mask, err := trackgen.NewArray[int32](device, r.envs)
	if err != nil {
		return view, err
	}
	defer func() { err = errors.Join(err, mask.Close()) }()
	recorded, err := capture.Of(stream, func() error {
		if r.regenerate {
			return generator.regenerate(ctx, mask)
		}
		return generator.again(ctx)
	})
	if err != nil {
		return view, err
	}
	defer func() { err = errors.Join(err, recorded.Close()) }()
	return graphview.Of(recorded)
}

func writeView(w io.Writer, view graphview.View, f format) error {
	switch f {
	case formatJSON:
		return view.JSON(w)
	case formatDOT:
		return view.DOT(w)
	case formatSVG:
		return view.SVG(w)
	default:
		return view.Text(w)
	}
}
