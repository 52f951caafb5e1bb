package command

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
)

// trackSource has the tracks along which gates are placed.
type trackSource interface {
	envs() int
	// read calls take with each part of the tracks, in order. It may be called several times.
	read(ctx context.Context, device trackgen.Device, take func(*trackgen.Batch) error) error
	close() error
}

// openTracks returns the tracks of an .npz file, or of files of circuits.
func (f *gatesFlags) openTracks(ctx context.Context, a *app, paths []string) (trackSource, error) {
	if len(paths) == 1 && isNPZ(paths[0]) {
		s := &tracksOfFile{path: paths[0]}
		if err := s.open(); err != nil {
			return nil, err
		}
		if len(f.reading) > 0 {
			return nil, errors.Join(badInputf("--%s is for files of circuits, and %q has tracks", f.reading[0], paths[0]),
				s.close())
		}
		return s, nil
	}
	bar := newProgress(a.screen(f.quiet), "reading", "files", len(paths))
	defer bar.Done()
	circuits, _, err := f.circuits.read(ctx, a.stdin, paths, bar)
	if err != nil {
		return nil, err
	}
	bar.Finish()
	return &tracksOfCircuits{flags: &f.circuits, circuits: circuits}, nil
}

// tracksOfFile are the tracks of an .npz file.
type tracksOfFile struct {
	path   string
	reader *export.NPZReader // nil after its last track was read
	size   int
}

// open opens the file, from its first track on.
func (s *tracksOfFile) open() (err error) {
	if s.reader != nil {
		return nil
	}
	if s.reader, err = export.OpenNPZ(s.path); err != nil {
		return badInput(err)
	}
	s.size = s.reader.Shape().Envs
	return nil
}

func (s *tracksOfFile) envs() int { return s.size }

func (s *tracksOfFile) read(ctx context.Context, _ trackgen.Device, take func(*trackgen.Batch) error) error {
	if err := s.open(); err != nil {
		return err
	}
	err := readChunks(ctx, s.reader, s.size, func(chunk *trackgen.Batch, _ int) (bool, error) { return true, take(chunk) })
	return errors.Join(err, s.close())
}

func (s *tracksOfFile) close() (err error) {
	if s.reader != nil {
		err, s.reader = s.reader.Close(), nil
	}
	return err
}

// tracksOfCircuits are the tracks of circuits, one for each.
type tracksOfCircuits struct {
	flags    *importFlags
	circuits []*trackgen.CircuitFile
	batch    *trackgen.Batch // nil before they are made
}

func (s *tracksOfCircuits) envs() int    { return len(s.circuits) }
func (s *tracksOfCircuits) close() error { return nil }

func (s *tracksOfCircuits) read(ctx context.Context, device trackgen.Device, take func(*trackgen.Batch) error) (
	err error) {
	if s.batch == nil {
		if s.batch, err = s.flags.measure(ctx, device, s.circuits); err != nil {
			return err
		}
	}
	return take(s.batch)
}

// gatesAlong describes gates to place along tracks.
type gatesAlong struct {
	config trackgen.GateConfig
	source trackSource
}

// measure sets the number of courses. Unless the settings say how many gates a course has room for, it makes room for
// those of the longest track.
func (p *gatesAlong) measure(ctx context.Context, device trackgen.Device, saysRoom bool) error {
	p.config.Generator, p.config.NumEnvs = trackgen.GatesAlongTracks, p.source.envs()
	if saysRoom {
		return nil
	}
	longest := 0.0
	err := p.source.read(ctx, device, func(b *trackgen.Batch) error {
		for _, length := range b.Length {
			if l := float64(length); l > longest && !math.IsInf(l, 0) {
				longest = l
			}
		}
		return nil
	})
	room, _ := trackgen.GateConfigKind().Named(maxGatesField)
	needed := min(math.Ceil(longest/p.config.Along.Spacing), room.Max)
	p.config.Output.MaxGates = max(int(needed), int(room.Min), p.config.Validity.MinGates)
	return err
}

// generate places the gates of the whole batch and calls take with each part, in the order of the tracks.
func (p *gatesAlong) generate(ctx context.Context, device trackgen.Device, take func(*trackgen.GateBatch) error) (
	done result, err error) {
	err = p.source.read(ctx, device, func(tracks *trackgen.Batch) error {
		began := time.Now()
		courses, err := p.place(ctx, device, tracks)
		done.elapsed += time.Since(began)
		if err != nil {
			return err
		}
		return take(courses)
	})
	return done, err
}

// place places gates along some tracks.
func (p *gatesAlong) place(ctx context.Context, device trackgen.Device, batch *trackgen.Batch) (
	_ *trackgen.GateBatch, err error) {
	tracks, err := trackgen.Upload(ctx, device, batch)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, tracks.Close()) }()
	courses, err := trackgen.NewGatesAlong(device, tracks, p.config)
	var loops *trackgen.LoopsError
	switch {
	case errors.As(err, &loops):
		return nil, badInput(fmt.Errorf("%s is %d: %w", maxGatesField, p.config.Output.MaxGates, err))
	case err != nil:
		return nil, err
	}
	defer func() { err = errors.Join(err, courses.Close()) }()
	return courses.Sequence().Batch(ctx)
}
