package props_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/course/internal/resample/resampletest"
	"github.com/trackgen-go/trackgen/course/props"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

// boundaryOf returns the line along which props stand, of a track whose centreline is given.
func boundaryOf(line []kernel.Vec3, boundary string) []kernel.Vec3 {
	borders := map[string]func(kernel.Vec3) kernel.Vec3{
		props.Outer: resampletest.Outer, props.Inner: resampletest.Inner}
	change := borders[boundary]
	if change == nil {
		return line
	}
	other := make([]kernel.Vec3, len(line))
	for i, p := range line {
		other[i] = change(p)
	}
	return other
}

// referenceOf places the props of lines one after the other, as C-52 says.
func referenceOf(lines [][]kernel.Vec3, c props.Config) *props.HostProps {
	h := &props.HostProps{Envs: len(lines), MaxProps: c.MaxProps}
	for _, center := range lines {
		line := boundaryOf(center, c.Boundary)
		scan := resampletest.ScanOf(line, float32(c.Spacing), c.MaxProps)
		for k := range c.MaxProps {
			position, tangent := resampletest.Nowhere(), kernel.V2(kernel.NaN(), kernel.NaN())
			yaw, length := kernel.NaN(), kernel.NaN()
			if k < scan.Items {
				var way kernel.Vec3
				position, way, length = propOf(line, scan, k, c.Mode)
				floor := max(kernel.V2(way.X, way.Y).Len(), 1e-8)
				tangent = kernel.V2(way.X/floor, way.Y/floor)
				yaw = kernel.Atan2(tangent.Y, tangent.X)
			}
			h.Position, h.Tangent = append(h.Position, position), append(h.Tangent, tangent)
			h.Yaw, h.Length = append(h.Yaw, yaw), append(h.Length, length)
		}
		h.Count, h.Step = append(h.Count, int32(scan.Items)), append(h.Step, scan.Step)
		h.Truncated = append(h.Truncated, map[bool]int32{true: 1}[scan.Truncated])
	}
	return h
}

// propOf returns the middle of a prop, its direction and its length.
func propOf(line []kernel.Vec3, scan resampletest.Scan, k int, mode string) (at, way kernel.Vec3, length float32) {
	i, part := scan.At(k)
	begin := resampletest.PointAt(line, i, part)
	if mode == props.Points {
		return begin, line[(i+1)%len(line)].Sub(line[i]), scan.Step
	}
	i, part = scan.At((k + 1) % scan.Items)
	end := resampletest.PointAt(line, i, part)
	way = end.Sub(begin)
	return begin.Add(end).Scale(0.5), way, way.Len()
}

// configs are the configurations of the tests that compare bits.
func configs() []props.Config {
	var list []props.Config
	for _, boundary := range []string{props.Outer, props.Inner, props.Center} {
		for _, mode := range []string{props.Points, props.Segments} {
			list = append(list, props.Config{Spacing: 0.5, Boundary: boundary, Mode: mode, MaxProps: 12})
		}
	}
	return list
}

// Every bit is that of the rules, for lines that are hard to resample and for steps that end on their points.
func TestPropsFollowTheRules(t *testing.T) {
	device, lines := coursetest.OpenCPU(t), resampletest.Lines()
	source := sourceOf(t, device, lines)
	for _, c := range configs() {
		for _, spacing := range []float64{1, 0.5, 0.3, 2.6, 1e6} {
			for _, room := range []int{3, 40} {
				c.Spacing, c.MaxProps = spacing, room
				t.Run(fmt.Sprint(c), func(t *testing.T) {
					require.Equal(t, bitsOf(referenceOf(lines, c)), bitsOf(read(t, newSampler(t, device, source, c))))
				})
			}
		}
	}
}

// The room that a sampler derives follows from the line along which the props stand (C-54).
func TestRoomIsDerived(t *testing.T) {
	device := coursetest.OpenCPU(t)
	source := sourceOf(t, device, [][]kernel.Vec3{{{}, {X: 2}, {X: 2, Y: 2}, {Y: 2}}})
	for boundary, want := range map[string]int{props.Center: 12, props.Outer: 15} {
		c := props.Config{Spacing: 1, Boundary: boundary, Mode: props.Points}
		require.Equal(t, want, newSampler(t, device, source, c).Props().MaxProps)
	}
	require.NoError(t, source.Valid.Write(t.Context(), []int32{0}))
	c := props.DefaultConfig()
	c.Spacing = 1
	_, err := props.NewSampler(device, source, c)
	require.ErrorContains(t, err, "props: new sampler: max_props is 0: must be given, because no track is valid")
}
