package main

// #include "library.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/interop"
)

const aGraph = "a graph (tg_graph_new), or 0"

// graph stands for a graph of another library. It keeps what was retained on it, and what was recorded into it.
type graph struct {
	lifetime
	recorded interop.Graph

	mutex  sync.Mutex
	closed bool
	owners map[object]bool // with a use each
}

func (g *graph) what() string { return "a graph" }

// release ends the uses of the owners.
func (g *graph) release() error {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	err := g.recorded.Close()
	for owner := range g.owners {
		err = errors.Join(err, owner.life().drop())
	}
	g.closed, g.owners = true, nil
	return err
}

// retain keeps an object as it is until the graph is closed, also after tg_close of the object.
func (g *graph) retain(o object) error {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.closed {
		return closedError("graph was closed")
	}
	if !g.owners[o] {
		o.life().use()
		g.owners[o] = true
	}
	return nil
}

//export tgo_graph_new
func tgo_graph_new(out *C.tg_handle) C.int32_t {
	return call(func() error {
		if out == nil {
			return missingPointer("new graph", "graph")
		}
		g := &graph{owners: make(map[object]bool)}
		g.lifetime = newLifetime(g.release)
		*out = objects.add(g)
		return nil
	})
}

//export tgo_retain
func tgo_retain(handle, owner C.tg_handle) C.int32_t {
	return call(func() error {
		g, err := acquire[*graph](handle, "graph", "a graph (tg_graph_new)")
		if err != nil {
			return err
		}
		defer drop(g)
		o, err := objects.find(owner, "owner", "an array, a producer or a driver")
		if err != nil {
			return err
		}
		defer drop(o)
		switch o.(type) {
		case *array, producer:
			return g.retain(o)
		}
		return &backend.ArgumentError{Op: "retain", Argument: "owner", Value: fmt.Sprintf("handle %d, %s", owner, o.what()),
			Allowed: "an array, a producer or a driver"}
	})
}

// register makes a context whose work is recorded into the capture of another library on the stream of l.
func register(l *launch, keep *graph, mode C.int32_t, conditional bool) (*launch, error) {
	const op = "register capture"
	if mode < 0 || mode > 2 {
		return nil, &backend.ArgumentError{Op: op, Argument: "mode", Value: int32(mode),
			Allowed: "0 global, 1 thread-local or 2 relaxed"}
	}
	options := interop.Options{Mode: []exec.ForeignMode{exec.ForeignGlobal, exec.ForeignThreadLocal,
		exec.ForeignRelaxed}[mode], Conditional: conditional}
	if keep != nil {
		options.Graph = &keep.recorded
	}
	if !l.hasStream {
		return nil, &backend.ArgumentError{Op: op, Argument: "context", Value: "a context without a stream",
			Allowed: "one with the stream that is being captured (has_stream)"}
	}
	ctx, registration, err := interop.Register(l.ctx, l.device.Device, l.stream, options)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	made := &launch{device: l.device, ctx: ctx, cancel: cancel, guard: l.guard, hasStream: true, stream: l.stream,
		registration: registration}
	made.lifetime = newLifetime(made.release)
	return made, nil
}

//export tgo_register
func tgo_register(in, graphHandle C.tg_handle, mode, conditional C.int32_t, out *C.tg_handle) C.int32_t {
	return call(func() error {
		if out == nil {
			return missingPointer("register capture", "registered")
		}
		l, err := acquire[*launch](in, "context", "a context (tg_context_new)")
		if err != nil {
			return err
		}
		defer drop(l)
		if err := l.device.enter(); err != nil {
			return err
		}
		defer drop(l.device)
		var keep *graph
		if graphHandle != 0 {
			if keep, err = acquire[*graph](graphHandle, "graph", aGraph); err != nil {
				return err
			}
			defer drop(keep)
		}
		registered, err := register(l, keep, mode, conditional != 0)
		if err != nil {
			return err
		}
		*out = objects.add(registered)
		return nil
	})
}

//export tgo_registration_end
func tgo_registration_end(handle C.tg_handle) C.int32_t {
	return call(func() error {
		l, err := acquire[*launch](handle, "registered", "a context of tg_register")
		if err != nil {
			return err
		}
		defer drop(l)
		if l.registration == nil {
			return &backend.ArgumentError{Op: "end registration", Argument: "registered", Value: "a context of tg_context_new",
				Allowed: "a context of tg_register"}
		}
		l.registration.End()
		return nil
	})
}

//export tgo_release_streams
func tgo_release_streams(handle C.tg_handle) C.int32_t {
	return call(func() error {
		d, err := acquire[*device](handle, "device", aDevice)
		if err != nil {
			return err
		}
		defer drop(d)
		return interop.Release(d.Device)
	})
}
