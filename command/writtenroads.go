package command

import (
	"fmt"
	"math"

	"github.com/trackgen-go/trackgen/export"
)

// writtenRoads holds what the messages say about the roads that were written.
type writtenRoads struct {
	narrowest, widest float64                       // range of their widths, in metres
	start             struct{ x, y, theta float64 } // start pose of the last one, in metres and radians
}

func newWrittenRoads() *writtenRoads { return &writtenRoads{narrowest: math.Inf(1)} }

func (w *writtenRoads) add(road *export.Road) {
	w.start.x, w.start.y, w.start.theta = road.StartPose()
	for i := range road.Center {
		right, left := road.Widths(i)
		w.narrowest, w.widest = min(w.narrowest, right+left), max(w.widest, right+left)
	}
}

// widths returns a text such as "0.2 m" or "8.1 to 12.3 m".
func (w *writtenRoads) widths() string {
	low, high := fmt.Sprintf("%.3g", w.narrowest), fmt.Sprintf("%.3g", w.widest)
	if low == high {
		return low + " m"
	}
	return low + " to " + high + " m"
}

// scaleHint returns a hint about the size of the written roads for a user who has not given --scale, or "" if there is
// none.
func scaleHint(chosen exportFormat, metadata export.Metadata, roads *writtenRoads) string {
	const (
		model   = 10 // makes the default road of 0.2 units fit cars of scale 1:10
		real    = 50 // makes it fit real cars
		fullCar = 3  // metres; a narrower road does not fit real cars
	)
	known := roads.widest > 0 // otherwise no road was measured
	switch {
	case metadata.Import == nil && !known:
		return "without --scale a track unit is 1 m"
	case metadata.Import == nil:
		scale := real
		if chosen.name == formatROS {
			scale = model
		}
		scaled := &writtenRoads{narrowest: roads.narrowest * float64(scale), widest: roads.widest * float64(scale)}
		return fmt.Sprintf("without --scale a track unit is 1 m, and the road is %s wide; --scale %d makes it %s",
			roads.widths(), scale, scaled.widths())
	case chosen.name == formatROS && known && roads.narrowest > fullCar:
		return fmt.Sprintf("the road is %s wide; --scale 0.1 makes a model of it for cars of scale 1:10", roads.widths())
	}
	return ""
}
