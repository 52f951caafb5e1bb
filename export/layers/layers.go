// Package layers computes what pictures of courses show: it runs the components of a course on a device, and returns
// their answers for export.Picture.
//
//	config := layers.DefaultConfig()
//	config.Layers = []layers.Layer{layers.Field, layers.Cars}
//	answers, err := layers.Tracks(ctx, device, batch, config)
//	...
//	err = export.WritePNG(file, batch, export.Picture{Layers: answers})
//
// Cars are drawn from a seed: where they are depends on the seed, the number of their env and its track. With the same
// tracks, every device gives the same picture.
package layers

import (
	"context"
	"errors"
	"io"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/speed"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/export"
)

const prefix = "layers: "

// run computes the layers of one batch. What it opens, it closes at its end, the last first.
type run struct {
	Config
	ctx    context.Context
	device backend.Device
	out    []export.CourseLayers
	open   []io.Closer
}

// keep closes something at the end of the run, if err is nil.
func keep[C io.Closer](r *run, c C, err error) (C, error) {
	if err == nil {
		r.open = append(r.open, c)
	}
	return c, err
}

func (r *run) close() error {
	var failed []error
	for i := len(r.open) - 1; i >= 0; i-- {
		failed = append(failed, r.open[i].Close())
	}
	return errors.Join(failed...)
}

// each calls the functions of the layers that are computed, in order, until one fails.
func (r *run) each(parts []part) error {
	for _, p := range parts {
		if !r.has(p.layers...) {
			continue
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if err := p.compute(); err != nil {
			return exec.Doing(prefix+string(p.layers[0]), err)
		}
	}
	return nil
}

// part computes layers.
type part struct {
	layers  []Layer
	compute func() error
}

// profiles computes the speed profiles of lines.
func (r *run) profiles(source speed.Source) (*speed.Batch, error) {
	planner, err := speed.New(r.device, source, r.Speed)
	if planner, err = keep(r, planner, err); err != nil {
		return nil, err
	}
	if err := planner.Refresh(r.ctx); err != nil {
		return nil, err
	}
	return planner.Profile().Read(r.ctx)
}
