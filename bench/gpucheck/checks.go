//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/trackgen-go/trackgen/track"
)

// check is a row of the table: a program with arguments, or the reason why it is not run.
type check struct {
	name      string
	program   string // file name in the directory
	arguments []string
	variables []string // NAME=VALUE
	limit     time.Duration
	times     *timed // what is timed, if the check measures times
	test      bool   // the program is a test binary, whose output shows which tests ran
	skip      string // why the row does not apply, empty if it does
	absent    string // why it cannot be run, empty if it can
}

// timed is a generator with a number of envs on a device.
type timed struct {
	device, generator string
	envs              int
}

// most is the maximum time of one check.
const most = 60 * time.Second

// benchmark returns the check that runs trackgen bench on the GPU. Its tables, with the lower bounds for this GPU and
// for an H200, go to gpu.log. The generator that is a hundred times slower than the others has its own rows.
func benchmark(s settings, generators []string, m machine) check {
	var fast, sizes []string
	for _, g := range generators {
		if g != track.Repulsive {
			fast = append(fast, g)
		}
	}
	for _, envs := range s.envs {
		sizes = append(sizes, fmt.Sprint(envs))
	}
	return check{name: "benchmark, with floors", program: "trackgen", limit: most, absent: m.absent,
		arguments: []string{"bench", "--devices", "cuda:0", "--generators", strings.Join(fast, ","),
			"--sizes", strings.Join(sizes, ","), "--gpu-estimate", "--quick", "--limit", "30s", "--format", "text"}}
}

// machine describes the devices that were found.
type machine struct {
	gpu     info // the first one of CUDA
	vulkans []info
	absent  string // why there is no GPU
	without string // why there is no Vulkan device
}

// info is a device in the output of trackgen devices.
type info struct {
	Name        string `json:"name"`
	Backend     string `json:"backend"`
	Description string `json:"description"`
	Driver      string `json:"driver"`
}

// findDevices lists the devices of the machine.
func findDevices(ctx context.Context, w *watchdog) machine {
	output, err := w.output(ctx, check{name: "devices", program: "trackgen",
		arguments: []string{"devices", "--format", "json"}, limit: most})
	var listed struct {
		Devices     []info `json:"devices"`
		Unavailable []struct {
			Backend string `json:"backend"`
			Reason  string `json:"reason"`
		} `json:"unavailable"`
	}
	if err == nil {
		err = json.Unmarshal(output, &listed)
	}
	if err != nil {
		return machine{absent: fmt.Sprintf("the devices cannot be listed: %v", err), without: "the devices cannot be listed"}
	}
	m := machine{absent: "there is no CUDA device", without: "there is no Vulkan device"}
	for _, u := range listed.Unavailable {
		switch u.Backend {
		case "cuda":
			m.absent += ": " + u.Reason
		case "vulkan":
			m.without += ": " + u.Reason
		}
	}
	for _, d := range listed.Devices {
		switch d.Backend {
		case "cuda":
			if m.gpu.Name == "" {
				m.gpu, m.absent = d, ""
			}
		case "vulkan":
			m.vulkans = append(m.vulkans, d)
		}
	}
	return m
}

// vulkan returns the Vulkan device of the same GPU, or the one named in the settings; the zero info if there is none.
func (m machine) vulkan(s settings) info {
	for _, d := range m.vulkans {
		if s.vulkan == d.Name || s.vulkan == "" && strings.Contains(d.Description, "NVIDIA") {
			return d
		}
	}
	return info{}
}

// suite collects the checks.
type suite struct {
	all      []check
	settings settings
	machine  machine
}

// test adds a check that is a test of a test binary.
func (u *suite) test(program, name, pattern string, variables ...string) *check {
	u.all = append(u.all, check{name: name, program: program, arguments: []string{"-test.v", "-test.run", pattern},
		variables: append(variables, "TRACKGEN_TEST_GPU=1"), limit: most, test: true, absent: u.machine.absent})
	return &u.all[len(u.all)-1]
}

// cuda adds a check that is a test of the CUDA backend.
func (u *suite) cuda(name, pattern string, variables ...string) *check {
	return u.test("cuda.test", name, pattern, variables...)
}

// times adds a check that measures a generator on a device. label is what the report calls the device.
func (u *suite) times(label, device string, envs int, generator string) *check {
	c := u.cuda(fmt.Sprintf("times: %s, E=%d, %s", generator, envs, label), "^TestGPUTimes$",
		"TRACKGEN_GPU_DEVICE="+device, fmt.Sprintf("%s=%d", envsVariable, envs), "TRACKGEN_GPU_GENERATOR="+generator)
	c.times = &timed{label, generator, envs}
	return c
}

// trials are the names of the trials of the probe of conditionals, as backend/cuda has them. Each is a check.
var trials = []string{"IF", "IF in IF", "WHILE", "WHILE in IF", "IF in WHILE", "WHILE in WHILE", "IF in WHILE in IF"}

// facts adds the checks that find out what the driver and the device are.
func (u *suite) facts() {
	u.cuda("device", "^TestGPUDevice$")
	u.cuda("first touch: open, PTX compiled", "^TestGPUFirstTouch$", "CUDA_CACHE_DISABLE=1")
	for _, trial := range trials {
		u.cuda("conditionals: "+trial, "^TestGPUTrial$/^"+strings.ReplaceAll(trial, " ", "_")+"$")
	}
	u.cuda("conditionals: depth", "^TestGPUNesting$")
	u.cuda("conditionals: a handle without a node", "^TestGPUUnusedHandle$")
	u.cuda("modules compiled", "^TestGPUModules$", "CUDA_CACHE_DISABLE=1", u.smallest())
	u.cuda("occupancy", "^TestGPUKernels$")
}

// smallest tells a test of backend/cuda the smallest batch size, where this program takes a list of them.
func (u *suite) smallest() string { return fmt.Sprintf("%s=%d", envsVariable, u.settings.envs[0]) }

// checks returns the rows: first the facts and the checks that no other test covers, then comparisons of bits, then
// times with the smallest batches first.
func checks(generators []string, s settings, m machine) []check {
	u := &suite{settings: s, machine: m}
	u.facts()
	smallest := u.smallest()
	u.cuda("conformance suite", "^TestConformance$")
	u.cuda("conformance suite without conditional nodes", "^TestConformance$", "TRACKGEN_CUDA_CONDITIONALS=off")
	for _, g := range generators {
		u.cuda("bits of the CPU: "+g, "^TestProducers$//^"+g+"$", smallest)
	}
	u.cuda("foreign capture: IF, nested IF, a fork", "^TestForeignCapture$")
	u.cuda("foreign capture: joined, left alone, legacy",
		"^(TestJoinForeignCapture|TestForeignCaptureIsLeftAlone|TestLegacyStream)$")
	u.cuda("foreign capture: own graphs with WHILE", "^(TestReplayInForeignCapture|TestReplayInCaptureHasAllEnds)$")
	u.cuda("foreign capture: a producer", "^TestGPULife$")
	u.cuda("user object", "^TestGPUUserObject$")
	for _, envs := range s.envs {
		for _, g := range generators {
			u.times("cuda:0", "cuda:0", envs, g)
		}
	}
	u.all = append(u.all, benchmark(s, generators, m))
	u.vulkan(generators)
	u.cuda("random captures against the CPU", "^TestCapturesAgainstTheCPU$")
	u.cuda("recording: many, deep, at once", "^(TestManyConditionals|TestDepthOfConditionals|TestRecordingAtOnce)$")
	u.cuda("no allocation on the hot path", "^TestAllocations$")
	return u.all
}

// vulkan adds the checks of Vulkan on the same GPU.
func (u *suite) vulkan(generators []string) {
	device := u.machine.vulkan(u.settings)
	skip := ""
	if device.Name == "" {
		skip = u.machine.without
		if len(u.machine.vulkans) > 0 {
			skip = "no Vulkan device is of NVIDIA"
		}
	}
	floats := u.test("vulkan.test", "floats of Vulkan", "^TestGPUFloats$", "TRACKGEN_VULKAN_VALIDATION=0")
	floats.absent = ""
	if len(u.machine.vulkans) == 0 {
		floats.skip = u.machine.without
	}
	u.all = append(u.all, check{name: "bits of Vulkan on the GPU", program: "trackgen", limit: most, skip: skip,
		absent: u.machine.absent, arguments: []string{"verify", "--devices", "cpu,cuda:0," + device.Name, "--envs",
			fmt.Sprint(u.settings.envs[0]), "--format", "json"}})
	for _, envs := range u.settings.envs {
		for _, g := range generators {
			u.times("Vulkan", device.Name, envs, g).skip = skip
		}
	}
}
