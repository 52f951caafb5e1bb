// Package capture records work into a graph.
package capture

import (
	"errors"

	"github.com/trackgen-go/trackgen/backend"
)

// Of captures a stream while emit runs, and returns the graph of what was emitted there. The capture ends in any case.
// If emit or the capture fails, there is no graph, and the error has both reasons.
func Of(stream backend.Stream, emit func() error) (backend.Graph, error) {
	if err := stream.BeginCapture(); err != nil {
		return nil, err
	}
	emitted := emit()
	graph, err := stream.EndCapture()
	if err == nil && emitted != nil {
		err = graph.Close()
	}
	if err := errors.Join(emitted, err); err != nil {
		return nil, err
	}
	return graph, nil
}
