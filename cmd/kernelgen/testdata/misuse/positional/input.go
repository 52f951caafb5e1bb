// Package positional launches a kernel whose launcher takes a struct as if it took its arguments one by one.
package positional

import (
	"github.com/trackgen-go/trackgen/cmd/kernelgen/testdata/accept/arguments"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

func launch(lc *exec.LaunchContext, list exec.Array[int32], args exec.Array[kernel.Vec2],
	outer, inner exec.Array[kernel.Vec3]) {
	arguments.Seven(lc, 1, arguments.SevenArgs{
		Active: list, N: list, N_: 8, Arg_width: 0.5, Args: args, Outer: outer, Inner: inner,
	})
	arguments.Seven(lc, 1, list, list, 8, 0.5, args, inner, outer) // want "too many arguments in call to arguments.Seven"
	arguments.Seven(lc, 1, list, list, 8, 0.5, args, outer, inner) // want "too many arguments in call to arguments.Seven"
	arguments.Seven(lc, 1, arguments.SevenArgs{
		struct{}{}, list, list, 8, 0.5, args, outer, inner, // want "implicit assignment to unexported field _"
	})
}
