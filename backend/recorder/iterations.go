package recorder

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// Iterations returns an upper bound for the total iterations of all loops of one thread, or lane, in a launch. It is 0
// if the kernel states no bound. args is scratch memory.
func (o *Operation) Iterations(args *kernel.Args) float64 {
	if o.Def.Iterations == nil {
		return 0
	}
	buffers := 0
	for i := range o.Def.Params {
		if param := &o.Def.Params[i]; param.Buffer {
			args.Buffers[buffers] = kernel.BufferArg{Len: int(o.Spans[buffers].Bytes / param.Type.Size())}
			buffers++
		}
	}
	copy(args.Scalars[:], o.Scalars)
	return o.Def.Iterations(o.N, args)
}

// checkIterations returns an error for a launch whose loops may need more iterations than the device allows, because
// the device would end them early without an error.
func (s *Stream) checkIterations(o *Operation) error {
	limit := s.device.driver.Caps().LoopIterations
	if limit <= 0 || o.Def.Iterations == nil {
		return nil
	}
	if s.args == nil {
		s.args = new(kernel.Args)
	}
	if made := o.Iterations(s.args); !(made <= float64(limit)) {
		return &backend.UnsupportedError{Device: s.device.self.Info().Name, Op: "kernel " + o.Def.Name,
			Reason: fmt.Sprintf("its loops may make %.0f iterations with these arguments, and the device ends them after %d",
				made, limit)}
	}
	return nil
}
