package main

// #include "library.h"
import "C"

import (
	"strings"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// result is an array that a producer fills.
type result struct {
	name, unit, doc string

	words exec.Array[uint32]
	kind  C.int32_t // tg_type
	shape []int64
}

// resultList collects the results of a producer.
type resultList struct {
	envs int
	list []result
}

// columns adds the columns of a part that the producer has. per is the number of elements per env of columns that have
// more than one.
func (l *resultList) columns(part string, columns []column.Device, per ...int) {
	for _, c := range columns {
		if c.IsAbsent() {
			continue
		}
		shape := []int64{int64(l.envs)}
		if c.Per != column.Env {
			for _, n := range per {
				shape = append(shape, int64(n))
			}
		}
		if n := c.Components(); n > 1 {
			shape = append(shape, int64(n))
		}
		kind := C.int32_t(C.TG_FLOAT32)
		if c.Type == kernel.Int32 {
			kind = C.TG_INT32
		}
		name := part + strings.TrimPrefix(c.Name, strings.Replace(part, ".", "_", 1)) // "line.center", not "line.line_center"
		l.list = append(l.list, result{name: name, unit: string(c.Unit), doc: c.Doc, words: c.Raw(), kind: kind,
			shape: shape})
	}
}

// integers adds an array of whole numbers.
func (l *resultList) integers(name, doc string, a exec.Array[int32], shape ...int64) {
	words, err := exec.Reinterpret[uint32](a)
	if err != nil || a.IsZero() { // the sizes are the same, so there is no error
		return
	}
	l.list = append(l.list, result{name: name, unit: string(column.None), doc: doc, words: words, kind: C.TG_INT32,
		shape: shape})
}

// floats adds an array of numbers.
func (l *resultList) floats(name, doc string, a exec.Array[float32], shape ...int64) {
	words, err := exec.Reinterpret[uint32](a)
	if err != nil || a.IsZero() { // the sizes are the same, so there is no error
		return
	}
	l.list = append(l.list, result{name: name, unit: string(column.None), doc: doc, words: words, kind: C.TG_FLOAT32,
		shape: shape})
}
