package vehicle_test

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/race/vehicle"
)

// commonRoadTable has states of the vehicles of the package commonroad-vehicle-models: testdata/commonroad.py prints
// it.
//
//go:embed testdata/commonroad.csv
var commonRoadTable []byte

// commonRoadRow is one row of the table: the state after some seconds. Models without slip have no yaw rate and no
// slip.
type commonRoadRow struct {
	vehicle, model, manoeuvre string
	seconds                   int
	state                     []float64 // x, y, steering, speed, yaw, yaw rate, slip
}

func commonRoadRows(t *testing.T) (rows []commonRoadRow) {
	t.Helper()
	lines, err := csv.NewReader(bytes.NewReader(commonRoadTable)).ReadAll()
	require.NoError(t, err)
	for _, line := range lines[1:] {
		r := commonRoadRow{vehicle: line[0], model: line[1], manoeuvre: line[2]}
		r.seconds, err = strconv.Atoi(line[3])
		require.NoError(t, err)
		for _, text := range line[4:] {
			if text != "" {
				x, err := strconv.ParseFloat(text, 64)
				require.NoError(t, err)
				r.state = append(r.state, x)
			}
		}
		rows = append(rows, r)
	}
	return rows
}

// manoeuvre is one of those of testdata/commonroad.py.
type manoeuvre struct {
	speed, steering float32
	actions         func(t float64) (steer, drive float64)
}

var manoeuvres = map[string]manoeuvre{
	"lane change": {15, 0, func(t float64) (float64, float64) { return 0.3 * math.Sin(2*math.Pi*t/2), 0.02 }},
	"bend":        {8, 0.1, func(float64) (float64, float64) { return 0, 0.05 }},
	"brake in a bend": {12, 0.05, func(t float64) (float64, float64) {
		return 0.1 * math.Cos(t), -0.1
	}},
	"from rest":  {0, 0.05, func(t float64) (float64, float64) { return 0.2 * math.Sin(1.3*t), 0.25 }},
	"full power": {4, 0, func(t float64) (float64, float64) { return 0.05 * math.Sin(t), 1 }},
}

// driven returns the states of a car after 1 and after 5 seconds of a manoeuvre. The car drives about as fast as the
// model of the rear axle if rear is set; the state then is that of the rear axle.
func driven(t *testing.T, c vehicle.Config, m manoeuvre, rear bool) map[int][]float64 {
	t.Helper()
	s := newSimulator(t, coursetest.OpenCPU(t), c)
	state := s.State()
	lr, base := c.Car.DistanceRear.Max, c.Car.DistanceRear.Max+c.Car.DistanceFront.Max
	faster := 1.0 // how much faster than the rear axle the centre of mass is
	if rear {
		faster = math.Hypot(1, math.Tan(float64(m.steering))*lr/base)
	}
	require.NoError(t, state.Car.Speed.Write(t.Context(), []float32{m.speed * float32(faster)}))
	require.NoError(t, state.Car.Steering.Write(t.Context(), []float32{m.steering}))
	actions, states := coursetest.Upload(t, state.Position.Device(), make([]float32, 2)), map[int][]float64{}
	for k := range 250 {
		steer, power := m.actions(float64(k) * c.TimeStep)
		drive(t, s, actions, []float32{float32(steer), float32(power * faster)})
		if k+1 == 50 || k+1 == 250 {
			h := read(t, s)
			p := h.Position[0]
			row := []float64{float64(p.X), float64(p.Y), float64(h.Car.Steering[0]), float64(h.Car.Speed[0]) / faster,
				float64(h.Car.Yaw[0]), float64(h.Car.YawRate[0]), float64(h.Car.Slip[0])}
			if rear {
				row[0] += lr - lr*math.Cos(row[4])
				row[1] -= lr * math.Sin(row[4])
			}
			states[(k+1)/50] = row
		}
	}
	return states
}

// Cars move as those of CommonRoad's own package do, to one part in a thousand. Its model ks has its reference point at
// the rear axle, which begins at the origin there.
func TestCommonRoad(t *testing.T) {
	names := map[string]string{"1": vehicle.FordEscort, "2": vehicle.BMW320i, "3": vehicle.VWVanagon}
	known := map[string]map[int][]float64{}
	for _, row := range commonRoadRows(t) {
		car, err := vehicle.CarNamed(names[row.vehicle])
		require.NoError(t, err)
		c := config(func(c *vehicle.Config) {
			c.Car, c.Control, c.Substeps, c.Model = car, vehicle.Rate, 8, vehicle.Kinematic
			if row.model == "st" {
				c.Model = vehicle.SingleTrack
			}
		})
		name := row.vehicle + " " + row.model + " " + row.manoeuvre
		if known[name] == nil {
			known[name] = driven(t, c, manoeuvres[row.manoeuvre], row.model == "ks")
		}
		got := known[name][row.seconds]
		for i, want := range row.state {
			require.InDelta(t, want, got[i], 1e-3*math.Abs(want)+1e-4, "%s after %d s, number %d", name, row.seconds, i)
		}
	}
	require.Len(t, known, 33)
}
