package pipeline

import (
	"context"
	"github.com/trackgen-go/trackgen/exec"
)

// List says on which envs a generation works: all of them, or those of a mask. It is an array in device memory of
// length 1+E: the number of envs, followed by their indices in ascending order (see package selection). Kernels read
// their env from it, so that the work is proportional to that number, which the host never learns.
//
// A stage may process all envs; the result is the same, because an env whose seed stays gets the same bits again
// (R109). But the work is then not proportional.
type List struct {
	all, current exec.Array[int32]
}

// newList allocates the list of all envs.
func newList(b exec.Builder) (*List, error) {
	all, err := exec.Scratch[int32](b, b.Envs()+1)
	if err != nil {
		return nil, err
	}
	values := make([]int32, b.Envs()+1)
	values[0] = int32(b.Envs())
	for e := range b.Envs() {
		values[e+1] = int32(e)
	}
	if err := all.Write(context.Background(), values); err != nil {
		return nil, exec.Doing("list of all envs", err)
	}
	return &List{all: all, current: all}, nil
}

// Array returns the current list. A stage must call it each time it emits, not when it is built.
func (l *List) Array() exec.Array[int32] { return l.current }

// All returns the list of all envs.
func (l *List) All() exec.Array[int32] { return l.all }

// Active returns the list of the envs on which a stage works. With a builder of another package it is the list of all
// envs.
func Active(b exec.Builder) (*List, error) {
	if b == nil {
		return nil, errBuilder("active envs", b)
	}
	if own, ok := own(b); ok {
		return own.list, nil
	}
	return newList(b)
}
