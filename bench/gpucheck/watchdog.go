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
	"syscall"
	"time"
)

// watchdog runs checks and ends those that take too long.
type watchdog struct {
	directory string
	log       io.Writer // gets what the programs print
	stuck     string    // the check whose process cannot be ended
}

// reportVariable names the file that a check writes what it has measured to, as a JSON object of numbers.
const reportVariable = "TRACKGEN_GPU_REPORT"

var errTime = errors.New("out of time")

// check runs a check and tells how it went.
func (w *watchdog) check(ctx context.Context, c check) row {
	r := row{Check: c.name}
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
	c.variables = append(c.variables, reportVariable+"="+file)
	begin := time.Now()
	output, err := w.output(ctx, c)
	r.Seconds = time.Since(begin).Seconds()
	r.Result, r.Reason = judge(c, output, err)
	if data, err := os.ReadFile(file); err == nil {
		if err := json.Unmarshal(data, &r.Measured); err != nil {
			r.Result, r.Reason = failed, fmt.Sprintf("what it measured cannot be read: %v", err)
		}
	}
	return r
}

// output runs the program of a check and returns what it printed.
func (w *watchdog) output(ctx context.Context, c check) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	path, err := filepath.Abs(filepath.Join(w.directory, c.program))
	if err != nil {
		return nil, err
	}
	command := exec.Command(path, c.arguments...)
	var output bytes.Buffer
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
	done := make(chan error, 1)
	go func() { done <- command.Wait() }()
	select {
	case err = <-done:
	case <-limited.Done():
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
		select {
		case _ = <-done: // killed
		case <-time.After(5 * time.Second): // a driver can hold a process
			w.stuck = c.name
			return nil, errTime
		}
		err = errTime
	}
	_, _ = fmt.Fprintf(w.log, "=== %s: %s %s\n%s\n", c.name, c.program, strings.Join(c.arguments, " "), output.Bytes())
	return output.Bytes(), err
}

var (
	skipLine = regexp.MustCompile(`(?m)^\s*--- SKIP: .*\n(?:\s*\S+\.go:\d+: (.*))?`)
	failLine = regexp.MustCompile(`(?m)^.*(?:panic:|fatal error:|Error: +\t|[Ee]rror:).*$`)
)

// judge tells from a finished program how the check went.
func judge(c check, output []byte, err error) (result, reason string) {
	switch {
	case errors.Is(err, errTime):
		return failed, fmt.Sprintf("ended by the watchdog, which gives it at most %v", c.limit)
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
