package main

import (
	"fmt"
	"math"

	"github.com/trackgen-go/trackgen/export"
)

// roadWidths is the range of the widths of the roads that were written, in metres.
type roadWidths struct{ narrowest, widest float64 }

func newRoadWidths() *roadWidths { return &roadWidths{narrowest: math.Inf(1)} }

func (w *roadWidths) add(road *export.Road) {
	for i := range road.Center {
		right, left := road.Widths(i)
		w.narrowest, w.widest = min(w.narrowest, right+left), max(w.widest, right+left)
	}
}

// String returns a text such as "0.2 m" or "8.1 to 12.3 m".
func (w *roadWidths) String() string {
	low, high := fmt.Sprintf("%.3g", w.narrowest), fmt.Sprintf("%.3g", w.widest)
	if low == high {
		return low + " m"
	}
	return low + " to " + high + " m"
}

// scaleHint returns what a user who has not given --scale may want to know about the size of what was written. It
// returns "" if there is nothing to say.
func scaleHint(chosen exportFormat, metadata export.Metadata, widths *roadWidths) string {
	const (
		model   = 10 // makes the default road of 0.2 units fit cars of scale 1:10
		real    = 50 // makes it fit real cars
		fullCar = 3  // a narrower road is no road for real cars, in metres
	)
	known := widths.widest > 0 // otherwise no road was measured
	switch {
	case metadata.Import == nil && !known:
		return "without --scale a track unit is 1 m"
	case metadata.Import == nil:
		scale := real
		if chosen.name == formatROS {
			scale = model
		}
		scaled := &roadWidths{widths.narrowest * float64(scale), widths.widest * float64(scale)}
		return fmt.Sprintf("without --scale a track unit is 1 m, and the road is %s wide; --scale %d makes it %s",
			widths, scale, scaled)
	case chosen.name == formatROS && known && widths.narrowest > fullCar:
		return fmt.Sprintf("the road is %s wide; --scale 0.1 makes a model of it for cars of scale 1:10", widths)
	}
	return ""
}
