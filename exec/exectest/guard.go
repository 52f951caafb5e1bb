package exectest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec/internal/seam"
	"github.com/trackgen-go/trackgen/internal/goroutine"
)

// libraryModule is the import path of this module.
const libraryModule = "github.com/trackgen-go/trackgen"

// Options configure a guard.
type Options struct {
	// Modules are the import-path prefixes of the packages that the stream category watches; none means those of this
	// library. A prefix covers the package and everything below it.
	Modules []string
	// Allow lists uses of the host that are let through and listed separately.
	Allow []Key
	// Recording lets every call through and lists the violations. Without it the guard is strict: it refuses the call with
	// a *Violation, and the call does nothing.
	Recording bool
}

// Guard watches the hot path on one device. It can be reused, by one goroutine at a time.
type Guard struct {
	device  *Device
	options Options
	watches [categories]bool

	mutex      sync.Mutex
	running    bool
	violations []*Violation
	allowed    []*Violation
	sanctioned []*Violation
	checks     [categories]int
	buffers    []backend.Buffer

	locals map[uint64]*local // by goroutine
}

// local is the guard's state of one goroutine.
type local struct {
	token    seam.Token // for what purpose package exec waits
	enqueues []enqueue  // those that are emitting, outermost first
}

// enqueue is an enqueue that is emitting on the stream of the context that it received.
type enqueue struct {
	seam.Enqueue
	stream *instrumentedStream
}

// inHostStage reports whether the innermost emitting stage is a HOST stage.
func (l *local) inHostStage() bool {
	for i := len(l.enqueues) - 1; i >= 0; i-- {
		if e := &l.enqueues[i]; e.InStage {
			return e.Host
		}
	}
	return false
}

// here returns the state of this goroutine. The caller holds g.mutex.
func (g *Guard) here() *local {
	id := goroutine.ID()
	l := g.locals[id]
	if l == nil {
		l = new(local)
		g.locals[id] = l
	}
	return l
}

// New returns a guard that watches the given categories, or all of them if none is given.
func New(device *Device, options Options, watched ...Category) (*Guard, error) {
	if device == nil {
		return nil, errors.New("exectest: the device of a guard is nil: instrument one")
	}
	g := &Guard{device: device, options: options}
	g.options.Modules = append([]string(nil), options.Modules...)
	if len(g.options.Modules) == 0 {
		g.options.Modules = []string{libraryModule}
	}
	for _, c := range watched {
		if c >= categories {
			return nil, fmt.Errorf("exectest: %v is no category", c)
		}
		g.watches[c] = true
	}
	if len(watched) == 0 {
		g.watches = [categories]bool{true, true, true, true}
	}
	return g, nil
}

// must is for factories whose categories are valid.
func must(g *Guard, err error) *Guard {
	if err != nil {
		panic(err) // the test passed a nil device
	}
	return g
}

// HotPath returns a guard of all four categories. It panics if device is nil, as the other factories do.
func HotPath(device *Device, options Options) *Guard { return must(New(device, options)) }

// NoHostSync returns a guard of the host_sync category.
func NoHostSync(device *Device, options Options) *Guard { return must(New(device, options, HostSync)) }

// NoAllocation returns a guard of the allocation category.
func NoAllocation(device *Device, options Options) *Guard {
	return must(New(device, options, Allocation))
}

// StreamExplicit returns a guard of the stream category.
func StreamExplicit(device *Device, options Options) *Guard {
	return must(New(device, options, Stream))
}

// ErrRunning is returned by Do if the guard is already running.
var ErrRunning = errors.New("exectest: the guard is running already")

var errNothing = errors.New("exectest: the guard, its context and what it watches are not nil")

type guardKey struct{}

// Do runs fn under the guard, which first forgets what it saw before. It watches this goroutine; Join adds other
// goroutines that fn passes its context to. Allocations are watched on every goroutine (D19). Debug syncs are off
// meanwhile.
//
// It returns the error of fn. If there is none and the guard is strict, it returns the first violation, even if fn
// swallowed it. A panic of fn propagates and leaves the guard usable.
func (g *Guard) Do(ctx context.Context, fn func(ctx context.Context) error) error {
	if g == nil || ctx == nil || fn == nil {
		return errNothing
	}
	g.mutex.Lock()
	if g.running {
		g.mutex.Unlock()
		return ErrRunning
	}
	g.running = true
	g.violations, g.allowed, g.sanctioned, g.buffers = nil, nil, nil, nil
	g.checks, g.locals = [categories]int{}, map[uint64]*local{}
	g.mutex.Unlock()
	defer func() {
		g.mutex.Lock()
		defer g.mutex.Unlock()
		g.running = false
	}()
	if g.watches[HostSync] {
		defer seam.SuppressDebugSync()() // R133
	}
	defer g.device.watch.enter(g)()
	err := fn(context.WithValue(ctx, guardKey{}, g))
	if err != nil || g.options.Recording {
		return err
	}
	return g.Err()
}

// Join runs fn on this goroutine under the guard whose Do created ctx, if there is one.
func Join(ctx context.Context, fn func(ctx context.Context) error) error {
	if ctx == nil || fn == nil {
		return errNothing
	}
	g, ok := ctx.Value(guardKey{}).(*Guard)
	if !ok {
		return fn(ctx)
	}
	defer g.device.watch.enter(g)()
	return fn(ctx)
}

// observe counts a call and records it if it is a violation. It returns the violation if the call is refused.
func (g *Guard) observe(c Category, api, detail string) error {
	if !g.watches[c] {
		return nil
	}
	p := callers()
	at := p.site
	if c == Capture {
		at = p.direct
	}
	return g.classify(c, api, detail, at, p)
}

// observeDirect is observe for calls that count only if a watched package makes them directly (C18).
func (g *Guard) observeDirect(c Category, api, detail string) error {
	if !g.watches[c] {
		return nil
	}
	p := callers()
	if p.direct.runtime() || !g.probes(p.direct) {
		g.count(c)
		return nil
	}
	return g.classify(c, api, detail, p.direct, p)
}

// observeEmission checks the stream on which something is emitted, and the emitter (R122, R136).
func (g *Guard) observeEmission(s *instrumentedStream, api string) error {
	if !g.watches[Stream] {
		return nil
	}
	g.mutex.Lock()
	var own *instrumentedStream
	if enqueues := g.here().enqueues; len(enqueues) > 0 {
		own = enqueues[len(enqueues)-1].stream
	}
	g.mutex.Unlock()
	p := callers()
	switch {
	case own != nil && s.root != own && g.probes(p.site):
		return g.classify(Stream, api, "on another stream than that of the context", p.site, p)
	case !p.direct.runtime() && g.probes(p.direct):
		return g.classify(Stream, api, "past the launch context", p.direct, p)
	}
	g.count(Stream)
	return nil
}

// probes reports whether the stream category watches the frame's package.
func (g *Guard) probes(f frame) bool {
	for _, prefix := range g.options.Modules {
		if covers(prefix, f.module) {
			return true
		}
	}
	return false
}

func (g *Guard) count(c Category) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.checks[c]++
}

// classify decides whether a call is sanctioned, allowed or a violation (R127).
func (g *Guard) classify(c Category, api, detail string, at frame, p path) error {
	v := &Violation{Category: c, API: api, Site: at.String(), Key: Key{API: api, Module: at.module, Function: at.function},
		Detail: detail}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.checks[c]++
	if c == HostSync {
		if g.sanctions(p) {
			g.sanctioned = append(g.sanctioned, v)
			return nil
		}
		for _, key := range g.options.Allow {
			if key == v.Key {
				g.allowed = append(g.allowed, v)
				return nil
			}
		}
	}
	g.violations = append(g.violations, v)
	if g.options.Recording {
		return nil
	}
	return v
}

// pollSite is the only function of package exec that reads the flag of a loop; hostSites are the host operations.
const pollSite = "(*LaunchContext).pollFlag"

var hostSites = []string{"(*HostOps).", "Readback", "Upload", "UploadComponents"}

// sanctions reports whether a host sync is one of the two that the contract permits (R126). It requires the token,
// which only package exec can set, and the function that set it. For host operations it also requires that a HOST stage
// is emitting. The caller holds g.mutex.
func (g *Guard) sanctions(p path) bool {
	here := g.here()
	for _, f := range p.exec {
		switch here.token {
		case seam.Poll:
			if f.function == pollSite {
				return true
			}
		case seam.HostOps:
			if !here.inHostStage() {
				return false
			}
			for _, site := range hostSites {
				if f.function == site || strings.HasSuffix(site, ".") && strings.HasPrefix(f.function, site) {
					return true
				}
			}
		}
	}
	return false
}

func (g *Guard) sanction(token seam.Token) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.here().token = token
}

// enterEnqueue notes that an enqueue begins to emit.
func (g *Guard) enterEnqueue(e enqueue) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	l := g.here()
	l.enqueues = append(l.enqueues, e)
}

// observeLineage checks the context through which work is emitted on s: inside an enqueue it must be derived from the
// one that the enqueue received (R136). observeEmission checks contexts on other streams.
func (g *Guard) observeLineage(s *instrumentedStream, lineage any) error {
	if !g.watches[Stream] {
		return nil
	}
	g.mutex.Lock()
	enqueues := g.here().enqueues
	astray := false
	if n := len(enqueues); n > 0 {
		astray = enqueues[n-1].stream == s.root && enqueues[n-1].Lineage != lineage
	}
	g.mutex.Unlock()
	if !astray {
		return nil
	}
	p := callers()
	if !g.probes(p.site) {
		return nil
	}
	return g.classify(Stream, "LaunchContext", "another context than the one that the enqueue received", p.site, p)
}

func (g *Guard) leaveEnqueue() {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if l := g.here(); len(l.enqueues) > 0 {
		l.enqueues = l.enqueues[:len(l.enqueues)-1]
	}
}

// observeQuestion checks who asks the device for a stream inside an enqueue, which already has one (R136).
func (g *Guard) observeQuestion(api string, p path) {
	g.mutex.Lock()
	inside := len(g.here().enqueues) > 0
	g.mutex.Unlock()
	switch {
	case !inside || !g.watches[Stream]:
	case g.probes(p.site):
		_ = g.classify(Stream, api, "inside an enqueue", p.site, p)
	default:
		g.count(Stream)
	}
}

// keep lists a buffer that was allocated while a guard was watching.
func (g *Guard) keep(b backend.Buffer) {
	if !g.watches[Allocation] {
		return
	}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.buffers = append(g.buffers, b)
}

func (g *Guard) list(from *[]*Violation) []*Violation {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return append([]*Violation(nil), *from...)
}

// Violations returns the violations of the last Do, in order.
func (g *Guard) Violations() []*Violation { return g.list(&g.violations) }

// Allowed returns the uses of the host that Options.Allow let through.
func (g *Guard) Allowed() []*Violation { return g.list(&g.allowed) }

// Sanctioned returns the reads of loop flags and the host operations of HOST stages.
func (g *Guard) Sanctioned() []*Violation { return g.list(&g.sanctioned) }

// Allocated returns the device buffers allocated in recording mode; they stay open.
func (g *Guard) Allocated() []backend.Buffer {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return append([]backend.Buffer(nil), g.buffers...)
}

// Checks returns how many calls of a category the guard checked.
func (g *Guard) Checks(c Category) int {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if c >= categories {
		return 0
	}
	return g.checks[c]
}

// Modules returns the import-path prefixes that the stream category watches.
func (g *Guard) Modules() []string { return append([]string(nil), g.options.Modules...) }

// Allow returns the allow keys.
func (g *Guard) Allow() []Key { return append([]Key(nil), g.options.Allow...) }

// Strict reports whether violations are refused.
func (g *Guard) Strict() bool { return !g.options.Recording }

// OK reports whether there was no violation.
func (g *Guard) OK() bool { return len(g.Violations()) == 0 }

// Of returns the violations of one category, or an error for an invalid category.
func (g *Guard) Of(c Category) ([]*Violation, error) {
	if c >= categories {
		return nil, fmt.Errorf("exectest: %v is no category", c)
	}
	var of []*Violation
	for _, v := range g.Violations() {
		if v.Category == c {
			of = append(of, v)
		}
	}
	return of, nil
}

// Err returns the first violation, nil if there is none.
func (g *Guard) Err() error {
	if all := g.Violations(); len(all) > 0 {
		return all[0]
	}
	return nil
}

// Report returns the violations by category, each with a hint.
func (g *Guard) Report() string {
	if g.OK() {
		return "The hot path kept its contract."
	}
	var b strings.Builder
	for c := range categories {
		of, _ := g.Of(c)
		if len(of) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s: %d; %s\n", c, len(of), c.hint())
		for _, v := range of {
			fmt.Fprintf(&b, "  %s\n", v)
		}
	}
	return b.String()
}
