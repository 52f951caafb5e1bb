package main

// #include "library.h"
import "C"

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"unsafe"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/suggest"
)

const aProducer = "a producer (tg_new)"

// producer is an object that fills arrays. Each kind has a file. Methods that a kind has not are those of lacking.
type producer interface {
	object
	base() *producing

	config() (json.RawMessage, error)
	results() []result
	generate(ctx context.Context) error
	regenerate(ctx context.Context, mask exec.Array[int32], sameEpoch bool) error
	reset(ctx context.Context, mask exec.Array[int32]) error
	bind(name string, input exec.Array[float32]) error
	step(ctx context.Context) error
	stepActions(ctx context.Context, actions exec.Array[float32]) error
	setSeeds(ctx context.Context, values []int32) error
	setEpoch(ctx context.Context, epoch int32) error
	close() error
}

// lacking are the methods of a producer of the named kind that it has not.
type lacking string

func (k lacking) missing(op string) error {
	return &backend.UnsupportedError{Device: "a producer of the kind " + string(k), Op: op,
		Reason: "tg_kinds lists what each kind can do"}
}

func (k lacking) reset(context.Context, exec.Array[int32]) error { return k.missing("reset") }
func (k lacking) bind(string, exec.Array[float32]) error         { return k.missing("bind an array") }
func (k lacking) step(context.Context) error                     { return k.missing("step") }
func (k lacking) stepActions(context.Context, exec.Array[float32]) error {
	return k.missing("step with actions")
}
func (k lacking) generate(context.Context) error        { return k.missing("generate") }
func (k lacking) setEpoch(context.Context, int32) error { return k.missing("set the epoch") }

// producing is what all producers have in common.
type producing struct {
	lifetime
	kind   string
	device *device
	busy   sync.Mutex // held by the call that uses the producer
	found  []result
	index  map[string]int
	bound  map[string]*array // inputs of tg_bind, with a use each
}

func (p *producing) base() *producing { return p }
func (p *producing) what() string     { return p.kind }
func (p *producing) on() *device      { return p.device }

// begin makes a producer that is complete ready for calls.
func begin(p producer, d *device) C.tg_handle {
	base := p.base()
	base.device, base.found, base.bound = d, p.results(), make(map[string]*array)
	base.index = make(map[string]int, len(base.found))
	for i, r := range base.found {
		base.index[r.name] = i
	}
	base.lifetime = newLifetime(func() error {
		err := p.close()
		for _, input := range base.bound {
			drop(input)
		}
		return err
	})
	return objects.add(p)
}

// enter makes the call the only one that uses the producer, until leave. The device stays open until then.
func (p *producing) enter() error {
	if !p.busy.TryLock() {
		return fmt.Errorf("%s: another thread is using it: %w", p.kind, exec.ErrConcurrentUse)
	}
	if err := p.device.enter(); err != nil {
		p.busy.Unlock()
		return err
	}
	return nil
}

// leave ends the use of enter.
func (p *producing) leave() {
	drop(p.device)
	p.busy.Unlock()
}

// use runs work with a producer and a context of its device, as the only call that uses the producer.
func use(handle, in C.tg_handle, work func(p producer, l *launch) error) error {
	p, err := acquire[producer](handle, "producer", aProducer)
	if err != nil {
		return err
	}
	defer drop(p)
	if err := p.base().enter(); err != nil {
		return err
	}
	defer p.base().leave()
	l, err := launchOn(in, p.base().device)
	if err != nil {
		return err
	}
	defer l.leave()
	return work(p, l)
}

// inputOf returns the elements of an array of the caller as those of type T, with one more use of the array, which the
// caller drops. handle must not be 0.
func inputOf[T int32 | float32](handle C.tg_handle, argument string, kind C.int32_t, d *device) (elements exec.Array[T],
	a *array, err error) {
	a, err = acquire[*array](handle, argument, anArray)
	if err != nil {
		return elements, nil, err
	}
	switch {
	case a.device != d:
		err = &exec.DeviceMismatchError{Op: "find object", Argument: argument, Have: a.device.Info().Name,
			Want: d.Info().Name}
	case a.kind != kind:
		err = &backend.ArgumentError{Op: "find object", Argument: argument, Value: "an array of " + typeName(a.kind),
			Allowed: "an array of " + typeName(kind)}
	default:
		elements, err = exec.Reinterpret[T](a.words)
	}
	if err != nil {
		drop(a)
		return elements, nil, err
	}
	return elements, a, nil
}

// typeName is the name of a tg_type.
func typeName(kind C.int32_t) string { return elementTypes[kind].String() }

// masked runs work with a mask, the zero array for the handle 0.
func masked(handle C.tg_handle, d *device, work func(mask exec.Array[int32]) error) error {
	if handle == 0 {
		return work(exec.Array[int32]{})
	}
	mask, a, err := inputOf[int32](handle, "mask", C.TG_INT32, d)
	if err != nil {
		return err
	}
	defer drop(a)
	return work(mask)
}

// kindOf returns the kind with a name.
func kindOf(name string) (*kind, error) {
	var names []string
	for i := range kinds {
		if kinds[i].Name == name {
			return &kinds[i], nil
		}
		names = append(names, kinds[i].Name)
	}
	return nil, &backend.ArgumentError{Op: "find kind of producer", Argument: "kind", Value: name,
		Allowed: "tracks, gates, course or race" + suggest.Phrase(name, names)}
}

// generationOptions returns the options of generators that the struct of the header says.
func generationOptions(options *C.tg_new_options) ([]generation.Option, error) {
	list := []generation.Option{generation.WithWarnings(warnings.add)}
	if options == nil {
		return list, nil
	}
	const op = "new producer"
	switch {
	case options.size != C.sizeof_tg_new_options:
		return nil, wrongSize(op, "options", options.size, C.sizeof_tg_new_options)
	case options.seeds != nil:
		seeds, err := numbersOf(op, "seeds", C.tgi_int32s(options.seeds), options.seed_count)
		if err != nil {
			return nil, err
		}
		list = append(list, generation.WithSeeds(seeds))
	default:
		list = append(list, generation.WithSeed(int32(options.seed)))
	}
	return append(list, generation.WithEpoch(int32(options.epoch))), nil
}

// numbersOf copies numbers of the caller.
func numbersOf(op, argument string, numbers C.tgi_int32s, count C.int64_t) ([]int32, error) {
	if count < 0 || count > exec.MaxElements {
		return nil, &backend.ArgumentError{Op: op, Argument: argument + " count", Value: int64(count),
			Allowed: fmt.Sprintf("0 to %d", exec.MaxElements)}
	}
	if numbers == nil {
		if count > 0 {
			return nil, missingPointer(op, argument)
		}
		return nil, nil
	}
	return append([]int32(nil), unsafe.Slice((*int32)(unsafe.Pointer(numbers)), count)...), nil
}

//export tgo_new
func tgo_new(handle C.tg_handle, name, config C.tgi_text, options C.tgi_new_options, in C.tg_handle,
	out *C.tg_handle) C.int32_t {
	const op = "new producer"
	return call(func() error {
		if out == nil {
			return missingPointer(op, "producer")
		}
		kind, text, err := configOf(op, name, config)
		if err != nil {
			return err
		}
		with, err := generationOptions((*C.tg_new_options)(options))
		if err != nil {
			return err
		}
		return onDevice(handle, in, func(d *device, l *launch) error {
			with, err := l.with(with)
			if err != nil {
				return err
			}
			p, err := kind.make(d, text, with)
			if err != nil {
				return err
			}
			*out = begin(p, d)
			return nil
		})
	})
}

//export tgo_config
func tgo_config(handle C.tg_handle, json **C.char) C.int32_t {
	return call(func() error {
		if json == nil {
			return missingPointer("configuration", "json")
		}
		return use(handle, 0, func(p producer, _ *launch) error {
			text, err := p.config()
			if err != nil {
				return err
			}
			return setJSON(json, text)
		})
	})
}

//export tgo_generate
func tgo_generate(handle, in C.tg_handle) C.int32_t {
	return call(func() error {
		return use(handle, in, func(p producer, l *launch) error {
			return l.run(func(ctx context.Context) error { return p.generate(ctx) })
		})
	})
}

//export tgo_regenerate
func tgo_regenerate(handle, mask C.tg_handle, sameEpoch C.int32_t, in C.tg_handle) C.int32_t {
	return call(func() error {
		return use(handle, in, func(p producer, l *launch) error {
			return masked(mask, p.base().device, func(mask exec.Array[int32]) error {
				return l.run(func(ctx context.Context) error { return p.regenerate(ctx, mask, sameEpoch != 0) })
			})
		})
	})
}

//export tgo_reset
func tgo_reset(handle, mask, in C.tg_handle) C.int32_t {
	return call(func() error {
		return use(handle, in, func(p producer, l *launch) error {
			return masked(mask, p.base().device, func(mask exec.Array[int32]) error {
				return l.run(func(ctx context.Context) error { return p.reset(ctx, mask) })
			})
		})
	})
}

//export tgo_bind
func tgo_bind(handle C.tg_handle, name C.tgi_text, array C.tg_handle) C.int32_t {
	return call(func() error {
		text, err := textOf("bind", "name", name)
		if err != nil {
			return err
		}
		return use(handle, 0, func(p producer, _ *launch) error {
			base := p.base()
			elements, a, err := inputOf[float32](array, text, C.TG_FLOAT32, base.device)
			if err != nil {
				return err
			}
			if err := p.bind(text, elements); err != nil {
				drop(a)
				return err
			}
			if before := base.bound[text]; before != nil {
				drop(before)
			}
			base.bound[text] = a
			return nil
		})
	})
}

//export tgo_step
func tgo_step(handle, in C.tg_handle) C.int32_t {
	return call(func() error {
		return use(handle, in, func(p producer, l *launch) error {
			return l.run(func(ctx context.Context) error { return p.step(ctx) })
		})
	})
}

//export tgo_step_actions
func tgo_step_actions(handle, actions, in C.tg_handle) C.int32_t {
	return call(func() error {
		return use(handle, in, func(p producer, l *launch) error {
			elements, a, err := inputOf[float32](actions, "actions", C.TG_FLOAT32, p.base().device)
			if err != nil {
				return err
			}
			defer drop(a)
			return l.run(func(ctx context.Context) error { return p.stepActions(ctx, elements) })
		})
	})
}

//export tgo_set_seeds
func tgo_set_seeds(handle C.tg_handle, seeds C.tgi_int32s, count C.int64_t, in C.tg_handle) C.int32_t {
	return call(func() error {
		values, err := numbersOf("set seeds", "seeds", seeds, count)
		if err != nil {
			return err
		}
		return use(handle, in, func(p producer, l *launch) error {
			return l.run(func(ctx context.Context) error { return p.setSeeds(ctx, values) })
		})
	})
}

//export tgo_set_epoch
func tgo_set_epoch(handle C.tg_handle, epoch C.int32_t, in C.tg_handle) C.int32_t {
	return call(func() error {
		return use(handle, in, func(p producer, l *launch) error {
			return l.run(func(ctx context.Context) error { return p.setEpoch(ctx, int32(epoch)) })
		})
	})
}
