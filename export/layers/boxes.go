package layers

import (
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/kernel"
)

// cars finds the contacts of sample cars with the borders of their tracks.
func (r *trackRun) cars() error {
	cars := r.sample()
	contacts, err := r.contacts(cars)
	if err != nil {
		return err
	}
	found, err := contacts.Read(r.ctx)
	if err != nil {
		return err
	}
	for i := range cars {
		cars[i].Hit = found.OutOfBounds[i] != 0
		cars[i].Nearest, cars[i].Normal = found.Nearest[i], found.Normal[i]
	}
	return r.add(cars, found.FirstContact)
}

// contacts asks for the contacts of the cars by the method of the configuration.
func (r *trackRun) contacts(cars []export.CarBox) (*collision.Contacts, error) {
	if r.Collision == sdf {
		field, err := r.newField(r.Cars)
		if err != nil {
			return nil, err
		}
		return ask(&r.run, cars, field.QueryBoxes)
	}
	config := collision.BordersConfig{Boxes: r.Cars, Swept: r.has(Ways)}
	borders, err := collision.NewBorders(r.device, collision.BordersOf(r.tracks), config)
	if borders, err = keep(&r.run, borders, err); err != nil {
		return nil, err
	}
	return ask(&r.run, cars, borders.QueryBoxes)
}

// sample draws the sample cars, some of which are beside the road.
func (r *trackRun) sample() []export.CarBox {
	const reach, long, wide = 1.2, 0.3, 0.15 // of the half widths of the road, and of its width
	b := r.batch
	widths := make([]float32, b.Envs)
	for e := range widths {
		widths[e] = r.meanWidth(e)
	}
	size := func(e int) kernel.Vec2 { return kernel.V2(float32(long*widths[e]), float32(wide*widths[e])) }
	return r.drawCars(reach, size, func(e int, u float32) (pose, bool) {
		n := int(b.Count[e])
		if n < 3 {
			return pose{}, false
		}
		i := min(int(u*float32(n)), n-1)
		k := e*b.NMax + i
		from, to := b.Center[e*b.NMax+(i+n-1)%n], b.Center[e*b.NMax+(i+1)%n]
		return poseOn(b.Center[k], kernel.V2(to.X-from.X, to.Y-from.Y), widths[e]/2)
	})
}

// meanWidth returns the mean width of the road of env e.
func (r *trackRun) meanWidth(e int) float32 {
	outer, inner := r.batch.Points(r.batch.Outer, e), r.batch.Points(r.batch.Inner, e)
	var sum float32
	for i := range outer {
		sum += kernel.Sqrt(square(outer[i].X-inner[i].X) + square(outer[i].Y-inner[i].Y))
	}
	return sum / float32(max(1, len(outer)))
}
