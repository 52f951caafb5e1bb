package backend

import "fmt"

// Inspector is a Graph that lists what it recorded, for pictures and tests. The graphs of all backends in this module
// implement it.
type Inspector interface {
	// Operations lists the work in the order in which it was recorded, which respects every dependency. It returns nil
	// after the graph is closed. The caller owns the list, but bodies may be shared.
	Operations() []Operation
}

// Operation is one operation of a graph.
type Operation struct {
	Kind   OperationKind
	Kernel string // launch: the name of the definition
	Items  int32  // launch: threads of a thread kernel, groups of a group kernel
	Group  bool   // launch: a group kernel
	Bytes  int64  // copy, fill, upload, download: number of bytes
	Limit  int32  // repeat: maximum number of iterations
	Body   []Operation
}

// OperationKind says what an operation does.
type OperationKind uint8

// The kinds of operations. The last three have a body.
const (
	OperationLaunch OperationKind = iota
	OperationCopy
	OperationFill
	OperationUpload
	OperationDownload
	OperationIf     // runs its body unless the flag is 0
	OperationRepeat // runs its body while the flag is not 0, up to a limit
	OperationReplay // a graph replayed inside a capture
)

var operationKindNames = [...]string{"launch", "copy", "fill", "upload", "download", "if", "repeat", "replay"}

// String returns the kind as listings show it, e.g. "launch" or "if".
func (k OperationKind) String() string {
	if int(k) < len(operationKindNames) {
		return operationKindNames[k]
	}
	return fmt.Sprintf("OperationKind(%d)", uint8(k))
}

// MarshalText implements encoding.TextMarshaler.
func (k OperationKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }
