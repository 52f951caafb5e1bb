package collision

import (
	"errors"
	"io"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
)

// closeAll closes a component, and then what it works on. If the component is in use, it closes nothing.
func closeAll(c *component.Component, contacts io.Closer) error {
	err := c.Close()
	if errors.Is(err, exec.ErrConcurrentUse) {
		return err
	}
	return errors.Join(err, contacts.Close())
}
