package race_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race"
	"github.com/trackgen-go/trackgen/race/vehicle"
)

// rotated returns a vector of the world along the axes of a body, in float64.
func rotated(v kernel.Vec3, q kernel.Quat) [3]float64 {
	x, y, z, w := float64(q.X), float64(q.Y), float64(q.Z), float64(q.W)
	axes := [3][3]float64{{1 - 2*(y*y+z*z), 2 * (x*y + w*z), 2 * (x*z - w*y)},
		{2 * (x*y - w*z), 1 - 2*(x*x+z*z), 2 * (y*z + w*x)}, {2 * (x*z + w*y), 2 * (y*z - w*x), 1 - 2*(x*x+y*y)}}
	var along [3]float64
	for i, axis := range axes {
		along[i] = axis[0]*float64(v.X) + axis[1]*float64(v.Y) + axis[2]*float64(v.Z)
	}
	return along
}

// known returns what an agent knows of its motion, from the state of the vehicles.
func known(s *vehicle.HostState, agent int, channel string, scale float64) float64 {
	along, up := rotated(s.Velocity[agent], s.Orientation[agent]), rotated(kernel.V3(0, 0, 1), s.Orientation[agent])
	names := []string{race.VelocityX, race.VelocityY, race.VelocityZ}
	if i := slices.Index(names, channel); i >= 0 {
		return scale * along[i]
	}
	if i := slices.Index([]string{race.UpX, race.UpY, race.UpZ}, channel); i >= 0 {
		return up[i]
	}
	car := s.Car.Speed != nil
	switch channel {
	case race.Speed:
		return scale * float64(s.Car.Speed[agent])
	case race.Steering:
		return float64(s.Car.Steering[agent])
	case race.Slip:
		return float64(s.Car.Slip[agent])
	case race.RollRate:
		return float64(s.Drone.RollRate[agent])
	case race.PitchRate:
		return float64(s.Drone.PitchRate[agent])
	case race.Thrust:
		return float64(s.Drone.Thrust[agent])
	}
	if car {
		return float64(s.Car.YawRate[agent])
	}
	return float64(s.Drone.YawRate[agent])
}

// Agents know their own motion, as the state of the vehicles has it, in the order of the channels (L-27).
func TestMotion(t *testing.T) {
	device := coursetest.OpenCPU(t)
	for name, c := range map[string]race.Config{"cars": lively(), "drones": flying()} {
		slices.Reverse(c.Observe.Motion)
		c.Observe.SpeedScale = 0.25
		l := newLoop(t, device, nil, c)
		for range 20 {
			l.call(t.Context())
		}
		state, err := l.race.State().Read(t.Context())
		require.NoError(t, err)
		seen, err := l.race.Observations().Motion.Read(t.Context())
		require.NoError(t, err)
		require.Equal(t, c.Observe.Motion, seen.Channels, name)
		require.Len(t, seen.Values, loopEnvs*2*len(seen.Channels))
		moving := 0
		for i, value := range seen.Values {
			agent, channel := i/len(seen.Channels), seen.Channels[i%len(seen.Channels)]
			assert.InDelta(t, known(state, agent, channel, 0.25), float64(value), 1e-5, "%s: %s", name, channel)
			if channel == race.VelocityX && value > 0.1 {
				moving++
			}
		}
		assert.Positive(t, moving, name)
	}
}

// A vector has all observations of an agent in a row, and 0 for what an agent does not see (L-28).
func TestVector(t *testing.T) {
	for name, c := range map[string]race.Config{"cars": lively(), "drones": flying()} {
		l := newLoop(t, coursetest.OpenCPU(t), nil, c)
		for range 20 {
			l.call(t.Context())
		}
		paused := coursetest.Download(t, l.race.State().Position)
		paused[3].X = kernel.NaN()
		require.NoError(t, l.race.State().Position.Write(t.Context(), paused))
		l.call(t.Context())
		seen, err := l.race.Observations().Read(t.Context())
		require.NoError(t, err)
		parts := [][]float32{seen.Motion.Values, seen.Preview.Values}
		if seen.Gates != nil {
			parts = append(parts, seen.Gates.Values)
		}
		parts = append(parts, seen.Scans.Distance)
		var want []float32
		for agent := range loopEnvs * 2 {
			for _, part := range parts {
				length := len(part) / (loopEnvs * 2)
				want = append(want, part[agent*length:(agent+1)*length]...)
			}
		}
		missing := 0
		for i, value := range want {
			if math.IsNaN(float64(value)) {
				want[i] = 0
				missing++
			}
		}
		assert.Positive(t, missing, name)
		assert.Equal(t, want, seen.Vector.Values, name)
		assert.Equal(t, len(want)/(loopEnvs*2), seen.Vector.Width)
	}
}
