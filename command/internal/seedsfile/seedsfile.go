// Package seedsfile reads lists of seeds: text with decimal int32 numbers, separated by line ends, blanks or commas.
// Comments start with # and extend to the end of the line.
package seedsfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
)

const (
	// MaxSeeds is the maximum number of seeds in a file, and also the maximum number of tracks of a run.
	MaxSeeds = 1 << 24

	maxFileBytes = 512 << 20 // 16 bytes per seed, and the same amount for comments
	maxTokenSize = 40        // maximum number of bytes of a token that an error message quotes
)

// ReadFile reads the seeds of a file. Errors about its contents start with file:line.
func ReadFile(path string) ([]int32, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // the file was only read
	return Read(path, file)
}

// Read reads seeds like ReadFile. Error messages use name as the file name.
func Read(name string, r io.Reader) ([]int32, error) {
	return read(name, r, MaxSeeds, maxFileBytes)
}

func read(name string, r io.Reader, maxSeeds int, maxBytes int64) ([]int32, error) {
	s := scanner{name: name, maxSeeds: maxSeeds, line: 1}
	limited := &io.LimitedReader{R: r, N: maxBytes + 1}
	in := bufio.NewReaderSize(limited, 64<<10)
	if start, err := in.Peek(3); err == nil && string(start) == "\xef\xbb\xbf" {
		in.Discard(3) //nolint:errcheck // Peek has already read the three bytes
	}
	for {
		c, err := in.ReadByte()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		if err := s.next(c); err != nil {
			return nil, err
		}
	}
	if limited.N <= 0 {
		return nil, fmt.Errorf("%s: longer than %d bytes", name, maxBytes)
	}
	if err := s.endToken(); err != nil {
		return nil, err
	}
	if len(s.seeds) == 0 {
		return nil, fmt.Errorf("%s: holds no seeds: must be whole numbers, for example one on each line", name)
	}
	return s.seeds, nil
}

// scanner parses seeds byte by byte.
type scanner struct {
	name     string
	maxSeeds int
	line     int
	comment  bool
	token    []byte // token in progress, at most maxTokenSize+1 bytes
	seeds    []int32
}

func (s *scanner) next(c byte) error {
	switch {
	case c == '\n':
		err := s.endToken()
		s.line++
		s.comment = false
		return err
	case s.comment:
		return nil
	case c == '#':
		s.comment = true
		return s.endToken()
	case c == ' ' || c == '\t' || c == '\r' || c == ',':
		return s.endToken()
	case len(s.token) > maxTokenSize:
		return s.refuse()
	}
	s.token = append(s.token, c)
	return nil
}

// endToken parses the token in progress, if there is one, and appends its seed.
func (s *scanner) endToken() error {
	if len(s.token) == 0 {
		return nil
	}
	if len(s.seeds) == s.maxSeeds {
		return fmt.Errorf("%s:%d: more than %d seeds", s.name, s.line, s.maxSeeds)
	}
	seed, err := strconv.ParseInt(string(s.token), 10, 32)
	if err != nil {
		return s.refuse()
	}
	s.seeds = append(s.seeds, int32(seed))
	s.token = s.token[:0]
	return nil
}

func (s *scanner) refuse() error {
	token := strconv.Quote(string(s.token))
	if len(s.token) > maxTokenSize {
		token = strconv.Quote(string(s.token[:maxTokenSize])) + "..."
	}
	return fmt.Errorf("%s:%d: seed %s: must be a whole number from %d to %d", s.name, s.line, token, math.MinInt32,
		math.MaxInt32)
}
