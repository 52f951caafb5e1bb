package main

// #include "library.h"
import "C"

import (
	"context"
	"fmt"
	"image"
	"math"
	"unsafe"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/vehicle"
	"github.com/trackgen-go/trackgen/track"
)

// Sizes of pictures in pixels.
const (
	minPixels = 16
	maxPixels = 4096
)

// renderOptions are the options of tg_render.
type renderOptions struct {
	Zoom  string `json:"zoom"`
	Agent int    `json:"agent"`
}

// part reads elements of env e, per of them, from an array.
func part[T kernel.Element](ctx context.Context, a exec.Array[T], e, per int) ([]T, error) {
	slice, err := a.Slice(e*per, (e+1)*per)
	if err != nil {
		return nil, err
	}
	return slice.Read(ctx)
}

// addTrack adds the road of env e.
func (s *scene) addTrack(ctx context.Context, t *track.Track, e int) error {
	count, err := part(ctx, t.Count, e, 1)
	if err != nil {
		return err
	}
	n := min(max(int(count[0]), 0), t.NMax)
	if s.left, err = part(ctx, t.Outer, e, t.NMax); err != nil {
		return err
	}
	if s.right, err = part(ctx, t.Inner, e, t.NMax); err != nil {
		return err
	}
	s.left, s.right = s.left[:n], s.right[:n]
	return nil
}

// addGates adds the gates of env e.
func (s *scene) addGates(ctx context.Context, g *gate.Sequence, e int) error {
	count, err := part(ctx, g.Count, e, 1)
	if err != nil {
		return err
	}
	left, err := part(ctx, g.Left, e, g.MaxGates)
	if err != nil {
		return err
	}
	right, err := part(ctx, g.Right, e, g.MaxGates)
	if err != nil {
		return err
	}
	for i := range min(max(int(count[0]), 0), g.MaxGates) {
		s.posts = append(s.posts, opening{flat(left[i]), flat(right[i])})
	}
	return nil
}

// addVehicles adds the vehicles of env e.
func (s *scene) addVehicles(ctx context.Context, v *vehicle.State, e int) error {
	position, err := part(ctx, v.Position, e, v.Agents)
	if err != nil {
		return err
	}
	orientation, err := part(ctx, v.Orientation, e, v.Agents)
	if err != nil {
		return err
	}
	half, err := part(ctx, v.HalfExtents, e, v.Agents)
	if err != nil {
		return err
	}
	for i := range position {
		q := orientation[i]
		x, y := float64(1-2*(q.Y*q.Y+q.Z*q.Z)), float64(2*(q.X*q.Y+q.W*q.Z))
		length := max(math.Hypot(x, y), 1e-9)
		s.boxes = append(s.boxes, box{center: flat(position[i]), forward: place{x / length, y / length},
			length: 2 * float64(half[i].X), width: 2 * float64(half[i].Y)})
	}
	return nil
}

// sceneOf reads what a picture of env e shows.
func sceneOf(ctx context.Context, p producer, e int) (*scene, error) {
	h, ok := p.(holder)
	if !ok {
		return nil, lacking(p.what()).missing("render")
	}
	source, _, _ := h.source()
	if n := envsOfSource(source); e < 0 || e >= n {
		return nil, &backend.ArgumentError{Op: "render", Argument: "env", Value: e, Allowed: fmt.Sprintf("0 to %d", n-1)}
	}
	s := new(scene)
	var err error
	if source.Tracks != nil {
		err = s.addTrack(ctx, source.Tracks, e)
	} else {
		err = s.addGates(ctx, source.Gates, e)
	}
	if r, ok := p.(*races); ok && err == nil {
		err = s.addVehicles(ctx, r.race.State(), e)
	}
	return s, err
}

// envsOfSource returns the number of envs of a batch.
func envsOfSource(source course.Source) int {
	if source.Tracks != nil {
		return source.Tracks.Envs
	}
	return source.Gates.Envs
}

// render draws env e of a producer.
func render(ctx context.Context, p producer, e int, size place, options renderOptions) (*image.RGBA, error) {
	s, err := sceneOf(ctx, p, e)
	if err != nil {
		return nil, err
	}
	if n := len(s.boxes); options.Agent != 0 && (options.Agent < 0 || options.Agent >= n) ||
		options.Zoom == "agent" && n == 0 {
		return nil, &backend.ArgumentError{Op: "render", Argument: "agent", Value: options.Agent,
			Allowed: fmt.Sprintf("one of the %d vehicles of an env of %s", n, p.what())}
	}
	s.chosen = options.Agent
	switch options.Zoom {
	case "", "track":
		return s.draw(s.wholeView(size)), nil
	case "agent":
		return s.draw(s.agentView(size)), nil
	}
	return nil, &backend.ArgumentError{Op: "render", Argument: "zoom", Value: options.Zoom, Allowed: "track or agent"}
}

// checkPicture checks the size of a picture and its memory.
func checkPicture(width, height C.int32_t, rgb *C.uint8_t, bytes C.int64_t) error {
	const op = "render"
	for _, side := range []struct {
		name   string
		pixels C.int32_t
	}{{"width", width}, {"height", height}} {
		if side.pixels < minPixels || side.pixels > maxPixels {
			return &backend.ArgumentError{Op: op, Argument: side.name, Value: int32(side.pixels),
				Allowed: fmt.Sprintf("%d to %d pixels", minPixels, maxPixels)}
		}
	}
	if want := 3 * int64(width) * int64(height); int64(bytes) != want {
		return &backend.ArgumentError{Op: op, Argument: "bytes", Value: int64(bytes), Allowed: fmt.Sprint(want)}
	}
	if rgb == nil {
		return missingPointer(op, "rgb")
	}
	return nil
}

//export tgo_render
func tgo_render(handle C.tg_handle, env, width, height C.int32_t, options C.tgi_text, rgb *C.uint8_t, bytes C.int64_t,
	in C.tg_handle) C.int32_t {
	return call(func() error {
		if err := checkPicture(width, height, rgb, bytes); err != nil {
			return err
		}
		var chosen renderOptions
		if err := readOptions("render", options, &chosen); err != nil {
			return err
		}
		return use(handle, in, func(p producer, l *launch) error {
			return l.run(func(ctx context.Context) error {
				drawn, err := render(ctx, p, int(env), place{float64(width), float64(height)}, chosen)
				if err != nil {
					return err
				}
				pixels := unsafe.Slice((*byte)(unsafe.Pointer(rgb)), bytes)
				for i := range len(pixels) / 3 {
					copy(pixels[3*i:3*i+3], drawn.Pix[4*i:])
				}
				return nil
			})
		})
	})
}
