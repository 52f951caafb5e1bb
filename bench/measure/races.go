package measure

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/race"
	"github.com/trackgen-go/trackgen/race/preview"
	"github.com/trackgen-go/trackgen/race/rangefinder"
)

// begun is the number of steps before the first figure, so that the cars have left the start and drive at their speed.
const begun = 50

// Races is the subject of the steps of a race on generated tracks, whose cars a reference driver steers: what is
// measured as a generation is one step of the driver and of the race. A regeneration is a reset of the race. The cars
// observe the default preview, and the distances along a number of beams, which may be 0.
func Races(config race.Config, beams int) Subject {
	ahead := preview.DefaultConfig()
	config.Preview, config.Rangefinder = &ahead, nil
	if beams > 0 {
		finder := rangefinder.DefaultConfig()
		finder.Beams, config.Rangefinder = beams, &finder
	}
	return Subject{generator: config.Course.Tracks.Generator, envs: config.Course.Tracks.NumEnvs,
		agents: max(config.Course.Agents, 1), open: func(device backend.Device, envs int) (generator, error) {
			return openRace(device, config, envs)
		}}
}

// races is a race with its driver.
type races struct {
	race   *race.Race
	driver race.Driver
}

// openRace makes a race and its driver, and lets the cars begin.
func openRace(device backend.Device, config race.Config, envs int) (_ *races, err error) {
	tracks := *config.Course.Tracks
	tracks.NumEnvs, config.Course.Tracks = envs, &tracks
	r := &races{}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.Close())
		}
	}()
	if r.race, err = race.New(device, config); err != nil {
		return nil, err
	}
	if r.driver, err = r.race.NewDriver(1); err != nil {
		return nil, err
	}
	if err = r.race.BindActions(r.driver.Actions()); err != nil {
		return nil, err
	}
	for range begun {
		if err = r.generate(context.Background()); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// generate makes one step.
func (r *races) generate(ctx context.Context) error {
	if err := r.driver.Update(ctx); err != nil {
		return err
	}
	return r.race.Step(ctx)
}

func (r *races) regenerate(ctx context.Context, mask exec.Array[int32]) error {
	return r.race.Reset(ctx, mask)
}

// stages returns the driver and the parts of a step.
func (r *races) stages() []exec.Segment {
	return append([]exec.Segment{{StageID: "driver", Body: r.driver.EnqueueUpdate}}, r.race.Stages()...)
}

// Close releases the driver and the race.
func (r *races) Close() error {
	if r.driver == nil { // there is only the race, or not even that
		return r.race.Close()
	}
	return errors.Join(r.driver.Close(), r.race.Close())
}
