package sequences

import (
	stdcontext "context"
	"errors"
	"fmt"
	"strings"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest/kernels"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/interop"
)

func (x *executor) performStream(c *call) (string, bool) {
	s := x.streams[c.arg(0)]
	switch c.op {
	case "begin":
		return class(s.BeginCapture()), true
	case "end":
		g, err := s.EndCapture()
		if err != nil {
			return class(err), true
		}
		if old := x.graphs[c.arg(1)]; old != nil {
			err = old.Close()
		}
		x.graphs[c.arg(1)] = g
		return class(err), true
	case "replay":
		return class(s.Replay(x.graphs[c.arg(1)])), true
	case "sync":
		return class(s.Sync()), true
	case "state":
		return s.Capture().String(), true
	case "stream.close":
		return class(s.Close()), true
	case "stream.new":
		s, err := x.device.NewStream()
		if err == nil {
			x.streams[c.arg(0)] = s
		}
		return class(err), true
	case "current":
		return class(x.device.SetCurrentStream(s)), true
	case "record":
		return class(s.Record(x.events[c.arg(1)])), true
	case "wait":
		return class(s.Wait(x.events[c.arg(1)])), true
	}
	return "", false
}

func (x *executor) performObject(c *call) (string, bool) {
	name := c.arg(0)
	switch c.op {
	case "event.sync":
		return class(x.events[name].Sync()), true
	case "event.close":
		return class(x.events[name].Close()), true
	case "event.new":
		e, err := x.device.NewEvent()
		x.events[name] = e
		return class(err), true
	case "close":
		return class(x.arrays[name].Close()), true
	case "new":
		a, err := exec.FromSlice(x.device, initial(name))
		if err == nil {
			x.arrays[name] = a
		}
		return class(err), true
	case "write":
		values := make([]int32, x.arrays[name].Len())
		for i := range values {
			values[i] = int32(c.int(1) * (i%2 + 1))
		}
		return class(x.arrays[name].Write(x.onDefault(), values)), true
	case "graph.close":
		return class(x.graphs[name].Close()), true
	case "replayin":
		return class(x.contexts[name].Stream().Replay(x.graphs[c.arg(1)])), true
	case "check":
		return x.check(), true
	}
	return "", false
}

// onDefault returns a context of calls on the default stream, on which the model reads and writes arrays.
func (x *executor) onDefault() stdcontext.Context {
	lc, err := exec.For(stdcontext.Background(), x.device, exec.OnStream(x.device.DefaultStream()))
	if err != nil {
		return nil // which every call refuses
	}
	return exec.With(stdcontext.Background(), lc)
}

// check reads all arrays.
func (x *executor) check() string {
	result := "ok "
	read := func(name string, a exec.Array[int32]) error {
		values, err := a.Read(x.onDefault())
		if errors.Is(err, exec.ErrClosed) {
			return nil
		}
		result += fmt.Sprint(name, values, " ")
		return err
	}
	result = ""
	for _, name := range arrayNames {
		if err := read(name, x.arrays[name]); err != nil {
			return class(err)
		}
	}
	if err := firstError(read("seeds", x.seeds.Seed()), read("epochs", x.seeds.Epoch())); err != nil {
		return class(err)
	}
	return strings.TrimSuffix(result, " ")
}

func (x *executor) performRunner(c *call) (string, bool) {
	r := x.runners[c.arg(0)]
	switch c.op {
	case "run", "runseg", "prepare", "prepareseg":
		return x.callRunner(c, r), true
	case "ensure":
		_, err := r.EnsureNotCapturing(x.base(c))
		return class(err), true
	case "checkrecord":
		return class(r.CheckRecord(x.contexts[c.arg(1)])), true
	case "runner.close":
		return class(r.Close()), true
	case "runner.new":
		return class(x.newRunner(c.arg(0))), true
	case "legacy":
		lc := x.contexts[c.arg(0)]
		kept := x.contexts[c.arg(1)]
		exec.LegacyProducer{Name: "old", Generate: func(ctx stdcontext.Context, _ backend.Device) error {
			x.contexts[c.arg(1)] = exec.From(ctx)
			x.interpret(c.body)
			return nil
		}}.Enqueue()(lc)
		x.contexts[c.arg(1)] = kept
		return class(lc.Err()), true
	case "raw":
		a := x.array(c.arg(0))
		return class(x.device.CurrentStream().Launch(&kernels.IncrementDef,
			backend.Launch{N: int32(a.Len()), Buffers: []backend.View{a.View()}})), true
	}
	return "", false
}

// callRunner calls Run, RunSegments, Prepare or PrepareSegments. The body has its own context while it runs.
func (x *executor) callRunner(c *call, r *exec.GraphRunner) string {
	name := c.arg(1)
	emit := func(body *call) exec.Enqueue {
		run := x.inside(body, name)
		return func(lc *exec.LaunchContext) {
			kept := x.contexts[name]
			run(lc)
			x.contexts[name] = kept
		}
	}
	var segments []exec.Segment
	for i := range c.body {
		if part := &c.body[i]; part.op == "seg" && strings.HasSuffix(c.op, "seg") {
			segments = append(segments, exec.Segment{Class: stageClasses[part.arg(0)], StageID: part.arg(0), Body: emit(part)})
		}
	}
	options := exec.RunOptions{Stream: x.streams[c.option("stream")], Sync: c.has("sync")}
	if key := c.option("key"); key != "" {
		options.Key = key
	}
	switch c.option("policy") {
	case "eager":
		options.Policy = exec.Eager
	case "bad":
		options.Policy = 9
	}
	ctx := x.base(c)
	var err error
	switch c.op {
	case "run":
		_, err = r.Run(ctx, emit(c), options)
	case "runseg":
		_, err = r.RunSegments(ctx, segments, options)
	case "prepare":
		err = r.Prepare(ctx, emit(c))
	default:
		err = r.PrepareSegments(ctx, segments)
	}
	keys := make([]string, 0, maxKeys+1)
	for _, key := range r.GraphKeys() {
		if key == nil {
			key = "nil"
		}
		keys = append(keys, fmt.Sprint(key))
	}
	return fmt.Sprintf("%s prepared=%v keys=%s whole=%v parts=%d warned=%v", class(err), r.Prepared(),
		strings.Join(keys, ","), r.Graph() != nil, len(r.SegmentGraphsFor(nil)), x.warned[c.arg(0)] == 1)
}

func (x *executor) performForeign(c *call) (string, bool) {
	switch c.op {
	case "register":
		return x.register(c), true
	case "register.end":
		x.marks[c.arg(0)].registration.End()
		return "ok", true
	case "register.state":
		return force(x.marks[c.arg(0)].registration.InForce()), true
	}
	if !isForeign(c.op) {
		return "", false
	}
	if err := x.foreigner.perform(c); err != nil {
		return "failed", true
	}
	if c.op == "foreign.begin" { // the library looks while it can still see on which stream the capture began
		x.streams[c.arg(0)].Capture()
	}
	return "ok", true
}

func (x *executor) register(c *call) string {
	modes := map[string]exec.ForeignMode{"": exec.ForeignGlobal, "global": exec.ForeignGlobal,
		"thread": exec.ForeignThreadLocal, "relaxed": exec.ForeignRelaxed}
	options := interop.Options{Mode: modes[c.option("mode")], Conditional: c.has("conditional")}
	ctx, registration, err := interop.RegisterStream(stdcontext.Background(), x.streams[c.arg(1)], options)
	if err != nil {
		return class(err)
	}
	x.marks[c.arg(0)] = &mark{ctx, registration}
	return force(registration.InForce())
}

// close closes everything that the program has left open and returns the first error.
func (x *executor) close() error {
	var errs []error
	for _, m := range x.marks {
		m.registration.End()
	}
	if x.foreigner != nil {
		errs = append(errs, x.foreigner.reset(), interop.Release(x.device))
	}
	for _, r := range x.runners {
		errs = append(errs, r.Close())
	}
	for _, s := range x.slots {
		errs = append(errs, s.Close())
	}
	if x.seeds != nil {
		errs = append(errs, x.seeds.Close())
	}
	errs = append(errs, x.word.Close())
	for _, g := range x.graphs {
		errs = append(errs, g.Close())
	}
	for _, e := range x.events {
		errs = append(errs, e.Close())
	}
	for name, s := range x.streams {
		if name[0] == 's' && name != "s0" {
			errs = append(errs, s.Close())
		}
	}
	for _, a := range x.arrays {
		errs = append(errs, a.Close())
	}
	return errors.Join(append(errs, x.device.SetCurrentStream(nil))...)
}
