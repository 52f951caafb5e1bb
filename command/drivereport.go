package command

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
)

// driveReport is the output of drive. Lengths are in metres, times in seconds.
type driveReport struct {
	Version  string       `json:"version"`
	Device   deviceReport `json:"device"`
	Vehicle  string       `json:"vehicle"`
	Scale    float64      `json:"scale"` // metres of a track unit
	TimeStep float64      `json:"time_step"`
	Steps    int          `json:"steps"`
	Laps     int          `json:"laps"`     // of all vehicles
	Finished int          `json:"finished"` // vehicles that have driven all laps
	Crashed  int          `json:"crashed"`  // vehicles that have left the road, or have touched something
	Vehicles []driven     `json:"vehicles"`
}

func (d *drivers) report() driveReport {
	r := driveReport{Version: version(), Device: describeDevice(d.device.Info()), Vehicle: d.flags.vehicle,
		Scale: d.scale, TimeStep: d.config.Vehicle.TimeStep, Steps: d.steps, Vehicles: d.results}
	for _, car := range d.results {
		r.Laps += int(car.Laps)
		if car.reason&trackgen.EndLapsDone != 0 {
			r.Finished++
		}
		if car.reason&(trackgen.EndOffRoad|trackgen.EndCollision) != 0 {
			r.Crashed++
		}
	}
	return r
}

// print prints the report.
func (d *drivers) print(chosen format) error {
	r := d.report()
	switch chosen {
	case formatJSON:
		return writeJSON(d.app.stdout, r)
	case formatCSV:
		return r.writeCSV(d.app.stdout)
	}
	columns := columnsOf(d.app.stdout.w)
	what, crashed := "car", "left the road"
	if r.Vehicle == trackgen.Agilicious {
		what = "drone"
	}
	if d.courses.gates != nil {
		crashed = "crashed"
	}
	head := fmt.Sprintf("%s, %s: %d finished, %d %s\ntime step %v s, %v m for a track unit; lengths in m\n\n",
		countText(len(r.Vehicles), what), r.Vehicle, r.Finished, r.Crashed, crashed, r.TimeStep, r.Scale)
	if _, err := io.WriteString(d.app.stdout, fold(head, columns)); err != nil {
		return err
	}
	t := r.table()
	return t.write(d.app.stdout, columns)
}

// centreLap is the column that tables have only if it holds something. CSV always has it.
const centreLap = "centre_lap"

// driveHead names the columns of tables, as texts and in CSV.
var driveHead = []string{"env", "name", "seed", "length", "laps", "best_lap", "last_lap", centreLap, "seconds",
	"reached", "end"}

// cells returns a row.
func (r driven) cells() []string {
	seconds := func(v *number32) string {
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(float64(*v), 'f', 3, 32)
	}
	length := func(v number32) string { return strconv.FormatFloat(float64(v), 'f', 2, 32) }
	return []string{strconv.Itoa(r.Env), r.Name, strconv.Itoa(int(r.Seed)), length(r.Length), strconv.Itoa(int(r.Laps)),
		seconds(r.Best), seconds(r.Last), seconds(r.Centre),
		strconv.FormatFloat(r.Seconds, 'f', 2, 64), length(r.Reached), r.End}
}

func (r driveReport) table() table {
	t := table{keys: 1}
	shown := func(cells []string) []string {
		if r.hasCentreLaps() {
			return cells
		}
		i := slices.Index(driveHead, centreLap)
		return slices.Delete(slices.Clone(cells), i, i+1)
	}
	for _, name := range shown(driveHead) {
		t.head = append(t.head, strings.ToUpper(strings.ReplaceAll(name, "_", " ")))
	}
	for _, car := range r.Vehicles {
		t.add(shown(car.cells())...)
	}
	return t
}

// hasCentreLaps reports whether a car that follows another line has a lap along the centreline.
func (r driveReport) hasCentreLaps() bool {
	return slices.ContainsFunc(r.Vehicles, func(car driven) bool { return car.Centre != nil })
}

func (r driveReport) writeCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write(driveHead); err != nil {
		return err
	}
	for _, car := range r.Vehicles {
		if err := c.Write(car.cells()); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// write writes the files of the flags.
func (d *drivers) write(ctx context.Context) error {
	var failed []error
	if d.flags.states != "" {
		failed = append(failed, export.WriteFile(d.flags.states, d.writeStates))
	}
	if d.flags.plot != "" {
		failed = append(failed, d.writePlot(ctx))
	}
	if d.flags.animation != "" {
		failed = append(failed, d.writeAnimation(ctx))
	}
	return errors.Join(failed...)
}

// writeStates writes the states of all samples, until each car has stopped.
func (d *drivers) writeStates(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write([]string{"env", "time", "x", "y", "z", "yaw", "speed", "steering", "s", "n"}); err != nil {
		return err
	}
	number := func(v float32) string { return strconv.FormatFloat(float64(v), 'g', -1, 32) }
	for e := range d.courses.envs() {
		for _, s := range d.samplesOf(e) {
			p := s.position[e]
			steering := ""
			if s.steering != nil {
				steering = number(s.steering[e])
			}
			time := strconv.FormatFloat(float64(s.step)*d.config.Vehicle.TimeStep, 'g', 6, 64)
			if err := c.Write([]string{strconv.Itoa(e), time, number(p.X), number(p.Y), number(p.Z), number(s.yaw[e]),
				number(s.speed[e]), steering, number(s.s[e]), number(s.n[e])}); err != nil {
				return err
			}
		}
	}
	c.Flush()
	return c.Error()
}

// samplesOf returns the samples of a car up to the one in which it has stopped.
func (d *drivers) samplesOf(e int) []sample {
	for i, s := range d.samples {
		if s.done[e] != 0 {
			return d.samples[:i+1]
		}
	}
	return d.samples
}
