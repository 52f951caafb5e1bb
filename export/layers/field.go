package layers

import (
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/export"
)

// field bakes the distance fields of the tracks.
func (r *trackRun) field() error {
	config := collision.FieldConfig{Resolution: r.FieldResolution}
	field, err := collision.NewField(r.device, collision.BordersOf(r.tracks), config)
	if field, err = keep(&r.run, field, err); err != nil {
		return err
	}
	grid, err := field.Grid(r.ctx)
	if err != nil {
		return err
	}
	for e := range r.out {
		r.out[e].Field = &export.DistanceField{Resolution: grid.Resolution, Low: grid.Low[e], High: grid.High[e],
			Distance: grid.Of(e)}
	}
	return nil
}
