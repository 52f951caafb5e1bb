// Package backendtest is the conformance suite of the backends. Every backend runs it in its tests:
//
//	func TestConformance(t *testing.T) {
//		open := func(t testing.TB, options ...backend.Option) backend.Device { ... }
//		backendtest.Run(t, backendtest.Config{Open: open})
//	}
//
// What a device computes is compared bit for bit with the result of the kernel's Go function. A backend lists what it
// cannot do in two maps by the names of the cases. Both are checked: a listed case that passes is a failure, so that
// the lists stay true.
package backendtest

import (
	"errors"
	"fmt"
	"runtime/debug"
	"testing"

	"github.com/trackgen-go/trackgen/backend"
)

// Config describes the backend under test.
type Config struct {
	// Open opens a device with the given options in addition to those of the test. The suite closes it.
	Open func(t testing.TB, options ...backend.Option) backend.Device
	// Unsupported maps a case to the reason why the backend does not support it. The case must fail with an error that
	// matches backend.ErrUnsupported, and is reported as skipped with the reason.
	Unsupported map[string]string
	// ExpectFail maps a case that should pass to the reason why it fails. The case must fail.
	ExpectFail map[string]string
}

// testCase is one property of a backend.
type testCase struct {
	name string // "area/property"
	run  func(c *check)
}

// cases returns the suite in the order in which it runs.
func cases() []testCase {
	var all []testCase
	for _, area := range [][]testCase{
		deviceCases, memoryCases, transferCases, launchCases, languageCases, streamCases, captureCases, conditionalCases,
		refusalCases, lifetimeCases, foreignCases, retainCases, inspectCases, concurrencyCases,
	} {
		all = append(all, area...)
	}
	return all
}

// Names lists the names of the cases, for Config.
func Names() []string {
	var names []string
	for _, tc := range cases() {
		names = append(names, tc.name)
	}
	return names
}

// Run runs the suite with one subtest per case. The cases share a device, which must have no leak at the end; each case
// of the two lists gets its own device.
func Run(t *testing.T, config Config) {
	t.Helper()
	known := make(map[string]bool)
	for _, name := range Names() {
		known[name] = true
	}
	for _, list := range []map[string]string{config.Unsupported, config.ExpectFail} {
		for name := range list {
			if !known[name] {
				t.Errorf("the lists of the configuration name the case %q, which does not exist", name)
			}
		}
	}
	shared := config.Open(t)
	for _, tc := range cases() {
		t.Run(tc.name, func(t *testing.T) {
			unsupported, expected := config.Unsupported[tc.name], config.ExpectFail[tc.name]
			device := shared
			if unsupported != "" || expected != "" {
				device = config.Open(t)
				defer func() { _ = device.Close() }() // a failed case may leave anything open
			}
			open := func(options ...backend.Option) backend.Device { return config.Open(t, options...) }
			r := execute(tc, device, open)
			switch outcome, text := verdict(r, unsupported, expected); outcome {
			case fails:
				t.Error(text)
			case skips:
				t.Skip(text)
			}
		})
	}
	if err := shared.Close(); err != nil && !t.Failed() {
		t.Errorf("closing the device after the suite: %v", err)
	}
}

// result is the outcome of running a case.
type result struct {
	messages []string
	err      error // the error that made it fail, if any
}

// execute runs a case on its own goroutine, which the first fatal failure ends.
func execute(tc testCase, device backend.Device, open func(...backend.Option) backend.Device) result {
	c := &check{device: device, open: open}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if value := recover(); value != nil {
				c.errorf("panic: %v\n%s", value, debug.Stack())
			}
			c.cleanUp()
		}()
		tc.run(c)
	}()
	<-done
	return result{messages: c.messages, err: c.err}
}

// outcome says how the test reports a case.
type outcome uint8

const (
	passes outcome = iota
	skips
	fails
)

// verdict compares a result with the lists.
func verdict(r result, unsupported, expected string) (outcome, string) {
	failed := len(r.messages) > 0
	text := ""
	for _, message := range r.messages {
		text += message + "\n"
	}
	switch {
	case unsupported != "" && expected != "":
		return fails, "the case is in both lists of the configuration"
	case unsupported != "" && !failed:
		return fails, fmt.Sprintf("listed as unsupported (%s), but it passes: take it off the list", unsupported)
	case unsupported != "" && !errors.Is(r.err, backend.ErrUnsupported):
		return fails, fmt.Sprintf("listed as unsupported (%s), but its error does not match ErrUnsupported:\n%s",
			unsupported, text)
	case unsupported != "":
		return skips, "unsupported: " + unsupported
	case expected != "" && !failed:
		return fails, fmt.Sprintf("expected to fail (%s), but it passes: take it off the list", expected)
	case expected != "":
		return skips, "fails as expected: " + expected
	case failed:
		return fails, text
	}
	return passes, ""
}
