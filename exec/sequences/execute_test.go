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
	"github.com/trackgen-go/trackgen/seeds"
)

// executor interprets programs on a device, as long as the results match the model's.
type executor struct {
	device, other backend.Device
	foreigner     *foreigner
	entries       []entry // of the model
	at            int
	wrong         *mismatch

	arrays   map[string]exec.Array[int32]
	streams  map[string]backend.Stream
	events   map[string]backend.Event
	graphs   map[string]backend.Graph
	contexts map[string]*exec.LaunchContext
	runners  map[string]*exec.GraphRunner
	marks    map[string]*mark
	slots    map[string]*exec.StageSlot
	word     exec.HostArray[int32]
	seeds    *seeds.State
	warned   map[string]int // number of warnings per runner
}

// mark is a registration and its context.Context.
type mark struct {
	ctx          stdcontext.Context
	registration *interop.Registration
}

// mismatch is the first difference between the device and the model.
type mismatch struct {
	call, want, got string
	at              int
}

func (w *mismatch) String() string {
	return fmt.Sprintf("entry %d: %s\n  the rules say   %s\n  the device says %s", w.at, w.call, w.want, w.got)
}

// classes are the kinds of errors by name, most specific first.
var classes = []struct {
	name string
	is   error
}{
	{"concurrent", exec.ErrConcurrentUse}, {"unprepared", exec.ErrNotPrepared}, {"capture", exec.ErrCapture},
	{"closed", exec.ErrClosed}, {"mismatch", exec.ErrDeviceMismatch}, {"invalid", backend.ErrInvalid},
}

// stageClasses are the classes of stages by name.
var stageClasses = map[string]exec.CaptureClass{"static": exec.Static, "bounded": exec.Bounded, "host": exec.Host}

// class returns the name of the kind of an error, empty for nil.
func class(err error) string {
	var notCapturable *exec.NotCapturableError
	var legacy *exec.LegacyPluginStreamError
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &notCapturable):
		return "notcapturable"
	case errors.As(err, &legacy):
		return "legacystream"
	}
	for _, c := range classes {
		if errors.Is(err, c.is) {
			return c.name
		}
	}
	return "other: " + err.Error()
}

// firstError returns the first error that is not nil.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func newExecutor(device, other backend.Device, f *foreigner) (*executor, error) {
	x := &executor{device: device, other: other, foreigner: f, arrays: map[string]exec.Array[int32]{},
		streams: map[string]backend.Stream{"s0": device.DefaultStream(), "x": other.DefaultStream()},
		events:  map[string]backend.Event{}, graphs: map[string]backend.Graph{},
		contexts: map[string]*exec.LaunchContext{}, runners: map[string]*exec.GraphRunner{},
		marks: map[string]*mark{}, warned: map[string]int{}, slots: map[string]*exec.StageSlot{}}
	var err error
	for _, name := range arrayNames {
		if x.arrays[name], err = exec.FromSlice(device, initial(name)); err != nil {
			return nil, err
		}
	}
	for _, name := range streamNames[1:] {
		if x.streams[name], err = device.NewStream(); err != nil {
			return nil, err
		}
	}
	for _, name := range eventNames {
		if x.events[name], err = device.NewEvent(); err != nil {
			return nil, err
		}
	}
	for name := range runnerKinds {
		if err := x.newRunner(name); err != nil {
			return nil, err
		}
	}
	for name, class := range stageClasses {
		if x.slots[name], err = exec.NewStageSlot(device, name, class); err != nil {
			return nil, err
		}
	}
	x.seeds, err = seeds.New(device, envs, seeds.Options{Base: 40})
	otherArray, otherErr := exec.FromSlice(other, []int32{0, 1, 2, 3})
	x.arrays["x0"] = otherArray
	word, wordErr := exec.NewHostArray[int32](device, 8)
	x.word = word
	return x, firstError(err, otherErr, wordErr, x.adopt())
}

// adopt registers the foreigner's streams with the library.
func (x *executor) adopt() error {
	if x.foreigner == nil {
		return nil
	}
	for _, name := range foreignNames {
		s, err := interop.StreamFor(x.device, uintptr(x.foreigner.stream(name)))
		if err != nil {
			return err
		}
		x.streams[name] = s
	}
	return nil
}

func (x *executor) newRunner(name string) error {
	kind := runnerKinds[name]
	options := exec.RunnerOptions{Capturable: kind.capturable, Legacy: kind.legacy, Name: name, MaxKeyedGraphs: maxKeys,
		Warn: func(exec.Warning) { x.warned[name]++ }}
	x.warned[name] = 0
	if kind.bound != "" {
		options.DefaultStream = x.streams[kind.bound]
	}
	r, err := exec.NewGraphRunner(x.device, options)
	x.runners[name] = r
	return err
}

// interpret executes calls.
func (x *executor) interpret(calls []call) {
	for i := range calls {
		if x.wrong != nil {
			return
		}
		c := &calls[i]
		want, skip := x.next(c)
		if !want || skip {
			continue
		}
		x.say(c, x.perform(c))
	}
}

// next compares the next call with the one that the model recorded.
func (x *executor) next(c *call) (want, skip bool) {
	if x.at == len(x.entries) || x.entries[x.at].text != c.String() {
		expected := "the end"
		if x.at < len(x.entries) {
			expected = x.entries[x.at].text
		}
		x.wrong = &mismatch{call: "what comes next", want: expected, got: c.String(), at: x.at}
		return false, false
	}
	e := &x.entries[x.at]
	x.at++
	for _, name := range e.sync {
		if err := x.streams[name].Sync(); err != nil {
			x.wrong = &mismatch{call: c.String(), want: name + " can be waited for", got: err.Error(), at: x.at}
			return false, false
		}
	}
	return true, e.skip
}

// say compares the result of a call with the model's.
func (x *executor) say(c *call, got string) {
	if x.wrong != nil {
		return
	}
	expected := "the end"
	if x.at < len(x.entries) {
		expected = x.entries[x.at].text
	}
	if expected != got {
		x.wrong = &mismatch{call: c.String(), want: expected, got: got, at: x.at}
	}
	x.at++
}

// perform makes one call.
func (x *executor) perform(c *call) string {
	families := []func(*call) (string, bool){x.performContext, x.performWork, x.performSeeds, x.performBody, x.performHost,
		x.performStream, x.performObject, x.performRunner, x.performForeign}
	for _, family := range families {
		if got, known := family(c); known {
			return got
		}
	}
	return "an unknown call"
}

// base returns the context.Context for a call.
func (x *executor) base(c *call) stdcontext.Context {
	ctx := stdcontext.Background()
	if m := x.marks[c.option("reg")]; m != nil {
		ctx = m.ctx
	}
	if name := c.option("foreign"); name != "" {
		ctx = exec.WithForeignStream(ctx, x.streams[name], c.has("capturing"))
	}
	flags := c.option("scope")
	if strings.Contains(flags, "u") {
		ctx = exec.Unconditional(ctx, true)
	}
	if strings.Contains(flags, "c") {
		ctx = exec.Conditional(ctx, true)
	}
	if strings.Contains(flags, "p") {
		ctx = exec.AllowHostPoll(ctx, true)
	}
	if ambient := x.contexts[c.option("ambient")]; ambient != nil {
		ctx = exec.With(ctx, ambient)
	}
	return ctx
}

func (x *executor) performContext(c *call) (string, bool) {
	name := c.arg(0)
	var lc *exec.LaunchContext
	var err error
	switch c.op {
	case "for":
		options := []exec.Option{exec.OnStream(x.streams[c.option("stream")]), exec.OnContext(x.contexts[c.option("on")]),
			exec.DefaultStream(x.streams[c.option("default")])}
		if c.has("badblock") {
			options = append(options, exec.Block(-1))
		}
		lc, err = exec.For(x.base(c), x.device, options...)
	case "ondefault":
		lc, err = exec.OnCurrentStream(x.device)
	case "with":
		lc = x.contexts[c.arg(1)].With(exec.Block(32), exec.MaxBlocks(1))
	case "uncond":
		lc = x.contexts[c.arg(1)].Unconditional()
	case "err":
		return class(x.contexts[name].Err()), true
	default:
		return "", false
	}
	if err == nil {
		x.contexts[name] = lc
	}
	return class(err), true
}

// array returns the array that an argument names. A closed array cannot be sliced, so the whole array stands for its
// parts.
func (x *executor) array(arg string) exec.Array[int32] {
	name, low, high := part(arg)
	a := x.arrays[name]
	if high >= 0 {
		if some, err := a.Slice(low, high); err == nil {
			return some
		}
	}
	return a
}

func (x *executor) performWork(c *call) (string, bool) {
	lc := x.contexts[c.arg(0)]
	a := x.array(c.arg(1))
	switch c.op {
	case "launch":
		l := lc.Prepare(&kernels.IncrementDef, a.Len())
		exec.Bind(l, a)
		l.Launch()
	case "chain":
		l := lc.Prepare(&kernels.ChainDef, a.Len())
		l.Int32(int32(c.int(2)))
		exec.Bind(l, a)
		l.Launch()
	case "fill":
		exec.Fill(lc, a, int32(c.int(2)))
	case "copy":
		exec.Copy(lc, a, x.array(c.arg(2)))
	default:
		return "", false
	}
	return class(lc.Err()), true
}

func (x *executor) performSeeds(c *call) (string, bool) {
	lc := x.contexts[c.arg(0)]
	a, b := x.array(c.arg(1)), x.array(c.arg(2))
	switch c.op {
	case "seed.advance":
		x.seeds.Advance(lc)
	case "seed.advancemasked":
		x.seeds.AdvanceMasked(lc, a)
	case "seed.reset":
		x.seeds.ResetEpoch(lc)
	case "seed.resetmasked":
		x.seeds.ResetEpochMasked(lc, a)
	case "seed.set":
		x.seeds.Set(lc, a)
	case "seed.ids":
		x.seeds.SetIDs(lc, a, b)
	case "seed.effective":
		x.seeds.Effective(lc, a)
	case "seed.effectivemasked":
		x.seeds.EffectiveMasked(lc, a, b)
	case "anyset":
		seeds.AnySet(lc, a, b)
	default:
		return "", false
	}
	return class(lc.Err()), true
}

// inside returns an Enqueue that makes the calls of a body with the context that the body receives.
func (x *executor) inside(c *call, name string) exec.Enqueue {
	return func(lc *exec.LaunchContext) {
		x.contexts[name] = lc
		x.interpret(c.body)
		if x.wrong != nil {
			lc.Fail(errors.New("the device and the model differ"))
		}
	}
}

func (x *executor) performBody(c *call) (string, bool) {
	lc := x.contexts[c.arg(0)]
	conditional := false
	switch c.op {
	case "skip":
		conditional = exec.SkipUnless(lc, x.array(c.arg(1)), x.inside(c, c.arg(2)))
	case "repeat":
		exec.Repeat(lc, c.int(1), x.array(c.arg(2)), x.inside(c, c.arg(3)))
	case "loop":
		body := x.inside(c, c.arg(2))
		options := exec.LoopOptions{FirstCheck: c.optionInt("first"), CheckEvery: c.optionInt("every")}
		if name := c.option("flag"); name != "" {
			options.Active = x.array(name)
		}
		exec.BoundedLoop(lc, c.int(1), func(lc *exec.LaunchContext, _ int) { body(lc) }, options)
	case "go":
		done := make(chan struct{})
		go func() {
			defer close(done)
			x.interpret(c.body)
		}()
		<-done
		return "ok", true
	default:
		return "", false
	}
	got := class(lc.Err())
	if conditional {
		got += " conditional"
	}
	return got, true
}

func (x *executor) performHost(c *call) (string, bool) {
	lc := x.contexts[c.arg(0)]
	switch c.op {
	case "stage":
		x.slots[c.arg(1)].Run(lc, func(*exec.LaunchContext) { x.interpret(c.body) })
		return class(lc.Err()), true
	case "host.read", "host.upload", "host.sync":
		h, err := lc.Host()
		if err != nil {
			return class(err), true
		}
		return x.hostOperation(c, h), true
	}
	return "", false
}

func (x *executor) hostOperation(c *call, h *exec.HostOps) string {
	a := x.array(c.arg(1))
	switch c.op {
	case "host.read":
		value, err := h.ReadInt32(a, c.int(2))
		if err != nil {
			return class(err)
		}
		return fmt.Sprint("ok ", value)
	case "host.upload":
		data := make([]int32, a.Len())
		for i := range data {
			data[i] = int32(c.int(2) + i)
		}
		return class(exec.Upload(h, a, data, x.word))
	default:
		return class(h.Sync())
	}
}
