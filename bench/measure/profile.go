package measure

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"
)

// Profile is a CPU profile of this process. A process can take only one at a time.
type Profile struct{ raw bytes.Buffer }

// StartProfile starts a profile.
func StartProfile() (*Profile, error) {
	p := new(Profile)
	if err := pprof.StartCPUProfile(&p.raw); err != nil {
		return nil, fmt.Errorf("measure: profile: %w", err)
	}
	return p, nil
}

// Stop stops the profile.
func (p *Profile) Stop() { pprof.StopCPUProfile() }

// Write writes the stopped profile for "go tool pprof".
func (p *Profile) Write(w io.Writer) error {
	_, err := w.Write(p.raw.Bytes())
	return err
}

// KernelTime is the processor time of one kernel in a profile.
type KernelTime struct {
	Kernel string  `json:"kernel"` // name of the definition; "" is everything outside of kernels
	Time   Seconds `json:"cpu_seconds"`
	Part   float64 `json:"part"` // fraction of the whole profile
}

// Kernels sums the stopped profile by the named kernels as the CPU backend runs them, most expensive first.
func (p *Profile) Kernels(names []string) ([]KernelTime, error) {
	parsed, err := profile.ParseData(p.raw.Bytes())
	if err != nil {
		return nil, fmt.Errorf("measure: profile: %w", err)
	}
	value := slices.IndexFunc(parsed.SampleType,
		func(t *profile.ValueType) bool { return t.Type == "cpu" && t.Unit == "nanoseconds" })
	if value < 0 {
		return nil, errors.New("measure: profile: no processor times in it")
	}
	known := make(map[string]string, len(names))
	for _, name := range names {
		for _, suffix := range []string{"Go", "Vector", "Lanes"} { // as kernelgen names the functions
			known[name+suffix] = name
		}
	}
	times := make(map[string]time.Duration)
	var whole time.Duration
	for _, sample := range parsed.Sample {
		spent := time.Duration(sample.Value[value])
		whole += spent
		times[kernelOf(sample, known)] += spent
	}
	list := make([]KernelTime, 0, len(times))
	for name, spent := range times {
		list = append(list, KernelTime{name, Seconds(spent), spent.Seconds() / max(whole.Seconds(), 1e-9)})
	}
	slices.SortFunc(list, func(x, y KernelTime) int {
		return cmp.Or(cmp.Compare(y.Time, x.Time), strings.Compare(x.Kernel, y.Kernel))
	})
	return list, nil
}

// kernelOf returns the kernel in which a sample was taken, "" if in none.
func kernelOf(sample *profile.Sample, known map[string]string) string {
	for _, location := range sample.Location {
		for _, line := range location.Line {
			if line.Function == nil {
				continue
			}
			// A closure in a kernel has the kernel's name as a prefix.
			name, _, _ := strings.Cut(line.Function.Name, ".func")
			if kernel, ok := known[name]; ok {
				return kernel
			}
		}
	}
	return ""
}
