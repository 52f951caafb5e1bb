package track

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSchemaIsWellFormed(t *testing.T) {
	require.NoError(t, Schema.Err())
}
