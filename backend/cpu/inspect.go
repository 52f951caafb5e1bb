package cpu

import "github.com/trackgen-go/trackgen/backend"

// Operations implements backend.Inspector.
func (g *graph) Operations() []backend.Operation {
	recorded := g.recorded.Load()
	if recorded == nil {
		return nil
	}
	return recorded.program.list(make(map[*program][]backend.Operation))
}

// list converts a program. A graph can replay a graph twice that replays a graph twice, so each body is converted once.
func (p *program) list(known map[*program][]backend.Operation) []backend.Operation {
	if list, ok := known[p]; ok {
		return list
	}
	list := make([]backend.Operation, len(p.operations))
	for i := range p.operations {
		o := &p.operations[i]
		entry := backend.Operation{Kind: operationKinds[o.kind]}
		switch o.kind {
		case launchKernel:
			entry.Kernel, entry.Items, entry.Group = o.def.Name, o.n, o.def.Group
		case copyDevice, fillDevice, uploadHost, downloadHost:
			entry.Bytes = o.spans[0].bytes
		case repeated:
			entry.Limit = o.n
		}
		if o.body != nil {
			entry.Body = o.body.list(known)
		}
		list[i] = entry
	}
	known[p] = list
	return list
}

var operationKinds = [...]backend.OperationKind{
	launchKernel: backend.OperationLaunch, copyDevice: backend.OperationCopy, fillDevice: backend.OperationFill,
	uploadHost: backend.OperationUpload, downloadHost: backend.OperationDownload,
	conditional: backend.OperationIf, nested: backend.OperationReplay, repeated: backend.OperationRepeat,
}
