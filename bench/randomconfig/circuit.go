package randomconfig

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/track"
)

// DrawCircuit draws a measured circuit and options for its import. Import may refuse them.
func DrawCircuit(random *rand.Rand) (track.Circuit, track.ImportOptions) {
	n := 3 + int(magnitude(random, 1, 200))
	size := magnitude(random, 1e-2, 1e8)
	half := size * magnitude(random, 1e-3, 1)
	noise, wiggles, height := random.Float64()*random.Float64(), 1+random.IntN(4), random.Float64()
	farAway := 0.0
	if random.IntN(4) == 0 {
		farAway = (2*random.Float64() - 1) * 1e8
	}
	within := func(v, most float64) float64 { return min(max(v, -most), most) }
	var c track.Circuit
	for i := range n {
		angle := 2 * math.Pi * float64(i) / float64(n)
		radius := size * (1 + noise*random.NormFloat64())
		c.X = append(c.X, within(radius*math.Cos(angle)+farAway, 1e8))
		c.Y = append(c.Y, within(radius*height*math.Sin(float64(wiggles)*angle)+farAway, 1e8))
		c.Right = append(c.Right, min(half*magnitude(random, 0.3, 3), 1e6))
		c.Left = append(c.Left, min(half*magnitude(random, 0.3, 3), 1e6))
	}
	options := track.ImportOptions{
		MaxPoints: 8 + int(magnitude(random, 1, 2000)), // the time of an import grows with its square
		Relax:     random.IntN(2) == 0, TrimInner: random.IntN(2) == 0, NoCrossings: random.IntN(4) == 0,
	}
	if random.IntN(3) == 0 {
		options.Spacing = min(half*magnitude(random, 0.1, 10), 1e6)
	}
	return c, options
}

// CheckImport imports a circuit on each device, and says whether one did. It returns an error if a device differs from
// the first one in any bit of a column, or if a column has a number that no column may have. A device that refuses the
// circuit is left out.
func CheckImport(ctx context.Context, devices []backend.Device, c track.Circuit, options track.ImportOptions) (
	imported bool, err error) {
	var want map[string][]byte
	for _, device := range devices {
		bits, err := importBits(ctx, device, options, c)
		if errors.Is(err, backend.ErrInvalid) || errors.Is(err, backend.ErrUnsupported) {
			continue
		}
		if err != nil {
			return imported, fmt.Errorf("%s: %w", device.Info().Name, err)
		}
		if !imported {
			want, imported = bits, true
		}
		for name := range want {
			if !bytes.Equal(want[name], bits[name]) {
				return true, fmt.Errorf("%s: other bits of %s", device.Info().Name, name)
			}
		}
	}
	return imported, nil
}

// importBits imports a circuit, checks the numbers of its track, and returns the bits of its columns.
func importBits(ctx context.Context, device backend.Device, options track.ImportOptions, c track.Circuit) (
	_ map[string][]byte, err error) {
	tracks, err := track.Import(ctx, device, options, c)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, tracks.Close()) }()
	batch, err := tracks.Batch(ctx)
	if err != nil {
		return nil, err
	}
	bits := map[string][]byte{}
	for _, column := range track.Schema.Host(&batch.HostColumns) {
		bits[column.Name] = column.AppendWords(nil, 0, column.Len())
	}
	return bits, batch.CheckNumbers()
}
