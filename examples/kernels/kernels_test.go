package kernels

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/all"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

const (
	count = 200
	grip  = 12 // m/s^2
	top   = 60 // m/s
)

// lines returns a circle of 100 m radius and an ellipse with axes of 300 m and 30 m.
func lines() []kernel.Vec2 {
	points := make([]kernel.Vec2, 2*count)
	for i := range count {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / count)
		points[i] = kernel.V2(float32(100*cos), float32(100*sin))
		points[count+i] = kernel.V2(float32(300*cos), float32(30*sin))
	}
	return points
}

// lap runs both kernels on a device and returns the speeds and the lap times.
func lap(device backend.Device) (speeds, times []float32, err error) {
	lc, err := exec.For(context.Background(), device)
	if err != nil {
		return nil, nil, err
	}
	points, err := exec.FromSlice(device, lines())
	if err != nil {
		return nil, nil, err
	}
	speed, err := exec.NewArray[float32](device, 2*count)
	if err != nil {
		return nil, nil, errors.Join(err, points.Close())
	}
	time, err := exec.NewArray[float32](device, 2)
	if err != nil {
		return nil, nil, errors.Join(err, points.Close(), speed.Close())
	}
	CornerSpeed(lc, 2*count, count, points, grip, top, speed)
	LapSpeed(lc, 2, count, points, 5, speed, time)
	err = lc.Err()
	if err == nil {
		speeds, err = speed.Read(context.Background())
	}
	if err == nil {
		times, err = time.Read(context.Background())
	}
	return speeds, times, errors.Join(err, points.Close(), speed.Close(), time.Close())
}

// TestLap checks a case with a known answer: on a circle the speed is the corner speed everywhere.
func TestLap(t *testing.T) {
	device, err := backend.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	speeds, times, err := lap(device)
	if err != nil {
		t.Fatal(err)
	}
	want := math.Sqrt(grip * 100)
	for i, v := range speeds[:count] {
		if math.Abs(float64(v)-want) > 0.01*want {
			t.Fatalf("speed at point %d of the circle is %v, want about %v", i, v, want)
		}
	}
	if wantTime := 2 * math.Pi * 100 / want; math.Abs(float64(times[0])-wantTime) > 0.02*wantTime {
		t.Errorf("a lap of the circle takes %v s, want about %v", times[0], wantTime)
	}
	if fastest, slowest := slices.Max(speeds[count:]), slices.Min(speeds[count:]); fastest <= 2*slowest {
		t.Errorf("the ellipse is driven at %v to %v m/s, but its ends are tight and its sides straight", slowest, fastest)
	}
}

// TestDevicesAgree runs the kernels on every device of this machine: the bits are the same as on the CPU.
func TestDevicesAgree(t *testing.T) {
	cpu, err := backend.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer cpu.Close()
	speeds, times, err := lap(cpu)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"vulkan:0", "cuda:0"} {
		t.Run(name, func(t *testing.T) {
			device, err := backend.Open(name)
			if errors.Is(err, backend.ErrUnavailable) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer device.Close()
			otherSpeeds, otherTimes, err := lap(device)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(speeds, otherSpeeds) || !slices.Equal(times, otherTimes) {
				t.Errorf("%s differs from the CPU", name)
			}
		})
	}
}

// TestRaces runs the instrumented twins, which detect races, indices out of bounds and divisions by zero.
func TestRaces(t *testing.T) {
	device, err := backend.Open("cpu", backend.Debug(true))
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	if _, _, err := lap(device); err != nil {
		t.Error(err)
	}
}
