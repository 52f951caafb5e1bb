package measured

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/inflation"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
)

const twoPi = 6.283185307179586

// besideSteps is how far along the road, in steps from point to point, a point lies beside another: a line that is
// driven twice has one within half a step. On the tightest bend that the test of the curvature lets pass, points two
// steps apart are at least 4/pi steps from one another in that direction, while both are on the road.
const besideSteps = 0.75

// widthTowards returns the width at a point on the side to which d points, given its normal.
func widthTowards(d kernel.Vec2, normal kernel.Vec3, right, left float32) float32 {
	if float32(normal.X*d.X)+float32(normal.Y*d.Y) > 0 {
		return left
	}
	return right
}

// along returns the length of the projection of d on a normal.
func along(d kernel.Vec2, normal kernel.Vec3) float32 {
	return kernel.Abs(float32(normal.X*d.X) + float32(normal.Y*d.Y))
}

// facing returns the widths of the road at points i and j, each on the side of the other point, times the part of the
// line between the points that is across the road. The cross-sections meet if the sum is above the square of that line.
func facing(i, j int32, loop []kernel.Vec2, widthRight, widthLeft []float32, normal []kernel.Vec3) (float32, float32) {
	d := loop[j].Sub(loop[i])
	back := kernel.V2(-d.X, -d.Y)
	here := float32(widthTowards(d, normal[i], widthRight[i], widthLeft[i]) * along(d, normal[i]))
	there := float32(widthTowards(back, normal[j], widthRight[j], widthLeft[j]) * along(d, normal[j]))
	return here, there
}

// beside reports whether point j lies on the road beside point i.
func beside(i, j int32, tight, step float32, loop []kernel.Vec2, widthRight, widthLeft []float32,
	normal []kernel.Vec3) bool {
	d := loop[j].Sub(loop[i])
	return along(d, normal[i]) < float32(tight*widthTowards(d, normal[i], widthRight[i], widthLeft[i])) &&
		kernel.Abs(float32(normal[i].X*d.Y)-float32(normal[i].Y*d.X)) <= float32(besideSteps*step)
}

// skipped returns how many neighbours of a point of a width are left to the test of the curvature.
func skipped(width, step float32) int32 {
	return kernel.ToInt32(kernel.Min(width/kernel.Max(step, minArc), 1<<24)) + 1
}

// separate finds where the cross-section of the road at point i, which is the item, meets one elsewhere: meets[i] is 1
// then, else 0; flat[i] says that segment i crosses another one, which is meeting it as well. Two cross-sections are
// apart if the parts of them that face one another, projected on the line between their points, are together no longer
// than that line; tight is the fraction of their length that counts. On a circular bend that holds for all pairs just
// where the inner width is below the radius. Pairs that the road is not wide enough to separate, about one width apart
// along it, are left to the test of the curvature, and pairs on either side of a bridge are not tested. Nothing of two
// points of a line that is driven twice faces the other: they meet where one lies on the road beside the other.
//
// widest is at least every width.
//
//kernel:thread
//kernel:iterations blockIterations(len(loop))
func separate(i int32, widest, tight float32, count []int32, length []float32, loop []kernel.Vec2,
	widthRight, widthLeft []float32, normal []kernel.Vec3, boxLo, boxHi []kernel.Vec2, above, below, flat []int32,
	meets []int32) {
	n := count[0]
	if i >= n {
		return
	}
	p := loop[i]
	width := kernel.Max(widthRight[i], widthLeft[i])
	step := length[0] / float32(n)
	skip := skipped(width, step)
	reach := width + kernel.Max(widest, float32(besideSteps*step))
	found := flat[i]
	for first := int32(0); first < n && found == 0; first += Block {
		lo := boxLo[first/Block]
		hi := boxHi[first/Block]
		if p.X-hi.X > reach || lo.X-p.X > reach || p.Y-hi.Y > reach || lo.Y-p.Y > reach {
			continue
		}
		for j := first; j < first+Block && j < n; j++ {
			if relaxation.Apart(i, j, n) <= skip {
				continue
			}
			here, there := facing(i, j, loop, widthRight, widthLeft, normal)
			d := loop[j].Sub(p)
			if d.Dot(d) >= float32(tight*(here+there)) &&
				!beside(i, j, tight, step, loop, widthRight, widthLeft, normal) {
				continue
			}
			if above[i]&below[j] == 0 && below[i]&above[j] == 0 {
				found = 1
			}
		}
	}
	meets[i] = found
}

// validate tests a measured road: reason[0] gets one bit of package inflation for each test that fails, valid[0] is 1
// where none does (docs/spec/pipeline.md, section 8, with widths for each point and each side). The total turning of a
// circuit with crossings may be any whole number of turns, and is one turn otherwise. steep[0] is 1 for a road that
// climbs more than it may.
//
// The count[0] points of loop and their widths are what is tested; the road has roadCount[0] points of maxPoints, none
// where its line is not finite. bent[i] is the part of the radius of the bend at point i that the road takes: with
// fitted 1 that of the curve, with 0 scratch for that of the circle through three points. turn is scratch. Both have
// the length of loop.
//
//kernel:group lanes=128
//kernel:iterations validateIterations(len(loop), lanes)
func validate(g kernel.Group, maxPoints, allowed, fitted int32, minWidth, turningTolerance, tight float32,
	loop []kernel.Vec2, widthRight, widthLeft []float32, roadCount, count, needed, crossings, meets, steep []int32,
	turn, bent []float32, reason, valid []int32) {
	if g.ID > 0 {
		return
	}
	n := count[0]
	for i := range g.Each(n) {
		p := loop[i]
		before := loop[centerline.Before(i, n)]
		after := loop[centerline.After(i, n)]
		in := p.Sub(before)
		out := after.Sub(p)
		turn[i] = kernel.Atan2(in.Cross(out), in.Dot(out))
		inside := widthRight[i]
		if in.Cross(out) > 0 {
			inside = widthLeft[i]
		}
		if fitted == 0 {
			bent[i] = float32(inside * inflation.Curvature(before, p, after))
		}
	}

	var turning kernel.TwoFloat
	sharpest := float32(0)
	narrowest := float32(1e30)
	overlaps := int32(0)
	for i := int32(0); i < n; i++ {
		turning = turning.Add(turn[i])
		sharpest = kernel.Max(sharpest, bent[i])
		narrowest = kernel.Min(narrowest, kernel.Min(widthRight[i], widthLeft[i]))
		overlaps += meets[i]
	}
	for range g.Each(1) {
		failed := int32(0)
		if roadCount[0] <= 0 {
			failed = inflation.NoPoints(needed[0])
		} else {
			if needed[0] > maxPoints {
				failed |= inflation.ReasonTruncated
			}
			turns := kernel.Abs(turning.Float32()) / twoPi
			whole := float32(1)
			if allowed != 0 && crossings[0] > 0 {
				whole = kernel.Floor(turns + 0.5)
			}
			// Written so that a NaN fails.
			if !(float32(twoPi*kernel.Abs(turns-whole)) <= turningTolerance) {
				failed |= inflation.ReasonTurning
			}
			if !(narrowest > minWidth) {
				failed |= inflation.ReasonWidth
			}
			if !(float32(sharpest*tight) <= 1) {
				failed |= inflation.ReasonCurvature
			}
			if overlaps > 0 {
				failed |= inflation.ReasonSeparation
			}
			if steep[0] != 0 {
				failed |= inflation.ReasonGrade
			}
		}
		reason[0] = failed
		if failed == 0 {
			valid[0] = 1
		} else {
			valid[0] = 0
		}
	}
}
