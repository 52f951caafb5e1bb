package command

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"io"
	"math"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
)

const (
	animated        = 12  // tracks of an animation
	framesPerSecond = 10  // of the race
	mostFrames      = 300 // of an animation; a longer race is shown faster
	animatedCell    = 220 // side of a track of an animation, in pixels
)

// shown returns the envs of a picture, at most the given number.
func (d *drivers) shown(most int) []int {
	var envs []int
	for e := range min(d.courses.envs(), most) {
		envs = append(envs, e)
	}
	return envs
}

// layersOf returns the layers of all envs, with what draw gives for the shown ones.
func (d *drivers) layersOf(envs []int, draw func(e int) export.CourseLayers) []export.CourseLayers {
	list := make([]export.CourseLayers, d.courses.envs())
	for _, e := range envs {
		list[e] = draw(e)
	}
	return list
}

// labels returns the heading and the note of each env: the circuit, and how the car has ended.
func (d *drivers) style(envs []int, title string) export.Picture {
	style := export.Picture{Envs: envs, Unit: "m", Title: title}
	named := false
	for e := range d.results {
		named = named || d.results[e].Name != ""
	}
	for _, r := range d.results {
		note := r.End
		if r.Best != nil {
			note = countText(int(r.Laps), "lap") + ", best " + r.cells()[5] + " s, " + note
		}
		style.Kinds = append(style.Kinds, note)
		if named {
			style.Labels = append(style.Labels, r.Name)
		}
	}
	return style
}

// writePlot draws the ways of the cars, coloured by speed. A car that has not finished stands where it has stopped.
func (d *drivers) writePlot(context.Context) error {
	chosen, err := fileFormat("--plot", d.flags.plot, "", pictureFormats...)
	if err != nil {
		return err
	}
	envs := d.shown(export.DefaultTracks)
	style := d.style(envs, countText(len(envs), d.pictured()))
	style.Layers = d.layersOf(envs, d.way)
	if len(envs) <= 6 {
		style.CellSize = circuitCell(len(envs))
	}
	return pictureError(export.WriteFile(d.flags.plot, func(w io.Writer) error {
		if chosen == formatSVG {
			return d.courses.writeSVG(w, style)
		}
		return d.courses.writePNG(w, style)
	}))
}

// pictured says what an env of a picture is.
func (d *drivers) pictured() string {
	if d.courses.gates != nil {
		return "flown course"
	}
	return "driven track"
}

// pictureError makes an error of the options of a picture one of the input.
func pictureError(err error) error {
	if errors.Is(err, export.ErrPicture) {
		return badInput(err)
	}
	return err
}

// way returns the way of a car, and the car itself if it has not finished.
func (d *drivers) way(e int) export.CourseLayers {
	var l export.CourseLayers
	samples := d.samplesOf(e)
	for _, s := range samples {
		l.Line, l.Speed = append(l.Line, s.position[e]), append(l.Speed, s.speed[e])
	}
	gap := float32(math.NaN()) // the way is no closed line
	l.Line, l.Speed = append(l.Line, trackgen.Vec3{X: gap, Y: gap, Z: gap}), append(l.Speed, gap)
	if d.results[e].reason&trackgen.EndLapsDone == 0 && len(samples) > 0 {
		l.Cars = []export.CarBox{d.car(samples[len(samples)-1], e)}
	}
	return l
}

// car returns the box of a car, red if it has left the road.
func (d *drivers) car(s sample, e int) export.CarBox {
	sin, cos := math.Sincos(float64(s.yaw[e]))
	none := trackgen.Vec2{X: float32(math.NaN()), Y: float32(math.NaN())}
	length, width := d.config.Vehicle.Car.Length, d.config.Vehicle.Car.Width
	if d.config.Vehicle.Model == trackgen.Drone {
		length, width = d.config.Vehicle.Drone.Length, d.config.Vehicle.Drone.Width
	}
	return export.CarBox{Position: s.position[e], Heading: trackgen.Vec2{X: float32(cos), Y: float32(sin)},
		HalfExtents: trackgen.Vec2{X: float32(length.Max / 2), Y: float32(width.Max / 2)},
		Hit:         s.done[e] != 0 && d.results[e].reason&trackgen.EndOffRoad != 0,
		Nearest:     none, Normal: none}
}

// writeAnimation writes twelve tracks with their cars as a GIF.
func (d *drivers) writeAnimation(ctx context.Context) error {
	envs := d.shown(animated)
	style := d.style(envs, "")
	style.CellSize = animatedCell
	style.Kinds = nil
	stride := d.frameStride()
	bar := newProgress(d.app.screen(d.flags.quiet), "drawing", "pictures", (len(d.samples)+stride-1)/stride)
	defer bar.Done()
	movie := new(gif.GIF)
	var p *palette
	var before *image.Paletted
	for i := 0; i < len(d.samples); i += stride {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := d.samples[i]
		style.Layers = d.layersOf(envs, func(e int) export.CourseLayers {
			return export.CourseLayers{Cars: []export.CarBox{d.car(s, e)}}
		})
		var out bytes.Buffer
		if err := d.courses.writePNG(&out, style); err != nil {
			return pictureError(err)
		}
		frame, err := png.Decode(&out)
		if err != nil {
			return err
		}
		if p == nil {
			p = newPalette(frame)
		}
		whole := p.paletted(frame)
		movie.Image = append(movie.Image, p.changed(whole, before))
		before = whole
		movie.Delay = append(movie.Delay, 100/framesPerSecond)
		bar.Add(1)
	}
	bar.Finish()
	return export.WriteFile(d.flags.animation, func(w io.Writer) error { return gif.EncodeAll(w, movie) })
}

// frameStride returns the number of samples from one picture of an animation to the next.
func (d *drivers) frameStride() int {
	if len(d.samples) < 2 {
		return 1
	}
	apart := float64(d.samples[1].step-d.samples[0].step) * d.config.Vehicle.TimeStep
	return max(1, int(math.Round(1/(framesPerSecond*apart))), (len(d.samples)+mostFrames-1)/mostFrames)
}

// palette turns pictures into ones of 256 colours: the most common ones of the first picture, of which the nearest
// stands for each colour.
type palette struct {
	colors color.Palette
	known  map[color.RGBA]uint8
}

// newPalette returns the palette of a picture. Colours that are equally common are in the order of the picture.
func newPalette(of image.Image) *palette {
	count := map[color.RGBA]int{}
	var order []color.RGBA
	eachPixel(of, func(_, _ int, c color.RGBA) {
		if count[c] == 0 {
			order = append(order, c)
		}
		count[c]++
	})
	p := &palette{colors: color.Palette{color.RGBA{}}, known: map[color.RGBA]uint8{}}    // the first one is clear
	for _, c := range []color.RGBA{{0x2e, 0x9e, 0x4f, 0xff}, {0xd0, 0x2f, 0x26, 0xff}} { // of cars
		p.colors = append(p.colors, c)
	}
	for least := 1 << 20; least > 0 && len(p.colors) < 256; least /= 2 {
		for _, c := range order {
			if count[c] >= least && count[c] < 2*least && len(p.colors) < 256 {
				p.colors = append(p.colors, c)
			}
		}
	}
	return p
}

// paletted returns a picture in the colours of the palette.
func (p *palette) paletted(of image.Image) *image.Paletted {
	out := image.NewPaletted(of.Bounds(), p.colors)
	eachPixel(of, func(x, y int, c color.RGBA) {
		index, ok := p.known[c]
		if !ok {
			index = uint8(1 + p.colors[1:].Index(c)) // of at most 256
			p.known[c] = index
		}
		out.SetColorIndex(x, y, index)
	})
	return out
}

// changed returns a picture that is clear where it is as before. Such pictures take a small part of the bytes.
func (p *palette) changed(whole, before *image.Paletted) *image.Paletted {
	if before == nil {
		return whole
	}
	out := image.NewPaletted(whole.Bounds(), p.colors)
	for i, index := range whole.Pix {
		if index != before.Pix[i] {
			out.Pix[i] = index
		}
	}
	return out
}

// eachPixel calls take with every pixel, row by row.
func eachPixel(of image.Image, take func(x, y int, c color.RGBA)) {
	b := of.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			take(x, y, color.RGBAModel.Convert(of.At(x, y)).(color.RGBA)) // what the model returns
		}
	}
}
