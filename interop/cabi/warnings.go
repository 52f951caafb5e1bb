package main

// #include "library.h"
import "C"

import (
	"reflect"
	"sync"

	"github.com/trackgen-go/trackgen/exec"
)

// mostWarnings is how many warnings are kept.
const mostWarnings = 64

// warningList keeps warnings until they are taken. The library prints nothing.
type warningList struct {
	mutex sync.Mutex
	list  []keptWarning
}

// keptWarning is the JSON form of a warning.
type keptWarning struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// warnings are those of the process.
var warnings warningList

// add keeps a warning; beyond mostWarnings it replaces the oldest one.
func (l *warningList) add(w exec.Warning) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if len(l.list) == mostWarnings {
		l.list = append(l.list[:0], l.list[1:]...)
	}
	l.list = append(l.list, keptWarning{Type: reflect.Indirect(reflect.ValueOf(w)).Type().Name(), Text: w.Warning()})
}

// take returns the oldest warning and forgets it.
func (l *warningList) take() (w keptWarning, ok bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if len(l.list) == 0 {
		return w, false
	}
	w = l.list[0]
	l.list = append(l.list[:0], l.list[1:]...)
	return w, true
}

//export tgo_take_warning
func tgo_take_warning(json **C.char) C.int32_t {
	return call(func() error {
		if json == nil {
			return missingPointer("take a warning", "json")
		}
		if w, ok := warnings.take(); ok {
			return setJSON(json, w)
		}
		*json = C.CString("")
		return nil
	})
}
