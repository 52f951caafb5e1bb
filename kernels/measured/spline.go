package measured

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

const (
	// samples is how many chords stand for one piece of the spline where its length is measured.
	samples = 32
	minKnot = 1e-6 // floor of the distance between two knots
	minArc  = 1e-9 // floor of a length that is divided by
)

// piece is the cubic p(u) = a + b u + c u^2 + d u^3 between two points of the circuit, 0 <= u <= 1.
type piece struct{ a, b, c, d kernel.Vec2 }

// at returns p(u).
func (p piece) at(u float32) kernel.Vec2 {
	return p.d.Scale(u).Add(p.c).Scale(u).Add(p.b).Scale(u).Add(p.a)
}

// knot returns the distance of two points on the axis of a centripetal spline: the root of their distance.
func knot(p, q kernel.Vec2) float32 { return kernel.Max(kernel.Sqrt(q.Sub(p).Len()), minKnot) }

// velocity returns the derivative at q of the spline through p, q and r, times scale, with the distances pq and qr of
// its knots.
func velocity(p, q, r kernel.Vec2, pq, qr, scale float32) kernel.Vec2 {
	return q.Sub(p).Scale(scale / pq).Sub(r.Sub(p).Scale(scale / (pq + qr))).Add(r.Sub(q).Scale(scale / qr))
}

// pieceFrom returns the piece from point i to the next one of the closed centripetal Catmull-Rom spline through n
// points, 3 or more. Such a spline has no cusps and no loops of its own, however uneven the points are (Yuksel,
// Schaefer, Keyser, "Parameterization and Applications of Catmull-Rom Curves", 2011).
func pieceFrom(i, n int32, point []kernel.Vec2) piece {
	next := centerline.After(i, n)
	p := point[centerline.Before(i, n)]
	q := point[i]
	r := point[next]
	s := point[centerline.After(next, n)]
	pq := knot(p, q)
	qr := knot(q, r)
	rs := knot(r, s)
	chord := r.Sub(q)
	start := velocity(p, q, r, pq, qr, qr)
	stop := velocity(q, r, s, qr, rs, qr)
	return piece{
		a: q,
		b: start,
		c: chord.Scale(3).Sub(start.Scale(2)).Sub(stop),
		d: start.Add(stop).Sub(chord.Scale(2)),
	}
}

// pieceLength returns the length of a piece, as that of its chords.
func pieceLength(p piece) float32 {
	length := float32(0)
	before := p.a
	for k := int32(1); k <= samples; k++ {
		now := p.at(float32(k) / samples)
		length += now.Sub(before).Len()
		before = now
	}
	return length
}

// parameterAt returns the u of a piece at which its chords have come to a length.
func parameterAt(p piece, length float32) float32 {
	start := float32(0)
	stop := float32(0)
	chord := float32(-1)
	before := p.a
	for k := int32(1); k <= samples && stop < length; k++ {
		now := p.at(float32(k) / samples)
		start = stop
		stop += now.Sub(before).Len()
		before = now
		chord++
	}
	part := kernel.Clamp((length-start)/kernel.Max(stop-start, minArc), 0, 1)
	return (kernel.Max(chord, 0) + part) / samples
}

// Ends stores in end[i] the arc length of the spline at the end of its piece i, whose length stands there before, and
// returns the total.
func Ends(n int32, end []float32) float32 {
	var sum kernel.TwoFloat
	for i := int32(0); i < n; i++ {
		sum = sum.Add(end[i])
		end[i] = sum.Float32()
	}
	return sum.Float32()
}

// PointsFor returns how many points at most spacing apart a closed line of a length asks for, 0 for one of no length
// (docs/spec/pipeline.md, section 5).
func PointsFor(length, spacing float32) int32 {
	if !kernel.IsFinite(length) || length <= 0 {
		return 0
	}
	k := kernel.ToInt32(kernel.Min(length/spacing, 1<<30)) + 1
	for k > 1 && float32(float32(k-1)*spacing) >= length {
		k--
	}
	return k
}

// Length returns the length of the closed spline through points, 3 or more, with room for one number for each point. It
// has the bits that the kernels compute on every device.
func Length(point []kernel.Vec2, end []float32) float32 {
	n := int32(len(point))
	for i := range n {
		end[i] = pieceLength(pieceFrom(i, n, point))
	}
	return Ends(n, end)
}

// pieceAt returns the first piece that ends at arc length target or later: the first index with end[i] >= target.
func pieceAt(n int32, end []float32, target float32) int32 {
	lo := int32(0)
	hi := n - 1
	for lo < hi {
		middle := (lo + hi) / 2
		if end[middle] >= target {
			hi = middle
		} else {
			lo = middle + 1
		}
	}
	return lo
}

// startOf returns the arc length at which piece i starts.
func startOf(i int32, end []float32) float32 {
	if i == 0 {
		return 0
	}
	return end[i-1]
}
