package main

// #include "library.h"
import "C"

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/race"
)

const kindDriver = "driver"

// driver is a reference driver of a race, as a producer of its actions.
type driver struct {
	producing
	lacking
	race   *races // with a use
	driver race.Driver
}

// newDriver makes a driver of a race that the call uses.
func newDriver(r *races, part float64) (*driver, error) {
	made, err := r.race.NewDriver(part)
	if err != nil {
		return nil, err
	}
	r.use()
	return &driver{producing: producing{kind: kindDriver}, lacking: kindDriver, race: r, driver: made}, nil
}

func (d *driver) results() []result {
	state := d.race.race.State()
	agents := int64(state.Envs) * int64(state.Agents)
	list := resultList{envs: state.Envs}
	list.floats("actions", "what the driver does, from -1 to 1", d.driver.Actions(), int64(state.Envs),
		int64(state.Agents), int64(d.driver.Actions().Len())/agents)
	return list.list
}

func (d *driver) config() (json.RawMessage, error) { return nil, d.missing("configuration") }

func (d *driver) regenerate(context.Context, exec.Array[int32], bool) error {
	return d.missing("regenerate")
}

func (d *driver) setSeeds(context.Context, []int32) error { return d.missing("set seeds") }

// update writes the actions. No other call uses the race meanwhile.
func (d *driver) update(l *launch) error {
	if !d.race.busy.TryLock() {
		return fmt.Errorf("driver: another thread is using the race: %w", exec.ErrConcurrentUse)
	}
	defer d.race.busy.Unlock()
	return l.run(d.driver.Update)
}

func (d *driver) close() error { return errors.Join(d.driver.Close(), d.race.drop()) }

//export tgo_driver_new
func tgo_driver_new(handle C.tg_handle, part C.double, in C.tg_handle, out *C.tg_handle) C.int32_t {
	const op = "new driver"
	return call(func() error {
		if out == nil {
			return missingPointer(op, "driver")
		}
		return use(handle, in, func(p producer, _ *launch) error {
			r, ok := p.(*races)
			if !ok {
				return &backend.ArgumentError{Op: op, Argument: "race", Value: "a producer of the kind " + p.what(),
					Allowed: "a race"}
			}
			d, err := newDriver(r, float64(part))
			if err != nil {
				return err
			}
			*out = begin(d, r.device)
			return nil
		})
	})
}

//export tgo_driver_update
func tgo_driver_update(handle, in C.tg_handle) C.int32_t {
	return call(func() error {
		return use(handle, in, func(p producer, l *launch) error {
			d, ok := p.(*driver)
			if !ok {
				return &backend.ArgumentError{Op: "update driver", Argument: "driver", Value: p.what(),
					Allowed: "a driver (tg_driver_new)"}
			}
			return d.update(l)
		})
	})
}
