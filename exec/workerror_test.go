package exec_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
)

// What an error already says is recognised by its type, however deeply it is wrapped, and never by its text.
func TestWorkError(t *testing.T) {
	assert.NoError(t, exec.Doing("fill", nil))
	assert.NoError(t, exec.InProducer("p", nil))
	lost := backend.ErrDeviceLost
	closed := &backend.ClosedError{Op: "fill", What: "stream"}
	refused := &exec.NotCapturableError{Name: "p"}
	looksNamed := errors.New(`producer "p": fill: text of somebody else`)
	for _, test := range []struct {
		err  error
		want string
	}{
		{exec.Doing("fill", lost), "fill: device lost"},
		{exec.Doing("fill", exec.Doing("fill", lost)), "fill: device lost"},
		{exec.Doing("copy", exec.Doing("fill", lost)), "copy: fill: device lost"},
		{exec.Doing("fill", closed), "fill: the stream is closed"},
		{exec.Doing("fill", fmt.Errorf("cpu: %w", closed)), "cpu: fill: the stream is closed"},
		{exec.Doing("fill", errors.Join(lost, closed)), "device lost\nfill: the stream is closed"},
		{exec.InProducer("p", exec.Doing("fill", lost)), `producer "p": fill: device lost`},
		{exec.InProducer("p", exec.Doing("a", exec.InProducer("p", lost))), `a: producer "p": device lost`},
		{exec.InProducer("q", exec.InProducer("p", lost)), `producer "q": producer "p": device lost`},
		{exec.InProducer("p", refused), `producer "p" cannot be recorded into a capture`},
		{exec.InProducer("p", looksNamed), `producer "p": producer "p": fill: text of somebody else`},
		{exec.InProducer("", lost), "device lost"},
	} {
		assert.EqualError(t, test.err, test.want)
	}
	inner := exec.Doing("fill", lost)
	err := exec.InProducer("p", inner)
	var at *exec.WorkError
	require.ErrorAs(t, err, &at)
	assert.Equal(t, []string{"p", "", "fill"}, []string{at.Producer, at.Stage, at.Op})
	assert.ErrorIs(t, err, inner, "the error that the runner returns wraps the one that its context keeps")
	assert.ErrorIs(t, err, lost)
}
