package export

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/heightfield"
	"github.com/trackgen-go/trackgen/kernel"
)

const highestLevel = 1<<16 - 1

// HeightImage describes the image of a height field, which has grey levels of 16 bits. The height of a pixel in metres
// is Offset + level*MetresPerLevel. The first row has the largest y, the first column the smallest x.
type HeightImage struct {
	Format         int        `json:"format"`           // 1
	Image          string     `json:"image"`            // name of the file beside this one
	Env            int        `json:"env"`              // number of the track
	Name           string     `json:"name,omitempty"`   // of the track
	Resolution     int        `json:"resolution"`       // pixels along each side
	Low            [2]float64 `json:"low"`              // metres; corner of the image with the smallest x and y
	High           [2]float64 `json:"high"`             // metres; corner with the largest
	Pixel          [2]float64 `json:"pixel"`            // metres; size of a pixel along x and y
	Offset         float64    `json:"offset"`           // metres; height of level 0, the lowest one of the field
	MetresPerLevel float64    `json:"metres_per_level"` // 0 if the ground is level
}

// NoHeightsError reports a height field that has no image, because its track is not valid, or because a height or a
// corner of it is not finite. It matches backend.ErrInvalid.
type NoHeightsError struct {
	Env    int
	Reason string
}

func (e *NoHeightsError) Error() string {
	return fmt.Sprintf("export: env %d has no image of heights: %s", e.Env, e.Reason)
}

// Is matches backend.ErrInvalid.
func (e *NoHeightsError) Is(target error) bool { return target == backend.ErrInvalid }

// HeightImageOf returns the description of the image of env e of a batch of grids: level 0 is the lowest height of the
// env and level 65535 the highest. scale is the metres of a track unit, above 0 and up to 1e9. Image, Env and Name are
// those of the caller.
//
// It returns a *NoHeightsError for a track without heights, and a *backend.ArgumentError for another wrong argument.
func HeightImageOf(g *heightfield.Grid, e int, scale float64) (HeightImage, error) {
	const op = "export: image of heights"
	switch {
	case g == nil || e < 0 || e >= g.Envs:
		return HeightImage{}, &backend.ArgumentError{Op: op, Argument: "env", Value: e, Allowed: "one of the grids"}
	case !(scale > 0 && scale <= 1e9):
		return HeightImage{}, &backend.ArgumentError{Op: op, Argument: "scale", Value: scale,
			Allowed: "a number above 0 and up to 1e9"}
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, corner := range [...]kernel.Vec2{g.Low[e], g.High[e]} {
		if !finite(corner.X) || !finite(corner.Y) {
			return HeightImage{}, &NoHeightsError{Env: e, Reason: fmt.Sprintf(
				"a corner of the grid is (%v, %v); expected finite numbers", corner.X, corner.Y)}
		}
	}
	for i, z := range g.Of(e) {
		if !finite(z) {
			return HeightImage{}, &NoHeightsError{Env: e, Reason: fmt.Sprintf(
				"that of cell (%d, %d) is %v; expected finite numbers, which a valid track has", i%g.Resolution,
				i/g.Resolution, z)}
		}
		low, high = min(low, float64(z)), max(high, float64(z))
	}
	m := HeightImage{Format: metadataFormat, Env: e, Resolution: g.Resolution,
		Low:    [2]float64{float64(g.Low[e].X) * scale, float64(g.Low[e].Y) * scale},
		High:   [2]float64{float64(g.High[e].X) * scale, float64(g.High[e].Y) * scale},
		Offset: low * scale, MetresPerLevel: (high - low) * scale / highestLevel}
	for axis := range m.Pixel {
		m.Pixel[axis] = (m.High[axis] - m.Low[axis]) / float64(g.Resolution)
	}
	return m, nil
}

// WriteHeightPNG writes the heights of env e as a grey PNG image with 16 bits per pixel. m is the description of
// HeightImageOf, with the same scale.
func WriteHeightPNG(w io.Writer, g *heightfield.Grid, e int, scale float64, m HeightImage) error {
	side := g.Resolution
	picture := image.NewGray16(image.Rect(0, 0, side, side))
	for i, z := range g.Of(e) {
		level := 0.0
		if m.MetresPerLevel > 0 {
			level = min(max(math.Round((float64(z)*scale-m.Offset)/m.MetresPerLevel), 0), highestLevel)
		}
		picture.SetGray16(i%side, side-1-i/side, color.Gray16{Y: uint16(level)})
	}
	return png.Encode(w, picture)
}

// WriteHeightImage writes the description of an image as JSON.
func WriteHeightImage(w io.Writer, m HeightImage) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
