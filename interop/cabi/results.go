package main

// #include "library.h"
import "C"

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/suggest"
)

// give describes a result and gives it a handle, which keeps the memory.
func give(p producer, r result, out *C.tg_array) error {
	base := p.base()
	if err := base.device.enter(); err != nil {
		return err
	}
	defer drop(base.device)
	words, err := r.words.Retain()
	if err != nil {
		return err
	}
	a := &array{device: base.device, words: words, kind: r.kind, shape: r.shape, readOnly: true, name: r.name,
		unit: r.unit, doc: r.doc}
	a.give(out)
	return nil
}

// giveResult runs choose with a producer and gives the result that it returns.
func giveResult(handle C.tg_handle, out *C.tg_array, choose func(p *producing) (result, error)) C.int32_t {
	return call(func() error {
		if err := checkArrayStruct("result", "result", out); err != nil {
			return err
		}
		p, err := acquire[producer](handle, "producer", aProducer)
		if err != nil {
			return err
		}
		defer drop(p)
		r, err := choose(p.base())
		if err != nil {
			return err
		}
		return give(p, r, out)
	})
}

//export tgo_result_count
func tgo_result_count(handle C.tg_handle, count *C.int32_t) C.int32_t {
	return call(func() error {
		if count == nil {
			return missingPointer("count results", "count")
		}
		p, err := acquire[producer](handle, "producer", aProducer)
		if err != nil {
			return err
		}
		defer drop(p)
		*count = C.int32_t(len(p.base().found))
		return nil
	})
}

//export tgo_result_at
func tgo_result_at(handle C.tg_handle, index C.int32_t, out *C.tg_array) C.int32_t {
	return giveResult(handle, out, func(p *producing) (result, error) {
		if index < 0 || int(index) >= len(p.found) {
			return result{}, &backend.ArgumentError{Op: "result", Argument: "index", Value: int32(index),
				Allowed: fmt.Sprintf("0 to %d", len(p.found)-1)}
		}
		return p.found[index], nil
	})
}

//export tgo_result
func tgo_result(handle C.tg_handle, name C.tgi_text, out *C.tg_array) C.int32_t {
	return giveResult(handle, out, func(p *producing) (result, error) {
		text, err := textOf("result", "name", name)
		if err != nil {
			return result{}, err
		}
		i, known := p.index[text]
		if !known {
			return result{}, &backend.ArgumentError{Op: "result", Argument: "name", Value: text,
				Allowed: fmt.Sprintf("one of the %d results of %s, which tg_result_at lists%s", len(p.found), p.kind,
					suggest.Phrase(text, p.names()))}
		}
		return p.found[i], nil
	})
}

// names lists the names of the results.
func (p *producing) names() []string {
	list := make([]string, len(p.found))
	for i, r := range p.found {
		list[i] = r.name
	}
	return list
}
