package export

import (
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/internal/place"
)

// construction holds what files and folders under construction have in common.
type construction struct {
	target    string // as given, for error messages
	folder    string // that contains the final path
	final     string // path that Commit renames to: target with symbolic links resolved
	temporary        // locked until it is renamed to the final path
	closed    bool
}

// construct begins a file or a folder beside its target. It first removes what killed processes left there.
func construct(target string, resolve func(target string) (final string, err error),
	create func(path string) (temporary, error)) (construction, error) {
	final, err := resolve(target)
	if err != nil {
		return construction{}, writeError(target, err)
	}
	c := construction{target: target, final: final}
	c.folder, _ = place.Split(final)
	removeLeftovers(c.folder)
	if c.temporary, err = begin(c.folder, create); err != nil {
		return construction{}, writeError(target, err)
	}
	return c, nil
}

// abort removes what is unfinished. After abort or Commit it does nothing.
func (c *construction) abort(kind string) (err error) {
	if c.closed {
		return nil
	}
	c.closed = true
	if c.file != nil {
		err = c.file.Close()
	}
	if err = errors.Join(err, end([]string{c.path}, c.remove)); err != nil {
		return fmt.Errorf("removing the unfinished %s of %q: %w", kind, c.target, err)
	}
	return nil
}
