package export

import (
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/track"
)

// textChunk is a chunk of tracks or of gate courses as the text formats write it.
type textChunk struct {
	envs, stride int      // stride is the number of elements that an env has room for
	first        int      // index of the first env in the file
	counts       []int32  // of elements, by env
	names        []string // nil if the envs have none
	columns      []column.Host
	reasons      func(e int) []string
}

func trackChunk(b *track.Batch, first int, columns []column.Host) textChunk {
	return textChunk{
		envs: b.Envs, stride: b.NMax, first: first, counts: b.Count, names: b.Names, columns: columns,
		reasons: func(e int) []string { return ReasonNames(b, e) },
	}
}

func gateChunk(b *gate.Batch, first int, columns []column.Host) textChunk {
	return textChunk{
		envs: b.Envs, stride: b.MaxGates, first: first, counts: b.Count, columns: columns,
		reasons: func(e int) []string { return GateReasonNames(b, e) },
	}
}
