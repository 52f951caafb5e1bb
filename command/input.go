package command

import (
	"errors"
	"io"
	"os"
)

// readInput calls read with the contents of a file, or with standard input if the path is "-".
func (a *app) readInput(path string, read func(io.Reader) error) error {
	if path == "-" {
		return read(a.stdin)
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(read(file), file.Close())
}
