package main

// #include <string.h>
// #include "library.h"
import "C"

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/trackgen-go/trackgen/backend"
)

// missingPointer is the error for a pointer that is NULL.
func missingPointer(op, argument string) error {
	return &backend.ArgumentError{Op: op, Argument: argument, Value: "NULL", Allowed: "a pointer"}
}

// maxText is the length of the longest text that a caller may give, in bytes. Configurations have a smaller limit of
// their own.
const maxText = 1 << 20

// textOf copies a text of the caller.
func textOf(op, argument string, text C.tgi_text) (string, error) {
	if text == nil {
		return "", missingPointer(op, argument)
	}
	n := C.strnlen(text, maxText+1)
	if n > maxText {
		return "", &backend.ArgumentError{Op: op, Argument: argument, Value: "a longer text",
			Allowed: fmt.Sprintf("at most %d bytes", maxText)}
	}
	return C.GoStringN((*C.char)(text), C.int(n)), nil
}

// readOptions reads the options of a call, a JSON object, into a struct. NULL and "" have none.
func readOptions(op string, text C.tgi_text, into any) error {
	if text == nil {
		return nil
	}
	options, err := textOf(op, "options", text)
	if err != nil || options == "" {
		return err
	}
	decoder := json.NewDecoder(strings.NewReader(options))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(into)
	if err == nil && decoder.More() {
		err = errors.New("text after the object")
	}
	if err != nil {
		return &backend.ArgumentError{Op: op, Argument: "options", Value: err.Error(),
			Allowed: "a JSON object with the options that the header lists"}
	}
	return nil
}

// setJSON stores value as JSON in memory that the caller releases.
func setJSON(out **C.char, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	*out = C.CString(string(text))
	return nil
}

// constants are the names, units and lines of documentation of arrays as texts of C. They are those of the columns of
// the library, so that there is an end to them, and are never released.
var constants = struct {
	mutex sync.Mutex
	texts map[string]*C.char
}{texts: make(map[string]*C.char)}

// constant returns a text of C that is never released.
func constant(text string) *C.char {
	constants.mutex.Lock()
	defer constants.mutex.Unlock()
	c := constants.texts[text]
	if c == nil {
		c = C.CString(text)
		C.tgi_keep(c)
		constants.texts[text] = c
	}
	return c
}
