package exec

import (
	"fmt"
	"math"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// Launcher collects the arguments of one launch in the order of the kernel's parameters, checks them against its
// definition and emits the launch. Generated launchers use it. It is part of its LaunchContext and is reused, so that a
// launch allocates nothing. The nil Launcher ignores everything.
type Launcher struct {
	lc    *LaunchContext
	def   *kernel.Def // nil between launches
	n     int
	dead  bool // the launch will not happen: an error is recorded in lc
	param int  // index of the next parameter

	bufferCount int
	scalarCount int
	buffers     [kernel.MaxBuffers]backend.View
	memories    [kernel.MaxBuffers]*memory
	bufferParam [kernel.MaxBuffers]int // index in def.Params
	scalars     [kernel.MaxScalars]uint32
}

// Prepare begins a launch of def with n threads or n groups. n may be 0: the launch is checked and emits nothing. One
// call per parameter and Launch must follow.
func (lc *LaunchContext) Prepare(def *kernel.Def, n int) *Launcher {
	if lc == nil {
		return nil
	}
	l := &lc.launcher
	unfinished := l.def
	l.lc, l.def, l.n = lc, def, n
	l.param, l.bufferCount, l.scalarCount = 0, 0, 0
	l.dead = false
	switch {
	case def == nil:
		l.fail(&backend.ArgumentError{Op: "launch", Argument: "kernel", Value: nil, Allowed: "a kernel.Def"})
	case unfinished != nil:
		l.fail(&backend.ArgumentError{Op: "launch " + def.Name, Argument: "previous launch", Value: unfinished.Name,
			Allowed: "Prepare followed by Launch"})
	case !lc.accepts("launch"):
		l.dead = true
	}
	return l
}

// Bind sets the next parameter, which is a buffer.
func Bind[T kernel.Element](l *Launcher, a Array[T]) {
	p := l.next(true, kernel.TypeOf[T]())
	if p == nil {
		return
	}
	if a.memory == nil || a.memory.closed.Load() || a.memory.device != l.lc.device {
		l.fail(a.checkOn(l.op(), p.Name, l.lc.device))
		return
	}
	i := l.bufferCount
	l.buffers[i] = a.View()
	l.memories[i] = a.memory
	l.bufferParam[i] = l.param - 1
	l.bufferCount++
}

// Int32 sets the next parameter, which is a scalar.
func (l *Launcher) Int32(v int32) { l.scalar(kernel.Int32, uint32(v)) }

// Uint32 sets the next parameter, which is a scalar.
func (l *Launcher) Uint32(v uint32) { l.scalar(kernel.Uint32, v) }

// Float32 sets the next parameter, which is a scalar.
func (l *Launcher) Float32(v float32) { l.scalar(kernel.Float32, math.Float32bits(v)) }

func (l *Launcher) scalar(t kernel.Type, bits uint32) {
	if l.next(false, t) == nil {
		return
	}
	l.scalars[l.scalarCount] = bits
	l.scalarCount++
}

// next returns the next parameter if it has the given kind and type. Otherwise it records the error and returns nil.
func (l *Launcher) next(buffer bool, t kernel.Type) *kernel.Param {
	if l == nil || l.dead || l.def == nil {
		return nil
	}
	if l.param >= len(l.def.Params) {
		l.fail(&backend.ArgumentError{Op: l.op(), Argument: "number of arguments", Value: l.param + 1,
			Allowed: fmt.Sprint(len(l.def.Params))})
		return nil
	}
	p := &l.def.Params[l.param]
	if p.Buffer != buffer || p.Type != t {
		l.fail(&backend.ArgumentError{Op: l.op(), Argument: p.Name, Value: typeText(buffer, t),
			Allowed: typeText(p.Buffer, p.Type)})
		return nil
	}
	if buffer && l.bufferCount == kernel.MaxBuffers || !buffer && l.scalarCount == kernel.MaxScalars {
		l.fail(&backend.ArgumentError{Op: l.op(), Argument: p.Name, Value: "beyond the limits of a kernel",
			Allowed: fmt.Sprintf("%d buffers and %d scalars", kernel.MaxBuffers, kernel.MaxScalars)})
		return nil
	}
	l.param++
	return p
}

func typeText(buffer bool, t kernel.Type) string {
	if buffer {
		return "[]" + t.String()
	}
	return t.String()
}

// Launch runs the checks that need all arguments, and emits the launch.
func (l *Launcher) Launch() {
	if l == nil || l.def == nil {
		return
	}
	def := l.def
	if !l.dead {
		l.emit()
	}
	if l.def == def {
		l.def = nil
	}
}

func (l *Launcher) emit() {
	lc := l.lc
	if l.param != len(l.def.Params) {
		l.fail(&backend.ArgumentError{Op: l.op(), Argument: "number of arguments", Value: l.param,
			Allowed: fmt.Sprint(len(l.def.Params))})
		return
	}
	if limit := lc.maxItems(); l.n < 0 || int64(l.n) > limit {
		l.fail(&backend.ArgumentError{Op: l.op(), Argument: "n", Value: l.n, Allowed: fmt.Sprintf("0 to %d", limit)})
		return
	}
	if !l.disjoint() {
		return
	}
	if lc.arrays != nil {
		for _, m := range l.memories[:l.bufferCount] {
			lc.arrays.add(m)
		}
	}
	if l.n == 0 {
		return
	}
	err := lc.stream.Launch(l.def, backend.Launch{
		N:         int32(l.n),
		Buffers:   l.buffers[:l.bufferCount],
		Scalars:   l.scalars[:l.scalarCount],
		Block:     lc.launch.block,
		MaxBlocks: lc.launch.maxBlocks,
	})
	if err != nil {
		l.fail(inLaunch(l.def.Name, err))
	}
}

// disjoint checks that no two buffers overlap unless both are read only. Backends rely on it.
func (l *Launcher) disjoint() bool {
	for i := 1; i < l.bufferCount; i++ {
		for k := range i {
			if !l.memories[i].mayShare(l.memories[k]) {
				continue
			}
			a, b := &l.def.Params[l.bufferParam[k]], &l.def.Params[l.bufferParam[i]]
			if (a.Access|b.Access)&kernel.Write != 0 &&
				overlap(l.memories[i], l.memories[k], l.buffers[i], l.buffers[k]) {
				l.fail(&backend.ArgumentError{Op: l.op(), Argument: b.Name,
					Value:   "an array that overlaps " + a.Name + l.memories[i].places(l.memories[k], l.buffers[i], l.buffers[k]),
					Allowed: "arrays that are disjoint or only read"})
				return false
			}
		}
	}
	return true
}

// maxItems returns the largest n of a launch.
func (lc *LaunchContext) maxItems() int64 {
	if limit := lc.caps.MaxItems; limit > 0 && limit < math.MaxInt32 {
		return limit
	}
	return math.MaxInt32
}

func (l *Launcher) op() string { return "launch " + l.def.Name }

func (l *Launcher) fail(err error) {
	l.dead = true
	l.lc.Fail(err)
}
