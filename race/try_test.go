package race_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/race"
	"github.com/trackgen-go/trackgen/race/pursuit"
	"github.com/trackgen-go/trackgen/track"
)

func TestTry(t *testing.T) {
	device := coursetest.OpenCPU(t)
	for _, g := range track.Generators() {
		tracks := track.DefaultConfig()
		tracks.Generator = g
		tracks.NumEnvs = 128
		for _, f := range track.Fields() {
			if f.Unit == track.Length {
				if v, ok := f.Value(tracks).(float64); ok {
					f.Set(&tracks, v*10)
				} else if v, ok := f.Value(tracks).(track.Range); ok {
					f.Set(&tracks, track.Range{Min: v.Min * 10, Max: v.Max * 10})
				}
			}
		}
		c := race.DefaultConfig()
		c.Course.Tracks = &tracks
		c.Autoreset = race.Never
		c.Reward.Ends.Laps = 1
		r, err := race.New(device, c)
		require.NoError(t, err)
		d, err := r.NewPursuit(pursuit.DefaultConfig())
		require.NoError(t, err)
		require.NoError(t, r.BindActions(d.Actions()))
		start := time.Now()
		n := 0
		for range 3000 {
			n++
			require.NoError(t, d.Update(t.Context()))
			require.NoError(t, r.Step(t.Context()))
			if n%250 == 0 {
				o := coursetest.Download(t, r.Outcomes().Done)
				all := int32(0)
				for _, x := range o {
					all += x
				}
				if all == int32(len(o)) {
					break
				}
			}
		}
		el := time.Since(start)
		h, err := r.Totals().Read(t.Context())
		require.NoError(t, err)
		sum := func(x []int32) (s int32) {
			for _, v := range x {
				s += v
			}
			return
		}
		b, _ := r.Course().Source().Tracks.Batch(t.Context())
		invalid := 0
		for _, v := range b.Valid {
			if v == 0 {
				invalid++
			}
		}
		fmt.Println(g, "laps", sum(h.Laps), "off", sum(h.OffRoad), "stuck", sum(h.Stuck), "wrong", sum(h.WrongWay), "episodes", sum(h.Episodes), "invalid", invalid, "steps/s", float64(n*128)/el.Seconds(), n)
		require.NoError(t, d.Close())
		require.NoError(t, r.Close())
	}
}
