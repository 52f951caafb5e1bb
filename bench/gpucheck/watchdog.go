//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/trackgen-go/trackgen/bench/gpucheck/facts"
)

// watchdog runs checks and ends those that take too long.
type watchdog struct {
	directory string
	log       io.Writer // receives the output of the programs
	stuck     string    // the check whose process could not be ended
}

// reportVariable names the file to which a check writes its measurements as a JSON object of numbers.
const reportVariable = "TRACKGEN_GPU_REPORT"

var errTime = errors.New("out of time")

// check runs a check and returns its row.
func (w *watchdog) check(ctx context.Context, c check) row {
	r := row{Check: c.name, times: c.times}
	switch {
	case c.absent != "":
		r.Result, r.Reason = notRun, c.absent
		return r
	case c.skip != "":
		r.Result, r.Reason = skipped, c.skip
		return r
	case ctx.Err() != nil:
		r.Result, r.Reason = notRun, errTime.Error()
		return r
	case w.stuck != "":
		r.Result, r.Reason = notRun, "the process of "+w.stuck+" cannot be ended"
		return r
	}
	measured, err := os.MkdirTemp("", "gpucheck")
	if err != nil {
		r.Result, r.Reason = failed, err.Error()
		return r
	}
	defer func() { _ = os.RemoveAll(measured) }()
	file := filepath.Join(measured, "measured.json")
	found := filepath.Join(measured, "facts.json")
	c.variables = append(c.variables, reportVariable+"="+file, facts.Variable+"="+found)
	begin := time.Now()
	output, err := w.output(ctx, c)
	r.Seconds = time.Since(begin).Seconds()
	r.Result, r.Reason = judge(c, output, err)
	if data, err := os.ReadFile(file); err == nil {
		if err := json.Unmarshal(data, &r.Measured); err != nil {
			r.Result, r.Reason = failed, fmt.Sprintf("its measurements cannot be read: %v", err)
		}
	}
	if data, err := os.ReadFile(found); err == nil {
		if err := json.Unmarshal(data, &r.facts); err != nil {
			r.Result, r.Reason = failed, fmt.Sprintf("what it found out cannot be read: %v", err)
		}
	}
	return r
}

// output runs the program of a check and returns its output.
func (w *watchdog) output(ctx context.Context, c check) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	path, err := filepath.Abs(filepath.Join(w.directory, c.program))
	if err != nil {
		return nil, err
	}
	command := exec.Command(path, c.arguments...)
	var output record
	command.Dir, command.Stdout, command.Stderr = w.directory, &output, &output
	if !c.test {
		command.Stderr = w.log
	}
	command.Env = append(os.Environ(), c.variables...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.WaitDelay = time.Second
	if err := command.Start(); err != nil {
		return nil, err
	}
	done := make(chan struct{})
	var ended error
	go func() {
		defer close(done)
		ended = command.Wait()
	}()
	select {
	case <-done:
		err = ended
	case <-limited.Done():
		err = errTime
		if !end(command.Process.Pid, done) {
			w.stuck = c.name
		}
	}
	printed := output.bytes()
	_, _ = fmt.Fprintf(w.log, "=== %s: %s %s\n%s\n", c.name, c.program, strings.Join(c.arguments, " "), printed)
	return printed, err
}

// end ends a group of processes and reports whether it succeeded; a driver can block a process. end first asks a Go
// program to exit and print the stacks of its goroutines, which show where it hangs.
func end(group int, done <-chan struct{}) bool {
	for _, try := range []struct {
		signal syscall.Signal
		wait   time.Duration
	}{{syscall.SIGQUIT, 2 * time.Second}, {syscall.SIGKILL, 5 * time.Second}} {
		_ = syscall.Kill(-group, try.signal)
		select {
		case <-done:
			return true
		case <-time.After(try.wait):
		}
	}
	return false
}

// record is the output of a program, readable while the program runs.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

func (r *record) bytes() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.text.Bytes())
}

var (
	skipLine = regexp.MustCompile(`(?m)^\s*--- SKIP: .*\n(?:\s*\S+\.go:\d+: (.*))?`)
	// Matches messages of testify, of the Go runtime and of C programs. After an unexpected error, the message is in the
	// next line.
	failLine = regexp.MustCompile(
		`(?m)^.*(?:panic:|fatal error:|SIG[A-Z]+:|Error: +\t|[Ee]rror:).*(?:\n[ \t]+\t[ \t]+\t.*)?$`)
	hangLine = regexp.MustCompile(`cuda\._Cfunc_(\w+)`) // the function that waits for the driver
)

// judge derives the result of a check from its finished program.
func judge(c check, output []byte, err error) (result, reason string) {
	switch {
	case errors.Is(err, errTime):
		where := ""
		if step := hangLine.FindSubmatch(output); step != nil {
			where = fmt.Sprintf(" in %s", step[1])
		}
		return failed, fmt.Sprintf("ended by the watchdog%s after its limit of %v; see gpu.log", where, c.limit)
	case err != nil:
		line := strings.Join(strings.Fields(string(failLine.Find(output))), " ")
		if line != "" {
			line = ": " + line
		}
		return failed, err.Error() + line + "; see gpu.log"
	case !c.test:
		return passed, ""
	case bytes.Contains(output, []byte("--- SKIP")):
		return skipped, string(skipLine.FindSubmatch(output)[1])
	case !bytes.Contains(output, []byte("--- PASS")):
		return failed, "there is no such test"
	}
	return passed, ""
}
