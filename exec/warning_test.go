package exec_test

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/exec"
)

func TestWarningsGoToSlogByDefault(t *testing.T) { // R98
	var text bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&text, nil)))
	defer slog.SetDefault(before)

	p := newProducer(t, asGPU(t), exec.RunnerOptions{Capturable: true, Name: "polar", MaxKeyedGraphs: 1})
	require.NoError(t, p.Prepare(t.Context(), p.body))
	for key := range 4 {
		p.run(t, exec.RunOptions{Key: key})
	}
	assert.Equal(t, 1, bytes.Count(text.Bytes(), []byte("level=WARN")))
	assert.Contains(t, text.String(), "polar")
}

func TestIgnoreWarnings(t *testing.T) { // R97: filterable by type
	var got []exec.Warning
	warn := exec.IgnoreWarnings[exec.RebindAfterCaptureWarning](func(w exec.Warning) { got = append(got, w) })
	warn(exec.RebindAfterCaptureWarning{Component: "c"})
	warn(exec.KeyedGraphLimitWarning{Name: "p", Limit: 1})
	assert.Equal(t, []exec.Warning{exec.KeyedGraphLimitWarning{Name: "p", Limit: 1}}, got)
	exec.IgnoreWarnings[exec.KeyedGraphLimitWarning](nil)(exec.KeyedGraphLimitWarning{})
}
