//go:build cgo && linux

package cuda

import (
	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// Operations implements backend.Inspector. Operations that came from a replayed graph stand in its place.
func (g *graph) Operations() []backend.Operation {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if g.closed {
		return nil
	}
	definitions := make(map[functionHandle]*kernel.Def)
	g.device.functions.Range(func(def, f any) bool {
		definitions[f.(*function).handle] = def.(*kernel.Def)
		return true
	})
	return g.program.list(0, uint32(len(g.program.commands)), definitions)
}

// list converts the commands [first, end) and what is inside them.
func (p *program) list(first, end uint32, definitions map[functionHandle]*kernel.Def) []backend.Operation {
	list := []backend.Operation{}
	for i := first; i < end; i = p.commands[i].end {
		c := &p.commands[i]
		entry := backend.Operation{Kind: operationKinds[c.kind], Bytes: int64(c.bytes)}
		switch c.kind {
		case commandLaunch:
			entry.Items = int32(p.words[c.first])
			if def := definitions[functionHandle(c.target)]; def != nil {
				entry.Kernel, entry.Group = def.Name, def.Group
			}
		case commandIf, commandWhile:
			entry.Bytes, entry.Limit = 0, int32(c.pattern)
			entry.Body = p.list(i+1, c.end, definitions)
		}
		list = append(list, entry)
	}
	return list
}

var operationKinds = [...]backend.OperationKind{
	commandLaunch: backend.OperationLaunch, commandCopy: backend.OperationCopy, commandFill: backend.OperationFill,
	commandUpload: backend.OperationUpload, commandDownload: backend.OperationDownload,
	commandIf: backend.OperationIf, commandWhile: backend.OperationRepeat,
}
