package backend

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/trackgen-go/trackgen/internal/suggest"
)

// maxIndexDigits limits the index of a device name, so that it fits an int on every platform.
const maxIndexDigits = 4

// parseName splits a device name into a backend name and an index after a colon. A missing index is 0.
func parseName(name string) (backend string, index int, err error) {
	backend, digits, hasIndex := strings.Cut(name, ":")
	if name == "" {
		return "", 0, errors.New("the name is empty")
	}
	if !validName(backend) {
		return "", 0, errors.New("a backend name consists of lower-case letters and digits")
	}
	if !hasIndex {
		return backend, 0, nil
	}
	if digits == "" || len(digits) > maxIndexDigits || strings.Trim(digits, "0123456789") != "" {
		return "", 0, errors.New("a device index is a number from 0 to 9999")
	}
	index, err = strconv.Atoi(digits)
	return backend, index, err
}

// validName reports whether name consists of lower-case ASCII letters and digits and begins with a letter.
func validName(name string) bool {
	for i := range len(name) {
		letter := 'a' <= name[i] && name[i] <= 'z'
		digit := '0' <= name[i] && name[i] <= '9'
		if !letter && (!digit || i == 0) {
			return false
		}
	}
	return name != ""
}

// nearest returns the known name that name was probably meant to be, or "". It ignores surrounding spaces and an index.
func nearest(name string, known []string) string {
	name, _, _ = strings.Cut(name, ":")
	return suggest.Nearest(strings.TrimSpace(name), known)
}

// maxQuoted limits how much of a hostile value a message repeats.
const maxQuoted = 64

// quote returns s in quotes and in ASCII, truncated if it is long.
func quote(s string) string {
	if len(s) <= maxQuoted {
		return strconv.QuoteToASCII(s)
	}
	end := maxQuoted
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return strconv.QuoteToASCII(s[:end]) + "..."
}
