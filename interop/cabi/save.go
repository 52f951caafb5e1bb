package main

// #include "library.h"
import "C"

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/track"
)

// saveOptions are the options of tg_save.
type saveOptions struct {
	Format string `json:"format"`
	Envs   []int  `json:"envs"`
}

// holder is a producer that holds tracks or gate courses, with the configuration that made them.
type holder interface {
	source() (source course.Source, tracks *track.Config, gates *gate.Config)
}

func (t *tracks) source() (course.Source, *track.Config, *gate.Config) {
	c := t.generator.Config()
	return course.Source{Tracks: t.generator.Track()}, &c, nil
}

func (g *gates) source() (course.Source, *track.Config, *gate.Config) {
	c := g.generator.Config()
	return course.Source{Gates: g.generator.Sequence()}, nil, &c
}

func (c *courses) source() (course.Source, *track.Config, *gate.Config) {
	config := c.course.Config()
	return c.course.Source(), config.Tracks, config.Gates
}

func (r *races) source() (course.Source, *track.Config, *gate.Config) {
	config := r.race.Config().Course
	return r.race.Course().Source(), config.Tracks, config.Gates
}

// formats are the endings of files that tg_save writes.
var formats = []string{"npz", "json", "csv", "png", "svg"}

// formatOf returns the format of a file.
func formatOf(path string, options saveOptions) (string, error) {
	format := options.Format
	if format == "" {
		format = strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	}
	for _, known := range formats {
		if format == known {
			return format, nil
		}
	}
	return "", &backend.ArgumentError{Op: "save", Argument: "format", Value: fmt.Sprintf("%q, of %s", format, path),
		Allowed: "npz, json, csv, png or svg"}
}

// file is what tg_save writes.
type file struct {
	path, format string
	envs         []int
	device       string
}

// saveTracks writes a batch of tracks.
func (f file) saveTracks(ctx context.Context, t *track.Track, c track.Config) error {
	b, err := t.Batch(ctx)
	if err != nil {
		return err
	}
	if f.envs != nil {
		chosen := track.NewBatch(0, b.NMax)
		if err := chosen.Append(b, f.envs...); err != nil {
			return err
		}
		b = chosen
	}
	shape, metadata := export.ShapeOf(b), export.Metadata{Version: C.TRACKGEN_VERSION, Device: f.device, Config: c}
	encode := func(w io.Writer) (export.Encoder, error) { return export.NewPointsCSV(w, shape) }
	switch f.format {
	case "png":
		return export.WriteFile(f.path, func(w io.Writer) error { return export.WritePNG(w, b, export.Picture{}) })
	case "svg":
		return export.WriteFile(f.path, func(w io.Writer) error { return export.WriteSVG(w, b, export.Picture{}) })
	case "npz":
		w, err := export.NewNPZWriter(f.path, shape, metadata)
		if err != nil {
			return err
		}
		return write(ctx, w, b)
	case "json":
		encode = func(w io.Writer) (export.Encoder, error) { return export.NewTracksJSON(w, shape, metadata) }
	}
	w, err := export.Create(f.path, encode)
	if err != nil {
		return err
	}
	return write(ctx, w, b)
}

// saveGates writes a batch of gate courses.
func (f file) saveGates(ctx context.Context, s *gate.Sequence, c gate.Config) error {
	b, err := s.Batch(ctx)
	if err != nil {
		return err
	}
	if f.envs != nil {
		chosen := gate.NewBatch(0, b.MaxGates)
		if err := chosen.Append(b, f.envs...); err != nil {
			return err
		}
		b = chosen
	}
	shape, metadata := export.GateShapeOf(b), export.GateMetadata{Version: C.TRACKGEN_VERSION, Device: f.device, Config: c}
	encode := func(w io.Writer) (export.GateEncoder, error) { return export.NewGatesCSV(w, shape) }
	switch f.format {
	case "png":
		return export.WriteFile(f.path, func(w io.Writer) error { return export.WriteGatesPNG(w, b, export.Picture{}) })
	case "svg":
		return export.WriteFile(f.path, func(w io.Writer) error { return export.WriteGatesSVG(w, b, export.Picture{}) })
	case "npz":
		w, err := export.NewGateNPZWriter(f.path, shape, metadata)
		if err != nil {
			return err
		}
		return write(ctx, w, b)
	case "json":
		encode = func(w io.Writer) (export.GateEncoder, error) { return export.NewCoursesJSON(w, shape, metadata) }
	}
	w, err := export.Create(f.path, encode)
	if err != nil {
		return err
	}
	return write(ctx, w, b)
}

// write writes the whole batch to a file. After an error there is none.
func write[B any](ctx context.Context, w export.WriterOf[B], b B) error {
	defer w.Abort() //nolint:errcheck // does nothing after Commit, and follows an error else
	if err := w.Append(ctx, b); err != nil {
		return err
	}
	return w.Commit(ctx)
}

// save writes the tracks or gate courses of a producer.
func save(ctx context.Context, p producer, path string, options saveOptions) error {
	h, ok := p.(holder)
	if !ok {
		return lacking(p.what()).missing("save")
	}
	format, err := formatOf(path, options)
	if err != nil {
		return err
	}
	f := file{path: path, format: format, envs: options.Envs, device: p.base().device.Info().Name}
	source, tracks, gates := h.source()
	for _, e := range options.Envs {
		if n := envsOfSource(source); e < 0 || e >= n {
			return &backend.ArgumentError{Op: "save", Argument: "envs", Value: e, Allowed: fmt.Sprintf("0 to %d", n-1)}
		}
	}
	if source.Tracks != nil {
		return f.saveTracks(ctx, source.Tracks, *tracks)
	}
	return f.saveGates(ctx, source.Gates, *gates)
}

//export tgo_save
func tgo_save(handle C.tg_handle, path, options C.tgi_text, in C.tg_handle) C.int32_t {
	const op = "save"
	return call(func() error {
		target, err := textOf(op, "path", path)
		if err != nil {
			return err
		}
		var chosen saveOptions
		if err := readOptions(op, options, &chosen); err != nil {
			return err
		}
		return use(handle, in, func(p producer, l *launch) error {
			return l.run(func(ctx context.Context) error { return save(ctx, p, target, chosen) })
		})
	})
}
