//go:build cgo

package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/speed"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/settings"
	"github.com/trackgen-go/trackgen/race"
	"github.com/trackgen-go/trackgen/race/preview"
	"github.com/trackgen-go/trackgen/race/raceline"
	"github.com/trackgen-go/trackgen/race/reward"
	"github.com/trackgen-go/trackgen/race/vehicle"
)

// races is a producer of the kind race.
type races struct {
	producing
	lacking
	race *race.Race
}

func newRace(d *device, text string, options []generation.Option) (producer, error) {
	c, err := readRace(text)
	if err != nil {
		return nil, err
	}
	made, err := race.New(d.Device, c, options...)
	if err != nil {
		return nil, err
	}
	return &races{producing: producing{kind: kindRace}, lacking: kindRace, race: made}, nil
}

// readRace reads a configuration of a race, with that of its generator. Those of drones have defaults of their own.
func readRace(text string) (race.Config, error) {
	parts, err := splitParts(text)
	if err != nil {
		return race.Config{}, err
	}
	c, err := readSettings(settings.Races, race.DefaultConfig(), parts.own, unchecked)
	if err == nil && c.Vehicle.Model == vehicle.Drone {
		c, err = readSettings(settings.Races, race.DefaultDroneConfig(), parts.own, unchecked)
	}
	if err != nil {
		return c, err
	}
	if c.Course.Tracks, c.Course.Gates, err = parts.generator(); err != nil {
		return c, err
	}
	return c, c.Validate()
}

// resolveRace returns a configuration of a race with all settings.
func resolveRace(text string) (json.RawMessage, error) {
	c, err := readRace(text)
	if err != nil {
		return nil, err
	}
	return joinParts(race.Kind(), c, c.Course.Tracks, c.Course.Gates)
}

func (r *races) config() (json.RawMessage, error) {
	c := r.race.Config()
	return joinParts(race.Kind(), c, c.Course.Tracks, c.Course.Gates)
}

func (r *races) results() []result {
	list := resultList{envs: envsOf(r.race.Course())}
	list.course(r.race.Course())
	list.vehicles(r.race)
	list.observations(r.race.Observations())
	agents := r.race.State().Agents
	list.columns("outcomes.", reward.Schema.Device(&r.race.Outcomes().DeviceColumns), agents)
	list.columns("totals.", race.TotalSchema.Device(&r.race.Totals().DeviceTotals), agents)
	list.integers("episodes", "number of the episode of each env, 0 at first", r.race.Episodes(), int64(list.envs))
	if profile := r.race.Profile(); profile != nil {
		list.columns("profile.", speed.Schema.Device(&profile.DeviceColumns), profile.NMax)
	}
	if line := r.race.Raceline(); line != nil {
		list.columns("raceline.", raceline.Schema.Device(&line.DeviceColumns), line.NMax)
	}
	return list.list
}

// vehicles adds the state and the parameters of the vehicles.
func (l *resultList) vehicles(r *race.Race) {
	state, parameters := r.State(), r.Parameters()
	l.columns("state.", vehicle.BodySchema.Device(&state.DeviceBody), state.Agents)
	l.columns("state.", vehicle.CarSchema.Device(&state.Car), state.Agents)
	l.columns("state.", vehicle.DroneSchema.Device(&state.Drone), state.Agents)
	l.columns("parameters.", vehicle.CarParameterSchema.Device(&parameters.Car))
	l.columns("parameters.", vehicle.DroneParameterSchema.Device(&parameters.Drone))
}

// observations adds what the agents see.
func (l *resultList) observations(o *race.Observations) {
	if seen := o.Preview; seen != nil {
		l.seen("observations.preview", "what each agent sees at places ahead", seen)
	}
	if seen := o.Gates; seen != nil {
		l.seen("observations.gates", "what each agent sees of its next gates", seen)
	}
	if scans := o.Scans; scans != nil {
		shape := []int64{int64(l.envs), int64(scans.Agents), int64(scans.Beams)}
		l.floats("observations.scans", "range of each beam; that of the sensor without a hit", scans.Distance, shape...)
		l.integers("observations.hits", "what each beam hits: 0 nothing, 1 inner, 2 outer border, 3 agent, 4 post", scans.Hit,
			shape...)
	}
	if motion := o.Motion; motion != nil {
		l.floats("observations.motion", "what each agent knows of its motion, NaN if it does not see: "+
			strings.Join(motion.Channels, ", "), motion.Values, int64(l.envs), int64(motion.Agents), int64(len(motion.Channels)))
	}
	if vector := o.Vector; vector != nil {
		l.floats("observations.vector", "all observations of each agent in a row; finite", vector.Values, int64(l.envs),
			int64(vector.Agents), int64(vector.Width))
	}
}

// seen adds values of places or gates. The documentation names the channels.
func (l *resultList) seen(name, doc string, o *preview.Observations) {
	l.floats(name, doc+", NaN if it does not see: "+strings.Join(o.Channels, ", "), o.Values, int64(l.envs),
		int64(o.Agents), int64(o.Places), int64(len(o.Channels)))
}

// regenerate begins new episodes.
func (r *races) regenerate(ctx context.Context, mask exec.Array[int32], sameEpoch bool) error {
	if sameEpoch {
		return r.missing("regenerate with the same epoch")
	}
	return r.race.Reset(ctx, mask)
}

func (r *races) reset(ctx context.Context, mask exec.Array[int32]) error {
	return r.race.Reset(ctx, mask)
}

func (r *races) bind(name string, input exec.Array[float32]) error {
	if name != "actions" {
		return &backend.ArgumentError{Op: "bind", Argument: "name", Value: name, Allowed: "actions"}
	}
	return r.race.BindActions(input)
}

func (r *races) step(ctx context.Context) error { return r.race.Step(ctx) }

func (r *races) stepActions(ctx context.Context, actions exec.Array[float32]) error {
	return r.race.StepActions(ctx, actions)
}

func (r *races) setSeeds(ctx context.Context, values []int32) error {
	return r.race.SetSeeds(ctx, values)
}

func (r *races) close() error { return r.race.Close() }
