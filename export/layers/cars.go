package layers

import (
	"context"
	"slices"

	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/kernel"
)

// pose is where a sample car is drawn: at a place of the way, in the direction of travel there.
type pose struct {
	place kernel.Vec3
	ahead kernel.Vec2 // unit vector
	left  kernel.Vec2 // unit vector
	wide  float32     // from the middle of the way to its border
}

// poseOn returns the pose at a place of a way with a direction, of any length. wide is from the middle of the way to
// its border. It returns false for a direction without a length.
func poseOn(place kernel.Vec3, way kernel.Vec2, wide float32) (pose, bool) {
	length := kernel.Sqrt(square(way.X) + square(way.Y))
	if !(length > 0) {
		return pose{}, false
	}
	ahead := kernel.V2(way.X/length, way.Y/length)
	return pose{place: place, ahead: ahead, left: kernel.V2(-ahead.Y, ahead.X), wide: wide}, true
}

func square(v float32) float32 { return v * v }

// drawCars draws the sample cars of all envs. poseAt returns the pose at a random number in [0, 1) of env e, or false
// if the env has none. A car is at most reach times as far from the middle of the way as the border. The halves of its
// sizes are parts of the mean width of the way.
func (r *run) drawCars(reach float32, size func(e int) kernel.Vec2,
	poseAt func(e int, u float32) (pose, bool)) []export.CarBox {
	const largestTurn = 0.6 // radians from the direction of travel
	nowhere := kernel.NaN()
	cars := make([]export.CarBox, len(r.out)*r.Cars)
	for e := range r.out {
		half := size(e)
		// Streams of different envs begin at seeds that are far apart.
		random := kernel.NewRand(r.Seed*7919 + int32(r.number(e))*104729)
		for k := range r.Cars {
			var u, side, turn float32
			u, random = random.Uniform()
			side, random = random.Uniform()
			turn, random = random.Uniform()
			car := export.CarBox{Position: kernel.V3(nowhere, nowhere, nowhere), Heading: kernel.V2(1, 0), HalfExtents: half}
			if at, ok := poseAt(e, u); ok {
				offset := float32(float32(2*side-1)*reach) * at.wide
				car.Position = kernel.V3(at.place.X+float32(at.left.X*offset), at.place.Y+float32(at.left.Y*offset),
					at.place.Z)
				angle := float32(2*turn-1) * largestTurn
				sin, cos := kernel.Sin(angle), kernel.Cos(angle)
				car.Heading = kernel.V2(float32(at.ahead.X*cos)-float32(at.ahead.Y*sin),
					float32(at.ahead.X*sin)+float32(at.ahead.Y*cos))
			}
			cars[e*r.Cars+k] = car
		}
	}
	return cars
}

// boxes copies cars to the device.
func (r *run) boxes(cars []export.CarBox) (boxes collision.Boxes, err error) {
	positions, halves := make([]kernel.Vec3, len(cars)), make([]kernel.Vec2, len(cars))
	orientations := make([]kernel.Quat, len(cars))
	for i, car := range cars {
		positions[i], halves[i], orientations[i] = car.Position, car.HalfExtents, yawOf(car.Heading)
	}
	p, err := exec.FromSlice(r.device, positions)
	if boxes.Position, err = keepArray(r, p, err); err != nil {
		return boxes, err
	}
	h, err := exec.FromSlice(r.device, halves)
	if boxes.HalfExtents, err = keepArray(r, h, err); err != nil {
		return boxes, err
	}
	o, err := exec.FromSlice(r.device, orientations)
	boxes.Orientation, err = keepArray(r, o, err)
	return boxes, err
}

// keepArray closes an array at the end of the run.
func keepArray[T kernel.Element](r *run, array exec.Array[T], err error) (exec.Array[T], error) {
	_, err = keep(r, &array, err)
	return array, err
}

// yawOf returns the rotation about z from x to a unit vector.
func yawOf(ahead kernel.Vec2) kernel.Quat {
	half := func(v float32) float32 { return kernel.Sqrt(max(0, v/2)) }
	z := half(1 - ahead.X)
	if ahead.Y < 0 {
		z = -z
	}
	return kernel.Quat{Z: z, W: half(1 + ahead.X)}
}

// carLayers are the layers that show sample cars.
var carLayers = []Layer{Cars, Contacts, Ways, Others}

// before returns the cars at the begin of a step, a few lengths behind, from which they have driven straight on.
func before(cars []export.CarBox) []export.CarBox {
	const lengths = 1.5
	begin := slices.Clone(cars)
	for i, car := range cars {
		way := 2 * lengths * car.HalfExtents.X
		begin[i].Position.X -= float32(car.Heading.X * way)
		begin[i].Position.Y -= float32(car.Heading.Y * way)
	}
	return begin
}

// ask asks a checker about the cars. If their ways are drawn, it first asks about the begin of these.
func ask[C any](r *run, cars []export.CarBox, query func(context.Context, collision.Boxes) (C, error)) (found C,
	err error) {
	if r.has(Ways) {
		boxes, err := r.boxes(before(cars))
		if err != nil {
			return found, err
		}
		if _, err := query(r.ctx, boxes); err != nil {
			return found, err
		}
	}
	boxes, err := r.boxes(cars)
	if err != nil {
		return found, err
	}
	return query(r.ctx, boxes)
}

// others notes which cars touch another one of their env, and when they first do so on their way, if that is before the
// first contact with something else.
func (r *run) others(cars []export.CarBox, first []float32) error {
	config := collision.AgentConfig{Envs: len(r.out), Boxes: r.Cars, Swept: r.has(Ways)}
	agents, err := collision.NewAgents(r.device, config)
	if agents, err = keep(r, agents, err); err != nil {
		return err
	}
	contacts, err := ask(r, cars, agents.QueryBoxes)
	if err != nil {
		return err
	}
	found, err := contacts.Read(r.ctx)
	if err != nil {
		return err
	}
	for i := range cars {
		if found.Hit[i] != 0 {
			other := cars[i/r.Cars*r.Cars+int(found.Other[i])].Position
			cars[i].Touches = &other
		}
		if first != nil && !(first[i] <= found.FirstContact[i]) && !kernel.IsNaN(found.FirstContact[i]) {
			first[i] = found.FirstContact[i]
		}
	}
	return nil
}

// add adds the cars to the layers, as far as the configuration asks for them. first are the first contacts on their
// ways, or nil if these are not known.
func (r *run) add(cars []export.CarBox, first []float32) error {
	if r.has(Others) {
		if err := r.others(cars, first); err != nil {
			return err
		}
	}
	none, begin := kernel.V2(kernel.NaN(), kernel.NaN()), before(cars)
	for i, car := range cars {
		if !r.has(Contacts) {
			car.Nearest, car.Normal = none, none
		}
		if r.has(Ways) {
			car.Way = &export.CarWay{Before: begin[i].Position, FirstContact: kernel.NaN()}
			if first != nil {
				car.Way.FirstContact = first[i]
			}
		}
		e := i / r.Cars
		r.out[e].Cars = append(r.out[e].Cars, car)
	}
	return nil
}
