package layers

import (
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/export"
)

// field bakes the distance fields of the tracks.
func (r *trackRun) field() error {
	field, err := r.newField(1)
	if err != nil {
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

// newField returns the distance fields, for queries of a number of boxes of each env.
func (r *trackRun) newField(boxes int) (*collision.Field, error) {
	config := collision.FieldConfig{Resolution: r.FieldResolution, Boxes: boxes}
	field, err := collision.NewField(r.device, collision.BordersOf(r.tracks), config)
	return keep(&r.run, field, err)
}
