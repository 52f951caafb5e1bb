package main

// #include "library.h"
import "C"

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec/exectest"
)

const aGuard = "a guard (tg_guard_new), or 0"

// guard watches the calls of contexts.
type guard struct {
	lifetime
	device *device
	guard  *exectest.Guard

	mutex sync.Mutex
	seen  guardReport // of all calls so far: exectest.Guard forgets what it saw when it runs again
}

// maxFindings is the number of violations, and of sanctioned operations, that a report lists.
const maxFindings = 1000

// do runs work under the guard and keeps what it sees.
func (g *guard) do(ctx context.Context, work func(ctx context.Context) error) error {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	err := g.guard.Do(ctx, work)
	if !g.guard.OK() && len(g.seen.Violations) < maxFindings {
		g.seen.Text += g.guard.Report()
	}
	g.seen.Violations = addFindings(g.seen.Violations, g.guard.Violations())
	g.seen.Sanctioned = addFindings(g.seen.Sanctioned, g.guard.Sanctioned())
	if g.seen.Checks == nil {
		g.seen.Checks = make(map[string]int)
	}
	for _, category := range categories {
		g.seen.Checks[category.String()] += g.guard.Checks(category)
	}
	return err
}

// report returns what the guard has seen.
func (g *guard) report() guardReport {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	report := g.seen
	report.OK = len(report.Violations) == 0
	report.Violations = append([]violation{}, report.Violations...)
	report.Sanctioned = append([]violation{}, report.Sanctioned...)
	report.Checks = maps.Clone(report.Checks)
	if report.OK {
		report.Text = g.guard.Report()
	}
	return report
}

func (g *guard) what() string { return "a guard" }

// categories are the kinds of violations by their bits.
var categories = []exectest.Category{exectest.HostSync, exectest.Allocation, exectest.Stream, exectest.Capture}

// newGuard makes a guard on an instrumented device.
func newGuard(d *device, watched C.uint32_t, strict bool) (*guard, error) {
	const op = "new guard"
	instrumented, ok := d.Device.(*exectest.Device)
	if !ok {
		return nil, &backend.ArgumentError{Op: op, Argument: "device", Value: d.Info().Name + ", which is not instrumented",
			Allowed: "a device of tg_open_instrumented"}
	}
	if watched == 0 || watched >= 1<<len(categories) {
		return nil, &backend.ArgumentError{Op: op, Argument: "watched", Value: uint32(watched),
			Allowed: fmt.Sprintf("1 to %d, a bit for each category", 1<<len(categories)-1)}
	}
	var list []exectest.Category
	for bit, category := range categories {
		if watched&(1<<bit) != 0 {
			list = append(list, category)
		}
	}
	made, err := exectest.New(instrumented, exectest.Options{Recording: !strict}, list...)
	if err != nil {
		return nil, err
	}
	return &guard{lifetime: newLifetime(nil), device: d, guard: made}, nil
}

// violation is the JSON form of a violation.
type violation struct {
	Category string `json:"category"`
	API      string `json:"api"`
	Site     string `json:"site"`
	Detail   string `json:"detail"`
}

// guardReport is what tg_guard_report returns.
type guardReport struct {
	OK         bool           `json:"ok"`
	Violations []violation    `json:"violations"`
	Sanctioned []violation    `json:"sanctioned"`
	Checks     map[string]int `json:"checks"`
	Text       string         `json:"text"`
}

// addFindings adds the JSON form of violations to a list of at most maxFindings.
func addFindings(list []violation, found []*exectest.Violation) []violation {
	for _, v := range found {
		if len(list) < maxFindings {
			list = append(list, violation{Category: v.Category.String(), API: v.API, Site: v.Site, Detail: v.Detail})
		}
	}
	return list
}

//export tgo_open_instrumented
func tgo_open_instrumented(name C.tgi_text, out *C.tg_handle) C.int32_t {
	return call(func() error { return open(name, deviceOptions{Instrumented: true}, out) })
}

//export tgo_guard_new
func tgo_guard_new(handle C.tg_handle, watched C.uint32_t, strict C.int32_t, out *C.tg_handle) C.int32_t {
	return call(func() error {
		if out == nil {
			return missingPointer("new guard", "guard")
		}
		d, err := acquire[*device](handle, "device", aDevice)
		if err != nil {
			return err
		}
		defer drop(d)
		g, err := newGuard(d, watched, strict != 0)
		if err != nil {
			return err
		}
		*out = objects.add(g)
		return nil
	})
}

//export tgo_guard_report
func tgo_guard_report(handle C.tg_handle, json **C.char) C.int32_t {
	return call(func() error {
		if json == nil {
			return missingPointer("report", "json")
		}
		g, err := acquire[*guard](handle, "guard", "a guard (tg_guard_new)")
		if err != nil {
			return err
		}
		defer drop(g)
		return setJSON(json, g.report())
	})
}
