package collision_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/collision"
)

func TestContactSchema(t *testing.T) {
	require.NoError(t, collision.ContactSchema.Err())
	require.Len(t, collision.ContactSchema.Columns(), 7)
}

// Contacts that no checker made are refused.
func TestNoContacts(t *testing.T) {
	var argument *backend.ArgumentError
	for _, c := range []*collision.Contacts{nil, {}} {
		_, err := c.Read(context.Background())
		require.ErrorAs(t, err, &argument)
		require.Equal(t, "contacts", argument.Argument)
		_, err = c.Clone(context.Background())
		require.ErrorAs(t, err, &argument)
		require.NoError(t, c.Close())
	}
}
