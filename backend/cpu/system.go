package cpu

import (
	"bufio"
	"math"
	"path"
	"strconv"
	"strings"
)

// fileReader returns the content of a system file, empty if there is none.
type fileReader func(path string) string

// linuxMemory reads /proc/meminfo and the limits of the control group. It returns false if they do not contain the
// memory.
func linuxMemory(read fileReader) (systemMemory, bool) {
	info := read("/proc/meminfo")
	total, haveTotal := kibibytes(info, "MemTotal:")
	available, haveAvailable := kibibytes(info, "MemAvailable:")
	if !haveTotal || !haveAvailable {
		return systemMemory{}, false
	}
	memory := systemMemory{Total: total, Available: available}
	for _, group := range controlGroups(read("/proc/self/cgroup")) {
		limit, limited := number(read(group.limit))
		if !limited || limit >= memory.Total {
			continue
		}
		memory.Total = limit
		if used, known := number(read(group.usage)); known {
			memory.Available = min(memory.Available, max(limit-used, 0))
		}
	}
	return memory, true
}

// controlGroup names the files with the limit and the usage of a memory control group.
type controlGroup struct{ limit, usage string }

// controlGroups lists the groups that limit this process, from the text of /proc/self/cgroup: version 2 ("0::/path",
// where each parent is a limit too) and version 1 ("5:memory:/path").
func controlGroups(self string) []controlGroup {
	var groups []controlGroup
	lines := bufio.NewScanner(strings.NewReader(self))
	for lines.Scan() {
		fields := strings.SplitN(lines.Text(), ":", 3)
		if len(fields) != 3 || !strings.HasPrefix(fields[2], "/") {
			continue
		}
		var root, limit, usage string
		switch {
		case fields[0] == "0" && fields[1] == "":
			root, limit, usage = "/sys/fs/cgroup", "memory.max", "memory.current"
		case strings.Contains(","+fields[1]+",", ",memory,"):
			root, limit, usage = "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"
		default:
			continue
		}
		for directory := path.Clean(fields[2]); ; directory = path.Dir(directory) {
			groups = append(groups, controlGroup{path.Join(root, directory, limit), path.Join(root, directory, usage)})
			if directory == "/" {
				break
			}
		}
	}
	return groups
}

// kibibytes finds a line "key   123 kB" and returns the value in bytes.
func kibibytes(text, key string) (int64, bool) {
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) >= 2 && fields[0] == key {
			value, ok := number(fields[1])
			if value > math.MaxInt64>>10 {
				return 0, false
			}
			return value << 10, ok
		}
	}
	return 0, false
}

// number parses a count that is not negative. It returns false for "max" and everything else.
func number(text string) (int64, bool) {
	value, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return value, err == nil && value >= 0
}

// modelName finds the processor in /proc/cpuinfo.
func modelName(info string) string {
	lines := bufio.NewScanner(strings.NewReader(info))
	for lines.Scan() {
		key, value, found := strings.Cut(lines.Text(), ":")
		if value = strings.TrimSpace(value); found && value != "" && strings.TrimSpace(key) == "model name" {
			return value
		}
	}
	return ""
}
