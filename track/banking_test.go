package track_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// banked changes a configuration so that bends are banked.
func banked(factor, most, transition float64) func(*track.Config) {
	return func(c *track.Config) {
		c.Banking = track.BankingConfig{Profile: "curvature", Factor: factor, MaxAngle: most, Transition: transition}
	}
}

// angles computes the bank angles of env e from its points, as docs/hills.md says, in float64.
func angles(b *track.Batch, e int, bank track.BankingConfig) []float64 {
	line := b.Points(b.Center, e)
	n := len(line)
	at := func(i int) (x, y float64) {
		p := line[(i%n+n)%n]
		return float64(p.X), float64(p.Y)
	}
	raw, perimeter := make([]float64, n), 0.0
	for i := range raw {
		x0, y0 := at(i - 1)
		x1, y1 := at(i)
		x2, y2 := at(i + 1)
		cross := (x1-x0)*(y2-y1) - (y1-y0)*(x2-x1)
		way := math.Hypot(x1-x0, y1-y0)
		perimeter += way
		curvature := 2 * cross / (way * math.Hypot(x2-x1, y2-y1) * math.Hypot(x2-x0, y2-y0))
		raw[i] = max(min(-bank.Factor*curvature, bank.MaxAngle), -bank.MaxAngle)
	}
	half := min(int(bank.Transition/4/(perimeter/float64(n))+0.5), (n-1)/2)
	for range 2 {
		mean := make([]float64, n)
		for i := range mean {
			for k := -half; k <= half; k++ {
				mean[i] += raw[(i+k+n)%n] / float64(2*half+1)
			}
		}
		raw = mean
	}
	return raw
}

// The bank angle follows the curvature, one border is raised and the other one lowered by its slope, and everything
// else is as without banking, on level tracks and on hills.
func TestBanking(t *testing.T) {
	device := open(t)
	for _, profile := range []string{"flat", "random_walk"} {
		level := tracktest.Config(track.Bezier, 24, hills(profile))
		config := tracktest.Config(track.Bezier, 24, hills(profile), banked(0.05, 0.2, 1))
		plain, b := generate(t, device, level), generate(t, device, config)
		require.NoError(t, b.CheckNumbers())
		assert.Nil(t, plain.Bank, "tracks that are not banked have no such column")
		assert.Equal(t, bits(plain.Center), bits(b.Center))
		assert.Equal(t, bits(plain.Tangent), bits(b.Tangent))
		assert.Equal(t, plain.Reason, b.Reason)
		assert.Equal(t, plain.Length, b.Length)
		largest := 0.0
		for e := range b.Envs {
			largest = max(largest, checkBank(t, plain, b, e, config.Banking))
		}
		assert.Greater(t, largest, 0.15)
	}
}

// Banking takes no launch, and no memory on the device but for its own column and a scratch row.
func TestDemandOfBanking(t *testing.T) {
	plain, err := track.DryRun(tracktest.Config(track.Bezier, 24))
	require.NoError(t, err)
	config := tracktest.Config(track.Bezier, 24, banked(0.05, 0.2, 0.5))
	with, err := track.DryRun(config)
	require.NoError(t, err)
	assert.Equal(t, plain.Launches(), with.Launches())
	assert.Equal(t, plain.BytesPerEnv+8*int64(config.Output.MaxPoints), with.BytesPerEnv)
	assert.Len(t, config.Columns(), len(track.GeneratedColumns())+1)
}

// checkBank compares env e with the same track without banking, and returns its largest angle.
func checkBank(t *testing.T, plain, b *track.Batch, e int, bank track.BankingConfig) (largest float64) {
	t.Helper()
	n, row := int(b.Count[e]), e*b.NMax
	want := angles(b, e, bank)
	steepest := 4 * bank.MaxAngle / bank.Transition * float64(plain.Length[e]) / float64(n) // from one point to the next
	for i := range b.NMax {
		at := row + i
		if i >= n {
			require.Equal(t, kernel.NaNBits, math.Float32bits(b.Bank[at]), "padding")
			require.Equal(t, bits(plain.Outer[at:at+1]), bits(b.Outer[at:at+1]))
			continue
		}
		angle, z := float64(b.Bank[at]), float64(b.Center[at].Z)
		require.InDelta(t, want[i], angle, 2e-4, "env %d, point %d", e, i)
		require.InDelta(t, angle, float64(b.Bank[row+(i+1)%n]), steepest*1.001)
		largest = max(largest, math.Abs(angle))
		left, right := b.Outer[at], b.Inner[at]
		plainLeft, plainRight := plain.Outer[at], plain.Inner[at]
		if left.Sub(b.Center[at]).Dot(b.Normal[at]) < 0 {
			left, right, plainLeft, plainRight = right, left, plainRight, plainLeft
		}
		require.Equal(t, [4]float32{plainLeft.X, plainLeft.Y, plainRight.X, plainRight.Y},
			[4]float32{left.X, left.Y, right.X, right.Y})
		slope := math.Tan(angle)
		require.InDelta(t, z+slope*float64(b.WidthLeft[at]), left.Z, 1e-6)
		require.InDelta(t, z-slope*float64(b.WidthRight[at]), right.Z, 1e-6)
	}
	return largest
}

// In a bend to the left, the left border is the lower one and the angle is negative; to the right, the other way round.
func TestInsideOfBendsIsLower(t *testing.T) {
	for _, direction := range []float64{1, -1} {
		circle := line(120, func(u float64) (float64, float64, float64, float64) {
			return 50 * math.Cos(u), direction * 50 * math.Sin(u), 6, 4
		})
		circle.Z = make([]float64, len(circle.X))
		for i := range circle.Z {
			circle.Z[i] = 10 + math.Sin(2*math.Pi*float64(i)/120)
		}
		b := measure(t, open(t), track.ImportOptions{BankFactor: 5}, circle)
		require.NoError(t, b.CheckNumbers())
		require.Equal(t, "valid", b.Reason[0].String())
		for i := range int(b.Count[0]) {
			require.InDelta(t, -direction*0.1, b.Bank[i], 2e-3, "5 m over a radius of 50 m")
			left, right := b.Outer[i], b.Inner[i]
			if direction > 0 {
				left, right = right, left
			}
			slope := math.Tan(float64(b.Bank[i]))
			require.InDelta(t, float64(b.Center[i].Z)+4*slope, left.Z, 1e-4)
			require.InDelta(t, float64(b.Center[i].Z)-6*slope, right.Z, 1e-4)
		}
		plain := measure(t, open(t), track.ImportOptions{}, circle)
		assert.Nil(t, plain.Bank)
		assert.Equal(t, plain.Center, b.Center)
	}
}

// The whole range of the settings gives finite borders, also for lines without length and very tight bends.
func TestExtremeBanking(t *testing.T) {
	device := open(t)
	for _, change := range []func(*track.Config){
		banked(1e6, 1, 0), banked(1e6, 1, 1e6), banked(0, 1e-6, 1e-9), banked(1e-6, 1, 1e-3),
		func(c *track.Config) { banked(1e6, 1, 0.01)(c); c.Scale = 1e-6 },
		func(c *track.Config) { banked(1e6, 1, 1e6)(c); c.Output.Spacing = 0.004; c.Output.MaxPoints = 4000 },
	} {
		config := tracktest.Config(track.Polar, 8, change)
		b := generate(t, device, config)
		require.NoError(t, b.CheckNumbers())
		for e := range b.Envs {
			for _, angle := range b.Bank[e*b.NMax : e*b.NMax+int(b.Count[e])] {
				require.LessOrEqual(t, math.Abs(float64(angle)), float64(float32(config.Banking.MaxAngle)))
			}
		}
	}
}

func TestWrongBanking(t *testing.T) {
	for want, change := range map[string]func(*track.Config){
		`banking.profile is "steep": must be one of none, curvature`: func(c *track.Config) { c.Banking.Profile = "steep" },
		"banking.factor is -1: must be a number >= 0 and <= 1000000": func(c *track.Config) { c.Banking.Factor = -1 },
		"banking.max_angle is 0: must be a number > 0 and <= 1":      func(c *track.Config) { c.Banking.MaxAngle = 0 },
		"banking.max_angle is 1.2: must be a number > 0 and <= 1":    func(c *track.Config) { c.Banking.MaxAngle = 1.2 },
		"banking.transition is NaN: must be a number >= 0": func(c *track.Config) {
			c.Banking.Transition = math.NaN()
		},
	} {
		err := tracktest.Config(track.Bezier, 1, banked(0.05, 0.2, 0.5), change).Validate()
		require.ErrorIs(t, err, track.ErrConfig, want)
		assert.ErrorContains(t, err, want)
	}
	circle := line(60, func(u float64) (float64, float64, float64, float64) {
		return 50 * math.Cos(u), 50 * math.Sin(u), 4, 4
	})
	for want, options := range map[string]track.ImportOptions{
		"bank_factor is -1: must be a number > 0":        {BankFactor: -1},
		"max_bank is 1.5: must be a number > 0 and <= 1": {BankFactor: 1, MaxBank: 1.5},
		"bank_transition is NaN: must be a number > 0":   {BankFactor: 1, BankTransition: math.NaN()},
	} {
		_, err := track.Import(context.Background(), open(t), options, circle)
		assert.ErrorContains(t, err, want)
	}
}
