package command

import (
	"context"
	"errors"
	"io"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/internal/settings"
)

// raceway is a batch of courses to drive on: of tracks or of gates.
type raceway struct {
	tracks *trackgen.Batch     // nil for gate courses
	gates  *trackgen.GateBatch // nil for tracks
}

func (r raceway) envs() int {
	if r.gates != nil {
		return r.gates.Envs
	}
	return r.tracks.Envs
}

// name returns that of a circuit, or "".
func (r raceway) name(e int) string {
	if r.gates != nil {
		return ""
	}
	return r.tracks.Name(e)
}

func (r raceway) seed(e int) int32 {
	if r.gates != nil {
		return r.gates.Seed[e]
	}
	return r.tracks.Seed[e]
}

// scale makes metres of track units.
func (r raceway) scale(by float64) error {
	if r.gates != nil {
		return r.gates.Scale(by)
	}
	return r.tracks.Scale(by)
}

// crossesItself reports whether there is a circuit with a bridge.
func (r raceway) crossesItself() bool {
	if r.gates != nil {
		return false
	}
	for _, crossings := range r.tracks.Crossings {
		if crossings > 0 {
			return true
		}
	}
	return false
}

// upload copies the batch to a device. The caller calls the function that it returns.
func (r raceway) upload(ctx context.Context, device trackgen.Device) (trackgen.CourseSource, func() error, error) {
	if r.gates != nil {
		gates, err := trackgen.UploadGates(ctx, device, r.gates)
		return trackgen.CourseSource{Gates: gates}, gates.Close, err
	}
	tracks, err := trackgen.Upload(ctx, device, r.tracks)
	return trackgen.CourseSource{Tracks: tracks}, tracks.Close, err
}

// lengthsOf returns the lengths of the lines of a race: the centrelines, or the lines through the gates.
func (r raceway) lengthsOf(ctx context.Context, race *trackgen.Race) ([]float32, error) {
	if r.gates == nil {
		return r.tracks.Length, nil
	}
	line, err := race.Course().Line().Line().Read(ctx)
	if err != nil {
		return nil, err
	}
	return line.Length, nil
}

// writePNG writes a picture of the batch.
func (r raceway) writePNG(w io.Writer, style export.Picture) error {
	if r.gates != nil {
		return export.WriteGatesPNG(w, r.gates, style)
	}
	return export.WritePNG(w, r.tracks, style)
}

// writeSVG writes a picture of the batch.
func (r raceway) writeSVG(w io.Writer, style export.Picture) error {
	if r.gates != nil {
		return export.WriteGatesSVG(w, r.gates, style)
	}
	return export.WriteSVG(w, r.tracks, style)
}

// generatedGates returns the courses of the generator of gates.
func (f *driveFlags) generatedGates(ctx context.Context, a *app, device trackgen.Device) (_ *trackgen.GateBatch,
	err error) {
	config, err := f.gateConfig(a)
	if err != nil {
		return nil, err
	}
	generator, err := trackgen.NewGateGenerator(device, config, trackgen.WithSeed(f.seed))
	if err != nil {
		return nil, flagOfRace(err)
	}
	defer func() { err = errors.Join(err, generator.Close()) }()
	return generator.Sequence().Batch(ctx)
}

// gateConfig returns the configuration of the generator of gates. Without a width, an opening takes most of the room
// that gates have: their own default is 0, and no drone passes that.
func (f *driveFlags) gateConfig(a *app) (trackgen.GateConfig, error) {
	config, origins, err := loadConfig(&f.configFlags, settings.Gates, trackgen.GateConfig.Validate, a.stdin, nil)
	if _, set := origins["gate.width"]; err == nil && !set {
		config.Gate.Width = widthOfRadius * config.Gate.Radius
	}
	return config, err
}

const (
	widthOfRadius = 1.6 // width of an opening, in radii of a gate, of which there are two between the middles of two
	roomForDrone  = 4   // width of an opening, in widths of the drone
)

// readGates returns all courses of a file.
func readGates(ctx context.Context, path string) (*trackgen.GateBatch, error) {
	reader, err := export.OpenGates(path)
	if err != nil {
		return nil, badInput(err)
	}
	defer reader.Close() //nolint:errcheck // the file was only read
	all := new(trackgen.GateBatch)
	err = readChunks(ctx, reader, reader.Shape().Envs, func(chunk *trackgen.GateBatch, _ int) (bool, error) {
		var envs []int
		for e := range chunk.Envs {
			envs = append(envs, e)
		}
		return true, all.Append(chunk, envs...)
	})
	return all, err
}
