package layers

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/course/line"
	"github.com/trackgen-go/trackgen/course/speed"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/kernel"
)

// gateRun is a run over gate courses.
type gateRun struct {
	run
	batch   *gate.Batch
	courses *gate.Sequence
	widths  []float64 // half the mean width of the gates of each env; where it is 0, a part of their distance
}

// Gates computes the layers of gate courses: element e of the result is those of env e. It returns the errors of
// Tracks.
func Gates(ctx context.Context, device backend.Device, b *gate.Batch, c Config) (_ []export.CourseLayers, err error) {
	if err := exec.CheckDevice(prefix+"gates", device); err != nil {
		return nil, err
	}
	envs := 0
	if b != nil {
		envs = b.Envs
	}
	if err := c.check(OfGates(), envs); err != nil {
		return nil, err
	}
	r := &gateRun{run: run{Config: c, ctx: ctx, device: device, out: make([]export.CourseLayers, envs)}, batch: b}
	defer func() { err = errors.Join(err, r.close()) }()
	courses, err := gate.Upload(ctx, device, b)
	if r.courses, err = keep(&r.run, courses, err); err != nil {
		return nil, err
	}
	for e := range envs {
		r.widths = append(r.widths, r.halfWidth(e))
	}
	err = r.each([]part{{[]Layer{Line, Speed}, r.line}, {append([]Layer{Posts}, carLayers...), r.posts},
		{[]Layer{Frames}, r.frames}})
	return r.out, err
}

// halfWidth returns half the mean width of the gates of env e, or a part of their mean distance if they have none.
func (r *gateRun) halfWidth(e int) float64 {
	const part = 0.1 // of the distance between gates
	half, way := 0.0, 0.0
	gates := r.batch.Gates(r.batch.Position, e)
	for i, at := range gates {
		half += float64(r.batch.HalfSize[e*r.batch.MaxGates+i])
		next := gates[(i+1)%len(gates)]
		way += float64(kernel.Sqrt(square(next.X-at.X) + square(next.Y-at.Y)))
	}
	if half > 0 {
		return half / float64(len(gates))
	}
	if way > 0 {
		return part * way / float64(len(gates))
	}
	return 0
}

// postRadius returns the radius of the posts.
func (r *gateRun) postRadius() (float64, error) {
	return r.sizeOf(r.PostRadius, "post_radius", 0.2)
}

// sizeOf returns the size that the configuration gives for a field, or a part of half the mean width of the gates.
func (r *gateRun) sizeOf(given float64, field string, part float64) (float64, error) {
	if given > 0 {
		return given, nil
	}
	sum, n := 0.0, 0.0
	for e, half := range r.widths {
		if r.batch.Valid[e] != 0 && half > 0 && half < maxLength {
			sum, n = sum+half, n+1
		}
	}
	if n == 0 {
		return 0, &ConfigError{Field: field, Value: "0", Allowed: "a number > 0, because no course is valid"}
	}
	return part * sum / n, nil
}

// line computes the lines through the gates, and the speeds along them.
func (r *gateRun) line() error {
	sampler, err := line.New(r.device, line.SourceOf(r.courses), line.Config{SamplesPerGate: r.SamplesPerGate})
	if sampler, err = keep(&r.run, sampler, err); err != nil {
		return err
	}
	if err := sampler.Refresh(r.ctx); err != nil {
		return err
	}
	lines, err := sampler.Line().Read(r.ctx)
	if err != nil {
		return err
	}
	for e := range r.out {
		r.out[e].Line = lines.Of(e)
	}
	if !r.has(Speed) {
		return nil
	}
	profiles, err := r.profiles(speed.SourceOfLine(sampler.Line()))
	if err != nil {
		return err
	}
	for e := range r.out {
		r.out[e].Speed = profiles.Speed[e*profiles.NMax:][:lines.Count[e]]
	}
	return nil
}

// posts computes the posts, and the contacts of sample cars with them.
func (r *gateRun) posts() error {
	radius, err := r.postRadius()
	if err != nil {
		return err
	}
	config := collision.DiscConfig{Boxes: r.Cars, Radius: radius, Swept: r.has(Ways)}
	discs, err := collision.NewDiscs(r.device, collision.PostsOf(r.courses), config)
	if discs, err = keep(&r.run, discs, err); err != nil {
		return err
	}
	if r.has(Posts) {
		if err := r.addPosts(discs, float32(radius)); err != nil {
			return err
		}
	}
	if !r.has(carLayers...) {
		return nil
	}
	cars := r.sample()
	contacts, err := ask(&r.run, cars, discs.QueryBoxes)
	if err != nil {
		return err
	}
	found, err := contacts.Read(r.ctx)
	if err != nil {
		return err
	}
	for i := range cars {
		cars[i].Hit = found.Hit[i] != 0
		cars[i].Nearest, cars[i].Normal = found.Nearest[i], kernel.Vec2{}
	}
	return r.add(cars, found.FirstContact)
}

// addPosts adds the posts of real gates to the layers.
func (r *gateRun) addPosts(discs *collision.Discs, radius float32) error {
	centers, err := discs.Arrays().Discs.Read(r.ctx)
	if err != nil {
		return err
	}
	for e := range r.out {
		for _, center := range centers[2*e*r.batch.MaxGates:][:2*r.batch.Count[e]] {
			r.out[e].Posts = append(r.out[e].Posts, export.PostDisc{Center: center, Radius: radius})
		}
	}
	return nil
}

// sample draws the sample cars, which pass gates near their posts.
func (r *gateRun) sample() []export.CarBox {
	const reach, long, wide = 1.6, 0.5, 0.28 // of half the width of a gate
	b := r.batch
	size := func(e int) kernel.Vec2 { return kernel.V2(float32(long*r.widths[e]), float32(wide*r.widths[e])) }
	return r.drawCars(reach, size, func(e int, u float32) (pose, bool) {
		n := int(b.Count[e])
		if n == 0 {
			return pose{}, false
		}
		k := e*b.MaxGates + min(int(u*float32(n)), n-1)
		return poseOn(b.Position[k], kernel.V2(b.Forward[k].X, b.Forward[k].Y), float32(r.widths[e]))
	})
}
