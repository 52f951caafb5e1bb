package toolchain

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTimeLimit checks that a compiler which hangs is stopped, with what it started itself.
func TestTimeLimit(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, clang), []byte("#!/bin/sh\necho working\nsleep 60\n"), 0o700))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	tools := &Toolchain{timeLimit: 100 * time.Millisecond}
	start := time.Now()
	_, err := tools.PTX("")
	var failure *Error
	require.ErrorAs(t, err, &failure)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.False(t, failure.Refused())
	require.Equal(t, "clang-19: stopped after 100ms: context deadline exceeded\nworking", err.Error())
	require.Less(t, time.Since(start), 30*time.Second)
}

// TestMessages checks what is read from the outputs of the compilers.
func TestMessages(t *testing.T) {
	require.Equal(t, []Message{{12, "expected ';'"}, {7, "too deep"}}, messages("kernels.cu", `In file included from x:
kernels.cu:12:5: error: expected ';'
   12 |         x
kernels.cu:1:2: note: to match this
kernels.cu:3:2: warning: odd [-Wodd]
other.cu:9:9: error: elsewhere
kernels.cu:7:1: fatal error: too deep
1 error generated when compiling for sm_70.`))
	require.Equal(t, []Message{{24, "'<<' :  wrong operand types"}}, messages("shader.comp", "shader.comp\n"+
		"ERROR: shader.comp:24: '<<' :  wrong operand types\r\nERROR: shader.comp:24: '' : compilation terminated \r\n"+
		"ERROR: 2 compilation errors.  No code generated.\n\nERROR: Linking compute stage: Missing entry point"))
	require.Empty(t, messages("", "kernels.cu:12:5: error: expected ';'"))
	require.Empty(t, messages("kernels.cu", "kernels.cu:99999999999999999999:5: error: expected ';'"))
}
