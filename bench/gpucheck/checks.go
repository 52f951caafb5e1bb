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
	test      bool   // the program is a test binary, whose output shows which tests ran
	skip      string // why the row does not apply, empty if it does
	absent    string // why it cannot be run, empty if it can
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
	gpu     info
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

// checks returns the rows: first the checks that no other test covers, then comparisons of bits, then times with the
// smallest batches first.
func checks(generators []string, s settings, m machine) []check {
	var all []check
	test := func(name, pattern string, variables ...string) {
		all = append(all, check{name: name, program: "cuda.test", arguments: []string{"-test.v", "-test.run", pattern},
			variables: append(variables, "TRACKGEN_TEST_GPU=1"), limit: most, test: true, absent: m.absent})
	}
	smallest := fmt.Sprintf("%s=%d", envsVariable, s.envs[0])
	test("first touch: open, PTX compiled", "^TestGPUFirstTouch$", "CUDA_CACHE_DISABLE=1")
	test("conformance suite", "^TestConformance$")
	test("conformance suite without conditional nodes", "^TestConformance$", "TRACKGEN_CUDA_CONDITIONALS=off")
	for _, g := range generators {
		test("bits of the CPU: "+g, "^TestProducers$//^"+g+"$", smallest)
	}
	test("foreign capture: IF, nested IF, a fork", "^TestForeignCapture$")
	test("foreign capture: joined, left alone, legacy",
		"^(TestJoinForeignCapture|TestForeignCaptureIsLeftAlone|TestLegacyStream)$")
	test("foreign capture: own graphs with WHILE", "^(TestReplayInForeignCapture|TestReplayInCaptureHasAllEnds)$")
	test("foreign capture: a producer", "^TestGPULife$")
	test("user object", "^TestGPUUserObject$")
	times := func(device string, envs int, generator string) {
		test(fmt.Sprintf("times: %s, E=%d, %s", generator, envs, device), "^TestGPUTimes$", "TRACKGEN_GPU_DEVICE="+device,
			fmt.Sprintf("%s=%d", envsVariable, envs), "TRACKGEN_GPU_GENERATOR="+generator)
	}
	for _, envs := range s.envs {
		for _, g := range generators {
			times("cuda:0", envs, g)
		}
	}
	all = append(all, benchmark(s, generators, m))
	vulkan := m.vulkan(s)
	verify := check{name: "bits of Vulkan on the GPU", program: "trackgen", limit: most, absent: m.absent,
		arguments: []string{"verify", "--devices", "cpu,cuda:0," + vulkan.Name, "--envs", fmt.Sprint(s.envs[0]), "--format",
			"json"}}
	if vulkan.Name == "" {
		verify.skip = m.without
		if len(m.vulkans) > 0 {
			verify.skip = "no Vulkan device is of NVIDIA"
		}
	}
	all = append(all, verify)
	for _, envs := range s.envs {
		for _, g := range generators {
			times("Vulkan", envs, g)
			last := &all[len(all)-1]
			last.skip = verify.skip
			last.variables[0] = "TRACKGEN_GPU_DEVICE=" + vulkan.Name
		}
	}
	test("random captures against the CPU", "^TestCapturesAgainstTheCPU$")
	test("recording: many, deep, at once", "^(TestManyConditionals|TestDepthOfConditionals|TestRecordingAtOnce)$")
	test("no allocation on the hot path", "^TestAllocations$")
	return all
}
